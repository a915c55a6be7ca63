"""The turn algorithm (docs/spec 09 §3): SESSION_START and T1–T18, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abl.runtime.agents import coordination, human, profiles, unresolved
from abl.runtime.events.recorder import Event, cut_text
from abl.runtime.flow import insertions
from abl.runtime.flow.detours import forget_ended
from abl.runtime.flow.variables import keep_never
from abl.runtime.guardrails import judging as guardrails
from abl.runtime.memory.triggers import recall, remember
from abl.runtime.state import Thread, TurnState
from abl.runtime.tools import confirm
from abl.runtime.turn import lifecycle, reasoning, replies, understanding, work

if TYPE_CHECKING:
    from abl.runtime.engine import Engine


# The whole turn --------------------------------------------------------------------------------------------------


def start(engine: Engine) -> None:
    """SESSION_START: turn 0, without the constraint passes `turn` and `response`."""
    state = engine.state
    state.started = True
    engine.turn = TurnState(0)
    thread = Thread(state.entry) if state.entry not in state.threads else state.threads[state.entry]
    state.threads[state.entry] = thread
    state.stack = [state.entry]
    engine.enter(thread)
    data = {"session_id": state.session_id, "user": state.user, "channel": state.channel, "policy": state.policy,
            "entry": state.entry, "state": {"active": state.entry}}  # fmt: skip
    engine.recorder.emit("session.start", data, span=engine.program(thread).span(engine.program(thread).agent))
    turn_start = _open(engine, None, None)
    owned = lifecycle.activate(engine, thread)
    if engine.program(thread).flow is not None and not owned:
        work.process(engine, "work")
    _close(engine, turn_start, thread, hooks=False)


def take(engine: Engine, message: str | None, *, action: dict[str, Any] | None = None) -> None:
    """One user message, or an action of the user interface."""
    state = engine.state
    if state.ended:
        _after_the_end(engine, message)
        return
    state.turn += 1
    typed = action.get("value") if action is not None and action["id"] == reasoning.REPLY else None
    engine.turn = TurnState(
        state.turn,
        message=message.strip() if message is not None else None,
        typed_reply=typed,
        action=action,
        since=state.revision,
    )
    engine.provided("input", "recent_input", "turn_count", *(("action",) if action is not None else ()))
    thread = engine.active
    engine.enter(thread)
    turn_start = _open(engine, message, action)
    engine.turn.asked_sensitive = engine.guarded and _asks_sensitive(engine, thread)
    if state.escalated:
        human.listen(engine, thread)
        _close(engine, turn_start, thread, hooks=False)
        return
    profiles.choose(engine, thread)
    insertions.restart(engine, thread)
    if action is None and not guardrails.admit(engine, thread):
        _close(engine, turn_start, thread, hooks=True)
        return
    if message is not None:
        state.history.append({"from": "user", "text": message if action is not None else engine.turn.message or ""})
    if action is None and not understanding.understand(engine, thread):
        _close(engine, turn_start, thread, hooks=True)
        return
    if coordination.check_escalation(engine, thread):
        _close(engine, turn_start, thread, hooks=False)
        return
    if thread.paused is not None:
        _close(engine, turn_start, thread, hooks=_answered(engine, thread))
        return
    spoke = lifecycle.hook(engine, thread, "before_turn")
    if thread.paused is None and not state.escalated and not engine.turn.aborted:
        _all_work(engine, thread, spoke=spoke)
    _close(engine, turn_start, thread, hooks=True)


def human_done(engine: Engine, left: Mapping[str, Any]) -> None:
    """A human's part of the conversation is over; what was ``left`` is `human.*` (09 §7)."""
    state = engine.state
    state.turn += 1
    engine.turn = TurnState(state.turn, since=state.revision)
    thread = engine.active
    engine.enter(thread)
    turn_start = _open(engine, None, None)
    human.finish(engine, left)
    _close(engine, turn_start, thread, hooks=False)


def _all_work(engine: Engine, thread: Thread, *, spoke: bool) -> None:
    """The message, then each intent that waits for the answer to it, also where another agent gave that (09 §10)."""
    _work(engine, thread, spoke=spoke)
    while understanding.advance(engine, engine.active):
        _work(engine, engine.active, spoke=False)


def _work(engine: Engine, thread: Thread, *, spoke: bool) -> None:
    """T8–T12. ``spoke``: a branch of before_turn did, which replaces the turn of a reasoning agent (09 §9)."""
    action = engine.turn.action
    if spoke and engine.program(thread).flow is None:
        work.finish_stage(engine, coordination.coordinate(engine, thread, work.process))
    elif action is not None and action["id"] == reasoning.LEAVE:
        thread.system["_leave_zone"] = True
        work.process(engine, "work")
    elif engine.turn.typed_reply is not None:
        work.process(engine, "work")
    else:
        work.process(engine, "pending")


