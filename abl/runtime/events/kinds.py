"""Every kind of trace event and what its ``data`` may hold (docs/spec 12 §4), declared once.

An event stays a mapping with ``kind``, ``status`` and ``data``. A kind that the runtime records has its entry here:
the statuses that it may have, its fields with their types, and the names under which a page shows kind and fields. Any
field may be absent. Tests hold the runtime to it: their recorder refuses what :func:`problems_of` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_number, value))


def _is_maps(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value)


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "text": _is_text,
    "number": _is_number,
    "flag": _is_flag,
    "map": _is_map,
    "texts": _is_texts,
    "numbers": _is_numbers,
    "maps": _is_maps,
    "value": lambda value: True,
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of ``data``: its type, whether it may be null, and how a page names it ("" = after its key)."""

    type: str
    nullable: bool = False
    label: str = ""

    def fits(self, value: Any) -> bool:
        """Whether a value, before secrets in it are hidden, is one of the field."""
        return self.nullable if value is None and self.type != "value" else _TYPES[self.type](value)


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event; ``name`` is what a page calls it."""

    kind: str
    name: str
    statuses: frozenset[str]
    fields: Mapping[str, Field] = field(default_factory=dict)


STATE = {"state": Field("map")}
"""What an event changes; :mod:`abl.runtime.events.reading` reads it."""
NOTES = {"notes": Field("maps")}
"""Findings that belong to an event (docs/spec 10 §7)."""

KINDS: Final[dict[str, EventKind]] = {}
"""Kind -> declaration, in the order of the specification."""


def _field(spec: str) -> Field:
    """``text?: Agent`` is a text that may be null and that a page labels Agent."""
    type_, _, label = spec.partition(": ")
    return Field(type_.removesuffix("?"), type_.endswith("?"), label)


def _kind(kind: str, name: str, statuses: str = "ok", fields: Mapping[str, str] | None = None) -> None:
    declared = {key: _field(spec) for key, spec in (fields or {}).items()}
    KINDS[kind] = EventKind(kind, name, frozenset(statuses.split()), {**declared, **STATE, **NOTES})


# Fields that several kinds share -----------------------------------------------------------------------------------

FACT = {"path": "text: Path", "scope": "text", "owner": "text?"}
CAUSE = {"cause": "text: By"}
CHANGE = {"old": "value", "new": "value"}
LIFE = {"ttl": "text?: Lives for", "expires_at": "text?: Expires"}
SAID = {
    "template": "text", "text": "text: Text", "missing": "texts: Unset in it", "by": "text: By", "rule": "text",
    "formats": "map: Formats", "format": "text: Shown as", "actions": "map: Elements", "voice": "map: Spoken",
    "renderables": "value: Drawn by the page",
}  # fmt: skip
CALL = {"tool": "text: Tool", "args": "map: Arguments"}
HANDLER = {"intent": "text: Intent", "scope": "text: Of", "rule": "text: Written at"}
FILLED = {"field": "text: Field", "value": "value: Value"}
JUDGED = {
    "source": "text", "agent": "text", "path": "text", "condition_text": "text", "outcome": "text", "tree": "map?",
    "refs": "maps", "unset_refs": "texts", "diagnostics": "maps", "error": "text", "exceeded": "map", "point": "text",
}  # fmt: skip
"""The record of a condition that was judged (docs/spec 04 §10)."""
RULE = {
    "phase": "text", "index": "number", "range": "map", "kind": "text", "severity": "text", "when_text": "text?",
    "before_text": "text?", "lowered_text": "text", "message_template": "text?", "session_id": "text",
    "turn": "number", "point_target": "text?", "policy": "text", "other_policy_outcome": "text?", "reason": "text?",
    "gate_tree": "map?", "message_rendered": "text?: Said", "message_missing": "texts: Unset in it", "action": "map?",
    "effect": "text?", "id": "number", "seq": "number", "run_id": "number?", "at": "text", "duration_us": "number",
}  # fmt: skip
"""What the record of a rule has beside :data:`JUDGED`."""
HANDOVER = {
    "from": "text: From", "to": "text: To", "returns": "flag", "condition": "map?", "suppressed": "flag",
    "handoff_context_pass_resolved": "map", "summary": "text?: Summary",
}  # fmt: skip

# Sessions and turns ------------------------------------------------------------------------------------------------

_kind("session.start", "Session start", fields={
    "session_id": "text", "entry": "text: Agent", "user": "text?: User", "channel": "text: Channel",
    "policy": "text: Policy",
})  # fmt: skip
_kind("session.end", "Session end", fields={"session_id": "text"})
_kind("turn.start", "Input", fields={
    "input": "text?: Message", "action": "map", "agent": "text: Agent", "step": "text?: Step",
})  # fmt: skip
_kind("turn.end", "Turn end", fields={
    "input": "text?", "replies": "texts: Said", "waiting": "text?: Waits", "changed": "map: Changed",
    "agent": "text: Agent", "ended": "flag",
})  # fmt: skip

# Rules -------------------------------------------------------------------------------------------------------------

_kind("pass", "Constraint pass", "ok failed", {"point": "text", "target": "text?", "outcome": "text"})
_kind("constraint", "Constraint", "ok passed failed warned gated skipped inert not_reached error", {**JUDGED, **RULE})
_kind("check", "CHECK", "ok failed error", JUDGED)

# Memory ------------------------------------------------------------------------------------------------------------

_kind("recall", "Recall", fields={
    "index": "number", "event": "text: On", "action": "text: Does", "domain": "text?: Domain", "paths": "texts: Paths",
    "loaded": "map: Found", "refused": "texts: Refused", "instruction": "text: Instruction", "queued": "flag",
})  # fmt: skip
_kind("remember", "Remember", "ok failed skipped", {
    **FACT, **CHANGE, **LIFE, "index": "number", "expression": "text: Value of", "skipped": "text?: Not stored",
    "condition": "map",
})  # fmt: skip
_kind("fact.read", "Fact read", fields={
    **FACT, "value": "value: Value", "version": "number", "written_at": "text: Written", "expires_at": "text?: Expires",
})  # fmt: skip
_kind("fact.write", "Fact written", fields={**FACT, **CHANGE, **LIFE, **CAUSE})
_kind("fact.expired", "Fact expired", fields={**FACT, "expires_at": "text: Expired"})
_kind("fact.refused", "Fact refused", "failed", {**FACT, **CAUSE, "new": "value: Not written", "why": "text: Why"})
_kind("set", "Set", "ok failed", fields={
    **CHANGE, **CAUSE, "name": "text: Name", "expression": "text?: Expression", "fact": "text",
})  # fmt: skip
_kind("clear", "Clear", fields={**CAUSE, "name": "text: Name", "old": "value: Was", "hidden": "flag"})
_kind("transform", "Transform", fields={"source": "text: From", "into": "text: Into", "counts": "map"})
_kind("reset", "Reset", fields={**CHANGE, "name": "text: Name", "policy": "text: When"})

# The flow ----------------------------------------------------------------------------------------------------------

_kind("step.enter", "Step", fields={"step": "text: Step", "attempt": "number"})
_kind("step.skipped", "Step", "skipped", {"step": "text: Step", "when": "text: WHEN is false", "by": "text: By"})
_kind("step.exit", "Step left", fields={"step": "text: Step", "edge": "text: By", "to": "text?: To"})
_kind("branch", "Branch", "ok skipped", {
    "list": "text", "index": "number", "condition": "text?: Condition", "held": "flag", "values": "maps: Reads",
    "error": "text",
})  # fmt: skip
_kind("on_input", "On input", "ok skipped", {
    "mode": "text: Looks at", "input": "text?: Message", "action": "text: Click", "value": "value: Value",
})  # fmt: skip
_kind("digression", "Digression", fields=HANDLER)
_kind("sub_intent", "Sub-intent", fields=HANDLER)
_kind("flow.start", "Flow", fields={"entry": "text: First step"})
_kind("flow.wait", "Wait", fields={"reason": "text: Waits"})
_kind("flow.end", "Flow end", fields={"outcome": "text", "reason": "text: Why"})
_kind("flow.loop", "Flow loop", "error", {"step": "text"})

# Collecting --------------------------------------------------------------------------------------------------------

_kind("gather.start", "Gather", fields={"fields": "texts: Fields"})
_kind("gather.prompt", "Ask", fields={**SAID, "field": "text?", "fields": "texts: Asks for"})
_kind("gather.extracted", "Gather", fields={
    **FILLED, "strategy": "text: Found as", "text_span": "numbers", "confidence": "number",
})  # fmt: skip
_kind("gather.confirm", "Confirm", fields={**SAID, **FILLED})
_kind("gather.declined", "Declined", "skipped", FILLED)
_kind("gather.default", "Gather", fields=FILLED)
_kind("gather.corrected", "Gather", fields={**CHANGE, "field": "text: Field", "cleared": "texts: Asked again"})
_kind("gather.rejected", "Gather", "failed", {
    "field": "text: Field", "rule": "text: Has to fit", "attempt": "number",
})  # fmt: skip
_kind("gather.rejected_source", "Gather", "skipped", {
    "field": "text: Field", "source": "text", "satisfied_by": "texts: Only from",
})  # fmt: skip
_kind("gather.complete", "Gathered", fields={"values": "map: Fields"})
_kind("gather.transient_cleared", "Clear", fields={"fields": "texts: Fields"})

# Calls -------------------------------------------------------------------------------------------------------------

_kind("call.start", "Call", fields={**CALL, "sources": "map", "origin": "text: Called by", "request": "map: Request"})
_kind("call.end", "Result", "ok failed", {
    "tool": "text: Tool", "status": "text", "ms": "number", "mode": "text", "generated": "flag", "result": "value",
    "error": "map",
})  # fmt: skip
_kind("call.retry", "Call again", fields={"tool": "text: Tool", "n": "number", "delay": "number"})
_kind("call.confirm", "Ask for consent", fields={**CALL, "text": "text: Question"})
_kind("call.cache_hit", "Call", fields=CALL)
_kind("tool.map", "Result into", fields={**CAUSE, "tool": "text: Tool", "names": "texts: Into"})
_kind("tool.result_shape", "Result shape", "warned", {"tool": "text: Tool", "differences": "maps: Differs"})
_kind("tool.process", "Process", "ok failed", {
    "tool": "text: Tool", "stage": "text: Stage", "changed": "map: Changed", "failed": "text", "on_fail": "text",
})  # fmt: skip

# Messages ----------------------------------------------------------------------------------------------------------

_kind("respond", "Respond", fields=SAID)
_kind("present", "Present", fields=SAID)
_kind("log", "Log", fields={**SAID, "level": "text: Level", "seconds": "number", "reason": "text"})

# Agents ------------------------------------------------------------------------------------------------------------

_kind("handoff", "Handoff", "ok skipped", HANDOVER)
_kind("return", "Return", fields={"from": "text: From", "to": "text: To"})
_kind("escalate", "Escalate", fields={
    "reason": "text: Reason", "priority": "text: Priority", "completed": "flag: The human is done",
    "human": "map: What the human said", "context": "map: What the human sees", "tags": "texts: Tags",
})  # fmt: skip
_kind("human.message", "For the human", fields={"text": "text: Message"})
_kind("delegate", "Delegate", "ok failed", {
    "from": "text: From", "to": "text: To", "purpose": "text: Purpose", "inputs": "map: Given",
    "results": "map: Results", "condition": "map", "said": "texts: Said to nobody",
    "error": "map", "attempt": "number: Attempt",
})  # fmt: skip
_kind("policy.violation", "Policy", "warned", {
    "name": "text: Policy", "rule": "text: Rule", "condition": "map", "signal": "text: Signal",
    "behavior": "text: Expected",
})  # fmt: skip
_kind("profile", "Profile", fields={"active": "texts: Active", "was": "texts: Before", "profiles": "maps"})
_kind("complete", "Complete", "ok skipped", {
    "index": "number?", "reason": "text: Why", "condition": "map", "terminal": "flag",
})  # fmt: skip
_kind("hook", "Hook", fields={"hook": "text: Hook", "resumed": "flag"})

# What messages mean, and what they may hold ------------------------------------------------------------------------

_kind("intent", "Intent", "ok skipped", {
    "name": "text?: Intent", "category": "text?: Category", "confidence": "number: Confidence",
    "unclear": "flag: Unclear", "candidates": "maps: Candidates", "several": "texts: Several",
    "strategy": "text: Strategy", "dropped": "text: Why",
})  # fmt: skip
_kind("pipeline", "Pipeline", fields={
    "tier": "text: Tier", "intent": "text?: Intent", "confidence": "number: Confidence", "several": "texts: Several",
    "veto": "text?: Veto word",
})  # fmt: skip
_kind("guardrail", "Guardrail", "passed warned failed", {
    "name": "text: Guardrail", "kind": "text: On", "check": "text: Check", "fires_on": "flag", "fired": "flag: Fired",
    "action": "text?: Action", "text": "text: Text", "after": "text: Text after it", "error": "text",
})  # fmt: skip

# The model ---------------------------------------------------------------------------------------------------------

_kind("model.request", "Ask the model", fields={
    "goal": "text?: Goal", "persona": "text?: Persona", "behavior": "text?: Behaviour",
    "instructions": "text?: Instructions", "system_prompt": "text?: System prompt", "limitations": "texts: Limitations",
    "user_memory": "maps", "system_reminders": "maps", "recalled": "texts: Recalled", "tools": "texts: Tools",
    "declarations": "maps", "fields": "value: Fields", "constraints": "texts: Rules", "variables": "map: Values",
    "messages": "maps: Messages", "calls": "maps", "settings": "map: Settings",
})  # fmt: skip
_kind("model.response", "Model answers", fields={
    "reply": "text?: Reply", "call": "text?: Calls", "args": "map: Arguments",
})  # fmt: skip
_kind("context", "First values", fields={"initial": "map: Values", "memory": "map"})

# What went wrong, or is not carried out ----------------------------------------------------------------------------

_kind("error", "Error", "error", {
    "code": "text: Code", "name": "text", "message": "text: Message", "what": "text", "limit": "number",
    "subject": "text", "size": "number", "construct": "text", "diagnostic": "text",
})  # fmt: skip
_kind("not_executed", "Not executed", "not_executed", {
    "construct": "text: Part", "why": "text: Why", "field": "text: Field", "rule": "text: Rule", "text": "text: Text",
    "tool": "text", "name": "text", "parameter": "text: Parameter", "request": "map", "action": "text: Action",
})  # fmt: skip

UNRECORDED: Final[Mapping[str, str]] = {}
"""Names of kinds of the specification that no runner records yet; one that does declares it above."""


def name_of(kind: str) -> str:
    """What a page calls a kind of event; an undeclared one after its spelling."""
    declared = KINDS.get(kind)
    return declared.name if declared else UNRECORDED.get(kind) or _words(kind)


def label_of(kind: str, key: str) -> str:
    """How a page labels a field of an event; one without a label after its key."""
    declared = KINDS.get(kind)
    found = declared.fields.get(key) if declared else None
    return found.label if found and found.label else _words(key)


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ").capitalize()


def problems_of(kind: str, status: str, data: Mapping[str, Any], *, masked: bool = False) -> list[str]:
    """What an event holds against its declaration, a sentence each; empty for a declared one.

    :param masked: secrets in ``data`` are hidden already, so that a number may have become a text: only names of fields
        are compared.
    """
    declared = KINDS.get(kind)
    if declared is None:
        return [f"kind {kind!r} is not declared in abl.runtime.events.kinds"]
    found = []
    if status not in declared.statuses:
        found.append(f"status {status!r} of {kind} is not one of {', '.join(sorted(declared.statuses))}")
    for key, value in data.items():
        known = declared.fields.get(key)
        if known is None:
            found.append(f"field {key!r} of {kind} is not declared")
        elif not masked and not known.fits(value):
            wanted = f"{known.type} or null" if known.nullable else known.type
            found.append(f"field {key!r} of {kind} is {wanted}, not {value!r:.80}")
    return found
