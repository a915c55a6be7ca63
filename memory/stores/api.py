"""Stores of a project over HTTP: definitions, records, sessions, files (docs/spec 11 §2, 12 §5)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers as drf
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from editor.models import ApiToken, Project, User
from memory import values
from memory.models import StoreDefinition
from memory.stores import selectors, services
from memory.stores import serializers as shapes
from memory.stores.samples import examples_of
from memory.stores.schema import problems_of
from memory.stores.serializers import READING, WRITING
from memory.stores.validation import errors_of
from web.api.fields import WHOLE_LARGEST, StrictQuery, whole
from web.errors import Invalid

VIEW, TEST, EDIT = "project.view", "project.test", "project.edit"


class StoresView(StrictQuery):
    """What the views have in common."""

    def project(self, permission: str = VIEW) -> Project:
        """The project of the address for the caller, as far as the permission goes."""
        token = self.request.auth if isinstance(self.request.auth, ApiToken) else None
        return selectors.project_for_stores(
            user=self.caller, slug=self.kwargs["slug"], permission=permission, token=token
        )

    @property
    def caller(self) -> User:
        """The signed-in user; permission classes keep others out."""
        return self.request.user  # type: ignore[return-value]

    def given(self, kind: type[drf.Serializer[Any]]) -> dict[str, Any]:
        """The checked body."""
        serializer = kind(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    @property
    def base(self) -> str:
        """Scheme and host by which the caller reached us, for links."""
        http: HttpRequest = self.request._request
        return http.build_absolute_uri("/")[:-1]


def store_dict(store: StoreDefinition, counts: tuple[int, int]) -> dict[str, Any]:
    """A store as the API gives it."""
    return {
        **selectors.definition_dict(store),
        "version": store.version,
        "records": counts[0],
        "flagged": counts[1],
        "created_at": store.created_at.isoformat(),
        "updated_at": store.updated_at.isoformat(),
    }


class StoreList(StoresView):
    """The stores of a project."""

    @extend_schema(operation_id="stores_list", responses={200: shapes.StoresSerializer, **READING})
    def get(self, request: Request, slug: str) -> Response:
        """All definitions, by technical name."""
        project = self.project()
        counts = selectors.record_counts(project=project)
        stores = selectors.store_list(project=project)
        return Response({"results": [store_dict(store, counts.get(store.pk, (0, 0))) for store in stores]})

    @extend_schema(
        operation_id="stores_create",
        request=shapes.DefinitionSerializer,
        responses={201: shapes.StoreSerializer, **WRITING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Define a store."""
        project = self.project(EDIT)
        store = services.store_create(project=project, actor=self.caller, **self.given(shapes.DefinitionSerializer))
        return Response(store_dict(store, (0, 0)), status=status.HTTP_201_CREATED)


class StoreDetail(StoresView):
    """One definition."""

    @extend_schema(operation_id="stores_retrieve", responses={200: shapes.StoreSerializer, **READING})
    def get(self, request: Request, slug: str, name: str) -> Response:
        """A definition and how many records it has."""
        project = self.project()
        return self.shown(selectors.store_get(project=project, name=name))

    @extend_schema(
        operation_id="stores_update",
        request=shapes.DefinitionChangeSerializer,
        responses={200: shapes.StoreSerializer, **WRITING},
    )
    def patch(self, request: Request, slug: str, name: str) -> Response:
        """Change a definition; fields that are not sent stay. Records that break a new schema become flagged."""
        project = self.project(EDIT)
        changes = self.given(shapes.DefinitionChangeSerializer)
        expected = changes.pop("expected_version", None)
        store = services.store_update(
            project=project, technical_name=name, changes=changes, expected_version=expected, actor=self.caller
        )
        return self.shown(store)

    @extend_schema(
        operation_id="stores_destroy",
        parameters=[
            OpenApiParameter("records", OpenApiTypes.INT, description="How many records go; needed when there are any.")
        ],
        responses={200: shapes.GoneSerializer, **WRITING},
    )
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete a definition with its records; says how many went."""
        project = self.project(EDIT)
        expected = whole(request.query_params.get("records", ""), "records", 0, WHOLE_LARGEST)
        gone = services.store_delete(project=project, technical_name=name, expected_records=expected, actor=self.caller)
        return Response({"records": gone})

    def shown(self, store: StoreDefinition) -> Response:
        counts = selectors.record_counts(project=store.project)
        return Response(store_dict(store, counts.get(store.pk, (0, 0))))


class SchemaCheck(StoresView):
    """A schema that is being written."""

    costly = ("POST",)

    @extend_schema(
        operation_id="stores_check",
        request=shapes.SchemaSerializer,
        responses={200: shapes.SchemaReportSerializer, **READING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Whether a value can be the schema of a store, what would fit it, and what in a content breaks it."""
        self.project()
        body = self.given(shapes.SchemaSerializer)
        problems = problems_of(body["schema"])
        report: dict[str, Any] = {"problems": problems, "examples": [], "errors": []}
        if not problems:
            report["examples"] = [content for _, content in examples_of(body["schema"])]
            if "content" in body:
                report["errors"] = errors_of(body["schema"], storable_content(body["content"]))
        return Response(report)


def storable_content(content: Any) -> Any:
    """A content that is no larger and no deeper than a record may be. Raises ``Invalid``."""
    try:
        values.value_text(content)
    except ValueError as error:
        raise Invalid(fields={"content": str(error)}) from None
    return content


class Definitions(StoresView):
    """All definitions as one file."""

    costly = ("GET", "POST")

    @extend_schema(operation_id="stores_export", responses={200: shapes.ExportSerializer, **READING})
    def get(self, request: Request, slug: str) -> Response:
        """Schema, access and retention of each store; never any data."""
        return Response(selectors.definitions_export(project=self.project()))

    @extend_schema(
        operation_id="stores_import",
        request=shapes.ImportSerializer,
        responses={200: shapes.ImportedSerializer, **WRITING},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Take over the definitions of an export, all or none; a refusal names each problem by its place."""
        project = self.project(EDIT)
        body = self.given(shapes.ImportSerializer)
        replace = body.pop("replace")
        return Response(services.definitions_import(project=project, data=body, replace=replace, actor=self.caller))