def _answered(engine: Engine, thread: Thread) -> bool:
    """The message answers a hook or ON_START that asked for consent; what that held up continues, with its message.

    True when the hook after_turn is due.
    """
    place = (thread.paused or {}).get("place")
    if not confirm.take_answer(engine, thread, engine.turn.message or ""):
        return False
    paused = lifecycle.resume(engine, thread)
    if paused is None or place == "after_turn" or engine.turn.aborted:
        return False
    engine.turn.message, engine.turn.action = paused["message"], paused["action"]
    if place == "before_turn":
        _all_work(engine, thread, spoke=paused["spoke"])
    elif not paused["spoke"] and (engine.program(thread).flow is not None or thread.forwarded is not None):
        work.process(engine, "work")
    return True


def _asks_sensitive(engine: Engine, thread: Thread) -> bool:
    """True when the field that was asked last is a sensitive one."""
    gather = thread.collect.gather if thread.collect is not None else thread.gather
    return gather.asked is not None and engine.masker(thread).display(gather.asked) is not None


def _open(engine: Engine, message: str | None, action: dict[str, Any] | None) -> Event:
    thread = engine.active
    data: dict[str, Any] = {"input": message, "agent": thread.agent, "step": thread.flow.step}
    if message is not None and not engine.guarded:
        data["input"] = cut_text(message)  # else it is cut at the end, when all that is secret in it is known
    if action is not None:
        given = action["value"]
        shown = engine.masker(thread).below(given) if isinstance(given, dict) else given
        data["action"] = {"id": action["id"], "value": shown}
    event = engine.recorder.emit("turn.start", data)
    engine.recorder.open(event)
    return event


def _close(engine: Engine, turn_start: Event, thread: Thread, *, hooks: bool) -> None:
    """T13–T18 but for the commit, which is the session's."""
    state = engine.state
    _hide_unread(engine)
    replies.judge_replies(engine)
    if state.ended and not engine.turn.outbox:
        active = engine.active
        engine.say_template(active, engine.program(active).messages["conversation_complete"], kind="notice")
    replies.deliver(engine)
    if hooks and not state.escalated and thread.paused is None:
        engine.enter(thread)
        lifecycle.hook(engine, thread, "after_turn")
        replies.judge_replies(engine, results_only=True)
        replies.deliver(engine)
    for name in list(engine.turn.worked):
        worker = state.threads[name]
        engine.enter(worker)
        remember(engine, worker)
        forget_ended(worker)
    engine.enter(engine.active)
    if state.ended:
        finish_session(engine)
    for name in list(engine.turn.worked):
        keep_never(engine, state.threads[name])
    engine.enter(engine.active)
    engine.recorder.close()
    active = engine.active
    waiting = waiting_reason(engine)
    if turn_start["data"]["input"] is not None and engine.guarded:
        turn_start["data"]["input"] = engine.recorder.text(turn_start["data"]["input"])
    data = {
        "input": turn_start["data"]["input"],
        "replies": [engine.recorder.text(reply) for reply in engine.turn.delivered],
        "waiting": waiting,
        "agent": active.agent,
        "ended": state.ended,
        "state": {"active": active.agent, "flow": {"step": active.flow.step, "waiting": waiting}},
        "changed": engine.changed(),
    }
    if found := unresolved.findings(engine):
        data["notes"] = found
    engine.recorder.emit("turn.end", data, parent=turn_start["seq"])


def _hide_unread(engine: Engine) -> None:
    """What was said when something sensitive was asked is hidden even if nothing was taken from it (07 §10)."""
    message = engine.turn.message
    if not message or not engine.turn.asked_sensitive or engine.state.secret_turn == engine.state.turn:
        return
    if any(char.isdigit() for char in message) or not engine.turn.message_read:
        engine.recorder.add_secret(message, "[REDACTED]")
        engine.secret_message()


def finish_session(engine: Engine) -> None:
    """T17: recall of the end, and the facts of the tree go with it."""
    thread = engine.active
    recall(engine, thread, "session:end")
    engine.facts.drop_tree(thread)
    engine.recorder.emit("session.end", {"session_id": engine.state.session_id})


def _after_the_end(engine: Engine, message: str | None) -> None:
    engine.state.turn += 1
    engine.turn = TurnState(engine.state.turn, message=message)
    thread = engine.active
    engine.recorder.agent, engine.recorder.step = thread.agent, thread.flow.step
    turn_start = _open(engine, message, None)
    engine.say_template(thread, engine.program(thread).messages["conversation_complete"], kind="notice")
    replies.deliver(engine)
    engine.recorder.close()
    data: dict[str, Any] = {
        "input": cut_text(message) if message is not None else None,
        "replies": [engine.recorder.text(reply) for reply in engine.turn.delivered],
        "waiting": None,
        "agent": thread.agent,
        "ended": True,
        "changed": {},
    }
    engine.recorder.emit("turn.end", data, parent=turn_start["seq"])


def waiting_reason(engine: Engine) -> str | None:
    """What the session waits for, None when it is over or with a human."""
    if engine.state.ended or engine.state.escalated:
        return None
    thread = engine.active
    if thread.paused is not None:
        return confirm.WAITING
    if thread.collect is not None:
        return "gather"
    if engine.program(thread).flow is not None:
        return thread.flow.reason if thread.flow.status == "waiting" else "input"
    reason = thread.system.get("_waiting", "input")
    return str(reason)
