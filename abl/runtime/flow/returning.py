"""Where a flow continues when an agent that it handed over to gives control back (docs/spec 06 §8, 09 §5)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from abl.runtime.flow.position import own_directives
from abl.runtime.plan.action_lists import Input, Leave, Lists
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

AWAY = "_away"
"""Where a thread notes that it waits for another agent, in a step that it has not left."""


class Then(Enum):
    """What a HANDOFF out of a step means for the flow."""

    HERE = "it goes on here when control returns"
    OVER = "nothing follows, the flow is complete when control returns"
    HALT = "the CHECK still fails after the other agent has worked: the step halts"
    LEFT = "nobody gives control back"


def keep_place(engine: Engine, thread: Thread, to: str) -> Then:
    """Before a HANDOFF out of a step: whether the flow goes on here later, since the other agent gives control back.

    Out of a digression it then waits where it waited; out of ON_INPUT it waits for the next input; elsewhere it goes on
    behind the list in which the HANDOFF stands, and judges a CHECK again that led to it. Nothing that the step has
    done is repeated.
    """
    flow, program = thread.flow, engine.program(thread)
    entry = next((plan for plan in program.handoffs if plan.to == to), None)
    if entry is None or not entry.returns or not flow.frames or program.flow is None:
        return Then.LEFT
    key = str(flow.frames[0][0])
    asks = next((at for at, action in enumerate(program.flow.lists.get(key)) if isinstance(action, Input)), None)
    begun = engine.turn.place if engine.turn.worked[:1] == [thread.agent] else None
    if own_directives(thread) and not any("/on_input/" in str(frame[0]) for frame in flow.frames):
        return _go_on_behind(engine, thread, program.flow.lists)
    if not own_directives(thread) and begun is not None and begun[0] and begun[0][0][0] == key:
        flow.frames, flow.reason = [list(frame) for frame in begun[0]], begun[1]
    elif asks is not None:
        flow.frames, flow.reason = [[key, asks]], "input"
    else:
        return Then.LEFT
    flow.status, flow.message_used = "waiting", False
    thread.system[AWAY] = True
    return Then.HERE


def _go_on_behind(engine: Engine, thread: Thread, lists: Lists) -> Then:
    flow = thread.flow
    key, index = flow.frames[-1]
    action = lists.get(str(key))[index - 1] if index else None
    if isinstance(action, nodes.Check):
        again = f"{AWAY}:{key}/{index}"
        if engine.turn.bounds.get(again, 0):
            return Then.HALT
        engine.turn.bounds[again] = 1
        flow.frames[-1][1] -= 1
    elif isinstance(action, Leave):
        return Then.OVER
    flow.status, flow.reason, flow.message_used = "waiting", "handoff", False
    return Then.HERE


def come_back(engine: Engine, thread: Thread, *, returned: bool) -> bool:
    """Whether the flow got control back and now waits again where it was."""
    if not thread.system.pop(AWAY, None) or not returned or thread.flow.status != "waiting":
        return False
    flow = thread.flow
    state = {"flow": {"step": flow.step, "waiting": flow.reason}}
    engine.recorder.emit("flow.wait", {"reason": flow.reason, "state": state})
    return True
