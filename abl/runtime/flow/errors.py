"""ON_ERROR: which handler an error meets and what it does (docs/spec 09 §8, 06 §6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.language import declared_name, words_at
from abl.language.entry import Entry
from abl.language.written import unquoted
from abl.runtime.events.recorder import cut_text
from abl.runtime.flow import languages
from abl.runtime.flow.actions import wording
from abl.runtime.flow.signals import Exit
from abl.runtime.flow.variables import assign_written
from abl.runtime.plan.assignments import assignments_of, line_of
from abl.runtime.plan.listed import entry_at
from abl.runtime.turn.presenting import contents, presented, shows_result, spoken
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

MAX_STEP_RETRIES = 3
"""RETRY_STEP of one error in a turn."""
INLINE = words_at("error_handler", "THEN")


@dataclass(frozen=True, slots=True)
class Handler:
    """One entry of ON_ERROR; ``entry`` are its properties."""

    block: nodes.Block
    type: str
    entry: Entry

    def text(self, key: str) -> str | None:
        """The value of a property."""
        found = self.entry.text(key)
        return found.strip() if found is not None else None

    @property
    def subtypes(self) -> tuple[str, ...]:
        """SUBTYPE or SUBTYPES; none = any."""
        given = self.entry
        return given.value("SUBTYPE" if "SUBTYPE" in given else "SUBTYPES") or ()

    @property
    def then(self) -> str:
        """THEN, or the action of the inline form; CONTINUE by default."""
        inline = self.block.value.value.strip() if self.block.value is not None and not self.block.item else ""
        return self.text("THEN") or (inline if inline.split(" ")[0].upper() in INLINE else "CONTINUE")


def find(engine: Engine, thread: Thread, error: dict[str, Any]) -> Handler | None:
    """Step by type and subtype, then by type; the agent alike; then ``default`` of step and agent."""
    levels = [_handlers(block) for block in _blocks(engine, thread)]
    kind, subtype = str(error.get("type", "unknown_error")), str(error.get("subtype", ""))
    for handlers in levels:
        for wanted in (True, False):
            for handler in handlers:
                if handler.type == kind and (subtype in handler.subtypes if wanted else not handler.subtypes):
                    return handler
    return next((h for handlers in levels for h in handlers if h.type == "default"), None)


def _blocks(engine: Engine, thread: Thread) -> list[nodes.Block]:
    program = engine.program(thread)
    step = program.flow.steps.get(thread.flow.step or "") if program.flow is not None else None
    setting = step.step.setting("ON_ERROR") if step is not None else None
    section = program.agent.section("ON_ERROR")
    return [found.block for found in (setting, section) if found is not None and found.block is not None]


def _handlers(block: nodes.Block) -> list[Handler]:
    found = []
    for child in block.children:
        below = Entry.at("error_handler", child)
        listed = entry_at("error_handler", child) if child.item else below
        if child.item and (kind := listed.text("TYPE")) is not None:
            found.append(Handler(child, kind.strip().lower(), listed))
        elif child.key:
            found.append(Handler(child, declared_name("on_error", child.key.strip()).lower(), below))
    return found


def retries(handler: Handler | None) -> int:
    """How often the failed call is made again."""
    return handler.entry.value("RETRY") or 0 if handler is not None else 0


def retry_delay(handler: Handler, attempt: int) -> int:
    """Milliseconds of virtual time before a retry, counted from 1: fixed d, linear d·n, exponential d·2^(n−1) (§8)."""
    delay = handler.entry.value("RETRY_DELAY") or 0
    factor: int = {"linear": attempt, "exponential": 2 ** (attempt - 1)}.get(handler.entry.value("RETRY_BACKOFF"), 1)
    longest = handler.entry.value("RETRY_MAX_DELAY")
    waited = int(delay * factor)
    return waited if longest is None else min(waited, longest)


def say(engine: Engine, thread: Thread, handler: Handler) -> None:
    """SET and RESPOND of a handler, once before the retries; the rest of its presentation is not executed."""
    span_of = engine.program(thread).span
    for target, text, entry in assignments_of(handler.entry.lines("SET")):
        where = span_of(line_of(entry, handler.block))
        assign_written(engine, thread, target, text, span=where, cause="on_error")
    languages.change_by(engine, thread, handler.entry, span=span_of(handler.block))
    if (logged := handler.text("LOG")) is not None:
        rendered = engine.render(thread, logged)
        data = {"template": cut_text(logged), "text": engine.recorder.text(rendered.text), "missing": rendered.missing}
        engine.recorder.emit("log", {**data, "level": "info", "by": "on_error"}, span=span_of(handler.block))
    respond, span = handler.text("RESPOND"), span_of(handler.block)
    body = wording(engine, thread, respond, span) if respond is not None else None
    if body is not None:
        written = contents((key, line) for key in handler.entry.written if (line := handler.entry.lines(key)))
        found = presented(engine, thread, written)
        engine.say_template(
            thread,
            spoken(engine, found) or body,
            kind="notice",
            span=span,
            data={"by": "on_error", **found},
            result=shows_result(thread, written),
        )


def bind(
    engine: Engine, thread: Thread, code: str, name: str, message: str, *, kind: str, subtype: str = ""
) -> dict[str, Any]:
    """Give ``_error`` and ``error`` their values; what was set, for the event that records it."""
    details = {"type": kind, "subtype": subtype or name, "code": code, "message": message}
    for target in ("_error", "error"):
        engine.put(thread, target, details)
    return {"_error": details, "error": details}


def report(
    engine: Engine,
    thread: Thread,
    code: str,
    name: str,
    message: str,
    *,
    kind: str = "unknown_error",
    subtype: str = "",
    span: Any = None,
) -> Handler | None:
    """Record an error, bind it as ``error`` and ``_error``, and say what its handler says, else ``error_default``."""
    bound = bind(engine, thread, code, name, message, kind=kind, subtype=subtype)
    handler = find(engine, thread, bound["error"])
    engine.recorder.error(code, name, message, span, handled=handler is not None, state={"set": bound})
    if handler is not None:
        say(engine, thread, handler)
    else:
        text = engine.program(thread).messages["error_default"]
        engine.say_template(thread, text, kind="notice", span=span)
    return handler


def exit_of(engine: Engine, thread: Thread, handler: Handler) -> Exit | None:
    """Where THEN of a handler leads; None when the flow continues."""
    span = engine.program(thread).span(handler.block)
    word, _, rest = handler.then.partition(" ")
    match word.upper():
        case "ESCALATE":
            return Exit("ESCALATE", "on_error", span, reason=unquoted(rest.partition("REASON:")[2]) or None)
        case "HANDOFF":
            return Exit("HANDOFF", "on_error", span, agent=rest.strip() or handler.text("HANDOFF_TARGET") or "")
        case "COMPLETE":
            return Exit("COMPLETE", "on_error", span)
        case "BACKTRACK":
            return Exit(handler.text("BACKTRACK_TO") or "", "backtrack", span)
        case "RETRY_STEP":
            key = f"retry_step:{thread.flow.step}"
            spent = engine.turn.bounds.get(key, 0)
            if spent >= MAX_STEP_RETRIES:
                return Exit(None, "halt", span)
            engine.turn.bounds[key] = spent + 1
            engine.turn.entered.pop(f"{thread.agent}.{thread.flow.step}", None)
            return Exit(thread.flow.step or "", "retry_step")
        case _:
            return None
