"""GUARDRAILS at work: on messages, replies, calls and handoffs (docs/spec 09 §3 T4 and T13, §5, §11; 08 §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.expressions.values import text
from abl.runtime.evaluation import Outcome
from abl.runtime.events.recorder import note
from abl.runtime.guardrails import hiding
from abl.runtime.guardrails import texts as guardtexts
from abl.runtime.moves import Escalate
from abl.runtime.plan.guardrails import GuardPlan
from abl.runtime.ports import ToolError
from abl.runtime.privacy.masking import HIDDEN_ERROR

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

STOPS = frozenset({"block", "escalate", "reask"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the guardrails made of a text: it continues as ``value``, or ``by`` stops it in the way of ``action``."""

    value: Any
    by: GuardPlan | None = None
    action: str | None = None


def judge(engine: Engine, thread: Thread, kind: str, value: Any) -> Ruling:
    """All guardrails of a kind in their order, each over what those before it left; the first that stops it ends that.

    ``value`` is the text in question, or what a call or a handoff passes on.
    """
    before = hiding.Before(engine.recorder, kind)
    for plan in engine.program(thread).guardrails:
        if not plan.looks_at(kind):
            continue
        if (why := _not_run(plan)) is not None:
            engine.recorder.not_executed("guardrail", why, plan.span, name=plan.name_at(kind))
            continue
        outcome = _verdict(engine, thread, plan, kind, value)
        fired = outcome.error is not None or outcome.holds is plan.fires_on
        action, after = plan.action, value
        if fired:
            action, after = _applied(engine, thread, plan, kind, value)
        _record(engine, plan, kind, (value, after), outcome=outcome, action=action if fired else None)
        before.add(plan, value, after)
        if fired and action in STOPS:
            return Ruling(value, plan, action)
        value = after
    return Ruling(value)


def _not_run(plan: GuardPlan) -> str | None:
    if plan.tier != "check":
        return f"{'a service' if plan.tier == 'provider' else 'a model'} would judge; the text passes"
    return f"the check cannot run: {plan.problem}" if plan.problem is not None else None


def _names(kind: str, value: Any) -> dict[str, Any]:
    """What a check sees beside the variables: the text in question under its names, nothing under the others'."""
    content = value if isinstance(value, str) else text(value)
    said = kind in {"output", "tool_output"}
    reply = content if said else None
    return {"content": content, "input": None if said else content, "response": reply, "output": reply}


def _verdict(engine: Engine, thread: Thread, plan: GuardPlan, kind: str, value: Any) -> Outcome:
    """The check, which leaves no ``match`` behind. An error counts as fired, so that a failing check blocks the
    text.
    """
    engine.budget.step()
    context = engine.context(thread).with_local(_names(kind, value))
    outcome = plan.check.run(context, engine.now(), engine.random)
    if outcome.exceeded is not None:
        raise engine.ran_out(outcome.exceeded, plan.check.text)
    if outcome.error is not None and engine.derives(thread, plan.check.names):
        outcome.error = HIDDEN_ERROR
    return outcome


def _applied(engine: Engine, thread: Thread, plan: GuardPlan, kind: str, value: Any) -> tuple[str, Any]:
    """What the action makes of the text; ``block`` where it cannot be mended."""
    node = plan.check.node
    match plan.action:
        case "redact":
            return "redact", guardtexts.replaced(value, node, guardtexts.REDACTED)
        case "filter":
            after = guardtexts.replaced(value, node, "")
            short = isinstance(after, str) and (not after.strip() or len(after.strip()) < plan.min_length)
            return ("block", value) if short else ("filter", after)
        case "fix":
            after = _fixed(engine, thread, plan, kind, value)
            mended = _verdict(engine, thread, plan, kind, after)
            holds = mended.error is not None or mended.holds is plan.fires_on
            return ("block", value) if holds else ("fix", after)
        case "reask" if kind != "output":
            return "block", value
        case action:
            return action, value


def _fixed(engine: Engine, thread: Thread, plan: GuardPlan, kind: str, value: Any) -> Any:
    if plan.strategy != "custom":
        return guardtexts.mended(plan.strategy, value, plan.check.node)
    if not isinstance(value, str):
        return value
    context = engine.context(thread).with_local(_names(kind, value))
    outcome = plan.fix.run(context, engine.now(), engine.random)
    if outcome.exceeded is not None:
        raise engine.ran_out(outcome.exceeded, plan.fix.text)
    return value if outcome.error is not None or outcome.value is None else text(outcome.value)


def _record(
    engine: Engine, plan: GuardPlan, kind: str, texts: tuple[Any, Any], *, outcome: Outcome, action: str | None
) -> None:
    value, after = texts
    data: dict[str, Any] = {
        "name": plan.name_at(kind), "kind": kind, "check": plan.check.text, "fires_on": plan.fires_on,
        "fired": action is not None, "action": action, "text": engine.recorder.text(_text(value)),
    }  # fmt: skip
    if after is not value:
        data["after"] = engine.recorder.text(_text(after))
    if outcome.error is not None:
        data["error"] = outcome.error
        data["notes"] = [note("RUN006", "condition.error", f"{plan.check.text}: {outcome.error}; it fires")]
    status = "passed" if action is None else "warned" if action == "warn" else "failed"
    engine.recorder.emit("guardrail", data, status=status, span=plan.span)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else text(value)


# Messages of the user --------------------------------------------------------------------------------------------


def admit(engine: Engine, thread: Thread) -> bool:
    """T4. False when the message is discarded: its answer is said, or a human takes over."""
    message = engine.turn.message
    if message is None or not engine.program(thread).guardrails:
        return True
    ruling = judge(engine, thread, "input", message)
    if ruling.value != message and engine.turn.asked_sensitive:
        engine.recorder.add_secret(message, guardtexts.REDACTED)
    if ruling.by is None:
        engine.turn.message = ruling.value.strip()  # what is cut off may leave a space
        return True
    if engine.turn.asked_sensitive:
        engine.recorder.add_secret(message, guardtexts.REDACTED)
    engine.turn.message = None
    stop(engine, thread, ruling)
    return False


def stop(engine: Engine, thread: Thread, ruling: Ruling) -> None:
    """Say the message of the guardrail; with ``escalate`` a human takes over after it."""
    plan = ruling.by
    if plan is None:
        return
    if plan.message is not None or ruling.action != "escalate":
        said = plan.message if plan.message is not None else engine.program(thread).messages["constraint_blocked"]
        before = len(engine.turn.outbox)
        engine.say_template(thread, said, kind="notice", span=plan.span, data={"by": "guardrail", "rule": plan.name})
        for message in engine.turn.outbox[before:]:
            message.guarded = True
    if ruling.action == "escalate" and not engine.state.escalated:
        engine.move(thread, Escalate(span=plan.span))


# Calls -----------------------------------------------------------------------------------------------------------


def stopped_call(engine: Engine, thread: Thread, ruling: Ruling, name: str) -> ToolError:
    """The failure of a call whose arguments or result a guardrail stopped; ``escalate`` calls a human as well."""
    plan = ruling.by
    message = plan.message if plan is not None else None
    if ruling.action == "escalate":
        stop(engine, thread, ruling)
    return ToolError(subtype="blocked", code="blocked", message=message or f"a guardrail blocked {name}")
