"""``POST /api/v1/memory/preview``: the prompt for a message that is not sent (docs/spec 11 §1)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from constraints import selectors
from constraints.conversations.run_serializers import PolicySerializer
from constraints.previews.prompt import LONGEST, Wish, agent_preview, conversation_preview
from memory.facts.api import problem
from memory.token_api import ACCESS, TokenView
from web.api.fields import Fields, Text, Whole


class PreviewAskSerializer(Fields):
    """The message, and for whom: an agent of the saved documents, or a conversation of the token's project."""

    message = Text(max_length=LONGEST)
    agent = Text(required=False, allow_null=True, allow_blank=True, help_text="Absent: the agent that begins.")
    conversation = Whole(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Its number; then the message is its next one, of its user to the agent that has control.",
    )
    memory_policy = PolicySerializer(required=False, allow_null=True)


class PreviewSectionSerializer(serializers.Serializer[Any]):
    """A part of the prompt as text for people."""

    key = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField()


class PreviewSerializer(serializers.Serializer[Any]):
    """The prompt: ``request`` and ``memory`` have the shapes of the trace events model.request and context."""

    request = serializers.SerializerMethodField()
    memory = serializers.SerializerMethodField()
    sections = PreviewSectionSerializer(many=True)

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_request(self, shown: Any) -> Any:
        return shown["request"]

    @extend_schema_field({"type": "object", "nullable": True})
    def get_memory(self, shown: Any) -> Any:
        return shown["memory"]


class PromptPreview(TokenView):
    """The prompt that a model would be given."""

    costly = ("POST",)

    @extend_schema(
        operation_id="memory_preview",
        request=PreviewAskSerializer,
        responses={
            200: PreviewSerializer,
            400: problem("Bad input, or agents with errors: code not-runnable, with problems"),
            404: problem("There is no such conversation"),
            422: problem("The prompt takes more to compute than one request may: code budget-exceeded"),
            **ACCESS,
        },
    )
    def post(self, request: Request) -> Response:
        """The prompt for a message of the token's user, with what memory puts in and what is cut and why."""
        project = self.project()
        body = PreviewAskSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        given = body.validated_data
        wish = Wish(given["message"], self.owner, given.get("agent") or "", given.get("memory_policy"))
        number = given.get("conversation")
        if number is None:
            return Response(PreviewSerializer(agent_preview(project=project, wish=wish)).data)
        found = selectors.conversation_get(project=project, number=number)
        return Response(PreviewSerializer(conversation_preview(conversation=found, wish=wish)).data)
