"""Writes of projects, members, documents, drafts and tokens. Each is one transaction; callers have authorised it."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import RestrictedError
from django.db.models.deletion import ProtectedError
from django.utils import timezone
from django.utils.text import slugify

from abl.analysis.index import catalogues
from editor import room, selectors, trials
from editor.models import ApiToken, Document, Draft, Membership, Project, Revision, User
from editor.texts import MAX_MESSAGE, document_path, storable
from web.errors import Conflict, Invalid, NotFound
from web.storage import is_full

TOKEN_PREFIX = "abl_"  # noqa: S105  (how a token begins, so that people and scanners recognise one)
USED_STEP = timedelta(minutes=5)
SLUG_TRIES = 20
MOST_DOCUMENTS = 1_000
"""Documents of a project."""
MOST_TOKENS = 50
"""Tokens of a user in a project that are not revoked."""
REVOKED_KEPT = 50
"""Revoked tokens of a user in a project that are still listed."""


class Unchanged:
    """The default of a setting that may also be None."""


UNCHANGED = Unchanged()


class StillNeeded(Conflict):
    """What should be deleted is still needed; nothing was changed, so there is no ``current``."""

    title = "Still needed"


@transaction.atomic
def project_create(*, user: User, name: str, slug: str = "", description: str = "") -> Project:
    """A new project owned by ``user``. Without a slug, one is made of the name."""
    name = _name(name)
    _refuse_another_project(user)
    wanted = slug.strip() or slugify(name)[:60].strip("-") or "project"
    if slug and Project.objects.filter(slug=wanted).exists():
        raise Invalid(fields={"slug": f"{wanted!r} is already taken. Choose another."})
    if not wanted == slugify(wanted) or len(wanted) > 64:
        raise Invalid(
            fields={"slug": f"{wanted[:80]!r} is not a valid slug. Use at most 64 lowercase letters, digits, - and _."}
        )
    project = _project_insert(wanted, name, storable(description, "description").strip(), exact=bool(slug.strip()))
    Membership.objects.create(project=project, user=user, role=Membership.Role.OWNER)
    return project


def _refuse_another_project(user: User) -> None:
    """``Invalid`` when the user owns as many projects as an account may."""
    most = settings.USER_PROJECTS
    if Membership.objects.filter(user=user, role=Membership.Role.OWNER).count() >= most:
        words = (
            f"{user.get_username()} owns {most} projects already; no more are allowed. Who runs the workbench can "
            "delete some, or raise ABL_USER_PROJECTS."
        )
        raise Invalid(fields={"name": words})


def _project_insert(wanted: str, name: str, description: str, *, exact: bool) -> Project:
    """A row under the wanted slug or, unless ``exact``, one made of it; others may take slugs in the meantime."""
    for _ in range(SLUG_TRIES):
        slug = wanted if exact else _free_slug(wanted)
        try:
            with transaction.atomic():
                return Project.objects.create(slug=slug, name=name, description=description)
        except IntegrityError:
            if exact:
                break
    raise Invalid(fields={"slug": f"{wanted!r} is already taken. Choose another."})


@transaction.atomic
def project_update(
    *,
    project: Project,
    name: str | None = None,
    description: str | None = None,
    turn_seconds: int | Unchanged | None = UNCHANGED,
) -> Project:
    """Changes name or description; None leaves it as it is.

    ``turn_seconds`` is the longest that a turn may run; None: as the installation says. Left out, it stays.
    """
    if name is not None:
        project.name = _name(name)
    if description is not None:
        project.description = storable(description, "description").strip()
    project.save(update_fields=["name", "description"])
    if not isinstance(turn_seconds, Unchanged):
        trials.turn_seconds_set(project=project, seconds=turn_seconds)
    return project


@transaction.atomic
def member_set(*, project: Project, username: str, role: str) -> Membership:
    """Gives a user a role in the project, or another role. The last owner stays one (``Conflict``)."""
    if role not in Membership.Role.values:
        raise Invalid(fields={"role": f"{role!r} is not a role; use one of {', '.join(Membership.Role.values)}."})
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise Invalid(
            fields={"user": f"There is no user {username.strip()!r}. An admin of this installation can add one."}
        )
    if role != Membership.Role.OWNER:
        _keep_an_owner(project, user)
    member, _ = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
    return member


@transaction.atomic
def member_remove(*, project: Project, username: str) -> None:
    """Takes a user out of the project and revokes their tokens there. The last owner stays (``Conflict``)."""
    member = Membership.objects.filter(project=project, user__username=username).select_related("user").first()
    if member is None:
        raise NotFound(f"{username!r} is not a member of {project.name}.")
    _keep_an_owner(project, member.user)
    ApiToken.objects.filter(project=project, user=member.user, revoked_at__isnull=True).update(
        revoked_at=timezone.now()
    )
    member.delete()


def _keep_an_owner(project: Project, user: User) -> None:
    """``StillNeeded`` when ``user`` is the only owner. Locks the project, so that two owners cannot both leave."""
    Project.objects.select_for_update().get(pk=project.pk)
    owners = list(
        Membership.objects.filter(project=project, role=Membership.Role.OWNER).values_list("user_id", flat=True)
    )
    if owners == [user.pk]:
        raise StillNeeded(f"{user.username} is the last owner of {project.name}. Make someone else an owner first.")


@transaction.atomic
def document_create(
    *, project: Project, user: User, path: str, text: str, kind: str = "", message: str = ""
) -> Document:
    """A new document with its first revision. Without a kind, the ending of the path decides."""
    path = document_path(path)
    kind = kind or kind_of(path)
    if kind not in Document.Kind.values:
        raise Invalid(fields={"kind": f"{kind!r} is not a kind; use one of {', '.join(Document.Kind.values)}."})
    if Document.objects.filter(project=project).count() >= MOST_DOCUMENTS:
        raise Invalid(fields={"path": f"{project.name} already has {MOST_DOCUMENTS:,} documents, the most allowed."})
    try:
        with transaction.atomic():
            document = Document.objects.create(project=project, path=path, kind=kind)
    except IntegrityError:
        raise Invalid(fields={"path": f"{path!r} already exists in {project.name}."}) from None
    _append(document, user, storable(text), message)
    return document


def kind_of(path: str) -> str:
    """Kind of a document by the ending of its path (docs/spec 01 §1, 12 §3)."""
    endings = {
        ".tools.abl": Document.Kind.TOOLS,
        ".behavior_profile.abl": Document.Kind.PROFILE,
        ".scenario.yaml": Document.Kind.SCENARIO,
        ".scenario.yml": Document.Kind.SCENARIO,
        **dict.fromkeys(catalogues.SUFFIXES, Document.Kind.LOCALE),
    }
    return next((str(kind) for ending, kind in endings.items() if path.endswith(ending)), str(Document.Kind.AGENT))


@transaction.atomic
def document_rename(*, document: Document, path: str) -> Document:
    """Gives the document another path; its revisions and drafts stay with it."""
    document.path = document_path(path)
    document.kind = kind_of(document.path)
    try:
        with transaction.atomic():
            document.save(update_fields=["path", "kind"])
    except IntegrityError:
        raise Invalid(fields={"path": f"{path!r} already exists in the project."}) from None
    return document


@transaction.atomic
def document_delete(*, document: Document) -> None:
    """Removes the document with its revisions and drafts; ``StillNeeded`` while a conversation needs one of them."""
    try:
        document.delete()
    except (ProtectedError, RestrictedError):
        raise StillNeeded(
            f"{document.path} has revisions used by test conversations, so it can't be deleted. "
            "Rename it or save another text instead."
        ) from None


@transaction.atomic
def document_save(
    *, document: Document, user: User, text: str, base_revision: int | None, message: str = ""
) -> Revision:
    """Appends a revision if ``base_revision`` is still the newest one; the user's draft is then done with.

    Raises ``Conflict`` whose ``current`` is the newest revision (``revision_dict``) when somebody saved in between.
    Nothing is written then, the draft stays. A text equal to the newest one makes no revision, so a repeated request
    is harmless. ``Invalid`` when there never was a ``base_revision`` of that number.
    """
    text = storable(text)
    locked = Document.objects.select_for_update().get(pk=document.pk)
    head = Revision.objects.select_related("author").filter(pk=locked.head_id or 0).first()
    # Revisions count from 1 without a gap.
    if base_revision is not None and not 1 <= base_revision <= (head.number if head else 0):
        raise _unknown_base(locked, base_revision, head)
    if head is not None and head.text == text:
        draft_discard(document=document, user=user)
        return head
    if base_revision != (head.number if head else None):
        who = head.author.shown_name if head and head.author else "Somebody"
        began = f"revision {base_revision}" if base_revision is not None else "no revision"
        raise Conflict(
            # Not into the draft: there is one a person, and a program's text must not replace what its user is typing.
            f"{who} saved revision {head.number if head else 0} after you started from {began}. "
            "Your text was not saved.",
            current=selectors.revision_dict(head) if head else None,
        )
    revision = _append(locked, user, text, message)
    document.head = revision
    draft_discard(document=document, user=user)
    return revision


def _unknown_base(document: Document, number: int, newest: Revision | None) -> Invalid:
    """The error for a number that no revision of the document ever had."""
    there_is = f"the newest is {newest.number}" if newest else "it has none yet"
    return Invalid(fields={"base_revision": f"{document.path} has no revision {number}; {there_is}."})


def _append(document: Document, user: User, text: str, message: str) -> Revision:
    room.refuse_over_quota(project=document.project, user=user, text=text)
    head = Revision.objects.filter(pk=document.head_id or 0).only("pk", "number").first()
    revision = Revision.objects.create(
        document=document,
        number=head.number + 1 if head else 1,
        text=text,
        stored_bytes=room.size_of(text),
        author=user,
        message=storable(" ".join(message.split()), "message")[:MAX_MESSAGE],
        parent=head,
    )
    # now() of the database is unknown to the instance until it is read back.
    revision.refresh_from_db(fields=["created_at"])
    document.head = revision
    document.save(update_fields=["head"])
    return revision


@transaction.atomic
def draft_save(*, document: Document, user: User, text: str, base_revision: int | None) -> Draft | None:
    """Keeps what the user typed, on the revision they began from. A text equal to that one needs no draft (None)."""
    text = storable(text)
    base = None
    if base_revision is not None:
        base = Revision.objects.filter(document=document, number=base_revision).first()
        if base is None:
            raise _unknown_base(document, base_revision, document.head)
    if base is not None and base.text == text:
        draft_discard(document=document, user=user)
        return None
    # What is there already may be typed into, even over the quota, as long as it does not grow.
    before = Draft.objects.filter(document=document, user=user).values_list("stored_bytes", flat=True).first() or 0
    size = room.size_of(text)
    if size > before:
        room.refuse_over_quota(project=document.project, user=user, text=text, replaced=before)
    values = {"text": text, "base": base, "stored_bytes": size}
    draft, _ = Draft.objects.update_or_create(document=document, user=user, defaults=values)
    return draft


def draft_discard(*, document: Document, user: User) -> None:
    """Forgets the user's draft of the document, if there is one."""
    Draft.objects.filter(document=document, user=user).delete()


