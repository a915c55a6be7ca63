"""What an agent says: queued for the end of the turn, recorded, within the bounds of a turn (docs/spec 02 §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from abl.expressions.api import BudgetExceeded
from abl.expressions.sizes import SizeExceeded
from abl.limits import MAX_REPLIES, MAX_REPLY
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.evaluation import Rendered, template
from abl.runtime.events.recorder import Recorder, cut_text, note
from abl.runtime.flow.position import own_directives
from abl.runtime.state import Message, Thread, TurnState

if TYPE_CHECKING:
    from abl.runtime.plan.program import Program

MAX_MESSAGES = 50
"""Messages of one turn (docs/spec 06 §10)."""


class Speaker(Protocol):
    """The speaker: an engine, which has the functions of this module as methods."""

    @property
    def turn(self) -> TurnState: ...
    @property
    def recorder(self) -> Recorder: ...
    def program(self, thread: Thread) -> Program: ...
    def render(self, thread: Thread, text: str, local: Mapping[str, Any] | None = None) -> Rendered: ...
    def too_large(self, problem: BudgetExceeded, span: Any = None) -> BudgetExceeded: ...


def say(
    engine: Speaker,
    thread: Thread,
    text: str,
    *,
    kind: str,
    event: str,
    span: Any = None,
    data: dict[str, Any] | None = None,
    result: bool = False,
    for_model: str | None = None,
) -> bool:
    """Queue a message and record it; False when it is empty or over the limit of a turn.

    ``kind``: ``reply`` is judged by the pass `response`, ``prompt`` and ``notice`` only as results. ``result``: it is
    one for `BEFORE returning results` (docs/spec 04 §6). ``for_model`` is what a model sees of it
    later, None: the text.
    """
    text = text.rstrip("\n")
    if not text:
        return False
    if len(engine.turn.outbox) + len(engine.turn.delivered) >= MAX_MESSAGES:
        engine.recorder.error("RUN002", "message_limit", f"more than {MAX_MESSAGES} messages in one turn", span)
        return False
    _measure_reply(engine, text, span)
    recorded = engine.recorder.emit(event, {**(data or {}), "text": engine.recorder.text(text)}, span=span)
    own = not engine.turn.outside and own_directives(thread)
    by = str((data or {}).get("by", ""))
    said = Message(thread.agent, text, kind, thread.flow.step, recorded["seq"], own, result, by, for_model=for_model)
    engine.turn.outbox.append(said)
    return True


def _measure_reply(engine: Speaker, text: str, span: Any) -> None:
    """Refuse a message that is too long, alone or with the others of the turn (docs/spec 02 §8)."""
    said = sum(len(message.text) for message in engine.turn.outbox) + sum(map(len, engine.turn.delivered))
    for what, name, size, limit in (
        ("reply", "the message", len(text), MAX_REPLY),
        ("replies", "the turn with all its messages", len(text) + said, MAX_REPLIES),
    ):
        if size > limit:
            raise engine.too_large(SizeExceeded(what, name, size, limit), span)


def say_template(
    engine: Speaker,
    thread: Thread,
    text: str,
    *,
    kind: str,
    event: str = "respond",
    span: Any = None,
    data: dict[str, Any] | None = None,
    local: Mapping[str, Any] | None = None,
    for_model: str | None = None,
    result: bool = False,
) -> str:
    """Render and say; gives the text, which may be empty. ``result``: what presents it reads what a tool gave."""
    rendered = engine.render(thread, text, local)
    more: dict[str, Any] = {"template": cut_text(text), "missing": rendered.missing, **(data or {})}
    if rendered.missing:
        message = "nothing to show for " + ", ".join(rendered.missing)
        more["notes"] = [note("RUN004", "template.unresolved", message)]
    result = result or from_tool(thread, template(text).names, local)
    say(engine, thread, rendered.text, kind=kind, event=event, span=span, data=more, result=result, for_model=for_model)
    return rendered.text.rstrip("\n")


def message(engine: Speaker, thread: Thread, key: str, local: Mapping[str, Any] | None = None) -> str:
    """A text of MESSAGES, rendered."""
    return engine.render(thread, engine.program(thread).messages.get(key, ""), local).text
