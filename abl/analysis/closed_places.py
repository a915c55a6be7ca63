"""Places whose keys, and properties whose words, the table of places closes (docs/spec 03, 06-09).

The parser tells of keys in the places that have nodes of their own (`TOLD_BY_PARSER`), and many properties have a rule
of their own (`TOLD_BY_RULES`); here is what neither of them looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from abl.analysis import fixes, generic
from abl.analysis.enums import not_boolean, not_one_of
from abl.analysis.generic import plain
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.analysis.shape_walk import Entry, Stood, below, digressions, properties, shared_by_tools, within
from abl.analysis.shape_words import VALUES
from abl.analysis.shapes import SHAPES, value_at
from abl.diagnostics import Severity
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.suggest import IS_GIVEN, closest
from abl.syntax.vocabulary import MAY_REPEAT, TOOL_TYPES, canonical_key, words

Whole = nodes.Section | nodes.Profile | nodes.Step | nodes.Tool
"""What is looked through at once; of a long FLOW only the step that changed."""
LOOKED_THROUGH: Final = (nodes.Section, nodes.Profile, nodes.Step, nodes.Tool)
TOLD_BY_PARSER: Final = words(
    """
    memory session persistent remember store recall rules rule on_fail flow step branch digression sub_intent
    action_handler deed digression_deed transform gather field tool handoff complete hook hooks on_start
    on_error lookup execution pipeline formats template
    """
)
"""An unknown key has a code of its own there, or may be a name of the author's."""
OPEN: Final = words(
    """
    with set map input returned state intents messages secure_prompt pair free returned_type
    greeting binding
    """
)
"""Any key may stand there."""
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
    "tools": "from import imports use name",
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
    parameter.SOURCE parameter_entry.SOURCE voice.END_OF_SPEECH_TURN_TYPE progress.VARIANT feedback.TYPE
    intent_bridge.ENABLED
    """
)
NOT_CLOSED: Final = words(
    """
    state_variable.TYPE destination_url.AUTH profile_gather.VALIDATION_STYLE profile_gather.CONFIRMATION
    evaluation.AB_TEST tool.RETRIEVAL_PROFILE remote.LOCATION remote_auth.TYPE handoff.LOCATION delegate.LOCATION
    """
)
"""Properties that completion knows words for, and the specification does not close: only a near miss is told."""
READ_TOO: Final[Mapping[str, tuple[str, ...]]] = {
    "tool.AUTH": ("saml",), "tools.AUTH": ("saml",), "destination_url.AUTH": ("saml",),
    "lookup.SOURCE": ("mongodb", "http"),
}  # fmt: skip
"""Words that are taken and not offered: other spellings, and what another code tells of."""
PLACES_TOLD_BY_RULES: Final = words(
    """
    execution pipeline short_circuit tool_filter keyword_veto multi_intent severity_actions
    """
)
"""Their words are told by ABL904, ABL944 and ABL1001."""
NAMES: Final[Mapping[str, str]] = {
    "context": "CONTEXT", "escalate": "ESCALATE", "nlu": "NLU", "on_return": "ON_RETURN", "hints": "hints",
    "messages": "MESSAGES", "hooks": "HOOKS", "actions": "ACTIONS", "voice": "VOICE", "call": "CALL",
    "remote": "REMOTE",
    "behavior": "BEHAVIOR", "communication": "COMMUNICATION", "conversation": "CONVERSATION", "identity": "IDENTITY",
    "evaluation": "evaluation", "multi_intent": "MULTI_INTENT", "profile_response": "RESPONSE",
    "profile_gather": "GATHER of a profile", "profile_flow": "FLOW of a profile", "profile_tools": "TOOLS of a profile",
    "trigger": "an escalation trigger", "told": "context_for_human", "destination": "a routing entry",
    "human_done": "on_human_complete", "error_handler": "an error handler", "member": "an entry of AGENTS",
    "nlu_intent": "an intent", "intents": "INTENTS", "nlu_entity": "an entity", "entity": "an entity", "tool": "a tool",
    "tools": "TOOLS", "tool_outcome": "the outcome of a tool",
    "element": "an action element", "option": "an option", "delegate": "a delegation", "policy": "a policy",
    "routing": "a routing entry", "secure_input": "SECURE_INPUT", "secure_field": "a field of SECURE_INPUT",
    "secure_collect": "COLLECT of SECURE_INPUT", "secure_cancel": "CANCEL of SECURE_INPUT",
    "variant": "a request variant", "grant": "a memory grant", "parameter": "a parameter",
}  # fmt: skip
"""Places for readers, where their name in the table says too little."""
_FLAG: Final = ("true", "false")
_MEANT: Final = {"yes": "true", "no": "false", "true": "true", "false": "false"}


def unknown_key(stood: Stood, given: Collection[str]) -> Iterator[Found]:
    """ABL106 for a key that its place does not know; ``given`` are the keys of its map."""
    is_open = stood.place in OPEN and stood.place != "intents"
    if stood.place in TOLD_BY_PARSER or is_open or stood.known:
        return
    key = stood.block.key
    if "." in key or plain(key) in _legal(stood.place) or _nested_field(stood):
        return
    best, there, renames = fixes.rename_key(stood.block.key_span, key, _as_written(stood), given)
    # A key near a known one is a slip; any other may be one that a platform reads, and nobody is refused for it.
    severity: Severity | None = None if best or there else "warning"
    if plain(best) in {plain(needed) for needed in NEEDED.get(stood.place, "").split()}:
        return
    if stood.place in ("element", "parameter", "intents") and not (best or there):
        return  # the name of a kind, which ABL1067 does not know, of a nested field, or of an intent
    yield found(stood.block.key_span, *renames, severity=severity, **in_words(key, named(stood.place), best, there))


def _nested_field(stood: Stood) -> bool:
    """True for `city: string` below a parameter: it declares a field of it (08 §4)."""
    if stood.place != "parameter" or stood.block.children:
        return stood.place == "parameter"
    written = generic.word(stood.block).rstrip("?")
    return written[:1] == "{" or written.endswith(("]", ">")) or written.lower() in TOOL_TYPES


def in_words(key: str, block: str, best: str, there: str) -> dict[str, Any]:
    """What ABL106 says of a key: what was meant, or which one is there already."""
    said = {"given": there, "wording": f"Unknown key `{{k}}` in {{block}}; {IS_GIVEN}"} if there else {}
    return {"k": key, "block": block, "y": best, **said}


def unknown_word(stood: Stood) -> Iterator[Found]:
    """ABL945 for a word, or a yes or no, that its property does not take."""
    legal = known_words(stood)
    written = generic.word(stood.block) if legal else ""
    if not written or written[0] in "{[$" or "{{" in written or stood.block.value is None:
        return
    data: dict[str, Any] = {"k": stood.block.key, "x": written}
    text = stood.block.value
    if legal == _FLAG and written.lower() in _MEANT:
        yield from not_boolean(text, "", **data, y=_MEANT[written.lower()])
        return
    if any(word.endswith("(") for word in legal):
        yield from _unknown_call(text, legal, data)
        return
    # CONTINUE, ESCALATE and RESPOND "m" are actions: their first word says which.
    first = written.split()[0] if legal[0].isupper() else written
    if first in legal or "," in first or first in READ_TOO.get(_property(stood), ()):
        return
    if _property(stood) in NOT_CLOSED:
        best, renames = fixes.rename_to(text.inner, written, legal)
        if best:
            yield found(text.inner, *renames, severity="warning", **data, y=best)
        return
    if first != written and first.upper() in legal:
        repair = fixes.replace(text.inner, f"{first.upper()}{written[len(first) :]}")
        yield found(text.inner, repair, severity="warning", **data, y=first.upper())
        return
    if not closest(written, legal):
        data["wording"] = f"{{k}} `{{x}}` is unknown; legal are {', '.join(legal)}"
    yield from not_one_of(text, legal, "", **data)


def _unknown_call(text: nodes.Text, legal: tuple[str, ...], data: dict[str, Any]) -> Iterator[Found]:
    """`block("m")` and the like: the word before the bracket says which."""
    known = [word.rstrip("(") for word in legal]
    head = data["x"].split("(")[0].strip()
    if head not in known:
        best, renames = fixes.rename_to(Span(text.inner.start, text.inner.start + len(head)), head, known)
        said: dict[str, Any] = {} if best else {"wording": f"{{k}} `{{x}}` is unknown; legal are {', '.join(known)}"}
        yield found(text.inner, *renames, **{**data, "x": head}, y=best, **said)


def closed_words(stood: Stood) -> tuple[str, ...]:
    """The words that a property takes, where those are all."""
    return () if _property(stood) in NOT_CLOSED else known_words(stood)


def known_words(stood: Stood) -> tuple[str, ...]:
    """The words that are known of a property and not told by a rule of its own."""
    legal = _words_of(stood.place, stood.block.key)
    return () if not legal or stood.block.children or _of_another_kind(stood) else legal


@lru_cache(maxsize=4096)
def _words_of(place: str, written: str) -> tuple[str, ...]:
    key = canonical_key(written)
    name = f"{place}.{key}"
    if name in TOLD_BY_RULES or place in PLACES_TOLD_BY_RULES or key == "BARGE_IN":
        return ()
    value = value_at(place, written)
    only_words = not (value.maps or value.lists or value.kinds or value.named_maps or value.named_lists)
    legal = VALUES.get((place, key), ()) or (value.words if only_words else ())
    return legal if len(legal) > 1 or name in NOT_CLOSED else ()


def _property(stood: Stood) -> str:
    return f"{stood.place}.{canonical_key(stood.block.key)}"


def _of_another_kind(stood: Stood) -> bool:
    """True for the runtime of a lambda, which is the platform's; that of a sandbox has its words (08 §3.2)."""
    if _property(stood) != "tool.RUNTIME":
        return False
    return not any(canonical_key(p.key) == "TYPE" and generic.word(p).lower() == "sandbox" for p in stood.beside)


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


