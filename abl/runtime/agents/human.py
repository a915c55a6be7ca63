"""The human's part of a conversation: messages to the human, `human.*`, and on_human_complete when it ends (09 §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from abl.language.written import unquoted
from abl.runtime.flow import languages
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import assign_written
from abl.runtime.guardrails.judging import admit
from abl.runtime.moves import Complete, HandOver
from abl.runtime.plan.assignments import assignments_of
from abl.runtime.turn import work

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.after_human import DonePlan
    from abl.runtime.state import Thread

HUMAN_DONE = "human.done"
"""The action of a tester who ends the human's part."""


def listen(engine: Engine, thread: Thread) -> None:
    """A message for the human: it is kept for whoever reads the conversation, and no agent answers it (T1).

    Guardrails look at it as at any other, since a human must not see what they hide either.
    """
    if engine.turn.message is None or not admit(engine, thread):
        return
    text = engine.turn.message
    engine.state.history.append({"from": "user", "text": text})
    engine.recorder.emit("human.message", {"text": engine.recorder.text(text)})


def finish(engine: Engine, left: Mapping[str, Any]) -> None:
    """The human is done and ``left`` these fields: the first entry whose condition holds runs, then the agent has
    control again.
    """
    thread = engine.active
    engine.state.escalated = False
    thread.system["human"] = dict(left)
    thread.system["escalate"] = {"completed": True}
    engine.provided("human", "escalate")
    shown = engine.masker(thread).below(dict(left))
    engine.recorder.emit("escalate", {"completed": True, "reason": "the human is done", "human": shown})
    for plan in engine.program(thread).after_human:
        if plan.when is None or engine.holds(thread, plan.when):
            _run(engine, thread, plan)
            return


def _run(engine: Engine, thread: Thread, plan: DonePlan) -> None:
    for target, written, _ in _assignments(plan):
        assign_written(engine, thread, target, written, span=plan.span)
    languages.change_by(engine, thread, plan.given, span=plan.span)
    if (text := plan.given.text("RESPOND")) is not None:
        engine.say_template(thread, text, kind="reply", span=plan.span)
    _act(engine, thread, plan)


def _assignments(plan: DonePlan) -> Iterator[tuple[str, str, Any]]:
    """SET, then STORE, which writes ``value -> path``."""
    yield from assignments_of(plan.given.lines("SET"))
    value, arrow, target = (plan.given.text("STORE") or "").partition("->")
    if arrow:
        yield target.strip(), value.strip(), None


def _act(engine: Engine, thread: Thread, plan: DonePlan) -> None:
    word, _, rest = plan.action.partition(" ")
    match word:
        case "COMPLETE":
            engine.move(thread, Complete())
            work.finish_stage(engine, Signal.ENDED)
        case "HANDOFF":
            agent = rest.strip().removeprefix("to ").strip()
            if engine.move(thread, HandOver(agent, plan.span)):
                work.finish_stage(engine, Signal.MOVED)
        case "RESPOND":
            engine.say_template(thread, unquoted(rest), kind="reply", span=plan.span)
        case _:
            pass
