"""A summary of each event in one line, for the rows of a trace (docs/spec 12 §4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from constraints.traces import call_summaries as calls
from constraints.traces import value_summaries as values
from constraints.traces.values import shown
from constraints.traces.wording import EMPTY, ENDS, MODES, POINTS, TIERS, WAITS, names, words

Data = Mapping[str, Any]
WHAT_LENGTH = 160
# An event of an unknown kind is summarised by the first of these fields that it has.
SUMMARY_FIELDS = (
    "text", "name", "path", "step", "tool", "target", "to", "agent", "field", "fields", "event", "trigger",
    "expression", "condition_text", "input", "reason", "why", "message", "construct", "code", "outcome",
)  # fmt: skip


def what_of(kind: str, data: Data) -> str:
    """What the event was about, in one line of at most ``WHAT_LENGTH`` characters."""
    summary = SUMMARIES.get(kind)
    text = summary(data) if summary else next((words(data[n]) for n in SUMMARY_FIELDS if data.get(n) not in EMPTY), "")
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= WHAT_LENGTH else one_line[: WHAT_LENGTH - 1] + "…"


def text_at(key: str) -> Callable[[Data], str]:
    """A summary that is one field."""
    return lambda data: words(data[key]) if data.get(key) not in EMPTY else ""


def list_at(key: str) -> Callable[[Data], str]:
    """A summary that lists the names of one field."""
    return lambda data: names(data.get(key) or ())


# Conditions ------------------------------------------------------------------------------------------------------


def rule(data: Data) -> str:
    """A rule by its condition; a failed comparison by what its sides came to."""
    return numbers_of(data) or str(data.get("condition_text") or "")


def numbers_of(data: Data) -> str:
    """``490 <= 480`` of a comparison that decided against the rule, else nothing."""
    tree = data.get("tree") or {}
    sides = tree.get("children") or []
    plain = tree.get("status") == "ok" and len(sides) == 2 and tree.get("op") in ("<", "<=", ">", ">=", "==", "!=")
    if data.get("outcome") not in ("failed", "warned") or not plain:
        return ""
    if any(side.get("status") != "ok" for side in sides):
        return ""
    return f"{shown(sides[0].get('value'))} {tree['op']} {shown(sides[1].get('value'))}"


def point(data: Data) -> str:
    """When rules were judged."""
    found = str(data.get("point") or "")
    return POINTS.get(found, found).format(data.get("target") or data.get("point_target") or "")


def branch(data: Data) -> str:
    """A branch by its condition."""
    return str(data.get("condition") or "ELSE")


# Input and output ------------------------------------------------------------------------------------------------


def input_of(data: Data) -> str:
    """The message; of a click its id and value."""
    action = data.get("action")
    if isinstance(action, Mapping):
        value = action.get("value")
        return f"{action.get('id')}: {words(value)}" if value is not None else str(action.get("id"))
    given = data.get("input")
    return f'"{given}"' if isinstance(given, str) and given else shown(given) if given else "no message yet"


def said(data: Data) -> str:
    """What was said, in quotes."""
    text = data.get("text") or data.get("template")
    return f'"{text}"' if isinstance(text, str) and text else ""


def asked(data: Data) -> str:
    """The prompt for a field, which may be the reply of the step."""
    return f"{names(data.get('fields') or ())}: asked in the reply above" if data.get("by") == "respond" else said(data)


def on_input(data: Data) -> str:
    """What the branches look at."""
    if data.get("mode") == "action":
        return f"the click on {data.get('action')}"
    return MODES.get(str(data.get("mode")), str(data.get("mode") or ""))


def ending(data: Data) -> str:
    """How many messages a turn gave, and what it waits for."""
    replies = data.get("replies") or []
    count = f"{len(replies)} message{'' if len(replies) == 1 else 's'}"
    if data.get("ended"):
        return f"{count}, the session ended"
    waiting = data.get("waiting")
    return f"{count}, waits {WAITS.get(waiting, f'for {waiting}')}" if waiting else count


def beginning(data: Data) -> str:
    """Which agent begins, and for whom."""
    return f"{data.get('entry')} for {data.get('user') or 'an anonymous user'}, on {data.get('channel')}"


# Flow ------------------------------------------------------------------------------------------------------------


def entered(data: Data) -> str:
    """A step, with its attempt from the second on."""
    attempt = data.get("attempt") or 1
    return f"{data.get('step')}, attempt {attempt}" if attempt > 1 else str(data.get("step") or "")


def left(data: Data) -> str:
    """From where to where."""
    return f"{data.get('step')} to {data['to']}" if data.get("to") else str(data.get("step") or "")


def passed_over(data: Data) -> str:
    """A step that was skipped because its WHEN did not hold."""
    return f"{data.get('step')}: {data.get('when')} is false"


def waiting(data: Data) -> str:
    """What the flow waits for."""
    reason = str(data.get("reason") or "")
    return WAITS.get(reason, reason)


def looped(data: Data) -> str:
    """Where the flow returned to a step in an endless loop."""
    return f"{data.get('step')} was entered twice with nothing changed in between"


def flow_end(data: Data) -> str:
    """Why the flow is over."""
    return ENDS.get(str(data.get("reason")), "") or ENDS.get(str(data.get("outcome")), str(data.get("outcome") or ""))


# Fields ----------------------------------------------------------------------------------------------------------


def rejected(data: Data) -> str:
    """Which field did not take the input, and what would fit."""
    attempt = data.get("attempt") or 1
    again = f", attempt {attempt}" if attempt > 1 else ""
    return f"{data.get('field')}: does not match {data.get('rule') or 'the field'}{again}"


def other_source(data: Data) -> str:
    """A field that takes no message of the user."""
    return f"{data.get('field')}: only from {names(data.get('satisfied_by') or ())}"


def gathered(data: Data) -> str:
    """All fields with their values."""
    return ", ".join(f"{name} = {shown(value)}" for name, value in (data.get("values") or {}).items())


def message(data: Data) -> str:
    """What went wrong."""
    return str(data.get("message") or data.get("why") or "")


def routed(data: Data) -> str:
    """Which intent the pipeline took and what it made of it."""
    return ": ".join(str(text) for text in (data.get("intent"), TIERS.get(str(data.get("tier")))) if text)


def left_undone(data: Data) -> str:
    """What was not carried out and why."""
    construct = str(data.get("construct") or "")
    return f"{construct}: {message(data)}" if construct else message(data)


SUMMARIES: dict[str, Callable[[Data], str]] = {
    "session.start": beginning,
    "session.end": lambda data: "",
    "turn.start": input_of,
    "turn.end": ending,
    "pass": point,
    "constraint": rule,
    "check": rule,
    "branch": branch,
    "on_input": on_input,
    "respond": said,
    "present": said,
    "gather.prompt": asked,
    "gather.confirm": said,
    "log": text_at("text"),
    "set": values.change,
    "clear": values.cleared,
    "reset": values.change,
    "transform": values.transformed,
    "context": values.first_values,
    "remember": values.remembered,
    "recall": values.recalled,
    "fact.read": values.change,
    "fact.expired": text_at("path"),
    "fact.write": values.written,
    "fact.refused": values.refused,
    "flow.start": lambda data: f"from {data.get('entry')}",
    "flow.wait": waiting,
    "flow.end": flow_end,
    "flow.loop": looped,
    "step.enter": entered,
    "step.exit": left,
    "step.skipped": passed_over,
    "digression": text_at("intent"),
    "sub_intent": text_at("intent"),
    "gather.start": list_at("fields"),
    "gather.extracted": values.change,
    "gather.default": values.change,
    "gather.declined": values.change,
    "gather.corrected": values.change,
    "gather.rejected": rejected,
    "gather.rejected_source": other_source,
    "gather.complete": gathered,
    "gather.transient_cleared": list_at("fields"),
    "call.start": calls.call,
    "call.cache_hit": calls.call,
    "call.end": calls.result,
    "call.retry": calls.retried,
    "call.confirm": said,
    "tool.map": calls.bound,
    "tool.process": calls.processed,
    "tool.result_shape": calls.differs,
    "handoff": calls.handed,
    "delegate": calls.handed,
    "return": calls.returned,
    "escalate": text_at("reason"),
    "human.message": said,
    "complete": calls.completed,
    "hook": text_at("hook"),
    "guardrail": text_at("name"),
    "intent": text_at("name"),
    "pipeline": routed,
    "profile": list_at("active"),
    "model.request": calls.asked_model,
    "model.response": calls.answered,
    "error": message,
    "not_executed": left_undone,
}
