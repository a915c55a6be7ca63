"""Kinds of trace events (docs/spec 12 §4): icon and name of each, and the words for how one came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.runtime.events.kinds import name_of as kind_name
from constraints.models import TraceEvent
from web.templatetags.wb import state_icon, state_word

JUDGED = ("constraint", "check", "pass")

# Kind of event -> icon. A kind that is not here has that of its part before the dot.
ICONS: dict[str, str] = {
    "session.start": "play",
    "session.end": "last",
    "turn.start": "in",
    "turn.end": "wait",
    "pass": "passed",
    "constraint": "passed",
    "check": "passed",
    "recall": "recall",
    "remember": "store",
    "fact.read": "facts",
    "fact.write": "store",
    "fact.expired": "expired",
    "fact.refused": "failed",
    "set": "set",
    "clear": "unset",
    "transform": "set",
    "reset": "unset",
    "step.enter": "next",
    "step.exit": "done",
    "step.skipped": "skipped",
    "branch": "fork",
    "on_input": "in",
    "digression": "fork",
    "sub_intent": "fork",
    "flow.start": "play",
    "flow.wait": "wait",
    "flow.end": "last",
    "flow.loop": "fork",
    "gather": "set",
    "gather.start": "set",
    "gather.extracted": "set",
    "gather.default": "set",
    "gather.corrected": "set",
    "gather.rejected": "set",
    "gather.rejected_source": "set",
    "gather.complete": "done",
    "gather.prompt": "msg",
    "gather.confirm": "msg",
    "gather.declined": "unset",
    "gather.transient_cleared": "unset",
    "call": "tool",
    "call.start": "tool",
    "call.end": "tool",
    "call.retry": "tool",
    "call.confirm": "help",
    "call.cache_hit": "tool",
    "tool.map": "set",
    "tool.process": "set",
    "tool.result_shape": "tool",
    "respond": "msg",
    "present": "msg",
    "log": "file",
    "handoff": "exec",
    "delegate": "exec",
    "return": "exec",
    "escalate": "user",
    "human.message": "user",
    "complete": "done",
    "hook": "fork",
    "guardrail": "lock",
    "profile": "user",
    "intent": "in",
    "pipeline": "in",
    "policy.violation": "lock",
    "model.request": "exec",
    "model.response": "exec",
    "context": "file",
    "error": "error",
    "not_executed": "mock",
}
SHOWN_OUTCOMES = {"gated_when": "gated", "gated_checkpoint": "gated", "skipped_unset": "skipped", "ok": "passed"}
# The word at the end of the row of a kind when nothing went wrong.
QUIET = {
    "flow.wait": "waiting",
    "respond": "said",
    "present": "shown",
    "gather.prompt": "asked",
    "gather.confirm": "asked",
    "gather.extracted": "filled",
    "gather.default": "default",
    "gather.corrected": "corrected",
    "gather.complete": "complete",
    "gather.transient_cleared": "cleared",
    "call.confirm": "asked",
    "call.cache_hit": "from cache",
    "recall": "recalled",
    "remember": "stored",
    "fact.write": "written",
    "branch": "taken",
}


def named(kind: str) -> tuple[str, str]:
    """Icon and name of a kind of event; the name is that of its declaration."""
    icon = ICONS.get(kind) or ICONS.get(kind.partition(".")[0])
    return icon or "info", kind_name(kind)


def name_of(event: TraceEvent) -> str:
    """The name of an event; a rule has that of its kind, such as LIMIT."""
    if event.kind == "constraint":
        return str(event.data.get("kind") or "rule").upper()
    return "From memory" if event.kind == "context" and "memory" in event.data else named(event.kind)[1]


def shown_outcome(outcome: Any) -> str:
    """An outcome of docs/spec 04 §10 as a state word; empty for none."""
    return SHOWN_OUTCOMES.get(str(outcome), str(outcome or ""))


def state_of(event: TraceEvent) -> str:
    """The state word of an event: the outcome of what judges a condition, else its status; empty where all is well.

    An input that a field did not accept is a warning: nothing of the agent failed.
    """
    if event.kind in JUDGED:
        return shown_outcome(event.data.get("outcome") or event.status)
    if event.kind == "gather.rejected":
        return "warned"
    return "" if event.status == "ok" else event.status


def word_of(event: TraceEvent, status: str) -> str:
    """The word at the end of a row: a state, else what the kind says by itself."""
    data: Mapping[str, Any] = event.data
    match event.kind:
        case "gather.rejected":
            return "not accepted"
        case "branch" if status == "skipped":
            return "not taken"
        case "on_input" if status == "skipped":
            return "no match"
        case "call.end" if not status:
            return answered_by(data)
        case "recall" if not status and "loaded" in data and not data["loaded"]:
            return "nothing found"
        case "fact.write" if data.get("cause") == "tree_end":
            return "dropped"
    return state_word(status) if status else QUIET.get(event.kind, "")


def answered_by(data: Mapping[str, Any]) -> str:
    """What gave a tool result: ``sample`` is one made from the return type."""
    if data.get("generated"):
        return "sample"
    return {"mock": "mocked", "memory": "from memory"}.get(str(data.get("mode")), "")


def is_mocked(event: TraceEvent) -> bool:
    """Whether something stands in for what would happen outside a test."""
    return answered_by(event.data) in ("mocked", "sample") or event.status == "not_executed"


def icon_of(event: TraceEvent, status: str) -> str:
    """A state has its own icon, every kind without one its own."""
    return state_icon(status) if status else named(event.kind)[0]
