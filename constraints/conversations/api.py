"""The API of test conversations (docs/spec 12 §5): conversations, turns, events."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from constraints import selectors
from constraints.conversations import services
from constraints.conversations.run_serializers import PolicySerializer, ScriptLineSerializer
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import programs
from constraints.running.run_settings import MOST_LINES
from editor.models import ApiToken, Project, User
from editor.selectors import project_get
from web.api.fields import WHOLE_LARGEST, Choice, Fields, StrictQuery, Text, Whole, whole
from web.api.pagination import KeysetPagination
from web.limits import MAX_SMALL_BODY


class InProject(StrictQuery):
    """Finds the project and conversation of the address for the caller; errors are those of the selectors."""

    @property
    def caller(self) -> User:
        """The signed-in user; permission classes keep others out."""
        if not isinstance(self.request.user, User):
            raise NotAuthenticated
        return self.request.user

    def project(self, permission: str = "project.view") -> Project:
        token = self.request.auth if isinstance(self.request.auth, ApiToken) else None
        return project_get(user=self.caller, slug=self.kwargs["slug"], permission=permission, token=token)

    def conversation(self, permission: str = "project.view") -> Conversation:
        return selectors.conversation_get(project=self.project(permission), number=self.kwargs["number"])

    def turn(self, permission: str = "project.view") -> Turn:
        return selectors.turn_get(conversation=self.conversation(permission), index=self.kwargs["index"])


class ConversationSerializer(serializers.ModelSerializer[Conversation]):
    """A conversation and what it pins."""

    started_by = serializers.CharField(source="started_by.username", default=None, read_only=True)

    class Meta:
        model = Conversation
        fields = (
            "number", "user", "entry", "channel", "policy", "seed", "clock_mode", "clock_start", "pins", "mocks",
            "settings", "state", "session_id", "started_by", "version", "created_at",
        )  # fmt: skip
        read_only_fields = fields


class StartSerializer(Fields):
    """What a new conversation may choose; every field has a default."""

    user = Text(max_length=200, required=False, allow_blank=True)
    entry = Text(required=False, allow_blank=True, help_text="Absent or empty: the entry agent of the project.")
    channel = Text(max_length=40, required=False)
    policy = Choice(Conversation.Policy.choices, required=False)
    clock_mode = Choice(Conversation.Clock.choices, required=False)
    clock_start = serializers.DateTimeField(required=False, allow_null=True)
    seed = Whole(min_value=0, max_value=10**15, required=False)
    metadata = serializers.DictField(required=False, help_text="What agents read as memory.sessionMeta.metadata.")
    session_reference = Text(max_length=200, required=False, allow_blank=True)
    user_reference = Text(max_length=200, required=False, allow_blank=True)
    memory_policy = PolicySerializer(required=False, allow_null=True)
    bank = Text(
        max_length=100,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="Memory bank of the agents; empty: none.",
    )
    model = ScriptLineSerializer(  # type: ignore[call-arg]
        many=True, max_length=MOST_LINES, required=False, allow_null=True
    )


class TurnSerializer(serializers.ModelSerializer[Turn]):
    """A turn: what was asked (sensitive values masked), how far it is, what came of it."""

    input = serializers.SerializerMethodField()

    class Meta:
        model = Turn
        fields = (
            "index", "message_id", "kind", "input", "status", "attempt", "cancel_requested", "number", "replies",
            "tally", "waiting", "step", "agent", "ended", "error", "clock_at", "queued_at", "started_at", "finished_at",
            "duration_us", "version",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_input(self, turn: Turn) -> Any:
        return programs.shown_input(turn)


class TurnPostSerializer(Fields):
    """Input by kind: say takes ``text``; act ``id`` and ``value``; set ``name`` and ``value``; advance ``by``."""

    kind = Choice([choice for choice in Turn.Kind.choices if choice[0] != Turn.Kind.START], default="say")
    message_id = Text(
        max_length=64, required=False, help_text="Repeating it is harmless: the answer is the turn it made."
    )
    text = Text(required=False)
    id = Text(required=False)
    name = Text(required=False)
    value = serializers.JSONField(required=False, allow_null=True)
    by = Text(required=False, help_text="A duration such as 2h; only where the clock stands still.")
    metadata = serializers.DictField(required=False, help_text="Merged into the session's metadata before the turn.")
    memory_policy = PolicySerializer(required=False, allow_null=True)


class EventSerializer(serializers.Serializer[TraceEvent]):
    """A trace event (docs/spec 12 §4)."""

    seq = serializers.IntegerField()
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]
    turn = serializers.IntegerField()
    kind = serializers.CharField()
    at = serializers.DateTimeField()
    duration_us = serializers.IntegerField()
    agent = serializers.CharField()
    step = serializers.CharField(allow_null=True)
    span = serializers.JSONField(allow_null=True)
    status = serializers.CharField()
    data = serializers.JSONField()  # type: ignore[assignment]

    def to_representation(self, instance: TraceEvent) -> dict[str, Any]:
        return instance.as_json()


class ByIndex(KeysetPagination):
    """Turns in order."""

    ordering = "index"


class BySeq(KeysetPagination):
    """Events in order of ``seq``."""

    ordering = "seq"


class ConversationList(InProject, ListAPIView[Conversation]):
    """Test conversations of a project, newest first."""

    max_body = MAX_SMALL_BODY

    serializer_class = ConversationSerializer

    def get_queryset(self) -> QuerySet[Conversation]:
        if getattr(self, "swagger_fake_view", False):
            return Conversation.objects.none()
        return Conversation.objects.filter(project=self.project()).select_related("started_by")

    @extend_schema(
        request=StartSerializer,
        responses={
            201: ConversationSerializer,
            400: OpenApiResponse(description="Bad input, or agents with errors: code not-runnable, with problems."),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a conversation on the saved documents; its first turn is queued."""
        project = self.project("project.test")
        given = StartSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        started = services.conversation_start(project=project, started_by=self.caller, **given.validated_data)
        return Response(ConversationSerializer(started).data, status=201)


