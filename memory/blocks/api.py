"""Memory blocks over HTTP, exactly as docs/spec 11 §1 says. The token decides whose blocks, and in which project."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from editor.models import Project
from memory.blocks import selectors, services
from memory.blocks.ranking import LONGEST_QUERY
from memory.blocks.texts import AGENT_LENGTH, read_stamp
from memory.facts.api import problem
from memory.models import Block
from memory.token_api import ACCESS, TokenView
from memory.values import storable_text
from web.api.fields import Fields, Number, Text, Whole
from web.api.pagination import KeysetPagination
from web.errors import Invalid, NotFound

MOST_MATCHES = 100
SCOPES = [str(scope) for scope in Block.Scope.values]
TYPES = [str(block_type) for block_type in Block.Type.values]


class BlockSerializer(serializers.Serializer[Any]):
    """A memory block. ``agent_id`` is null in scope user; ``updated_at`` is what a write sends back."""

    id = serializers.CharField()
    block_type = serializers.ChoiceField(choices=TYPES)
    content = serializers.CharField()
    scope = serializers.ChoiceField(choices=Block.Scope.choices)
    agent_id = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class BlockPageSerializer(serializers.Serializer[Any]):
    """A page of blocks and the addresses of those beside it."""

    results = BlockSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class BlockPutSerializer(Fields):
    """The whole new text. ``expected_updated_at`` is the stamp that was read last; null creates the block."""

    content = Text(
        allow_blank=True, help_text="core: 4,000 characters and 20 lines that are not blank; archival: 8,000."
    )
    expected_updated_at = Text(
        allow_null=True,
        help_text="ISO 8601; without a zone it is UTC.",
        error_messages={"required": "is missing; send the updated_at that was read, or null to create the block"},
    )


class RecallSerializer(Fields):
    """What to look for, and among which blocks."""

    query = Text(max_length=LONGEST_QUERY, allow_blank=True)
    agent_id = Text(required=False, allow_null=True, allow_blank=True, max_length=AGENT_LENGTH)
    limit = Whole(required=False, default=10, min_value=1, max_value=MOST_MATCHES)
    min_score = Number(required=False, allow_null=True, default=None, min_value=0, max_value=1)


class MatchSerializer(serializers.Serializer[Any]):
    """An archival line that was found; the best comes first."""

    content = serializers.CharField()
    score = serializers.FloatField(min_value=0, max_value=1)
    block_type = serializers.ChoiceField(choices=TYPES)
    scope = serializers.ChoiceField(choices=Block.Scope.choices)
    agent_id = serializers.CharField(allow_null=True)
    line_number = serializers.IntegerField(min_value=1)
    updated_at = serializers.DateTimeField()


class MatchesSerializer(serializers.Serializer[Any]):
    """Archival lines, the best first."""

    results = MatchSerializer(many=True)


SCOPE = OpenApiParameter("scope", enum=SCOPES, description="Default: agent where agent_id is given, else user.")
AGENT = OpenApiParameter("agent_id", description="With which agent; alone it selects scope agent.")
TYPE = OpenApiParameter("block_type", OpenApiTypes.STR, OpenApiParameter.PATH, enum=TYPES)
BAD = problem("Bad input; `fields` says what. `over-limit` comes with `limit`, `size` and `which`")
ABSENT = problem("There is no such block")
CONFLICT = problem("The block is not as it was read; `current` is the block as it is, or null")


class BlockView(TokenView):
    """What the views of blocks share: the place that a request means."""

    def place(self, block_type: str) -> dict[str, Any]:
        """Whose block of this type, and with which agent."""
        project = self.project()
        if block_type not in TYPES:
            raise NotFound(f"There is no block of type {block_type[:40]!r}; there are {', '.join(TYPES)}.")
        scope, agent_id = self.chosen(SCOPES)
        if scope == Block.Scope.AGENT and not agent_id:
            raise Invalid(fields={"agent_id": "give the agent ID, since the scope is agent"})
        return {
            "project": project,
            "owner": self.owner,
            "block_type": block_type,
            "agent_id": agent_id,
        }

    def chosen(self, scopes: list[str]) -> tuple[str, str]:
        """Scope and agent of the query string, checked; agent_id alone selects scope agent."""
        given = self.request.query_params
        scope, agent_id = given.get("scope", ""), given.get("agent_id", "")
        problems = {}
        if scope and scope not in scopes:
            problems["scope"] = f"{scope[:40]!r} is not one of {', '.join(scopes)}"
        if scope == Block.Scope.USER and agent_id:
            problems["agent_id"] = "is given, but a block of scope user belongs to no agent; leave one of them out"
        if len(agent_id) > AGENT_LENGTH or not storable_text(agent_id):
            problems["agent_id"] = f"is not a valid agent ID: at most {AGENT_LENGTH} characters, without NUL"
        if problems:
            raise Invalid(fields=problems)
        return scope or str(Block.Scope.AGENT if agent_id else Block.Scope.USER), agent_id


class ById(KeysetPagination):
    """Blocks in the order in which they were created."""

    ordering = "id"


class BlockList(BlockView):
    """The blocks of the caller."""

    @extend_schema(
        operation_id="memory_blocks_list",
        parameters=[
            OpenApiParameter("scope", enum=[*SCOPES, "all"], description="Default: agent with agent_id, else user."),
            OpenApiParameter("agent_id", description="Only those with this agent, and with `all` the user's own too."),
            OpenApiParameter("cursor", description="From `next` or `previous`."),
            OpenApiParameter("page_size", OpenApiTypes.INT, description="1 to 200; default 50."),
        ],
        responses={200: BlockPageSerializer, 400: BAD, 404: problem("No such page"), **ACCESS},
    )
    def get(self, request: Request) -> Response:
        """The user-scope blocks; with `scope` those with agents, or all."""
        blocks = self.blocks(self.project())
        pages = ById()
        page = pages.paginate_queryset(blocks, request, view=self) or []
        return pages.get_paginated_response([selectors.block_dict(block) for block in page])

    def blocks(self, project: Project) -> QuerySet[Block]:
        """The blocks that the query string asks for."""
        scope, agent_id = self.chosen([*SCOPES, "all"])
        agents: list[str] | None = None
        if scope == Block.Scope.USER or agent_id:
            agents = [""] * (scope != Block.Scope.AGENT) + [agent_id] * bool(agent_id)
        blocks = selectors.blocks_of(project=project, owner=self.owner, agents=agents)
        return blocks.filter(scope=Block.Scope.AGENT) if scope == Block.Scope.AGENT else blocks


class BlockDetail(BlockView):
    """One block of the caller."""

    @extend_schema(
        operation_id="memory_blocks_retrieve",
        parameters=[TYPE, SCOPE, AGENT],
        responses={200: BlockSerializer, 400: BAD, 404: ABSENT, **ACCESS},
    )
    def get(self, request: Request, block_type: str) -> Response:
        """A block."""
        block = selectors.block_find(**self.place(block_type))
        if block is None:
            raise NotFound(f"There is no {block_type} block here yet.")
        return Response(selectors.block_dict(block))

    @extend_schema(
        operation_id="memory_blocks_update",
        parameters=[TYPE, SCOPE, AGENT],
        request=BlockPutSerializer,
        responses={
            200: BlockSerializer,
            201: OpenApiResponse(BlockSerializer, description="There was none"),
            400: BAD,
            404: ABSENT,
            409: CONFLICT,
            **ACCESS,
        },
    )
    def put(self, request: Request, block_type: str) -> Response:
        """Replace a block that still is as it was read, or create it."""
        place = self.place(block_type)
        body = BlockPutSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        expected = body.validated_data["expected_updated_at"]
        block, new = services.block_put(
            **place,
            content=body.validated_data["content"],
            expected=read_stamp(expected) if expected is not None else None,
            source={"cause": "api", "by": self.owner},
            actor=self.caller,
        )
        return Response(selectors.block_dict(block), status=status.HTTP_201_CREATED if new else status.HTTP_200_OK)

    @extend_schema(
        operation_id="memory_blocks_destroy",
        parameters=[TYPE, SCOPE, AGENT],
        responses={204: None, 400: BAD, 404: ABSENT, **ACCESS},
    )
    def delete(self, request: Request, block_type: str) -> Response:
        """Delete a block and erase its texts from the log, which keeps who deleted it and when."""
        services.block_delete(**self.place(block_type), actor=self.caller)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Recall(TokenView):
    """Search in archival blocks."""

    costly = ("POST",)

    @extend_schema(
        operation_id="memory_recall",
        request=RecallSerializer,
        responses={200: MatchesSerializer, 400: BAD, 404: problem("No such project for you"), **ACCESS},
    )
    def post(self, request: Request) -> Response:
        """Archival lines of the user, and of this agent where one is given, ranked for a query."""
        project = self.project()
        body = RecallSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        matches = selectors.recall(
            project=project,
            owner=self.owner,
            query=given["query"],
            agent_id=given.get("agent_id") or "",
            limit=given["limit"],
            min_score=given["min_score"],
        )
        return Response({"results": [match.as_dict() for match in matches]})
