"""Where a flow goes on when an agent that it handed over to gives control back (docs/spec 06 §8, 09 §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.plan.action_lists import Input

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

AWAY = "_away"
"""Where a thread notes that it waits for another agent, in a step that it has not left."""


def keep_place(engine: Engine, thread: Thread, to: str) -> bool:
    """Before a HANDOFF out of a step: whether the flow goes on here later, since the other agent gives control back.

    It then waits where it waited when the message came, or in a step that it entered since for the input of that step.
    Nothing that the step has done is done twice.
    """
    flow, program = thread.flow, engine.program(thread)
    entry = next((plan for plan in program.handoffs if plan.to == to), None)
    if entry is None or not entry.returns or not flow.frames or program.flow is None:
        return False
    begun = engine.turn.place if engine.turn.worked[:1] == [thread.agent] else None
    if begun is not None and begun[0] and begun[0][0][0] == flow.frames[0][0]:
        frames, reason = [list(frame) for frame in begun[0]], begun[1]
    else:
        key = flow.frames[0][0]
        asks = next((at for at, action in enumerate(program.flow.lists[key]) if isinstance(action, Input)), None)
        if asks is None:
            return False  # the flow ends here and begins anew: taking the exit again would never let the user out
        frames, reason = [[key, asks]], "input"
    flow.frames, flow.reason, flow.status, flow.message_used = frames, reason, "waiting", False
    thread.system[AWAY] = True
    return True


def come_back(engine: Engine, thread: Thread, *, returned: bool) -> bool:
    """Whether the flow got control back and now waits again where it was."""
    if not thread.system.pop(AWAY, None) or not returned or thread.flow.status != "waiting":
        return False
    flow = thread.flow
    state = {"flow": {"step": flow.step, "waiting": flow.reason}}
    engine.recorder.emit("flow.wait", {"reason": flow.reason, "state": state})
    return True
