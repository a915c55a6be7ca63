"""What an agent does with what another one gives back: ``set`` and the handler of ON_RETURN (docs/spec 09 §5, §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.language import key_at
from abl.language.entry import Entry, members
from abl.language.written import word as read_word
from abl.runtime.flow.variables import assign_written, clear
from abl.runtime.plan.assignments import assignments_of, line_of
from abl.runtime.state import Thread
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine

ACTIONS = frozenset({"", "continue", "resume_intent"})


def mapped(block: nodes.Block | None) -> tuple[tuple[str, str], ...]:
    """The pairs of ``map``: fields of the other agent, and variables that take them."""
    given = Entry.at("on_return", block)
    found = [(entry.key, entry.value.value.strip()) for entry in members(given.lines("map")) if entry.value is not None]
    return tuple(found)


def assign_set(engine: Engine, thread: Thread, block: nodes.Block) -> None:
    """The lines of ``set``, in order."""
    for target, text, entry in assignments_of(Entry.at("on_return", block).lines("set")):
        where = engine.program(thread).span(line_of(entry, block))
        assign_written(engine, thread, target, text, span=where, cause="return")


def words(block: nodes.Block) -> tuple[str, str]:
    """The action (``continue`` unless another is written), and the name of the handler; empty without one."""
    given = Entry.at("on_return", block)
    word = given.given("action") or (read_word(block.value) if not given else "")
    known = key_at("on_return", "action")
    word = (known.type.read_word(word) if known is not None else None) or word
    return word if word in ACTIONS else "continue", given.text("handler") or ("" if word in ACTIONS else word)


def handle(engine: Engine, thread: Thread, name: str, span: Any) -> bool | None:
    """An entry of RETURN_HANDLERS: RESPOND, CLEAR, then whether the agent routes again; None where it does not say."""
    found = engine.program(thread).return_handlers.get(name)
    if found is None:
        engine.recorder.error("RUN003", "unknown_target", f"no return handler {name!r}", span)
        return None
    given, block = found
    place = engine.program(thread).span(block)
    text = given.text("RESPOND")
    if text is not None:
        engine.say_template(thread, text, kind="reply", span=place, data={"by": "return"})
    if names := given.texts("CLEAR"):
        clear(engine, thread, list(names), span=place)
    if given.value("RESUME_INTENT") or given.given("CONTINUE"):
        return bool(given.value("RESUME_INTENT"))
    return None
