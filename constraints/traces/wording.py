"""Words for the codes of a trace: points, waiting reasons, edges, sources (docs/spec 04 §6, 06 §12, 07, 08, 09)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from constraints.traces.values import literal

EMPTY: tuple[Any, ...] = (None, "", [], {})
POINTS = {
    "turn": "before the turn's work",
    "extracted": "after collecting",
    "tool_call": "before the call of {}",
    "tool_result": "after the call of {}",
    "response": "before the reply",
}
WAITS = {
    "gather": "for the fields of this step",
    "input": "for a message",
    "action": "for a click or a message",
    "confirm": "for a confirmation",
    "tool_confirm": "for confirmation of a call",
    "reasoning": "for a reply from the model or you",
    "check_halt": "for a message, as nothing could proceed",
    "handoff": "for another agent, to repeat a call",
    "human": "for a person",
}
SKIPPED = {
    "condition": "WHEN is false",
    "null value": "the value is unset",
    "unchanged": "the value is unchanged",
    "refused": "the fact was rejected",
}
ENDS = {
    "complete": "the flow is complete",
    "no_transition": "there is no next step",
    "escalate": "a person takes over",
    "handoff": "another agent takes over",
}
EDGES = {
    "then": "THEN",
    "goto": "GOTO",
    "retry": "to try again",
    "retry_step": "to try again",
    "on_fail": "ON_FAIL",
    "on_error": "ON_ERROR",
    "backtrack": "BACKTRACK_TO",
    "implicit_end": "the end of the flow",
}
MODES = {
    "message": "the message",
    "gather": "the gathered fields",
    "immediate": "the state, without waiting",
    "action": "a click",
}
ORIGINS = {
    "flow": "the flow",
    "model": "the model",
    "hook": "a hook",
    "on_start": "ON_START",
    "complete": "COMPLETE",
}
SOURCES = {
    "explicit": "written in the call",
    "variable": "the variable of that name",
    "default": "the default of the parameter",
    "system": "the system",
    "runtime": "the run time",
    "expr": "an expression of the tool",
}
STRATEGIES = {
    "asked": "the answer to the prompt",
    "pair": "its name and a value in the message",
    "parts": "a part of the message",
    "option": "one of the options",
    "pattern": "its pattern",
    "recogniser": "type recognition",
}
ACTIONS = {
    "inject_context": "loads the paths",
    "load_memory": "loads a domain",
    "prompt_llm": "an instruction for the model",
}
BY = {
    "constraint": "ON_FAIL of a rule",
    "on_fail": "ON_FAIL",
    "on_error": "ON_ERROR",
    "model": "the model",
    "tester": "you, in place of a model",
    "resume": "the step, resumed after a digression",
    "repeat": "the step, repeated while it waits for a click",
    "respond": "the reply above",
}
SCOPES = {
    "global": "the whole flow",
    "step": "this step",
}
CAUSE_WORDS = {
    "set": "SET",
    "system": "a manual change between turns",
    "gather": "a gathered field",
    "collect": "COLLECT",
    "ask_again": "asking again",
    "clear": "CLEAR",
    "transform": "TRANSFORM",
    "tool_result": "a tool result",
    "handoff": "the handoff",
    "return": "the other agent's return",
    "on_error": "ON_ERROR",
    "tree_end": "the end of the execution tree",
}
RESETS = {
    "per_step": "when a step starts",
    "per_activation": "when the agent starts",
    "per_session": "when the session starts",
}

TIERS = {
    "direct": "a sentence that names the intent holds",
    "guided": "a hint to the model",
    "reasoning": "left to the model",
}
STAGES = {"before": "before the call", "after": "after the call"}
PLACES = {
    "user_memory": "core block",
    "system_reminders": "archival block",
}


def cause(code: Any) -> str:
    """What set a value; ``remember#0`` is the first trigger."""
    kind, _, index = str(code).partition("#")
    return (
        f"trigger {int(index) + 1} of remember"
        if kind == "remember" and index.isdigit()
        else CAUSE_WORDS.get(kind, kind)
    )


def words(value: Any) -> str:
    """A text as it is, anything else as a value."""
    return value if isinstance(value, str) else literal(value)


def names(listed: Any) -> str:
    """Names in a row."""
    return ", ".join(map(str, listed)) if isinstance(listed, Iterable) and not isinstance(listed, str) else str(listed)
