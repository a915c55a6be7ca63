"""What the active agent does with a message: pending answers, collection, rules, work, coordination (09 §3, T8–T12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.agents import coordination, policies, profiles
from abl.runtime.constraints import collecting
from abl.runtime.constraints.failures import Failure
from abl.runtime.constraints.on_fail import Verdict, act
from abl.runtime.constraints.passes import run_pass
from abl.runtime.constraints.points import Point
from abl.runtime.flow import gathering, loop, returning, steps
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import clear
from abl.runtime.gather import collecting as gather
from abl.runtime.plan.flow import handler_actions
from abl.runtime.state import CollectState, Message, Thread
from abl.runtime.tools import confirm
from abl.runtime.turn import handlers, lifecycle, reasoning
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine

QUIET_ACTIONS = (nodes.SetVariables, nodes.Clear, nodes.Log)


def process(engine: Engine, stage: str) -> None:
    """Let the active agent work, then each agent that gets control, until none hands over."""
    while True:
        thread = engine.active
        engine.enter(thread)
        engine.turn.arrival = None
        signal = _stages(engine, thread, stage)
        if not _moved_on(engine, signal):
            return
        stage = "collect" if engine.turn.arrival == "handoff" else "returned"


def finish_stage(engine: Engine, signal: Signal) -> None:
    """Go on after a coordination phase that stood alone."""
    if _moved_on(engine, signal):
        process(engine, "collect" if engine.turn.arrival == "handoff" else "returned")


def _moved_on(engine: Engine, signal: Signal) -> bool:
    moved = signal in {Signal.MOVED, Signal.ENDED} and engine.turn.arrival is not None
    return moved and not (engine.state.ended or engine.state.escalated or engine.turn.aborted)


def _stages(engine: Engine, thread: Thread, stage: str) -> Signal:
    if thread.paused is not None:
        return coordinate_after(engine, thread)
    signal = Signal.NEXT
    rules_due = engine.state.turn > 0
    if stage == "pending" and thread.collect is not None:
        done = _pending(engine, thread, thread.collect)
        if done is None:
            return coordinate_after(engine, thread)
        stage, rules_due = done
    elif stage == "pending" and confirm.pending(thread):
        if not confirm.take_answer(engine, thread, engine.turn.message or ""):
            return coordinate_after(engine, thread)
        stage = "rules"
    if stage in {"pending", "collect"}:
        with engine.recorder.held():
            signal = _collect(engine, thread, forwarded=stage == "collect")
        if signal is Signal.MOVED:
            return signal
        if signal in {Signal.WAIT, Signal.ENDED}:
            return coordinate_after(engine, thread)
    if stage == "held":
        return coordinate_after(engine, thread)
    if stage in {"pending", "collect", "rules"} and rules_due:
        signal = _rules(engine, thread)
        if signal is Signal.MOVED:
            return signal
        if signal is Signal.WAIT:
            return coordinate_after(engine, thread)
    if signal is Signal.NEXT:
        signal = _work(engine, thread, returned=stage == "returned")
    if signal is Signal.MOVED or thread.system.get("_waiting") == "gather":
        return signal
    return coordinate_after(engine, thread, returned=stage == "returned")


def coordinate_after(engine: Engine, thread: Thread, *, returned: bool = False) -> Signal:
    """T12. HANDOFF is suppressed while a flow or a COLLECT waits and after a rule stopped the turn."""
    if engine.state.ended or engine.state.escalated or engine.active is not thread:
        return Signal.MOVED
    waits = thread.flow.status == "waiting" or thread.collect is not None or thread.paused is not None
    waits = waits or confirm.pending(thread)
    stays = returned and not thread.system.get("_resume_intent")
    return coordination.coordinate(engine, thread, process, handoffs=not (waits or engine.turn.blocked or stays))


def _pending(engine: Engine, thread: Thread, collect: CollectState) -> tuple[str, bool] | None:
    """T8: the message answers a COLLECT; (next stage, whether pass `turn` is due), None while fields are missing."""
    with engine.recorder.held():
        complete = collecting.answer(engine, thread, collect, engine.turn.message or "")
    if not complete:
        return None
    thread.collect = None
    if collect.source == "constraint" and collect.then == "continue":
        engine.turn.continued.add(collect.rule)
    if collect.retry and thread.flow.step is not None:
        thread.flow.collect_only = collect.fields
        thread.flow.reason = steps.HALT
        return "work", False
    if collect.source == "check":
        if collect.then == "continue":
            thread.flow.frames[-1][1] += 1
        return "rules", True
    if collect.point == "response":
        engine.turn.outbox.extend(Message(**message) for message in collect.held)
        return "held", False
    return ("rules" if collect.point == "turn" else "work"), collect.point == "turn"


def _collect(engine: Engine, thread: Thread, *, forwarded: bool) -> Signal:
    """T9."""
    message = engine.turn.message
    program = engine.program(thread)
    if program.flow is None:
        if engine.turn.action is not None and _clicked(engine, thread, engine.turn.action):
            return Signal.WAIT
        if program.fields and message:
            gather.receive(engine, thread, _top_request(engine, thread), message, whole=not forwarded)
            thread.forwarded = None
        return Signal.NEXT
    if thread.flow.status != "waiting" or message is None or forwarded:
        return Signal.NEXT
    _keep_place(engine, thread)
    action = engine.turn.action
    if action is not None and handlers.pick_action(engine, thread, action["id"], action["value"]):
        return loop.proceed(engine, thread, stop=lambda action: not isinstance(action, QUIET_ACTIONS))
    handler = handlers.find_handler(engine, thread, message)
    if handler is not None:
        handlers.begin_handler(engine, thread, handler)
        return loop.proceed(engine, thread, stop=handlers.is_exit)
    step = handlers.waits_for_input(engine, thread)
    if step is not None:
        if handlers.typed_action(engine, thread, step):
            return loop.proceed(engine, thread, stop=lambda action: not isinstance(action, QUIET_ACTIONS))
        if not handlers.pick_branch(engine, thread, step, "message", advance=True):
            engine.turn.input_missed = True
            handlers.text_at_buttons(engine, thread, step)
            return Signal.NEXT
        return loop.proceed(engine, thread, stop=lambda action: not isinstance(action, QUIET_ACTIONS))
    if thread.flow.reason == "gather":
        waiting = steps.step_of(engine, thread)
        if waiting.gather is not None:
            request = gathering.request_of(engine, thread, waiting, waiting.gather)
            own = {f.name for f in request.fields}
            ahead = [f for f in program.fields if f.name not in own]
            gather.receive(engine, thread, request, message, ahead=ahead)
            if gathering.failed(engine, thread, waiting):
                return loop.proceed(engine, thread, stop=lambda action: not isinstance(action, QUIET_ACTIONS))
            if engine.turn.handler is not None:
                return steps.go_on(engine, thread, engine.turn.handler)
    return Signal.NEXT


def _clicked(engine: Engine, thread: Thread, action: dict[str, Any]) -> bool:
    """ACTION_HANDLERS of an agent without FLOW; False when none is for this click."""
    program = engine.program(thread)
    value = action["value"]
    thread.system["action"] = {**action, **({"fields": value} if isinstance(value, dict) else {})}
    for handler in program.agent.action_handlers:
        if handler.action is None or handler.action.value != action["id"]:
            continue
        if handler.condition is not None and not engine.holds(thread, program.condition(handler.condition)):
            continue
        shown = engine.masker(thread).below(value) if isinstance(value, dict) else value
        data = {"mode": "action", "action": action["id"], "value": shown}
        engine.recorder.emit("on_input", data, span=program.span(handler))
        lifecycle.run_actions(engine, thread, handler_actions(handler), origin="action")
        return True
    return False


def _keep_place(engine: Engine, thread: Thread) -> None:
    state = thread.flow
    engine.turn.place = ([list(frame) for frame in state.frames], state.reason)


def _back_to_place(engine: Engine, thread: Thread) -> None:
    """T11 is skipped: the flow keeps waiting at its place, and a matched branch does not continue."""
    if engine.turn.place is None or thread.agent != engine.turn.worked[0]:
        return
    state = thread.flow
    frames, reason = engine.turn.place
    state.frames, state.reason, state.status, state.message_used = frames, reason, "waiting", False


def _top_request(engine: Engine, thread: Thread) -> gather.Request:
    program = engine.program(thread)
    top = program.agent.gather
    prompt = top.prompt.value if top is not None and top.prompt is not None else None
    fields = profiles.fields(engine, thread, program.fields)
    inline = program.execution.value("inline_gather")  # the model asks, so nobody would ask for a confirmation
    return gather.Request(
        fields=fields,
        state=thread.gather,
        prompt=prompt,
        span=program.span(top),
        confirmation="never" if inline else profiles.gathering(engine, thread, "confirmation"),
        strict=profiles.gathering(engine, thread, "validation_style") == "strict",
    )


def _rules(engine: Engine, thread: Thread) -> Signal:
    """T10: the constraint pass `turn`."""
    policies.watch(engine, thread)
    while True:
        failure = run_pass(engine, thread, Point("turn"))
        if failure is None:
            return Signal.NEXT
        match act(engine, thread, failure):
            case Verdict.AGAIN:
                continue
            case Verdict.MOVED:
                return Signal.MOVED
            case Verdict.JUMP:
                return jump(engine, thread, failure.action["target"] or "", "goto")
            case Verdict.STEP_AGAIN:
                return jump(engine, thread, thread.flow.step or "", "retry")
            case Verdict.COLLECTING:
                return Signal.WAIT
            case _:
                engine.turn.blocked = True
                _back_to_place(engine, thread)
                _ask_again(engine, thread, failure)
                return Signal.WAIT


def jump(engine: Engine, thread: Thread, target: str, edge: str) -> Signal:
    """T11 starts in that step."""
    signal = steps.take(engine, thread, target, edge, by_rule=True)
    return loop.proceed(engine, thread) if signal is Signal.NEXT else signal


def _ask_again(engine: Engine, thread: Thread, failure: Failure) -> None:
    """Clear the fields that this message filled and the failed rule names; the message is their prompt (04 §5)."""
    if not engine.settings["ask_again"]:
        return
    named = {name.split(".", 1)[0] for name in failure.plan.names}
    again = [name for name in dict.fromkeys(engine.turn.filled) if name in named]
    if not again:
        return
    span = engine.program(thread).span(failure.plan.rule)
    clear(engine, thread, again, span=span, cause="ask_again")
    thread.gather.asked, thread.gather.several, thread.gather.retry_text = again[0], False, None
    program = engine.program(thread)
    thread.gather.demanded += [name for name in again if gather.is_required(program.field(name))]
    if program.flow is None:
        thread.system["_waiting"] = "gather"


def _work(engine: Engine, thread: Thread, *, returned: bool) -> Signal:
    """T11."""
    program = engine.program(thread)
    if program.flow is not None:
        if returning.come_back(engine, thread, returned=returned):
            return Signal.NEXT
        if returned and thread.flow.status == "ended":
            return Signal.NEXT
        return loop.run(engine, thread)
    thread.system.pop("_waiting", None)
    if confirm.agreed(thread, "model") is not None:
        return _reason(engine, thread)
    prompts = program.fields and not program.execution.value("inline_gather")
    if prompts and not gather.advance(engine, thread, _top_request(engine, thread)):
        thread.system["_waiting"] = "gather"
        return Signal.WAIT
    if returned and not thread.system.get("_resume_intent"):
        return Signal.NEXT
    signal = coordination.coordinate(engine, thread, process, complete=False)
    return signal if signal is not Signal.NEXT else _reason(engine, thread)


def _reason(engine: Engine, thread: Thread) -> Signal:
    """The reasoning loop; meanwhile the session waits for whoever gives the model's answers."""
    thread.system["_waiting"] = "reasoning"
    signal = reasoning.agent_turn(engine, thread)
    if signal is Signal.NEXT:
        thread.system["_waiting"] = "input"
    return signal
