"""What a result is: replies that `BEFORE returning results` judges (docs/spec 04 §6).

A reply is one if it reads what came from a tool, if a model says it after a call of its activation, or if the work of
the agent ends with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.flow.detours import is_no_result

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.parts import RulePlan
    from abl.runtime.state import Message, Thread


def is_result(thread: Thread, plan: RulePlan, message: Message) -> bool:
    """True for a reply that is a result for this rule."""
    return message.result and not is_no_result(thread, plan.id, message)


def work_ended(engine: Engine, thread: Thread) -> None:
    """The agent completes: what it said last, in the step where its flow ended, is a result."""
    last = thread.flow.step
    for message in engine.turn.outbox:
        if message.agent == thread.agent and message.step == last:
            message.result = True
