"""Places whose keys, and properties whose words, the table of places closes (docs/spec 03, 06-09).

The parser tells of keys in the places that have nodes of their own (`TOLD_BY_PARSER`), and many properties have a rule
of their own (`TOLD_BY_RULES`); here is what neither of them looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from abl.analysis import fixes, generic
from abl.analysis.enums import not_boolean, not_one_of
from abl.analysis.generic import plain
from abl.analysis.registry import Found, found
from abl.analysis.shape_walk import Entry, Stood, below, digressions, properties, within
from abl.analysis.shape_words import VALUES
from abl.analysis.shapes import SHAPES
from abl.diagnostics import Severity
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.suggest import closest
from abl.syntax.vocabulary import canonical_key, words

Whole = nodes.Section | nodes.Profile | nodes.Step | nodes.Tool
"""What is looked through at once; of a long FLOW only the step that changed."""
LOOKED_THROUGH: Final = (nodes.Section, nodes.Profile, nodes.Step, nodes.Tool)
TOLD_BY_PARSER: Final = words(
    """
    memory session persistent remember store recall rules rule on_fail flow step branch digression sub_intent
    action_handler deed digression_deed transform gather field tools tool handoff complete hook hooks on_start
    on_error lookup execution pipeline formats template
    """
)
"""An unknown key has a code of its own there, or may be a name of the author's."""
OPEN: Final = words(
    """
    with set map input returned state intents messages secure_prompt secure_field pair free returned_type
    greeting binding tool_outcome parameter
    """
)
"""Any key may stand there."""
MAY_REPEAT: Final = words(
    """
    SET CLEAR LOG TRANSFORM CALL WITH CALL_WITH AS RESPOND SAY CHECK ON_FAIL ON_SUCCESS ON_FAILURE ON_RESULT
    """
)
"""Actions, of which any number may stand in a list (06 §3, §5.3)."""
NEEDED: Final[Mapping[str, str]] = {
    "guardrail": "kind check action", "media": "url", "file": "url filename",
    "quick_reply": "id label", "kpi": "label value", "table": "columns rows", "column": "key header",
    "chart": "type data", "datum": "label value", "form": "fields", "progress": "value", "feedback": "prompt type",
    "card": "title", "shown_list": "items", "list_item": "title", "destination": "queue",
    "element": "id type label", "option": "id label",
}  # fmt: skip
"""Keys that another code misses where they are misspelt."""
ALSO: Final[Mapping[str, str]] = {
    "variant": "body_schema body_mode use_body_schema",
    "routed": "FALLBACK",
    "history": "last_n",
    "actions": "from template",
    "hook_branch": "SET",
    "feedback": "scoring range comment_threshold",
    "destination": "skill_tags priority_boost",
    "guardrail": "msg",
    "attachment": "allowed_mime_types max_size_mb transcription",
    "behavior": "canRespondDirectly allowedDirectActions forbiddenActions",
    "context": "grant_memory",
    "call": "tool",
    "delegate": "GRANT_MEMORY TO SUMMARY PASS ON_FAILURE HISTORY",
    "error_handler": "ESCALATE",
}
"""Keys that are read, and not offered: old spellings, and what another code tells of."""
TOLD_BY_RULES: Final = words(
    """
    session.TYPE session.RESET persistent.TYPE persistent.SCOPE persistent.ACCESS persistent.SENSITIVE_DISPLAY
    store.OPERATION recall.ON recall.ACTION rule.SEVERITY on_fail.THEN on_fail.RETRY step.REASONING
    step.CORRECTIONS step.STRATEGY field.TYPE field.STRATEGY field.SATISFIED_BY field.VALIDATION_PROCESS
    field.ACTIVATION field.VALIDATE entity.TYPE nlu_entity.TYPE tool.TYPE tool.METHOD tool.OPERATIONS
    handoff.HISTORY context.HISTORY trigger.PRIORITY transfer_voice.TRANSFER_METHOD
    transfer_voice.CALL_TRANSFER_TYPE error_handler.THEN error_handler.TYPE error_handler.SUBTYPE
    error_handler.SUBTYPES behavior.ROLE await_attachment.CATEGORY attachment.CATEGORY secure_input.MODE
    guardrail.KIND guardrail.ACTION guardrail.FIX_STRATEGY kpi.TREND chart.TYPE element.TYPE element.INPUTTYPE
    tool.AUTH tool.RUNTIME parameter.SOURCE parameter_entry.SOURCE voice.END_OF_SPEECH_TURN_TYPE
    progress.VARIANT feedback.TYPE lookup.SOURCE
    """
)
NOT_CLOSED: Final = words(
    """
    state_variable.TYPE destination_url.AUTH profile_gather.VALIDATION_STYLE profile_gather.CONFIRMATION
    evaluation.AB_TEST
    """
)
"""Properties that completion knows words for, and the specification does not close."""
PLACES_TOLD_BY_RULES: Final = words(
    """
    execution pipeline short_circuit tool_filter keyword_veto intent_bridge multi_intent severity_actions
    """
)
"""Their words are told by ABL904, ABL944 and ABL1001."""
NAMES: Final[Mapping[str, str]] = {
    "context": "CONTEXT", "escalate": "ESCALATE", "nlu": "NLU", "on_return": "ON_RETURN", "hints": "hints",
    "messages": "MESSAGES", "actions": "ACTIONS", "voice": "VOICE", "call": "CALL", "remote": "REMOTE",
    "behavior": "BEHAVIOR", "communication": "COMMUNICATION", "conversation": "CONVERSATION", "identity": "IDENTITY",
    "evaluation": "evaluation", "multi_intent": "MULTI_INTENT", "profile_response": "RESPONSE",
    "profile_gather": "GATHER of a profile", "profile_flow": "FLOW of a profile", "profile_tools": "TOOLS of a profile",
    "trigger": "an escalation trigger", "told": "context_for_human", "destination": "a routing entry",
    "human_done": "on_human_complete", "error_handler": "an error handler", "member": "an entry of AGENTS",
    "nlu_intent": "an intent", "nlu_entity": "an entity", "entity": "an entity", "tool": "a tool",
    "element": "an action element", "option": "an option", "delegate": "a delegation", "policy": "a policy",
    "routing": "a routing entry", "variant": "a request variant", "grant": "a memory grant",
}  # fmt: skip
"""Places for readers, where their name in the table says too little."""
_FLAG: Final = ("true", "false")
_MEANT: Final = {"yes": "true", "no": "false", "true": "true", "false": "false"}


