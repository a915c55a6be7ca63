"""Reads of projects and documents; visibility is decided here and nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.contrib.sessions.models import Session
from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils import timezone

from abl.analysis.index.project import is_beside
from editor.models import ApiToken, Document, Draft, Membership, Project, Revision, User
from editor.permissions import ROLES_THAT_MAY, role_of
from web.errors import Forbidden, NotFound


def project_list(*, user: User, token: ApiToken | None = None) -> QuerySet[Project]:
    """Projects that the user may see; a token sees its own project only."""
    projects = Project.objects.all()
    if token is not None:
        projects = projects.filter(pk=token.project_id)
    if user.is_superuser:
        return projects
    return projects.filter(memberships__user=user)


def project_get(*, user: User, slug: str, permission: str = "project.view", token: ApiToken | None = None) -> Project:
    """The project, if the user may see it (else ``NotFound``) and holds the permission (else ``Forbidden``)."""
    project = project_list(user=user, token=token).filter(slug=slug).first() if user.is_authenticated else None
    role = role_of(user, project) if project is not None else None
    if project is None or role is None:
        raise NotFound(f"There is no project {slug!r} that you have access to.")
    if role not in ROLES_THAT_MAY[permission]:
        what = permission.removeprefix("project.")
        raise Forbidden(f"Your role in {project.name}, {role}, does not allow this; it needs {what}.")
    return project


class Viewing(NamedTuple):
    """What gives somebody access to a project: keys of user and project, and of the session or the token that was
    shown.

    ``session`` is empty and ``password`` too where a token was shown, ``token`` is 0 where a session was. ``password``
    is the session's mark of the password, so that a new one ends the others' sessions.
    """

    user: int
    project: int
    session: str
    password: str
    token: int


def viewings_allowed(*, viewings: Collection[Viewing]) -> set[Viewing]:
    """The claims that are still valid: user active, a member or admin, session not ended, token not revoked. Four
    queries.
    """
    users = {user.pk: user for user in User.objects.filter(pk__in={each.user for each in viewings}, is_active=True)}
    seen = Membership.objects.filter(user__in=users, project__in={each.project for each in viewings})
    members = set(seen.filter(role__in=ROLES_THAT_MAY["project.view"]).values_list("user_id", "project_id"))
    tokens = set(live_tokens().filter(pk__in={each.token for each in viewings}).values_list("pk", flat=True))
    running = Session.objects.filter(
        session_key__in={each.session for each in viewings}, expire_date__gt=timezone.now()
    )
    sessions = set(running.values_list("session_key", flat=True))
    marks = {pk: user.get_session_auth_hash() for pk, user in users.items()}

    def holds(each: Viewing) -> bool:
        if each.user not in users:
            return False
        if each.token:
            valid = each.token in tokens
        else:
            valid = each.session in sessions and each.password == marks[each.user]
        return valid and (users[each.user].is_superuser or (each.user, each.project) in members)

    return {each for each in viewings if holds(each)}


def document_get(*, project: Project, path: str) -> Document:
    """A document of the project by path, with its head revision."""
    document = Document.objects.select_related("head").filter(project=project, path=path).first()
    if document is None:
        raise NotFound(f"There is no document {path!r} in {project.name}.")
    return document


def document_list(*, project: Project) -> QuerySet[Document]:
    """All documents of a project in order of path, with their head revisions."""
    return Document.objects.filter(project=project).select_related("head")


def project_files(*, project: Project, kinds: tuple[str, ...] = Document.LANGUAGE_KINDS) -> dict[str, str]:
    """Path to saved text of a project's language documents: what ``abl.check`` and a run take."""
    heads = Document.objects.filter(project=project, kind__in=kinds, head__isnull=False)
    return dict(heads.order_by("path").values_list("path", "head__text"))


def files_beside(*, document: Document) -> dict[str, str]:
    """Saved texts of the others of a document's project that the language reads: documents, scenarios, catalogues.

    Revisions never change: texts are kept.
    """
    others = Document.objects.filter(project=document.project_id, head__isnull=False).exclude(pk=document.pk)
    heads = others.values_list("path", "kind", "head_id", "head__created_at")
    return {
        path: _text_of(head, saved_at)
        for path, kind, head, saved_at in heads
        if kind in Document.LANGUAGE_KINDS or is_beside(path)
    }


@lru_cache(maxsize=256)
def _text_of(revision: int, _saved_at: datetime) -> str:
    """Text of a revision; the time keeps apart two databases that number alike."""
    return str(Revision.objects.values_list("text", flat=True).get(pk=revision))


def draft_get(*, document: Document, user: User) -> Draft | None:
    """The user's draft of a document, if any."""
    return Draft.objects.filter(document=document, user=user).select_related("base").first()


def revision_list(*, document: Document) -> QuerySet[Revision]:
    """Revisions of a document, newest first, with their authors."""
    return Revision.objects.filter(document=document).select_related("author", "parent")


def revision_get(*, document: Document, number: int) -> Revision:
    """One revision by number."""
    revision = Revision.objects.filter(document=document, number=number).select_related("author").first()
    if revision is None:
        raise NotFound(f"{document.path} has no revision {number}.")
    return revision


def digest_of(secret: str) -> str:
    """What is stored of a token: SHA-256 in hex. Tokens are long and random, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


def live_tokens() -> QuerySet[ApiToken]:
    """Tokens that can be used."""
    return ApiToken.objects.filter(revoked_at__isnull=True)


def token_get(*, secret: str) -> ApiToken | None:
    """The live token of that secret whose user is active and still belongs to its project, or None.

    Also an address that names no project refuses the others: a user who was removed from a project has no access
    anywhere.
    """
    token = live_tokens().select_related("user", "project").filter(digest=digest_of(secret)).first()
    return token if token is not None and role_of(token.user, token.project) is not None else None


def revision_dict(revision: Revision) -> dict[str, Any]:
    """A revision as every interface gives it; ``author`` is a user name or None."""
    return {
        "revision": revision.number,
        "text": revision.text,
        "author": revision.author.get_username() if revision.author else None,
        "author_name": revision.author.shown_name if revision.author else None,
        "message": revision.message,
        "created_at": revision.created_at.isoformat(),
    }


def project_overview(*, user: User) -> QuerySet[Project]:
    """Projects of the user with ``agents`` (how many) and ``changed_at`` (last revision), last changed first."""
    heads = Document.objects.filter(project=OuterRef("pk")).order_by("-head__created_at", "-pk")
    return (
        project_list(user=user)
        .annotate(
            agents=Count("documents", filter=Q(documents__kind=Document.Kind.AGENT), distinct=True),
            changed_at=Subquery(heads.values("head__created_at")[:1]),
        )
        .order_by(F("changed_at").desc(nulls_last=True), "name")
    )


def member_list(*, project: Project) -> QuerySet[Membership]:
    """Members with their users, owners first, then by user name."""
    rank = Case(*(When(role=role, then=Value(n)) for n, role in enumerate(Membership.Role.values)), default=Value(9))
    return Membership.objects.filter(project=project).select_related("user").order_by(rank, "user__username")


def token_list(*, project: Project, user: User) -> QuerySet[ApiToken]:
    """The user's own tokens in a project, newest first, revoked ones too."""
    return ApiToken.objects.filter(project=project, user=user)


def own_token_get(*, project: Project, user: User, pk: int) -> ApiToken:
    """One of the user's own tokens; nobody, owner of the project or not, sees another's."""
    token = token_list(project=project, user=user).filter(pk=pk).first()
    if token is None:
        raise NotFound("You have no such token in this project.")
    return token
