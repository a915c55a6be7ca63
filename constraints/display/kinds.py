"""Kinds of trace events (docs/spec 12 §4): icon and name of each, and the words for how one came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints.models import TraceEvent
from web.templatetags.wb import state_icon, state_word

JUDGED = ("constraint", "check", "pass")

# Kind of event -> icon and name. A kind that is not here is looked up by its part before the dot.
NAMES: dict[str, tuple[str, str]] = {
    "session.start": ("play", "Session start"),
    "session.end": ("last", "Session end"),
    "turn.start": ("in", "Input"),
    "turn.end": ("wait", "Turn end"),
    "pass": ("passed", "Constraint pass"),
    "constraint": ("passed", "Constraint"),
    "check": ("passed", "CHECK"),
    "recall": ("recall", "Recall"),
    "remember": ("store", "Remember"),
    "fact.read": ("facts", "Fact read"),
    "fact.write": ("store", "Fact written"),
    "fact.expired": ("expired", "Fact expired"),
    "fact.refused": ("failed", "Fact refused"),
    "set": ("set", "Set"),
    "clear": ("unset", "Clear"),
    "transform": ("set", "Transform"),
    "reset": ("unset", "Reset"),
    "step.enter": ("next", "Step"),
    "step.exit": ("done", "Step left"),
    "step.skipped": ("skipped", "Step"),
    "branch": ("fork", "Branch"),
    "on_input": ("in", "On input"),
    "digression": ("fork", "Digression"),
    "sub_intent": ("fork", "Sub-intent"),
    "flow.start": ("play", "Flow"),
    "flow.wait": ("wait", "Wait"),
    "flow.end": ("last", "Flow end"),
    "flow.loop": ("fork", "Flow loop"),
    "gather": ("set", "Gather"),
    "gather.start": ("set", "Gather"),
    "gather.extracted": ("set", "Gather"),
    "gather.default": ("set", "Gather"),
    "gather.corrected": ("set", "Gather"),
    "gather.rejected": ("set", "Gather"),
    "gather.rejected_source": ("set", "Gather"),
    "gather.complete": ("done", "Gathered"),
    "gather.prompt": ("msg", "Ask"),
    "gather.transient_cleared": ("unset", "Clear"),
    "call": ("tool", "Call"),
    "call.start": ("tool", "Call"),
    "call.end": ("tool", "Result"),
    "call.retry": ("tool", "Call again"),
    "call.confirm": ("help", "Ask for consent"),
    "call.cache_hit": ("tool", "Call"),
    "tool.map": ("set", "Result into"),
    "tool.process": ("set", "Process"),
    "tool.result_shape": ("tool", "Result shape"),
    "respond": ("msg", "Respond"),
    "present": ("msg", "Present"),
    "log": ("file", "Log"),
    "handoff": ("exec", "Handoff"),
    "delegate": ("exec", "Delegate"),
    "return": ("exec", "Return"),
    "escalate": ("user", "Escalate"),
    "complete": ("done", "Complete"),
    "hook": ("fork", "Hook"),
    "guardrail": ("lock", "Guardrail"),
    "profile": ("user", "Profile"),
    "intent": ("in", "Intent"),
    "policy.violation": ("lock", "Policy"),
    "model.request": ("exec", "Ask the model"),
    "model.response": ("exec", "Model answers"),
    "context": ("file", "First values"),
    "error": ("error", "Error"),
    "not_executed": ("mock", "Not executed"),
}
SHOWN_OUTCOMES = {"gated_when": "gated", "gated_checkpoint": "gated", "skipped_unset": "skipped", "ok": "passed"}
# What a kind says by itself at the end of its row, where nothing went wrong.
QUIET = {
    "flow.wait": "waiting",
    "respond": "said",
    "present": "shown",
    "gather.prompt": "asked",
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
    """Icon and name of a kind of event."""
    found = NAMES.get(kind) or NAMES.get(kind.partition(".")[0])
    if found is None:
        return "info", kind.replace("_", " ").replace(".", " ").capitalize()
    icon, name = found
    if kind not in NAMES:
        name = f"{name} {kind.partition('.')[2].replace('_', ' ')}"
    return icon, name


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
            return "no branch fits"
        case "call.end" if not status:
            return answered_by(data)
        case "recall" if not status and "loaded" in data and not data["loaded"]:
            return "nothing there"
        case "fact.write" if data.get("cause") == "tree_end":
            return "dropped"
    return state_word(status) if status else QUIET.get(event.kind, "")


def answered_by(data: Mapping[str, Any]) -> str:
    """What gave the result of a call: ``sample`` is one made from the return type."""
    if data.get("generated"):
        return "sample"
    return {"mock": "mocked", "memory": "from memory"}.get(str(data.get("mode")), "")


def is_mocked(event: TraceEvent) -> bool:
    """Whether something stands in for what would happen outside a test."""
    return answered_by(event.data) in ("mocked", "sample") or event.status == "not_executed"


def icon_of(event: TraceEvent, status: str) -> str:
    """A state has its own icon, every kind without one its own."""
    return state_icon(status) if status else named(event.kind)[0]
