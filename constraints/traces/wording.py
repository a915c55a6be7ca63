"""Words for the codes of a trace: points, waiting reasons, edges, sources (docs/spec 04 §6, 06 §12, 07, 08, 09)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from constraints.traces.values import literal

EMPTY: tuple[Any, ...] = (None, "", [], {})
POINTS = {
    "turn": "before the work of the turn",
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
    "tool_confirm": "for consent to a call",
    "reasoning": "for a reply that a model or you give",
    "check_halt": "for a message, as nothing could go on",
    "handoff": "for another agent, to make a call again",
    "human": "for a person",
}
SKIPPED = {
    "condition": "its WHEN is false",
    "null value": "its value is unset",
    "unchanged": "it has this value already",
    "refused": "the fact was refused",
}
ENDS = {
    "complete": "the flow is complete",
    "no_transition": "no step comes after this one",
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
    "gather": "what was gathered",
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
    "recogniser": "a recogniser of its type",
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
    "resume": "the step again, after a digression",
    "repeat": "the step again, as it waits for a click",
    "respond": "the reply above, which asks for it",
}
SCOPES = {
    "global": "the whole flow",
    "step": "this step",
}
CAUSES = {
    "set": "SET",
    "system": "hand, between two turns",
    "gather": "a field that was filled",
    "collect": "a COLLECT that asks again",
    "ask_again": "a field that is asked again",
    "clear": "CLEAR",
    "transform": "TRANSFORM",
    "tool_result": "the result of a call",
    "handoff": "what the handoff passes",
    "return": "what the other agent gave back",
    "on_error": "ON_ERROR",
    "tree_end": "the end of its handoff tree",
}
RESETS = {
    "per_step": "as a step begins",
    "per_activation": "as the agent begins",
    "per_session": "as the session begins",
}

STAGES = {"before": "before the call", "after": "after the call"}
PLACES = {
    "user_memory": "core block",
    "system_reminders": "archival block",
}


def cause(code: Any) -> str:
    """What set a value; ``remember#0`` is the first trigger."""
    kind, _, index = str(code).partition("#")
    return f"trigger {int(index) + 1} of remember" if kind == "remember" and index.isdigit() else CAUSES.get(kind, kind)


def words(value: Any) -> str:
    """A text as it is, anything else as a value."""
    return value if isinstance(value, str) else literal(value)


def names(listed: Any) -> str:
    """Names in a row."""
    return ", ".join(map(str, listed)) if isinstance(listed, Iterable) and not isinstance(listed, str) else str(listed)
