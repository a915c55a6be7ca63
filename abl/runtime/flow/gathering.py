"""GATHER of a step, with the branches that follow when it is complete or a field failed (docs/spec 06 §5.7, §6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.runtime.agents import profiles
from abl.runtime.flow import actions, errors, steps
from abl.runtime.flow.branches import choose
from abl.runtime.flow.signals import Signal
from abl.runtime.gather.collecting import EXHAUSTED, Request, advance, receive
from abl.runtime.plan.action_lists import GatherFailed
from abl.runtime.plan.flow import StepPlan
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def request_of(engine: Engine, thread: Thread, step: StepPlan, asked: nodes.Gather) -> Request:
    """The GATHER of a step as a request."""
    program = engine.program(thread)
    state = thread.flow
    return Request(
        fields=profiles.fields(engine, thread, program.gather_fields(asked)),
        state=thread.gather,
        complete_when=step.setting("COMPLETE_WHEN"),
        prompt=asked.prompt.value if asked.prompt is not None else None,
        said=state.responded is not None and state.responded_turn == engine.state.turn,
        span=program.span(asked),
        corrections=bool(step.step.value("CORRECTIONS")),
        branches=step.failing is not None,
        confirmation=profiles.gathering(engine, thread, "confirmation"),
        strict=profiles.gathering(engine, thread, "validation_style") == "strict",
    )


def gather(engine: Engine, thread: Thread, action: nodes.Gather) -> Signal:
    """Ask for what is missing and wait; on when it is complete. What follows it is the next in the step's list."""
    step = steps.step_of(engine, thread)
    request = request_of(engine, thread, step, action)
    if not thread.flow.presented:
        thread.flow.presented = True
        if step.present is not None:
            actions.respond(engine, thread, step.present)
    if thread.forwarded is not None:
        forwarded, thread.forwarded = thread.forwarded, None
        engine.turn.handler = None
        receive(engine, thread, request, forwarded, whole=False)
        if engine.turn.exhausted is not None or engine.turn.handler is not None:
            thread.flow.frames[-1][1] -= 1  # what takes no exit comes back here
            if failed(engine, thread, step) or engine.turn.handler is None:
                return Signal.NEXT
            return steps.go_on(engine, thread, engine.turn.handler)
    if not advance(engine, thread, request):
        return steps.wait(engine, thread, "gather")
    if step.name not in thread.flow.gathered:
        thread.flow.gathered.append(step.name)
    return Signal.NEXT


def failed(engine: Engine, thread: Thread, step: StepPlan) -> bool:
    """A field failed too often: put the branch that matches on the stack. Without one it is an error (07 §4)."""
    if engine.turn.exhausted is None or step.failing is None:
        return False
    (message, span), engine.turn.exhausted = engine.turn.exhausted, None
    frames = thread.flow.frames
    frames.append([step.failing.key, 0])
    depth = len(frames)
    for select in step.failing.selects:
        choose(engine, thread, select)
        if len(frames) > depth:
            return True
    frames.pop()
    engine.turn.handler = errors.report(
        engine, thread, "RUN008", EXHAUSTED, message, kind="validation_error", span=span
    )
    thread.gather.quiet = True
    return False


def go_on_asking(thread: Thread, action: GatherFailed) -> None:
    """A branch has run and took no exit; what it said stands for the prompt."""
    keys = (key for key in reversed(thread.flow.taken) if key in action.speaks)
    thread.gather.quiet = action.speaks.get(next(keys, ""), False)
