"""The end of a turn: the constraint pass `response`, and delivery of replies (docs/spec 09 §3, T13 and T14)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from abl.runtime.constraints.failures import Failure
from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.flow.signals import Signal
from abl.runtime.guardrails.reviewing import review
from abl.runtime.state import Thread
from abl.runtime.turn import work

if TYPE_CHECKING:
    from abl.runtime.engine import Engine


GOES_ON = frozenset({Verdict.COLLECTING, Verdict.JUMP, Verdict.STEP_AGAIN})
"""After these actions the agent still has work, even if the dropped message would have been its last reply."""


def judge_replies(engine: Engine) -> None:
    """T13: the pass `response`, once for each agent that has an undelivered reply."""
    judged: set[str] = set()
    while True:
        agent = next((m.agent for m in engine.turn.outbox if m.kind == "reply" and m.agent not in judged), None)
        if agent is None:
            return
        judged.add(agent)
        _judge_agent(engine, engine.state.threads[agent])


def _judge_agent(engine: Engine, thread: Thread) -> None:
    replies = [m for m in engine.turn.outbox if m.agent == thread.agent and m.kind == "reply"]
    engine.recorder.agent, engine.recorder.step = thread.agent, thread.flow.step
    verdict = Verdict.BLOCKED
    while True:
        failure = run_pass(engine, thread, Point("response", said=replies))
        if failure is None:
            return
        if _led_away(engine, thread, failure):
            replies = [m for m in replies if m.step not in thread.detours[failure.plan.id].steps or not m.own]
            break
        verdict = act(engine, thread, failure)
        if verdict is not Verdict.AGAIN:
            break
    engine.turn.outbox = [m for m in engine.turn.outbox if m not in replies]
    if verdict in GOES_ON and engine.active is thread:
        engine.state.ended = False
    match verdict:
        case Verdict.COLLECTING if thread.collect is not None:
            thread.collect.held = [asdict(m) for m in replies]
        case Verdict.JUMP if engine.active is thread:
            _after_jump(engine, thread, failure.action["target"] or "", "goto")
        case Verdict.STEP_AGAIN if engine.active is thread:
            _after_jump(engine, thread, thread.flow.step or "", "retry")
        case Verdict.MOVED:
            work.finish_stage(engine, Signal.MOVED)
        case _:
            pass


def _led_away(engine: Engine, thread: Thread, failure: Failure) -> bool:
    """True when the rule's GOTO was taken in this turn and the flow is in its detour: it need not act again."""
    detour = thread.detours.get(failure.plan.id)
    acted = failure.plan.id in engine.turn.acted and failure.action["type"] == "goto"
    return acted and detour is not None and thread.flow.status == "waiting" and thread.flow.step in detour.steps


def _after_jump(engine: Engine, thread: Thread, target: str, edge: str) -> None:
    """T11 and T12 once more, from another step."""
    engine.turn.arrival = None
    signal = work.jump(engine, thread, target, edge)
    if signal is not Signal.MOVED:
        signal = work.coordinate_after(engine, thread)
    work.finish_stage(engine, signal)


def deliver(engine: Engine) -> None:
    """T14, after the guardrails have looked at each message."""
    review(engine)
    for message in engine.turn.outbox:
        engine.turn.delivered.append(message.text)
        seen = {} if message.for_model is None else {"for_model": message.for_model}
        engine.state.history.append({"from": "agent", "agent": message.agent, "text": message.text, **seen})
    engine.turn.outbox = []
