"""Serializers of what a run is set up with, for conversations and for the preview of a prompt."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from abl.runtime.memory.block_policy import MODES, MOST_REMINDERS
from constraints.running.run_settings import memory_policy
from web.api.fields import Fields, Text


class PolicySerializer(Fields):
    """How memory blocks reach the agents (docs/spec 11 §1); what is absent is as the project says."""

    archival_mode = serializers.ChoiceField(MODES, required=False)
    archival_limit = serializers.IntegerField(min_value=0, max_value=MOST_REMINDERS, required=False)
    archival_min_score = serializers.FloatField(min_value=0, max_value=1, required=False, allow_null=True)
    include_user_core = serializers.BooleanField(required=False)
    include_agent_core = serializers.BooleanField(required=False)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The value as it was sent, checked by the runtime: an unknown name is an error."""
        return memory_policy(data)


class ScriptLineSerializer(Fields):
    """A line of a scripted model: a reply, or a call with its arguments (docs/spec 12 §3)."""

    reply = Text(required=False, allow_blank=True)
    call = Text(required=False)
    args = serializers.DictField(required=False)
