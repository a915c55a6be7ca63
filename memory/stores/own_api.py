"""``get_content``, ``set_content`` and ``delete_content`` over HTTP: ``/api/v1/memory/stores`` (docs/spec 11 §2).

The token says in which project and for which user; a session has to be one of that user's.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from abl.runtime.memory.ports import SESSION_META
from editor.models import Project
from memory.facts.api import problem
from memory.facts.services import ANY
from memory.models import StoreDefinition, StoreRecord
from memory.stores import selectors, services
from memory.stores import serializers as shapes
from memory.stores.content import checked_projections, part_of
from memory.stores.selectors import Subject
from memory.stores.serializers import BAD, CHANGED, MISSING
from memory.token_api import ACCESS, TokenView
from web.api.fields import WHOLE_LARGEST, whole
from web.api.parsers import json_problem, json_value
from web.errors import Invalid, NotFound

NAME = OpenApiParameter("name", OpenApiTypes.STR, OpenApiParameter.PATH, description="Technical name.")
SESSION = OpenApiParameter("session_id", description="A session of the user; stores of a session need it.")
PROJECTIONS = OpenApiParameter(
    "projections", description='JSON: dotted paths to 1 (take) or 0 (leave out), such as `{"preferences.language": 1}`.'
)
EXPECTED = OpenApiParameter("expected_version", OpenApiTypes.INT, description="The version that was read.")
LONGEST_PROJECTIONS = 20_000
META = {
    "technical_name": SESSION_META,
    "name": "Session",
    "description": "What the caller passed to the session, what is known of it, and its files.",
    "schema": None,
    "access": StoreDefinition.Access.SESSION.value,
    "retention": StoreDefinition.Retention.SESSION.value,
    "strict": False,
    "read_only": True,
}


class OwnView(TokenView):
    """What both views have in common."""

    def subject(self, project: Project) -> Subject:
        """The token's user, with the session of the query string if it is one of theirs."""
        session = self.request.query_params.get("session_id", "")
        if not session:
            return Subject(self.owner)
        selectors.session_of_user(project=project, session=session, user=self.caller)
        return Subject(self.owner, session)


class OwnStoreList(OwnView):
    """The stores that the token's user works with."""

    @extend_schema(
        operation_id="memory_stores_list", responses={200: shapes.OwnStoresSerializer, 404: MISSING, **ACCESS}
    )
    def get(self, request: Request) -> Response:
        """All stores of the project; ``sessionMeta`` is only read."""
        stores = selectors.store_list(project=self.project())
        results = [{**selectors.definition_dict(store), "read_only": False} for store in stores]
        return Response({"results": [*results, META]})


class OwnStore(OwnView):
    """The content of the record that belongs to the token's user, to a session of theirs, or to the application."""

    @extend_schema(
        operation_id="memory_content_get",
        parameters=[NAME, SESSION, PROJECTIONS],
        responses={200: shapes.ContentSerializer, 400: BAD, 404: MISSING, **ACCESS},
    )
    def get(self, request: Request, name: str) -> Response:
        """``get_content``: the content, or the part of it that the projections ask for; null without a record."""
        project = self.project()
        wanted = checked_projections(projections_in(request))
        if name == SESSION_META:
            http: HttpRequest = request._request
            content = selectors.content_now(
                project=project,
                name=name,
                subject=self.subject(project),
                now=timezone.now(),
                base=http.build_absolute_uri("/")[:-1],
            )
            return Response({**shown(name, None), "content": part_of(content, wanted)})
        store = selectors.store_get(project=project, name=name)
        owner = self.subject(project).owner_in(store)
        record = selectors.record_now(store=store, owner=owner, now=timezone.now())
        return Response({**shown(name, record), "content": part_of(record.content if record else None, wanted)})

    @extend_schema(
        operation_id="memory_content_set",
        parameters=[NAME, SESSION],
        request=shapes.ContentSetSerializer,
        responses={200: shapes.ContentSerializer, 400: BAD, 404: MISSING, 409: CHANGED, **ACCESS},
    )
    def patch(self, request: Request, name: str) -> Response:
        """``set_content``: create the record or merge into it. A record of the application needs an editor's token."""
        project = self.project()
        subject = self.writing(project, name)
        body = shapes.ContentSetSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        record = services.content_set(
            project=project,
            name=name,
            content=given["content"],
            subject=subject,
            actor=self.caller,
            expected_version=given.get("expected_version", ANY),
            source={"cause": "api", "by": self.owner},
        )
        return Response({**shown(name, record), "content": record.content})

    @extend_schema(
        operation_id="memory_content_delete",
        parameters=[NAME, SESSION, EXPECTED],
        responses={204: None, 400: BAD, 404: problem("There is no such record"), 409: CHANGED, **ACCESS},
    )
    def delete(self, request: Request, name: str) -> Response:
        """``delete_content``: remove the record, not the definition. 404 when there was none."""
        project = self.project()
        subject = self.writing(project, name)
        version = whole(request.query_params.get("expected_version", ""), "expected_version", 1, WHOLE_LARGEST)
        found = services.content_delete(
            project=project,
            name=name,
            subject=subject,
            actor=self.caller,
            expected_version=version or ANY,
            source={"cause": "api", "by": self.owner},
        )
        if not found:
            raise NotFound(f"There is no record in {name[:100]!r} to delete.", code="no-record")
        return Response(status=status.HTTP_204_NO_CONTENT)

    def writing(self, project: Project, name: str) -> Subject:
        """Whose record is written. Those of the application belong to all, so they need an editor."""
        subject = self.subject(project)
        if name != SESSION_META:
            store = selectors.store_get(project=project, name=name)
            if store.access == StoreDefinition.Access.APPLICATION:
                self.project("project.edit")
        return subject


def projections_in(request: Request) -> Any:
    """The projections of the query string, None for none. Raises ``Invalid``."""
    text = request.query_params.get("projections", "")
    if not text:
        return None
    try:
        if len(text) > LONGEST_PROJECTIONS:
            raise ValueError(f"it is longer than {LONGEST_PROJECTIONS:,} characters")
        return json_value(text)
    except ValueError as error:
        raise Invalid(fields={"projections": f'{json_problem(error)}; give an object such as {{"a.b": 1}}'}) from None


def shown(name: str, record: StoreRecord | None) -> dict[str, Any]:
    """What surrounds the content."""
    return {
        "technical_name": name,
        "version": record.version if record else None,
        "written_at": record.written_at.isoformat() if record else None,
        "expires_at": record.expires_at.isoformat() if record and record.expires_at else None,
        "errors": record.errors if record else [],
    }