@transaction.atomic
def token_create(*, project: Project, user: User, name: str = "") -> tuple[ApiToken, str]:
    """A token of one user in one project, and its secret, which is kept nowhere (docs/spec 12 §5)."""
    theirs = ApiToken.objects.filter(project=project, user=user)
    if theirs.filter(revoked_at__isnull=True).count() >= MOST_TOKENS:
        raise Invalid(fields={"name": f"you have {MOST_TOKENS} tokens here; revoke one that is no longer needed"})
    revoked = theirs.filter(revoked_at__isnull=False).order_by("-revoked_at", "-pk")
    theirs.filter(pk__in=list(revoked.values_list("pk", flat=True)[REVOKED_KEPT:])).delete()
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        project=project,
        name=storable(name.strip(), "name")[:80],
        digest=selectors.digest_of(secret),
        prefix=secret[:12],
    )
    return token, secret


def token_used(*, token: ApiToken) -> None:
    """Notes that a token was used, at most once in five minutes: reading the API should not write each time."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at <= USED_STEP:
        return
    try:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    except OperationalError as error:
        if not is_full(error):  # a full disk stops no reading
            raise


def token_revoke(*, token: ApiToken) -> None:
    """Revokes a token at once; revoking it again changes nothing."""
    ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())


def _name(name: str) -> str:
    name = " ".join(storable(name, "name").split())
    if not 1 <= len(name) <= 120:
        raise Invalid(fields={"name": f"has {len(name)} characters; a name has 1 to 120."})
    return name


def _free_slug(wanted: str) -> str:
    taken = set(Project.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    if wanted not in taken:
        return wanted
    return next(slug for n in range(2, len(taken) + 3) if (slug := f"{wanted[:58]}-{n}") not in taken)
