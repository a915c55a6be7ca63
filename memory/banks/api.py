"""Memory banks over HTTP (docs/spec 11 §3). The token decides in which project."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memory.banks import selectors, services
from memory.banks.texts import AGENT_LENGTH, CONTENT_LENGTH, MOST_LINES, NAME_LENGTH, lines_with
from memory.facts.api import problem
from memory.facts.services import ANY
from memory.token_api import ACCESS, TokenView
from memory.values import storable_text
from web.api.fields import WHOLE_LARGEST, Fields, Text, Whole
from web.api.pagination import KeysetPagination
from web.errors import Invalid

WRITE = "project.edit"
LONGEST_QUERY = 2_000


class BankSerializer(serializers.Serializer[Any]):
    """A memory bank; ``agents`` is how many keep a text in it."""

    name = serializers.CharField()
    max_lines = serializers.IntegerField(allow_null=True)
    agents = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class BankPageSerializer(serializers.Serializer[Any]):
    """A page of banks and the addresses of those beside it."""

    results = BankSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class BankBoundSerializer(Fields):
    """How much a bank keeps."""

    max_lines = Whole(
        allow_null=True,
        min_value=1,
        max_value=MOST_LINES,
        help_text="The last so many lines of each text stay, from its next write on; null: all.",
        error_messages={"required": "is missing; give a number of lines, or null to keep all."},
    )


class BankNewSerializer(Fields):
    """A bank to make."""

    max_lines = Whole(
        required=False,
        allow_null=True,
        default=None,
        min_value=1,
        max_value=MOST_LINES,
        help_text="The last so many lines of each text stay; null: all.",
    )
    name = Text(max_length=NAME_LENGTH, help_text="Letters, digits, _ . and -.")


class EntrySerializer(serializers.Serializer[Any]):
    """The text of an agent; empty at version 0 for one that has written none."""

    agent = serializers.CharField()
    content = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField()
    written_at = serializers.DateTimeField(allow_null=True)


class EntryPageSerializer(serializers.Serializer[Any]):
    """A page of texts and the addresses of those beside it."""

    results = EntrySerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class EntryPutSerializer(Fields):
    """The whole new text. Without ``expected_version`` whatever is there is replaced."""

    content = Text(allow_blank=True, max_length=CONTENT_LENGTH)
    expected_version = Whole(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=WHOLE_LARGEST,
        help_text="The version that was read; 0: there was none.",
    )


class LineSerializer(serializers.Serializer[Any]):
    """A line that was found; ``line_number`` counts from 1."""

    line_number = serializers.IntegerField(min_value=1)
    content = serializers.CharField(allow_blank=True)


class LinesSerializer(serializers.Serializer[Any]):
    """Lines in order."""

    results = LineSerializer(many=True)


BANK = OpenApiParameter("bank", OpenApiTypes.STR, OpenApiParameter.PATH, description="Name of a bank.")
AGENT = OpenApiParameter("agent", OpenApiTypes.STR, OpenApiParameter.PATH, description="Name of an agent.")
BAD = problem("Bad input; `fields` says what")
READING = {**ACCESS, 400: BAD, 404: problem("There is no such bank")}
CONFLICT = problem("The text has another version; `current` is it")
PAGING = [
    OpenApiParameter("cursor", description="From `next` or `previous`."),
    OpenApiParameter("page_size", OpenApiTypes.INT, description="1 to 200; default 50."),
]


class ByName(KeysetPagination):
    """Banks in order of name."""

    ordering = "name"


class ByAgent(KeysetPagination):
    """Texts in order of agent."""

    ordering = "agent"


class BankList(TokenView):
    """The banks of a project."""

    @extend_schema(operation_id="memory_banks_list", parameters=PAGING, responses={200: BankPageSerializer, **READING})
    def get(self, request: Request) -> Response:
        """The banks in order of name."""
        pages = ByName()
        page = pages.paginate_queryset(selectors.bank_list(project=self.project()), request, view=self) or []
        return pages.get_paginated_response([selectors.bank_dict(bank) for bank in page])

    @extend_schema(
        operation_id="memory_banks_create",
        request=BankNewSerializer,
        responses={201: BankSerializer, 409: problem("There is one of that name; `current` is it"), **READING},
    )
    def post(self, request: Request) -> Response:
        """Make a bank."""
        project = self.project(WRITE)
        body = BankNewSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        bank = services.bank_create(project=project, actor=self.caller, **body.validated_data)
        return bank_response(bank, status.HTTP_201_CREATED)


class BankDetail(TokenView):
    """One bank."""

    @extend_schema(operation_id="memory_banks_retrieve", parameters=[BANK], responses={200: BankSerializer, **READING})
    def get(self, request: Request, bank: str) -> Response:
        """A bank."""
        return bank_response(selectors.bank_get(project=self.project(), name=named(bank)))

    @extend_schema(
        operation_id="memory_banks_update",
        parameters=[BANK],
        request=BankBoundSerializer,
        responses={200: BankSerializer, **READING},
    )
    def put(self, request: Request, bank: str) -> Response:
        """A new bound; it applies from the next write."""
        project = self.project(WRITE)
        found = selectors.bank_get(project=project, name=named(bank))
        body = BankBoundSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        changed, _ = services.bank_put(project=project, name=found.name, actor=self.caller, **body.validated_data)
        return bank_response(changed)

    @extend_schema(operation_id="memory_banks_destroy", parameters=[BANK], responses={204: None, **READING})
    def delete(self, request: Request, bank: str) -> Response:
        """Delete a bank with the texts in it, and erase these from the log."""
        services.bank_delete(project=self.project(WRITE), name=named(bank), actor=self.caller)
        return Response(status=status.HTTP_204_NO_CONTENT)


class EntryList(TokenView):
    """The texts in a bank."""

    @extend_schema(
        operation_id="memory_bank_entries_list",
        parameters=[BANK, *PAGING],
        responses={200: EntryPageSerializer, **READING},
    )
    def get(self, request: Request, bank: str) -> Response:
        """What each agent keeps, in order of agent."""
        found = selectors.bank_get(project=self.project(), name=named(bank))
        pages = ByAgent()
        page = pages.paginate_queryset(selectors.entry_list(bank=found), request, view=self) or []
        return pages.get_paginated_response([selectors.entry_dict(entry) for entry in page])


class EntryDetail(TokenView):
    """The text of an agent."""

    @extend_schema(
        operation_id="memory_bank_entries_retrieve",
        parameters=[BANK, AGENT],
        responses={200: EntrySerializer, **READING},
    )
    def get(self, request: Request, bank: str, agent: str) -> Response:
        """The text; empty at version 0 for an agent that has written none."""
        found = selectors.bank_get(project=self.project(), name=named(bank))
        return Response(selectors.entry_dict(selectors.entry_find(bank=found, agent=named(agent)), agent))

    @extend_schema(
        operation_id="memory_bank_entries_update",
        parameters=[BANK, AGENT],
        request=EntryPutSerializer,
        responses={200: EntrySerializer, 409: CONFLICT, **READING},
    )
    def put(self, request: Request, bank: str, agent: str) -> Response:
        """Replace the text, cut to the last lines of the bank; before the first run this seeds it."""
        project = self.project(WRITE)
        body = EntryPutSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        expected = body.validated_data.get("expected_version")
        entry = services.bank_write(
            project=project,
            name=named(bank),
            agent=agent,
            content=body.validated_data["content"],
            expected_version=ANY if expected is None else expected,
            source={"cause": "api", "by": self.owner},
            actor=self.caller,
        )
        return Response(selectors.entry_dict(entry))

    @extend_schema(
        operation_id="memory_bank_entries_destroy", parameters=[BANK, AGENT], responses={204: None, **READING}
    )
    def delete(self, request: Request, bank: str, agent: str) -> Response:
        """Delete the text and erase it from the log."""
        services.entry_delete(project=self.project(WRITE), name=named(bank), agent=named(agent), actor=self.caller)
        return Response(status=status.HTTP_204_NO_CONTENT)


class BankSearch(TokenView):
    """Lines of an agent's text."""

    costly = ("GET",)

    @extend_schema(
        operation_id="memory_bank_search",
        parameters=[
            BANK,
            OpenApiParameter("agent", required=True, description="Whose text."),
            OpenApiParameter("query", required=True, description="What a line has to contain, in any case."),
        ],
        responses={200: LinesSerializer, **READING},
    )
    def get(self, request: Request, bank: str) -> Response:
        """The lines that contain a text, ignoring case."""
        found = selectors.bank_get(project=self.project(), name=named(bank))
        agent, query = (request.query_params.get(name, "") for name in ("agent", "query"))
        if not 0 < len(agent) <= AGENT_LENGTH or not storable_text(agent):
            raise Invalid(fields={"agent": f"give the agent's name, 1 to {AGENT_LENGTH} characters"})
        if not 0 < len(query) <= LONGEST_QUERY:
            raise Invalid(fields={"query": f"give what to look for, 1 to {LONGEST_QUERY:,} characters"})
        entry = selectors.entry_find(bank=found, agent=agent)
        lines = lines_with(entry.content if entry is not None else "", query)
        return Response({"results": [{"line_number": number, "content": line} for number, line in lines]})


def named(text: str) -> str:
    """A name from the address; one that no database can store becomes a name that matches nothing."""
    return text if storable_text(text) else ""


def bank_response(bank: Any, code: int = 200) -> Response:
    """A bank with the number of its texts."""
    found = selectors.bank_list(project=bank.project).get(pk=bank.pk)
    return Response(selectors.bank_dict(found), status=code)
