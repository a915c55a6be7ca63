"""The places of the language as one table: which keys stand in each, and what stands behind or below a key.

A key is mapped to what its value may be, separated by blanks:

- ``place``: a map of that place, below the key or in braces; ``[place]``: a list of such maps; ``[=place]``: a list of
  entries that begin with a name; ``{place}``: a map from the author's own names to such maps;
- ``a|b``: one of these words; ``<kind>``: names or expressions of that kind (``abl.editing.complete_values``).

``*`` stands for every key that is not listed. Keys are written as authors write them and found in any case.
Sources: docs/spec 01 §6, 03, 04 §5, 06-09.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from abl.analysis import shapes_agents, shapes_steps
from abl.analysis.shapes_common import Shape
from abl.syntax.vocabulary import canonical_key

SECTION_PLACES: Final[Shape] = {
    "MEMORY": "memory", "CONSTRAINTS": "[rule] rules", "FLOW": "flow", "GATHER": "gather {field} [=field] <fields>",
    "TOOLS": "tools [tool]", "HANDOFF": "[handoff]", "DELEGATE": "[delegate]", "COMPLETE": "[complete]",
    "IDENTITY": "identity",
    "ON_START": "on_start", "BEHAVIOR": "behavior", "ON_ERROR": "on_error", "HOOKS": "hooks", "EXECUTION": "execution",
    "GUARDRAILS": "{guardrail}", "ESCALATE": "escalate", "MESSAGES": "messages", "TEMPLATES": "{template}",
    "RICH_CONTENT": "formats", "ACTIONS": "[element] actions", "ACTION_HANDLERS": "{action_handler} [action_handler]",
    "NLU": "nlu", "MULTI_INTENT": "multi_intent", "INTENTS": "intents", "ENTITIES": "{entity}",
    "LOOKUP_TABLES": "{lookup}", "ATTACHMENTS": "{attachment}", "DESTINATIONS": "{destination_url}",
    "TRANSFER_FLOW_POLICIES": "{free}", "RETURN_HANDLERS": "{return_handler}", "CONVERSATION": "conversation",
    "USE_BEHAVIOR_PROFILE": "<profiles>", "BEHAVIOR_PROFILE": "inline_profile", "AGENTS": "[member] <agents>",
    "ROUTING": "[routing]", "STATE": "{state}", "POLICIES": "[policy]", "COMMUNICATION": "communication",
}  # fmt: skip
"""What stands below each section."""

PROFILE_PLACES: Final[Shape] = {
    "RESPONSE": "profile_response", "VOICE": "voice", "TOOLS": "profile_tools", "GATHER": "profile_gather",
    "FLOW": "profile_flow", "CONVERSATION": "conversation", "CONSTRAINTS": "[rule] rules", "WHEN": "<condition>",
}  # fmt: skip
"""What stands below the sections of a profile document (docs/spec 09 §12)."""

SHAPES: Final[Mapping[str, Shape]] = {
    **shapes_steps.FLOW, **shapes_steps.STATE, **shapes_steps.GATHERED, **shapes_steps.TOOLS,
    **shapes_agents.COORDINATION,
    **shapes_agents.UNDERSTANDING, **shapes_agents.SHOWN, **shapes_agents.PROFILES,
}  # fmt: skip


class Value(NamedTuple):
    """What may stand behind or below a key, by form."""

    maps: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    named_lists: tuple[str, ...] = ()
    named_maps: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@cache
def value_of(written: str) -> Value:
    """A value of the table, read."""
    parts = written.split()
    return Value(
        tuple([p for p in parts if p in SHAPES]),
        tuple([p[1:-1] for p in parts if p[0] == "[" and p[1] != "="]),
        tuple([p[2:-1] for p in parts if p[:2] == "[="]),
        tuple([p[1:-1] for p in parts if p[0] == "{"]),
        tuple([word for p in parts if p[0] not in "[{<" and p not in SHAPES for word in p.split("|")]),
        tuple([p[1:-1] for p in parts if p[0] == "<"]),
    )


@cache
def _keys_of(place: str) -> dict[str, str]:
    return {canonical_key(key): value for key, value in SHAPES.get(place, {}).items()}


def knows(place: str, key: str) -> bool:
    """True for a key that a place lists."""
    return key.upper() in _keys_of(place) or canonical_key(key) in _keys_of(place)


def value_at(place: str, key: str) -> Value:
    """What may stand behind or below a key of a place; nothing for one that the table does not know."""
    known = _keys_of(place) if place != "tool" or knows(place, key) else _keys_of("binding")
    found = known.get(canonical_key(key), known.get(key.upper(), known.get("*", "")))
    return value_of(found)


def takes_lines(place: str, key: str) -> bool:
    """True for a key whose value stands in the lines below it, and never behind it."""
    value = value_at(place, key)
    nested = value.maps or value.lists or value.named_lists or value.named_maps
    return bool(nested) and not (value.words or value.kinds)