def unknown_key(stood: Stood) -> Iterator[Found]:
    """ABL106 for a key that its place does not know."""
    if stood.place in TOLD_BY_PARSER or stood.place in OPEN or stood.known:
        return
    key = stood.block.key
    if "." in key or plain(key) in _legal(stood.place):
        return
    best, renames = fixes.rename_to(stood.block.key_span, key, _as_written(stood))
    # A key near a known one is a slip; any other may be one that a platform reads, and nobody is refused for it.
    severity: Severity | None = None if best else "warning"
    if plain(best) in {plain(needed) for needed in NEEDED.get(stood.place, "").split()}:
        return
    if stood.place == "element" and not best:
        return  # the name of a kind, which ABL1067 does not know
    yield found(stood.block.key_span, *renames, severity=severity, k=key, block=named(stood.place), y=best)


def unknown_word(stood: Stood) -> Iterator[Found]:
    """ABL945 for a word, or a yes or no, that its property does not take."""
    legal = closed_words(stood)
    written = generic.word(stood.block)
    if not legal or not written or written[0] in "{[$" or "{{" in written or stood.block.value is None:
        return
    data: dict[str, Any] = {"k": stood.block.key, "x": written}
    text = stood.block.value
    if legal == _FLAG and written.lower() in _MEANT:
        yield from not_boolean(text, "", **data, y=_MEANT[written.lower()])
        return
    # CONTINUE, ESCALATE and RESPOND "m" are actions: their first word says which.
    first = written.split()[0] if legal[0].isupper() else written
    if first in legal or "," in first:
        return
    if first != written and first.upper() in legal:
        repair = fixes.replace(text.inner, f"{first.upper()}{written[len(first) :]}")
        yield found(text.inner, repair, severity="warning", **data, y=first.upper())
        return
    if not closest(written, legal):
        data["wording"] = f"{{k}} `{{x}}` is unknown; legal are {', '.join(legal)}"
    yield from not_one_of(text, legal, "", **data)


