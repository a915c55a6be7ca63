"""What is said in the end: the constraint pass `response` and delivery (docs/spec 09 §3, T13 and T14)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from abl.runtime import work
from abl.runtime.onfail import Verdict, act
from abl.runtime.passes import run_pass
from abl.runtime.signals import Signal
from abl.runtime.state import Thread

if TYPE_CHECKING:
    from abl.runtime.engine import Engine


def judge_replies(engine: Engine) -> None:
    """T13: the pass `response`, once for each agent that has an undelivered reply."""
    judged: set[str] = set()
    while engine.state.turn > 0:
        agent = next((m.agent for m in engine.turn.outbox if m.kind == "reply" and m.agent not in judged), None)
        if agent is None:
            return
        judged.add(agent)
        _judge_agent(engine, engine.state.threads[agent])


def _judge_agent(engine: Engine, thread: Thread) -> None:
    replies = [m for m in engine.turn.outbox if m.agent == thread.agent and m.kind == "reply"]
    waits = thread.flow.status == "waiting"
    question = waits and all(m.step == thread.flow.step for m in replies)
    engine.recorder.agent, engine.recorder.step = thread.agent, thread.flow.step
    while True:
        failure = run_pass(engine, thread, "response", question=question, steps=[m.step for m in replies])
        if failure is None:
            return
        verdict = act(engine, thread, failure)
        if verdict is not Verdict.AGAIN:
            break
    engine.turn.outbox = [m for m in engine.turn.outbox if m not in replies]
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


def _after_jump(engine: Engine, thread: Thread, target: str, edge: str) -> None:
    """T11 and T12 once more, from another step."""
    engine.turn.arrival = None
    signal = work.jump(engine, thread, target, edge)
    if signal is not Signal.MOVED:
        signal = work.coordinate_after(engine, thread)
    work.finish_stage(engine, signal)


def deliver(engine: Engine) -> None:
    """T14."""
    for message in engine.turn.outbox:
        engine.turn.delivered.append(message.text)
        engine.state.history.append({"from": "agent", "agent": message.agent, "text": message.text})
    engine.turn.outbox = []
