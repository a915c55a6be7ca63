"""What a session carries over HTTP: metadata and files (docs/spec 11 §2)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from memory.facts.api import problem
from memory.models import Artifact, SessionMeta
from memory.stores import selectors, services
from memory.stores import serializers as shapes
from memory.stores.api import EDIT, TEST, StoresView
from memory.stores.links import download_path
from memory.stores.serializers import CHANGED, READING, WRITING
from web.errors import Invalid

ROOM_FOR_A_FORM = 64 * 1024
"""Bytes of an upload around the file itself."""
WRITING_FILES = {number: answer for number, answer in WRITING.items() if number != 409}


class SessionDetail(StoresView):
    """What a session carries: the store ``sessionMeta``."""

    @extend_schema(operation_id="sessions_retrieve", responses={200: shapes.SessionSerializer, **READING})
    def get(self, request: Request, slug: str, session: str) -> Response:
        """Metadata, session information and files of a session."""
        project = self.project()
        return self.shown(selectors.session_get(project=project, session=session))

    @extend_schema(
        operation_id="sessions_update",
        request=shapes.MetadataSerializer,
        responses={200: shapes.SessionSerializer, **WRITING},
    )
    def patch(self, request: Request, slug: str, session: str) -> Response:
        """Merge into the metadata; fields that are not sent stay. Only this API writes them."""
        return self.changed(session, merge=True)

    @extend_schema(
        operation_id="sessions_replace",
        request=shapes.MetadataSerializer,
        responses={200: shapes.SessionSerializer, **WRITING},
    )
    def put(self, request: Request, slug: str, session: str) -> Response:
        """Replace the metadata as a whole."""
        return self.changed(session, merge=False)

    def changed(self, session: str, *, merge: bool) -> Response:
        project = self.project(TEST)
        session = selectors.session_get(project=project, session=session).session
        body = self.given(shapes.MetadataSerializer)
        meta = services.metadata_set(
            project=project, session=session, metadata=body["metadata"], merge=merge, actor=self.caller
        )
        return self.shown(meta)

    def shown(self, meta: SessionMeta) -> Response:
        content = selectors.meta_dict(meta, now=timezone.now(), base=self.base)
        return Response({**content, "ended_at": meta.ended_at.isoformat() if meta.ended_at else None})


def artifact_dict(artifact: Artifact, base: str, *, text: bool = True) -> dict[str, Any]:
    """A file as the API gives it."""
    return {
        "id": artifact.pk,
        "session": artifact.session,
        "filename": artifact.filename,
        "mimetype": artifact.mimetype,
        "size": artifact.size,
        "sha256": artifact.sha256,
        "downloadUrl": base + download_path(artifact),
        "isActive": artifact.is_active,
        "text": artifact.text if text else None,
        "text_problem": artifact.text_problem,
        "uploaded_at": artifact.uploaded_at.isoformat(),
        "uploaded_by": artifact.uploaded_by,
        "expires_at": artifact.expires_at.isoformat() if artifact.expires_at else None,
    }


class BoundedUpload(MultiPartParser):
    """Form data that is refused by its announced size, before any of it is read."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The parsed form."""
        size = (parser_context or {})["request"].META.get("CONTENT_LENGTH", "")
        limit = settings.UPLOAD_BYTES + ROOM_FOR_A_FORM
        if str(size).isdigit() and int(size) > limit:
            raise Invalid(
                fields={"file": f"is in {int(size):,} bytes; files of {settings.UPLOAD_BYTES:,} are allowed"},
                code="too-large",
            )
        return super().parse(stream, media_type, parser_context)


class ArtifactList(StoresView):
    """The files of a session."""

    parser_classes = [BoundedUpload]

    @extend_schema(operation_id="artifacts_list", responses={200: shapes.ArtifactsSerializer, **READING})
    def get(self, request: Request, slug: str, session: str) -> Response:
        """Files in order of upload; each alone comes with its text."""
        project = self.project()
        meta = selectors.session_get(project=project, session=session)
        files = selectors.artifact_list(project=project, session=meta.session, now=timezone.now())
        return Response({"results": [artifact_dict(file, self.base, text=False) for file in files]})

    @extend_schema(
        operation_id="artifacts_create",
        request={"multipart/form-data": shapes.UploadSerializer},
        responses={
            201: shapes.ArtifactSerializer,
            **WRITING,
            409: OpenApiResponse(CHANGED.response, description="The session has ended"),
            415: problem("Not form data"),
        },
    )
    def post(self, request: Request, slug: str, session: str) -> Response:
        """Keep a file, whose type its content decides; the text of PDF, DOCX, TXT and JSON is read."""
        project = self.project(TEST)
        found = selectors.session_get(project=project, session=session).session
        services.only_file(request.FILES)
        body = self.given(shapes.UploadSerializer)
        artifact = services.artifact_add(
            project=project, session=found, file=body["file"], active=body["isActive"], actor=self.caller
        )
        return Response(artifact_dict(artifact, self.base), status=status.HTTP_201_CREATED)


class ArtifactDetail(StoresView):
    """One file."""

    @extend_schema(operation_id="artifacts_retrieve", responses={200: shapes.ArtifactSerializer, **READING})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """What is known of a file, with its text."""
        artifact = selectors.artifact_get(project=self.project(), pk=pk, now=timezone.now())
        return Response(artifact_dict(artifact, self.base))

    @extend_schema(
        operation_id="artifacts_update",
        request=shapes.ActiveSerializer,
        responses={200: shapes.ArtifactSerializer, **WRITING_FILES},
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Take a file into the context of its session, or out of it."""
        project = self.project(TEST)
        selectors.artifact_get(project=project, pk=pk, now=timezone.now())
        active = self.given(shapes.ActiveSerializer)["isActive"]
        artifact = services.artifact_set_active(project=project, pk=pk, active=active, actor=self.caller)
        return Response(artifact_dict(artifact, self.base))

    @extend_schema(
        operation_id="artifacts_destroy",
        responses={204: None, **WRITING_FILES},
    )
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a file; links to it stop working at once."""
        services.artifact_delete(project=self.project(EDIT), pk=pk, actor=self.caller)
        return Response(status=status.HTTP_204_NO_CONTENT)