def closed_words(stood: Stood) -> tuple[str, ...]:
    """The words that a property takes, where those are all."""
    key = canonical_key(stood.block.key)
    name = f"{stood.place}.{key}"
    told = name in TOLD_BY_RULES or name in NOT_CLOSED or stood.place in PLACES_TOLD_BY_RULES or key == "BARGE_IN"
    if told or stood.block.children:
        return ()
    offered = VALUES.get((stood.place, key), ())
    value = stood.value
    only_words = not (value.maps or value.lists or value.kinds or value.named_maps or value.named_lists)
    legal = offered or (value.words if only_words else ())
    return legal if len(legal) > 1 and not any("(" in word for word in legal) else ()


@cache
def _legal(place: str) -> frozenset[str]:
    listed = [*SHAPES.get(place, ()), *ALSO.get(place, "").split()]
    return frozenset([plain(key.replace(" ", "")) for key in listed])


def _as_written(stood: Stood) -> list[str]:
    """The keys of a place, in the case of what was written."""
    change = str.upper if stood.block.key.isupper() else str.lower if stood.block.key.islower() else str
    return [change(key) for key in SHAPES.get(stood.place, ()) if key != "*"]


def named(place: str) -> str:
    """A place for a reader."""
    return NAMES.get(place, place.replace("_", " "))


def unknown_keys(source: Source, whole: Whole) -> Iterator[Found]:
    """ABL106 in a section, profile, step or tool."""
    for stood in walked(source, whole).properties:
        yield from unknown_key(stood)


def unknown_words(source: Source, whole: Whole) -> Iterator[Found]:
    """ABL945 there."""
    for stood in walked(source, whole).properties:
        yield from unknown_word(stood)


def repeated_keys(source: Source, whole: Whole) -> Iterator[Found]:
    """ABL107 there."""
    for place, members in walked(source, whole).entries:
        seen: dict[str, Block] = {}
        for child in members if place not in OPEN and (place not in TOLD_BY_PARSER or place == "tool") else ():
            first = seen.setdefault(plain(child.key), child)
            if first is not child and canonical_key(child.key) not in MAY_REPEAT:
                line = source.position(first.key_span.start).line
                yield found(child.key_span, k=child.key, entry=named(place), line=line)


class Walked(NamedTuple):
    """What the table of places knows of one thing."""

    whole: Whole | None
    entries: list[Entry]
    properties: list[Stood]


_BY_THEMSELVES = ("FLOW", "TOOLS", "CONSTRAINTS")
"""Steps and tools are asked one by one; in rules nothing is closed that the parser does not tell."""
_last = [Walked(None, [], [])]
"""Three rules ask for the same thing, one behind the other. Replaced as a whole, so threads do no harm."""


def walked(source: Source, whole: Whole) -> Walked:
    """The maps and properties of a section, profile, step or tool."""
    kept = _last[0]
    if kept.whole is whole:
        return kept
    if isinstance(whole, nodes.Step):
        entries = list(within(source, "step", whole.block))
    elif isinstance(whole, nodes.Tool):
        entries = list(within(source, "tool", whole.block))
    elif isinstance(whole, nodes.Profile):
        entries = list(below(source, "BEHAVIOR_PROFILE", whole.block))
    elif whole.keyword in _BY_THEMSELVES:
        entries = list(digressions(source, whole.block)) if whole.keyword == "FLOW" else []
    else:
        entries = list(below(source, whole.keyword, whole.block))
    _last[0] = kept = Walked(whole, entries, list(properties(entries)))
    return kept
