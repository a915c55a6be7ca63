"""The end of a turn: the constraint pass `response`, and delivery of replies (docs/spec 09 §3, T13 and T14)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from abl.runtime.constraints.failures import Failure
from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.flow.signals import Signal
from abl.runtime.guardrails.reviewing import review
from abl.runtime.state import Message, Thread
from abl.runtime.turn import work

if TYPE_CHECKING:
    from abl.runtime.engine import Engine


GOES_ON = frozenset({Verdict.COLLECTING, Verdict.JUMP, Verdict.STEP_AGAIN})
"""After these actions the agent still has work, even if the dropped message would have been its last reply."""


def judge_replies(engine: Engine, *, results_only: bool = False) -> None:
    """T13: the pass `response` for each agent that has an undelivered reply.

    Once, and again for what is said after a jump or a handoff in that pass; what an ON_FAIL itself says is not judged.
    ``results_only``: of what the hook after_turn says only results are judged, by rules with BEFORE.
    """
    judged: set[int] = set()
    while True:
        waiting = (message for message in engine.turn.outbox if message.seq not in judged)
        due = [each for each in waiting if each.result or (each.kind == "reply" and not results_only)]
        if not due:
            return
        replies = [message for message in due if message.agent == due[0].agent]
        judged.update(message.seq for message in replies)
        point = Point("response", said=replies, results_only=results_only or _is_results(engine, replies))
        _judge_agent(engine, engine.state.threads[due[0].agent], point, judged)


def _is_results(engine: Engine, said: list[Message]) -> bool:
    """True where rules without BEFORE do not judge: a greeting, and prompts and notices that are results."""
    return engine.state.turn == 0 or all(message.kind != "reply" for message in said)


def _judge_agent(engine: Engine, thread: Thread, point: Point, judged: set[int]) -> None:
    engine.recorder.agent, engine.recorder.step = thread.agent, thread.flow.step
    verdict = Verdict.BLOCKED
    while True:
        failure = run_pass(engine, thread, point)
        if failure is None:
            return
        if _led_away(engine, thread, failure):
            steps = thread.detours[failure.plan.id].steps
            stays = [message for message in point.said if message.own and message.step in steps]
            if len(stays) < len(point.said):
                _drop(engine, [message for message in point.said if message not in stays])
                point = replace(point, said=stays)
                continue
        verdict = act(engine, thread, failure)
        judged.update(message.seq for message in engine.turn.outbox if message.agent == thread.agent)
        if verdict is not Verdict.AGAIN:
            break
    _drop(engine, point.said)
    if verdict in GOES_ON and engine.active is thread:
        engine.state.ended = False
    match verdict:
        case Verdict.COLLECTING if thread.collect is not None:
            thread.collect.held = [asdict(message) for message in point.said]
        case Verdict.JUMP if engine.active is thread:
            _after_jump(engine, thread, failure.action["target"] or "", "goto")
        case Verdict.STEP_AGAIN if engine.active is thread:
            _after_jump(engine, thread, thread.flow.step or "", "retry")
        case Verdict.MOVED:
            work.finish_stage(engine, Signal.MOVED)
        case _:
            pass


def _led_away(engine: Engine, thread: Thread, failure: Failure) -> bool:
    """True when the flow has gone in this turn where the rule's GOTO leads, and waits there: it need not act again."""
    detour = thread.detours.get(failure.plan.id)
    acted = failure.plan.id in engine.turn.acted and failure.action["type"] == "goto"
    return acted and detour is not None and thread.flow.status == "waiting" and thread.flow.step in detour.steps


def _drop(engine: Engine, said: Iterable[Message]) -> None:
    dropped = {message.seq for message in said}
    engine.turn.outbox = [message for message in engine.turn.outbox if message.seq not in dropped]


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
