"""How a waiting step handles a message: sub-intents, digressions, ON_INPUT (docs/spec 06 §6.3, §7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from abl.expressions.budget import spends
from abl.language.flow import OF_THE_MESSAGE
from abl.runtime.flow import steps
from abl.runtime.flow.branches import choose
from abl.runtime.flow.signals import Signal
from abl.runtime.gather.extract import option_of
from abl.runtime.plan.action_lists import Input, Resume
from abl.runtime.plan.flow import HandlerPlan, StepPlan
from abl.runtime.turn.presenting import present
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


# Intents ---------------------------------------------------------------------------------------------------------


def find_handler(engine: Engine, thread: Thread, message: str) -> HandlerPlan | None:
    """The first sub-intent, digression or global digression that the message matches."""
    plan = steps.plan_of(engine, thread)
    step = plan.steps.get(thread.flow.step or "")
    candidates = [*(step.handlers if step is not None else ()), *plan.digressions]
    if not candidates:
        return None
    exact = _is_exact_option(engine, thread, step, message)
    program = engine.program(thread)
    for handler in candidates:
        node = handler.handler
        spends(1 + (len(message) >> 6))
        if node.condition is not None and not engine.holds(thread, program.condition(node.condition)):
            continue
        if _matches(engine, thread, node, message, free_text=exact):
            return handler
    return None


def _matches(engine: Engine, thread: Thread, handler: nodes.IntentHandler, message: str, *, free_text: bool) -> bool:
    name = handler.intent.value.strip() if handler.intent is not None else ""
    classified = engine.state.system.get("intent")
    if isinstance(classified, dict) and name and _plain(str(classified.get("name", ""))) == _plain(name):
        return True
    if free_text:
        return False
    if any(occurs(word.value, message) for word in handler.keywords):
        return True
    if any(occurs(pattern, message) for pattern in _patterns(engine, thread, name)):
        return True
    return _in_order(re.findall(r"\w+", name.replace("_", " ").replace("-", " ")), message)


def _in_order(words: list[str], message: str) -> bool:
    """Whether the words of a name are in the message as whole words, one behind the other.

    The first place of each is enough, and one pass finds it; one pattern of all words would backtrack.
    """
    at = 0
    for word in words:
        found = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE).search(message, at)
        if found is None:
            return False
        at = found.end()
    return bool(words)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()


def occurs(words: str, message: str) -> bool:
    """Whole words, ignoring case."""
    words = words.strip()
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", message, re.IGNORECASE) is not None


def _patterns(engine: Engine, thread: Thread, name: str) -> list[str]:
    """Patterns that NLU gives under the name."""
    plans = engine.program(thread).intents
    return [pattern for plan in plans if _plain(plan.name) == _plain(name) for pattern in plan.patterns]


def _is_exact_option(engine: Engine, thread: Thread, step: StepPlan | None, message: str) -> bool:
    """True when the message is an option of the asked field, so that free text is protected (06 §7)."""
    asked = thread.gather.asked
    if step is None or step.gather is None or asked is None or thread.flow.reason != "gather":
        return False
    field = next((f for f in engine.program(thread).gather_fields(step.gather) if f.name == asked), None)
    if field is None or not field.options:
        return False
    return any(str(option).casefold() == message.strip().casefold() for option in field.options) and (
        option_of(field, message) is not None
    )


def begin_handler(engine: Engine, thread: Thread, handler: HandlerPlan) -> None:
    """Put a handler on the stack; it runs up to its exit, which belongs to T11."""
    node = handler.handler
    engine.turn.message_read = True
    span = engine.program(thread).span(node)
    name = node.intent.value if node.intent is not None else ""
    engine.recorder.emit(handler.kind, {"intent": name, "scope": handler.scope, "rule": node.path}, span=span)
    thread.flow.frames.append([handler.key, 0])
    thread.flow.status = "running"


def is_exit(action: Any) -> bool:
    """True for what ends a handler."""
    return isinstance(action, nodes.Transition | Resume)


def resume(engine: Engine, thread: Thread, action: Resume) -> Signal:
    """The end of a handler: on with the interrupted step, in one of the ways of 06 §7."""
    thread.flow.frames.pop()
    spoke = any(isinstance(a, nodes.Respond) for a in action.handler.actions)
    wants = action.handler.resume
    if action.kind == "sub_intent":
        signal = steps.follow_then(engine, thread, steps.step_of(engine, thread)) if wants is False else None
        if signal is not None:
            return signal
        thread.gather.quiet = spoke
        return Signal.NEXT if thread.flow.reason == "gather" else _still_waiting(engine, thread)
    if not wants:
        thread.gather.quiet = True
        return Signal.NEXT if thread.flow.reason == "gather" else _still_waiting(engine, thread)
    if thread.flow.reason == "gather":
        return Signal.NEXT
    if not spoke and thread.flow.responded:
        engine.say(
            thread,
            thread.flow.responded,
            kind="reply",
            event="respond",
            data={"by": "resume"},
            result=thread.flow.responded_result,
        )
    return _still_waiting(engine, thread)


def _still_waiting(engine: Engine, thread: Thread) -> Signal:
    return steps.wait(engine, thread, thread.flow.reason or "input", again=False)


# ON_INPUT --------------------------------------------------------------------------------------------------------


def wants_message(engine: Engine, thread: Thread, step: StepPlan) -> bool:
    """True when the branches look at a message that arrives while the step waits (06 §6.3, kind 2)."""
    if step.gather is not None or step.on_input is None:
        return False
    program = engine.program(thread)
    return any(
        name.split(".", 1)[0] in OF_THE_MESSAGE
        for branch in step.on_input.branches
        if branch.condition is not None
        for name in program.condition(branch.condition).names
    )


def on_input(engine: Engine, thread: Thread, step: StepPlan) -> Signal:
    """ON_INPUT when the run arrives at it."""
    state = thread.flow
    reason = "action" if step.actions else "input"
    if state.message_used:
        state.message_used = False
        return steps.wait(engine, thread, reason)
    if engine.turn.input_missed or step.actions or wants_message(engine, thread, step):
        return steps.wait(engine, thread, reason)
    if pick_branch(engine, thread, step, "immediate" if step.gather is None else "gather"):
        return Signal.NEXT
    return steps.wait(engine, thread, "input")


def waits_for_input(engine: Engine, thread: Thread) -> StepPlan | None:
    """The step whose ON_INPUT the flow waits at, if it does."""
    state = thread.flow
    if state.status != "waiting" or state.reason not in {"input", "action"} or not state.frames:
        return None
    plan = steps.plan_of(engine, thread)
    key, at = state.frames[-1]
    listed = plan.lists.get(key)
    return plan.steps[state.step or ""] if at < len(listed) and isinstance(listed[at], Input) else None


def pick_branch(engine: Engine, thread: Thread, step: StepPlan, mode: str, *, advance: bool = False) -> bool:
    """Choose a branch and put it on the stack; False when none matches. A branch without exit comes back here."""
    if step.input_select is None:
        return False
    state = thread.flow
    depth = len(state.frames)
    message = engine.turn.message
    data: dict[str, Any] = {"mode": mode, "input": engine.recorder.text(message) if message is not None else None}
    event = engine.recorder.emit("on_input", data, span=engine.program(thread).span(step.on_input))
    engine.recorder.open(event)
    choose(engine, thread, step.input_select, keep_place=not advance)
    engine.recorder.close()
    matched = len(state.frames) > depth
    if matched:
        state.message_used = True
    else:
        event["status"] = "skipped"
    return matched


def pick_action(engine: Engine, thread: Thread, action_id: str, value: Any) -> bool:
    """The handler of ON_ACTION for a click, else that of ACTION_HANDLERS, put on the stack (06 §6.4); False: none."""
    step = waits_for_input(engine, thread)
    if step is None:
        return False
    program = engine.program(thread)
    fields = {"fields": value} if isinstance(value, dict) else {}
    thread.system["action"] = {"id": action_id, "value": value, **fields}
    for handler, key in (*step.actions, *steps.plan_of(engine, thread).actions):
        if handler.action is None or handler.action.value != action_id:
            continue
        if handler.condition is not None and not engine.holds(thread, program.condition(handler.condition)):
            continue
        shown = engine.masker(thread).below(value) if isinstance(value, dict) else value
        data = {"mode": "action", "action": action_id, "value": shown}
        engine.recorder.emit("on_input", data, span=program.span(handler))
        thread.flow.frames.append([key, 0])
        thread.flow.message_used = True
        return True
    return False


def typed_action(engine: Engine, thread: Thread, step: StepPlan) -> bool:
    """Plain text that is the label or value of an element of the step, which triggers it (06 §6.4)."""
    shown = step.step.setting("ACTIONS")
    if not step.actions or step.input_select is not None or shown is None or shown.block is None:
        return False
    message = (engine.turn.message or "").strip().casefold()
    actions = present(engine, thread, [("ACTIONS", shown.block)]).get("actions") or {}
    for element in actions.get("elements", ()):
        given = element.get("value")
        if message in _names(element):
            return pick_action(engine, thread, element["id"], given)
        for option in element.get("options") or ():
            if isinstance(option, dict) and message in _names(option):
                return pick_action(engine, thread, element["id"], option.get("id"))
    return False


def _names(shown: dict[str, Any]) -> set[str]:
    """What the user may type for an element or an option."""
    return {str(shown[key]).strip().casefold() for key in ("label", "value") if shown.get(key) is not None}


def text_at_buttons(engine: Engine, thread: Thread, step: StepPlan) -> None:
    """Plain text while buttons wait and no ON_INPUT reads it: what the step said is repeated."""
    if step.actions and step.input_select is None and thread.flow.responded:
        engine.say(
            thread,
            thread.flow.responded,
            kind="reply",
            event="respond",
            data={"by": "repeat"},
            result=thread.flow.responded_result,
        )
