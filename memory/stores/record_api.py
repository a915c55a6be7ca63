"""Records of the stores of a project over HTTP, for those who look after them (docs/spec 11 §2)."""

from __future__ import annotations

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from memory.stores import selectors, services
from memory.stores import serializers as shapes
from memory.stores.api import EDIT, StoresView
from memory.stores.selectors import STATES, RecordFilters
from memory.stores.serializers import READING, WRITING
from memory.values import storable_text
from web.api.fields import WHOLE_LARGEST, whole
from web.api.pagination import KeysetPagination
from web.errors import Invalid

RECORD_FILTERS = [
    OpenApiParameter("store", description="Technical name."),
    OpenApiParameter("owner", description="User or session."),
    OpenApiParameter("session", description="The session at whose end they go."),
    OpenApiParameter("state", enum=list(STATES)),
    OpenApiParameter("flagged", OpenApiTypes.BOOL, description="Whether they break their schema."),
    OpenApiParameter("cursor", description="From `next` or `previous`."),
    OpenApiParameter("page_size", OpenApiTypes.INT, description="1 to 200; default 50."),
]


def filters_of(request: Request) -> RecordFilters:
    """The filters of a list. Raises ``Invalid``."""
    given = {name: request.query_params.get(name, "") for name in ("store", "owner", "session", "state")}
    problems = {
        name: "has a character that cannot be stored" for name, text in given.items() if not storable_text(text)
    }
    flagged = request.query_params.get("flagged", "")
    if flagged not in ("", "true", "false"):
        problems["flagged"] = f"{flagged[:20]!r} is not true or false"
    if problems:
        raise Invalid(fields=problems)
    return RecordFilters(**given, flagged={"true": True, "false": False}.get(flagged))


class RecordList(StoresView):
    """The records of a project."""

    @extend_schema(
        operation_id="records_list",
        parameters=RECORD_FILTERS,
        responses={200: shapes.RecordPageSerializer, **READING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """A page of records, newest first; expired ones are listed without their content."""
        project, now = self.project(), timezone.now()
        records = selectors.record_list(project=project, filters=filters_of(request), now=now)
        pages = KeysetPagination()
        page = pages.paginate_queryset(records, request, view=self) or []
        return pages.get_paginated_response([selectors.record_dict(record, now) for record in page])


class RecordDetail(StoresView):
    """One record."""

    @extend_schema(operation_id="records_retrieve", responses={200: shapes.RecordSerializer, **READING})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A record; without its content when expired."""
        record = selectors.record_get(project=self.project(), pk=pk)
        return Response(selectors.record_dict(record, timezone.now()))

    @extend_schema(
        operation_id="records_update",
        request=shapes.RecordChangeSerializer,
        responses={200: shapes.RecordSerializer, **WRITING},
    )
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Replace the whole content of the version that was read."""
        return self.changed(pk, merge=False)

    @extend_schema(
        operation_id="records_merge",
        request=shapes.RecordChangeSerializer,
        responses={200: shapes.RecordSerializer, **WRITING},
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Merge into the content of the version that was read."""
        return self.changed(pk, merge=True)

    def changed(self, pk: int, *, merge: bool) -> Response:
        project = self.project(EDIT)
        body = self.given(shapes.RecordChangeSerializer)
        record = services.record_edit(project=project, pk=pk, merge=merge, actor=self.caller, **body)
        return Response(selectors.record_dict(record, timezone.now()))

    @extend_schema(
        operation_id="records_destroy",
        parameters=[
            OpenApiParameter("expected_version", OpenApiTypes.INT, description="The version that was read."),
            OpenApiParameter("reason", description="Kept in the log."),
        ],
        responses={204: None, **WRITING},
    )
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a record and erase its values from the log."""
        project = self.project(EDIT)
        version = whole(request.query_params.get("expected_version", ""), "expected_version", 1, WHOLE_LARGEST)
        reason = request.query_params.get("reason", "")
        selectors.record_get(project=project, pk=pk)
        services.records_delete(project=project, chosen={pk: version}, actor=self.caller, reason=reason)
        return Response(status=status.HTTP_204_NO_CONTENT)
