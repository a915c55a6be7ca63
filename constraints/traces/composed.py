"""Fields of the pane of a step that combine several keys of an event, or put a code into words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from constraints.traces.call_summaries import call, error_of
from constraints.traces.pairs import Pair
from constraints.traces.summaries import point
from constraints.traces.values import shown, tree
from constraints.traces.wording import PLACES, SOURCES, cause, names

Data = Mapping[str, Any]


def old_and_new(data: Data) -> Pair | None:
    """The value before and after, once where they are the same; None where the event holds neither."""
    if "new" not in data and "old" not in data:
        return None
    old, new = data.get("old"), data.get("new")
    return Pair("Value", "value", tree(new)) if old == new else Pair("Value", "change", (tree(old), tree(new)))


def as_written(data: Data) -> Pair | None:
    """The template of a message, where it is not just what was said."""
    template = data.get("message_template") or data.get("template")
    text = data.get("message_rendered") if "message_template" in data else data.get("text")
    return Pair("As written", "text", template) if text and template and template != text else None


def where_stored(data: Data) -> str:
    """Scope and owner of a fact in words."""
    scope, owner = data.get("scope"), data.get("owner")
    match scope:
        case "user":
            return f"facts of user {owner}" if owner else "facts of a user, but no user is signed in"
        case "project":
            return "facts of the project, for all users"
        case "execution_tree":
            return "facts of this conversation"
    return str(scope or "")


def caused_by(data: Data) -> str:
    """What set a value."""
    return cause(data["cause"]) if data.get("cause") else ""


def judged_at(data: Data) -> str:
    """The point at which rules were judged; a CHECK has none of its own."""
    return "" if data.get("source") == "check" else point(data)


def then(data: Data) -> str:
    """The action of ON_FAIL, and what it stopped."""
    action = data.get("action")
    if not isinstance(action, Mapping):
        return ""
    stopped = action.get("type") in ("respond", "block", "redact") and data.get("effect")
    return f"{action_words(action)}; {data['effect']}" if stopped else action_words(action)


def action_words(action: Data) -> str:
    """An ON_FAIL action in words."""
    kind = str(action.get("type"))
    words = {
        "respond": "replies with the message",
        "collect": f"asks for {names(action.get('fields') or [])}",
        "retry": "evaluates the rules again",
        "continue": "continues without this rule",
        "block": "stops the turn",
        "redact": "redacts the value",
        "goto": f"goes to step {action.get('target')}",
        "handoff": f"hands over to {action.get('target')}",
        "escalate": "escalates to a person",
    }.get(kind, kind)
    after = f", then {action['then']}" if action.get("then") and action.get("then") != kind else ""
    cleared = action.get("clear")
    return words + after + (f"; clears {names(cleared)}" if cleared else "")


def action_taken(data: Data) -> Pair | None:
    """The click that stands for a message."""
    action = data.get("action")
    if not isinstance(action, Mapping):
        return None
    click = {key: value for key, value in action.items() if value is not None}
    return Pair("Click", "value", tree(click))


def items_left(data: Data) -> str:
    """How many items each stage of a TRANSFORM left."""
    counts = data.get("counts") or {}
    return ", ".join(f"{n} in {k}" if k == "source" else f"{n} after {k.upper()}" for k, n in counts.items())


def arguments_from(data: Data) -> Pair | None:
    """Where the arguments of a call come from, where it is not written in the call."""
    sources = {k: SOURCES.get(str(v), str(v)) for k, v in (data.get("sources") or {}).items() if v != "explicit"}
    return Pair("From", "read", list(sources.items())) if sources else None


def what_failed(data: Data) -> str:
    """The error of a call or a condition in words."""
    return error_of(data["error"]) if data.get("error") else ""


def answered_with(data: Data) -> str:
    """Who answered a call."""
    if data.get("generated"):
        return "a sample generated from its return type, as no mock case matches"
    modes = {
        "mock": "a mock case of the project",
        "memory": "the memory of the project",
        "none": "not called",
    }
    return modes.get(str(data.get("mode")), str(data.get("mode") or ""))


def result_of(data: Data) -> Pair | None:
    """The result of a call, also an empty one."""
    return Pair("Result", "value", tree(data["result"])) if "result" in data else None


def took_ms(data: Data) -> str:
    """Virtual time of a call."""
    return f"{data['ms']} ms on the conversation's clock" if data.get("ms") else ""


def bound_values(data: Data) -> Pair | None:
    """The value that a result gave its names."""
    found = list(((data.get("state") or {}).get("set") or {}).values())
    return Pair("Value", "value", tree(found[0])) if found else None


def passed(key: str, label: str) -> Callable[[Data], Pair | None]:
    """Names that a handoff passed, or that had no value to pass."""

    def draw(data: Data) -> Pair | None:
        listed = (data.get("handoff_context_pass_resolved") or {}).get(key)
        return Pair(label, "names", listed) if listed else None

    return draw


def comes_back(data: Data) -> str:
    """Whether a handoff returns."""
    if "returns" not in data:
        return ""
    return "control returns" if data["returns"] else "control does not return"


def branch_of(data: Data) -> str:
    """Which branch of which list."""
    return f"{int(data.get('index') or 0) + 1} of {str(data.get('list') or '').upper()}"


def attempt(data: Data) -> str:
    """The attempt, from the second on."""
    return str(data["attempt"]) if int(data.get("attempt") or 1) > 1 else ""


def nothing_after(data: Data) -> str:
    """Whether a COMPLETE ends the agent."""
    return "" if "terminal" not in data else "the agent ends" if data["terminal"] else "the agent continues"


def memory_lines(key: str, label: str) -> Callable[[Data], Pair | None]:
    """Lines of memory blocks that went into the request of a model, or were left out and why (docs/spec 11 §1)."""

    def draw(data: Data) -> Pair | None:
        found = (data.get("memory") or {}).get(key) or []
        lines = [
            (line.get("why") or PLACES.get(str(line.get("place")), ""), line.get("content") or "") for line in found
        ]
        return Pair(label, "talk", lines) if lines else None

    return draw


def blocks(key: str, label: str) -> Callable[[Data], Pair | None]:
    """What memory blocks put into a request, block by block."""

    def draw(data: Data) -> Pair | None:
        lines = [
            (
                f"block of the {block['scope']}" if block.get("scope") else "for this reply",
                str(block.get("content") or ""),
            )
            for block in data.get(key) or []
        ]
        return Pair(label, "talk", lines) if lines else None

    return draw


def calls_made(data: Data) -> Pair | None:
    """Calls that the model has made since the message of the user."""
    made = [
        (call({"tool": each.get("tool"), "args": each.get("args")}), outcome_of(each))
        for each in data.get("calls") or []
    ]
    return Pair("Calls so far", "talk", made) if made else None


def outcome_of(made: Data) -> str:
    """The result of a call of the model."""
    return error_of(made["error"]) if made.get("error") else shown(made.get("result"))