class ConversationDetail(InProject):
    """One test conversation."""

    @extend_schema(responses=ConversationSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        return Response(ConversationSerializer(self.conversation()).data)

    @extend_schema(
        responses={
            204: None,
            409: OpenApiResponse(description="A turn is at work (turn-running): cancel it first."),
        }
    )
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """Delete the conversation with its turns and traces (owners, editors). Facts that it wrote stay."""
        services.conversations_delete(project=self.project("project.edit"), numbers=[number], actor=self.caller)
        return Response(status=204)


class TurnList(InProject, ListAPIView[Turn]):
    """Turns of a conversation, in order."""

    max_body = MAX_SMALL_BODY

    serializer_class = TurnSerializer
    pagination_class = ByIndex

    def get_queryset(self) -> QuerySet[Turn]:
        if getattr(self, "swagger_fake_view", False):
            return Turn.objects.none()
        return selectors.turn_list(conversation=self.conversation())

    @extend_schema(
        request=TurnPostSerializer,
        responses={202: TurnSerializer, 409: OpenApiResponse(description="The conversation has ended.")},
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Queue a turn. 202: a worker runs it; follow it in the list of turns or the stream of events."""
        found = self.conversation("project.test")
        given = TurnPostSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        data = dict(given.validated_data)
        kind, message_id, metadata = data.pop("kind"), data.pop("message_id", ""), data.pop("metadata", None)
        turn, _ = services.turn_post(
            conversation=found, author=self.caller, kind=kind, data=data, message_id=message_id, metadata=metadata
        )
        return Response(TurnSerializer(turn).data, status=202)


class TurnDetail(InProject):
    """One turn."""

    @extend_schema(responses=TurnSerializer)
    def get(self, request: Request, slug: str, number: int, index: int) -> Response:
        return Response(TurnSerializer(self.turn()).data)


class TurnCancel(InProject):
    """Stops a turn."""

    @extend_schema(
        request=None, responses={202: TurnSerializer, 409: OpenApiResponse(description="The turn has finished.")}
    )
    def post(self, request: Request, slug: str, number: int, index: int) -> Response:
        """Cancel a queued turn at once, ask the worker to stop a running one. Nothing of it is kept."""
        turn = services.turn_cancel(turn=self.turn("project.test"))
        return Response(TurnSerializer(turn).data, status=202)


class EventList(InProject, ListAPIView[TraceEvent]):
    """The trace of a conversation in order of ``seq``. As server-sent events: ``…/events/stream/``."""

    serializer_class = EventSerializer
    pagination_class = BySeq

    def get_queryset(self) -> QuerySet[TraceEvent]:
        if getattr(self, "swagger_fake_view", False):
            return TraceEvent.objects.none()
        behind = whole(self.request.query_params.get("after", ""), "after", 0, WHOLE_LARGEST) or 0
        return selectors.event_list(conversation=self.conversation(), after=behind)

    @extend_schema(parameters=[OpenApiParameter("after", OpenApiTypes.INT, description="Only events behind this seq.")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)
