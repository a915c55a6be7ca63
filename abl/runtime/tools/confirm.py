"""Consent before a call (docs/spec 08 §6): whether it is needed, the question, the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from abl.expressions.values import text
from abl.language.tools import READ_ONLY_METHODS, READ_ONLY_OPERATIONS
from abl.runtime.gather.extract import read_value
from abl.runtime.plan.fields import FieldPlan
from abl.runtime.ports import ToolError
from abl.source import Span
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread
    from abl.runtime.tools.arguments import Arguments
    from abl.runtime.tools.invocation import Invocation

WAITING = "tool_confirm"
_YES_OR_NO = FieldPlan("answer", Span(0, 0), type="boolean")


def required(tool: nodes.Tool | None) -> bool:
    """True when the tool wants consent: ``confirm`` or ``confirmation.require``."""
    if tool is None:
        return False
    given = tool.typed
    wanted = given.value("CONFIRM") or given.below("CONFIRMATION").value("require")
    return bool(wanted == "always") or (wanted == "when_side_effects" and has_side_effects(tool))


def has_side_effects(tool: nodes.Tool) -> bool:
    """``effect``, else ``side_effects``, else what the binding says (08 §2)."""
    given = tool.typed
    effect, stated = given.value("EFFECT"), given.given("SIDE_EFFECTS")
    if effect is not None:
        return bool(effect != "read_only")
    if stated is None:
        stated = given.below("HINTS").given("side_effects")
    if stated is not None:
        return bool(stated)
    match given.value("TYPE"):
        case "http":
            return bool(given.value("METHOD") not in READ_ONLY_METHODS)
        case "searchai":
            return False
        case "table":
            operations = given.value("OPERATIONS")
            return bool(operations) and not READ_ONLY_OPERATIONS.issuperset(operations)
        case _:
            return True


def verdict(engine: Engine, thread: Thread, call: Invocation, arguments: Arguments) -> Literal["ask", "yes", "no"]:
    """What is known of the user's consent to this call; asks when it is not. The arguments become those agreed to."""
    known, values = thread.confirm, arguments.values
    same_call = known is not None and (known["tool"], known.get("origin")) == (call.name, call.origin)
    if known is None or not same_call or known["answer"] is None or _changed(call.tool, known["values"], values):
        thread.confirm = {
            "tool": call.name,
            "origin": call.origin,
            "values": dict(values),
            "answer": None,
            "unclear": False,
            "shown": arguments.shown(engine.masker(thread)),
        }
        _question(engine, thread, call.span)
        return "ask"
    values.clear()
    values.update(known["values"])
    return "yes" if known["answer"] else "no"


def refused(name: str, origin: str) -> ToolError:
    """The failure of a call that needs consent where nobody can be asked."""
    return ToolError(subtype="declined", message=f"{name} needs consent, which cannot be asked for in {origin}")


def pending(thread: Thread) -> bool:
    """True when the next message answers a question for consent."""
    waits = WAITING in (thread.flow.reason, thread.system.get("_waiting")) or thread.paused is not None
    return thread.confirm is not None and thread.confirm["answer"] is None and waits


def agreed(thread: Thread, origin: str) -> dict[str, Any] | None:
    """The call of that origin that was answered and is still to be made."""
    known = thread.confirm
    return known if known is not None and known.get("origin") == origin and known["answer"] is not None else None


def take_answer(engine: Engine, thread: Thread, message: str) -> bool:
    """The message as the answer; False when it is neither yes nor no and the question was asked once more."""
    known = thread.confirm
    if known is None:
        return True
    language, today = engine.language(thread), engine.now().date()
    clear, value, _ = read_value(_YES_OR_NO, message, language, today)
    if not clear and not known["unclear"]:
        known["unclear"] = True
        _question(engine, thread, None)
        return False
    known["answer"] = bool(value) if clear else False
    return True


def _question(engine: Engine, thread: Thread, span: Any) -> None:
    known = thread.confirm or {}
    shown = known.get("shown", {})
    listed = ", ".join(f"{name}: {text(value)}" for name, value in shown.items())
    question = f"{known['tool']}({listed}): yes or no?"
    engine.say(
        thread, question, kind="prompt", event="call.confirm", span=span, data={"tool": known["tool"], "args": shown}
    )


def _changed(tool: nodes.Tool | None, before: dict[str, Any], now: dict[str, Any]) -> bool:
    """True when a parameter that must not change between question and call has changed."""
    names = tool.typed.below("CONFIRMATION").value("immutable_params") if tool is not None else None
    return any(before.get(name) != now.get(name) for name in names or ())
