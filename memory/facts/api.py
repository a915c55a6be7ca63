"""Facts over HTTP (docs/spec 12 §5): ``/api/v1/projects/{slug}/facts/``."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from editor.models import ApiToken, Project
from memory import values
from memory.facts import selectors, services
from memory.facts.revising import fact_write, version_reveal
from memory.lists import paging
from memory.lists.query import SORTS, STATES, FactQuery
from memory.models import Fact, FactChange, Scope
from web.api.fields import WHOLE_LARGEST, Choice, Fields, Flag, StrictQuery, Text, Whole, whole


class SourceSerializer(serializers.Serializer[Any]):
    """Who wrote a fact, as far as it is known."""

    conversation = serializers.IntegerField(required=False)
    turn = serializers.IntegerField(required=False)
    event = serializers.IntegerField(required=False)
    session = serializers.CharField(required=False)
    agent = serializers.CharField(required=False)
    cause = serializers.CharField(required=False)
    by = serializers.CharField(required=False)
    document = serializers.CharField(required=False)
    revision = serializers.IntegerField(required=False)
    line = serializers.IntegerField(required=False)
    column = serializers.IntegerField(required=False)
    end_line = serializers.IntegerField(required=False)
    end_column = serializers.IntegerField(required=False)


class FactSerializer(serializers.Serializer[Any]):
    """A fact as it is seen now: ``value`` is null when expired and masked when sensitive."""

    id = serializers.IntegerField()
    scope = serializers.ChoiceField(choices=Scope.choices)
    owner = serializers.CharField()
    path = serializers.CharField()
    value = serializers.JSONField(allow_null=True)
    type = serializers.CharField()
    version = serializers.IntegerField()
    state = serializers.CharField(help_text=f"One of {', '.join(STATES)}.")
    sensitive = serializers.BooleanField()
    masked = serializers.BooleanField()
    written_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    purged_at = serializers.DateTimeField(allow_null=True)
    ttl = serializers.CharField(allow_null=True)
    virtual_clock = serializers.BooleanField()
    source = SourceSerializer()  # type: ignore[assignment]


class FactPageSerializer(serializers.Serializer[Any]):
    """A page of facts and the addresses of those beside it.

    A page may be ``short``, even empty: it ended after looking at ``searched`` facts, and ``next`` continues there.
    """

    results = FactSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    searched = serializers.IntegerField()
    short = serializers.BooleanField()


class FactValueSerializer(Fields):
    """A new value. ``expected_version`` is the version that was read; null or absent: no live fact may be there."""

    value = serializers.JSONField(allow_null=True)
    ttl = Text(required=False, allow_null=True, max_length=20, help_text="Such as 90d; null: no expiry.")
    expected_version = Whole(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)
    sensitive = Flag(required=False, allow_null=True, help_text="Absent: as it was.")
    reason = Text(required=False, allow_blank=True, max_length=300)


class FactPutSerializer(FactValueSerializer):
    """A new value and the place it goes to. ``owner`` is empty for the scope ``project``."""

    scope = Choice(choices=Scope.choices)
    owner = Text(required=False, allow_blank=True, default="", max_length=values.OWNER_LENGTH)
    path = Text(max_length=values.PATH_LENGTH)


class ReasonSerializer(Fields):
    """Why a masked value is looked at, and that of which version."""

    reason = Text(max_length=services.REASON_LENGTH)
    seq = Whole(required=False, min_value=1, max_value=2**63 - 1, help_text="An earlier entry of the history.")


class ChangeSerializer(serializers.ModelSerializer[FactChange]):
    """An entry of the change log. ``value`` is null for what was erased, masked where the fact is sensitive by now."""

    kind = serializers.CharField(help_text=f"One of {', '.join(FactChange.Kind.values)}.")
    value = serializers.SerializerMethodField()
    masked = serializers.SerializerMethodField()
    source = SourceSerializer()  # type: ignore[assignment]

    class Meta:
        model = FactChange
        fields: ClassVar = [
            "seq", "kind", "scope", "owner", "path", "version", "type", "value", "sensitive", "masked", "at",
            "expires_at", "ttl", "actor", "source", "reason", "recorded_at", "commitment", "digest",
        ]  # fmt: skip

    @extend_schema_field(OpenApiTypes.ANY)
    def get_value(self, change: FactChange) -> Any:  # type: ignore[override]
        return values.parsed(change.value)

    def get_masked(self, change: FactChange) -> bool:
        return change.value is not None and (change.sensitive or change.hidden)


class HistorySerializer(serializers.Serializer[Any]):
    """What happened to a path, newest first, at most 200 entries."""

    results = ChangeSerializer(many=True)


PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "fields": {"type": "object", "additionalProperties": {"type": "string"}},
        "current": {"type": "object", "nullable": True, "description": "The fact as it is now."},
    },
}


def problem(words: str) -> OpenApiResponse:
    """A response as ``application/problem+json``."""
    return OpenApiResponse(PROBLEM, description=words)


READING = {401: problem("Not signed in"), 404: problem("No such project or fact for you")}
WRITING = {
    400: problem("Bad input; `fields` says what"),
    403: problem("Your role does not allow it"),
    409: problem("The fact has another version; `current` is it"),
    **READING,
}
EXPECTED = OpenApiParameter("expected_version", OpenApiTypes.INT, description="The version that was read.")
FILTERS = [
    OpenApiParameter("scope", enum=list(Scope.values)),
    OpenApiParameter("owner", description="User or tree id; counts with `scope`."),
    OpenApiParameter("below", description="A path: it and everything under it."),
    OpenApiParameter("prefix", description="What the path starts with."),
    OpenApiParameter("domain", description="Second segment of the path, or DOMAIN of its declaration."),
    OpenApiParameter("state", enum=list(STATES), description="`live` holds `expiring` and `forever` too."),
    OpenApiParameter("agent", description="The agent that wrote it."),
    OpenApiParameter("since", description="Changed since: a time in ISO form, or an age such as 24h."),
    OpenApiParameter("search", description="Text in the value, any case; not in sensitive values."),
    OpenApiParameter("sort", enum=list(SORTS), description="`time` is time left; default: suits the filters."),
]
"""What a list of facts is narrowed to (``memory.lists.query``)."""


class FactView(StrictQuery):
    """What the views have in common."""

    def project(self, request: Request, slug: str, *, write: bool = False) -> Project:
        token = request.auth if isinstance(request.auth, ApiToken) else None
        return selectors.project_for_facts(user=request.user, slug=slug, write=write, token=token)  # type: ignore[arg-type]

    def given(self, request: Request, kind: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        serializer = kind(data=request.data)
        serializer.is_valid(raise_exception=True)
        return {"expected_version": None, **serializer.validated_data}

    def shown(self, fact: Fact, *, revealed: bool = False, status: int = 200) -> Response:
        return Response(selectors.shown(fact, timezone.now(), revealed=revealed).as_dict(), status=status)


class FactList(FactView):
    """The facts of a project."""

    @extend_schema(
        operation_id="facts_list",
        parameters=[
            *FILTERS,
            OpenApiParameter("cursor", description="From `next` or `previous`."),
            OpenApiParameter(
                "page_size", OpenApiTypes.INT, description=f"1 to {paging.LARGEST}; default {paging.SIZE}."
            ),
        ],
        responses={200: FactPageSerializer, 400: problem("Bad filter; `fields` says which"), **READING},
    )
    def get(self, request: Request, slug: str) -> Response:
        """A page of facts; expired ones are listed without their value until their tombstone is dropped."""
        project = self.project(request, slug)
        given = request.query_params
        now = timezone.now()
        page = paging.fact_page(
            project=project,
            query=FactQuery.read(given),
            now=now,
            cursor=given.get("cursor", ""),
            size=size_of(given.get("page_size", "")),
        )
        return Response(
            {
                "results": [selectors.shown(fact, now).as_dict() for fact in page.facts],
                "next": beside(request, page.next),
                "previous": beside(request, page.previous),
                "searched": page.searched,
                "short": page.short,
            }
        )

    @extend_schema(
        operation_id="facts_put",
        request=FactPutSerializer,
        responses={200: FactSerializer, 201: OpenApiResponse(FactSerializer, description="There was none"), **WRITING},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Write a fact at its place: a new one, or the next version of the one that was read."""
        project = self.project(request, slug, write=True)
        given = self.given(request, FactPutSerializer)
        fact = fact_write(project=project, actor=request.user, **given)
        new = given["expected_version"] is None
        return self.shown(fact, status=status.HTTP_201_CREATED if new else status.HTTP_200_OK)


