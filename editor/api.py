"""Projects, members, documents and revisions over HTTP (docs/spec 12 §5)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from editor import selectors, services
from editor.changes import changed_lines
from editor.models import ApiToken, Document, Membership, Project, Revision, User
from editor.serializers import (
    DifferenceSerializer,
    DocumentNewSerializer,
    DocumentSaveSerializer,
    DocumentSerializer,
    DocumentTextSerializer,
    MemberSerializer,
    MemberSetSerializer,
    ProjectChangeSerializer,
    ProjectNewSerializer,
    ProjectSerializer,
    RevisionSerializer,
    RevisionTextSerializer,
)
from web.api.fields import StrictQuery
from web.errors import Conflict, Forbidden, Invalid


def caller(request: Request) -> tuple[User, ApiToken | None]:
    """The user who asks, and the token if they came with one."""
    user, token = request.user, request.auth
    if not isinstance(user, User):
        raise Forbidden("Sign in or send a token.")
    return user, token if isinstance(token, ApiToken) else None


def valid(serializer: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body in the shape of a serializer; its errors become ``fields``."""
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


class ProjectView(StrictQuery):
    """A view below ``projects/{slug}/``; reading needs membership, writing what ``write_permission`` says."""

    write_permission = "project.edit"

    def project(self) -> Project:
        """The project of the address, authorised for the method."""
        user, token = caller(self.request)
        safe = self.request.method in ("GET", "HEAD", "OPTIONS")
        permission = "project.view" if safe else self.write_permission
        return selectors.project_get(user=user, slug=self.kwargs["slug"], permission=permission, token=token)

    def document(self) -> Document:
        """The document of the address."""
        return selectors.document_get(project=self.project(), path=self.kwargs["name"])


class ProjectList(StrictQuery, generics.ListAPIView[Project]):
    """Projects that the caller may see."""

    serializer_class = ProjectSerializer
    queryset = Project.objects.none()

    def get_queryset(self) -> QuerySet[Project]:
        user, token = caller(self.request)
        return selectors.project_list(user=user, token=token)

    @extend_schema(request=ProjectNewSerializer, responses={201: ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Makes a project; the caller becomes its owner. A token cannot: it belongs to one project."""
        user, token = caller(request)
        if token is not None:
            raise Forbidden("A token belongs to one project and cannot make others. Sign in instead.")
        project = services.project_create(user=user, **valid(ProjectNewSerializer, request))
        return Response(ProjectSerializer(project).data, status=status.HTTP_201_CREATED)


class ProjectDetail(ProjectView):
    """One project."""

    write_permission = "project.manage"

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Name, description and the time limit of turns."""
        return Response(ProjectSerializer(self.project()).data)

    @extend_schema(request=ProjectChangeSerializer, responses=ProjectSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Changes name, description or the time limit of turns (owners)."""
        project = services.project_update(project=self.project(), **valid(ProjectChangeSerializer, request))
        return Response(ProjectSerializer(project).data)


class MemberList(ProjectView, generics.ListAPIView[Membership]):
    """Members of a project."""

    serializer_class = MemberSerializer
    write_permission = "project.manage"
    queryset = Membership.objects.none()

    def get_queryset(self) -> QuerySet[Membership]:
        return Membership.objects.filter(project=self.project()).select_related("user")

    @extend_schema(request=MemberSetSerializer, responses=MemberSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Gives a user a role, a new one or another (owners). 409 if no owner would be left."""
        project = self.project()
        data = valid(MemberSetSerializer, request)
        member = services.member_set(project=project, username=data["user"], role=data["role"])
        return Response(MemberSerializer(member).data)


class MemberDetail(ProjectView):
    """One member."""

    write_permission = "project.manage"

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, user: str) -> Response:
        """Takes the user out of the project (owners). 409 if no owner would be left."""
        services.member_remove(project=self.project(), username=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DocumentList(ProjectView, generics.ListAPIView[Document]):
    """Documents of a project: agents, tool libraries, profiles, scenarios."""

    serializer_class = DocumentSerializer
    queryset = Document.objects.none()

    def get_queryset(self) -> QuerySet[Document]:
        return selectors.document_list(project=self.project())

    @extend_schema(request=DocumentNewSerializer, responses={201: DocumentTextSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Makes a document with its first revision. A text with problems can be saved."""
        project = self.project()
        data = valid(DocumentNewSerializer, request)
        document = services.document_create(project=project, user=caller(request)[0], path=data.pop("name"), **data)
        return Response(DocumentTextSerializer(document).data, status=status.HTTP_201_CREATED)


class DocumentDetail(ProjectView):
    """One document by path."""

    @extend_schema(responses=DocumentTextSerializer)
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The newest text and its revision."""
        return Response(DocumentTextSerializer(self.document()).data)

    @extend_schema(request=DocumentSaveSerializer, responses={200: DocumentTextSerializer, 409: OpenApiTypes.OBJECT})
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Saves a revision if ``base_revision`` is still the newest; else 409 with the newest as ``current``.

        Nothing is kept of a text that is refused. 400 when there never was a revision of that number.
        """
        document = self.document()
        try:
            services.document_save(document=document, user=caller(request)[0], **valid(DocumentSaveSerializer, request))
        except Conflict as conflict:
            document.refresh_from_db()
            conflict.current = DocumentTextSerializer(document).data
            raise
        document.refresh_from_db()
        return Response(DocumentTextSerializer(document).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Removes the document with its revisions; 409 while test conversations need them."""
        services.document_delete(document=self.document())
        return Response(status=status.HTTP_204_NO_CONTENT)


class RevisionList(ProjectView, generics.ListAPIView[Revision]):
    """Revisions of a document, newest first."""

    costly = ("GET",)
    serializer_class = RevisionSerializer
    queryset = Revision.objects.none()

    def get_queryset(self) -> QuerySet[Revision]:
        return selectors.revision_list(document=self.document())


class RevisionDetail(ProjectView):
    """One revision."""

    costly = ("GET",)

    @extend_schema(responses=RevisionTextSerializer)
    def get(self, request: Request, slug: str, name: str, number: int) -> Response:
        """The text of a revision and who saved it."""
        return Response(RevisionTextSerializer(selectors.revision_get(document=self.document(), number=number)).data)


class Difference(ProjectView):
    """What changed between two revisions."""

    costly = ("GET",)

    @extend_schema(
        parameters=[
            OpenApiParameter("from", int, description="Older revision; the one before ``to`` if absent."),
            OpenApiParameter("to", int, description="Newer revision; the newest if absent."),
        ],
        responses=DifferenceSerializer,
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Removed and added lines with three lines around them.

        ``coarse``: the texts are too long, or repeat themselves too often, to compare every line.
        """
        document = self.document()
        newest = document.head.number if document.head else 0
        to = whole(request.query_params.get("to"), "to", newest)
        since = whole(request.query_params.get("from"), "from", to - 1)
        after = selectors.revision_get(document=document, number=to).text
        before = selectors.revision_get(document=document, number=since).text if since > 0 else ""
        return Response({"from": since, "to": to, **asdict(changed_lines(before, after))})


def whole(text: str | None, field: str, default: int) -> int:
    """A revision number of the query."""
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={field: f"{text[:40]!r} is not a revision number."})
    return int(text)
