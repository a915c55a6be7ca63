"""GUARDRAILS over replies (docs/spec 09 §3 T13, §11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.agents import profiles
from abl.runtime.guardrails.judging import judge, stop
from abl.runtime.turn.reasoning import ask_again

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Message, Thread


def review(engine: Engine) -> None:
    """T13: what is about to be said, message by message, then the limit that profiles set on its length."""
    waiting, engine.turn.outbox = engine.turn.outbox, []
    for message in waiting:
        thread = engine.state.threads[message.agent]
        if not message.guarded and engine.program(thread).guardrails:
            _review(engine, thread, message)
        else:
            engine.turn.outbox.append(message)
    for message in engine.turn.outbox:
        most = profiles.response(engine, engine.state.threads[message.agent], "max_response_length")
        if most is not None and len(message.text) > most:
            message.text = message.text[:most].rstrip()


def _review(engine: Engine, thread: Thread, message: Message) -> None:
    engine.recorder.agent, engine.recorder.step = thread.agent, message.step
    asked = 0
    while True:
        ruling = judge(engine, thread, "output", message.text)
        if ruling.by is None or ruling.action != "reask":
            break
        again = None
        if message.by == "model" and asked < ruling.by.max_reasks:
            again = ask_again(engine, thread, message.text, ruling.by.message)
        if again is None:
            break
        asked, message.text = asked + 1, again
    if ruling.by is None:
        if ruling.value.strip():
            message.text, message.guarded = ruling.value, True
            engine.turn.outbox.append(message)
        return
    if ruling.by.name not in engine.turn.guards:  # two messages that it stops have one answer
        engine.turn.guards.add(ruling.by.name)
        stop(engine, thread, ruling)