class FactDetail(FactView):
    """One fact."""

    @extend_schema(operation_id="facts_retrieve", responses={200: FactSerializer, **READING})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A fact; without its value when expired."""
        return self.shown(selectors.fact_get(project=self.project(request, slug), pk=pk))

    @extend_schema(operation_id="facts_update", request=FactValueSerializer, responses={200: FactSerializer, **WRITING})
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """The next version of a fact."""
        project = self.project(request, slug, write=True)
        fact = selectors.fact_get(project=project, pk=pk)
        given = self.given(request, FactValueSerializer)
        place = {"scope": fact.scope, "owner": fact.owner, "path": fact.path}
        return self.shown(fact_write(project=project, actor=request.user, **place, **given))  # type: ignore[arg-type]

    @extend_schema(operation_id="facts_destroy", parameters=[EXPECTED], responses={204: None, **WRITING})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a fact and erase its values from the log."""
        project = self.project(request, slug, write=True)
        version = whole(request.query_params.get("expected_version", ""), "expected_version", 1, WHOLE_LARGEST)
        services.fact_delete(project=project, pk=pk, expected_version=version, actor=request.user)  # type: ignore[arg-type]
        return Response(status=status.HTTP_204_NO_CONTENT)


class FactHistory(FactView):
    """What happened to a fact."""

    @extend_schema(operation_id="facts_history", responses={200: HistorySerializer, **READING})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Entries of the change log for the path of a fact, newest first."""
        fact = selectors.fact_get(project=self.project(request, slug), pk=pk)
        steps = selectors.fact_history(fact=fact, limit=200)
        return Response({"results": ChangeSerializer([step.change for step in steps], many=True).data})


class FactReveal(FactView):
    """The value behind a mask."""

    @extend_schema(operation_id="facts_reveal", request=ReasonSerializer, responses={200: FactSerializer, **WRITING})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """The unmasked value, or with `seq` an earlier one; who asked and why is kept in the log."""
        project = self.project(request, slug, write=True)
        serializer = ReasonSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        look: Any = version_reveal if "seq" in serializer.validated_data else services.fact_reveal
        fact = look(project=project, pk=pk, actor=request.user, **serializer.validated_data)
        response = self.shown(fact, revealed=True)
        response["Cache-Control"] = "no-store"
        return response


def size_of(text: str) -> int:
    return whole(text, "page_size", 1, paging.LARGEST) or paging.SIZE


def beside(request: Request, cursor: str | None) -> str | None:
    """Address of the page at ``cursor`` with the same filters."""
    if cursor is None:
        return None
    http: HttpRequest = request._request
    given = http.GET.copy()
    given["cursor"] = cursor
    return http.build_absolute_uri(f"{http.path}?{given.urlencode()}")