def looked_through(whole: Whole, agent: AgentIndex) -> Walked:
    """The maps and properties of a section, profile, step or tool; a profile tells itself what its TOOLS may do."""
    if isinstance(whole, nodes.Section) and whole.keyword == "TOOLS" and isinstance(agent.agent, nodes.Fragment):
        return walked(agent.own_source, whole) if agent.agent.profile is None else Walked(whole, [], [])
    return walked(agent.own_source, whole)


def unknown_keys(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL106 there."""
    given: dict[int, frozenset[str]] = {}  # of a map once
    for stood in looked_through(whole, agent).properties:
        at = id(stood.beside)
        if not stood.known and at not in given:
            given[at] = frozenset([canonical_key(other.key) for other in stood.beside])
        yield from unknown_key(stood, given.get(at, ()))


def unknown_words(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL945 there."""
    for stood in looked_through(whole, agent).properties:
        yield from unknown_word(stood)


_MANY: Final = frozenset({("tools", "file"), ("tools", "name")})
"""Imports, and entries of a list."""


def repeated_keys(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL107 there."""
    source = agent.own_source
    for place, members in looked_through(whole, agent).entries:
        seen: dict[str, Block] = {}
        of_parser = place in TOLD_BY_PARSER and place not in ("tool", "hooks")
        for child in members if place not in OPEN and not of_parser else ():
            first = seen.setdefault(plain(child.key), child)
            if first is not child and canonical_key(child.key) not in MAY_REPEAT and (place, child.key) not in _MANY:
                line = source.position(first.key_span.start).line
                yield found(child.key_span, k=child.key, entry=named(place), line=line)


class Walked(NamedTuple):
    """What the table of places knows of one thing."""

    whole: Whole | None
    entries: list[Entry]
    properties: list[Stood]


_BY_THEMSELVES = ("FLOW", "TOOLS", "CONSTRAINTS")
"""Steps and tools are asked one by one; in rules nothing is closed that the parser does not tell."""
_BESIDE: Final[Mapping[str, Callable[[Source, Block | None], Iterator[Entry]]]] = {
    "FLOW": digressions, "TOOLS": shared_by_tools,
}  # fmt: skip
"""What else stands there."""
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
        of_others = _BESIDE.get(whole.keyword)
        entries = list(of_others(source, whole.block)) if of_others is not None else []
    else:
        entries = list(below(source, whole.keyword, whole.block))
    _last[0] = kept = Walked(whole, entries, list(properties(entries)))
    return kept
