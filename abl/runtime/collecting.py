"""COLLECT of an ON_FAIL: the named fields become missing and are asked here, then the rule is judged again (04 §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.gather import Request, advance, receive
from abl.runtime.state import CollectState
from abl.runtime.variables import clear

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def start_collecting(
    engine: Engine, thread: Thread, fields: list[str], *, source: str, point: str, target: str | None, rule: str,
    then: str | None, retry: bool, message: str | None, span: Any, say: bool = True,
) -> None:  # fmt: skip
    """Make the fields missing and ask the first; ``message`` is the prompt of a field without its own."""
    clear(engine, thread, [f for f in fields if thread.variables.get(f) is not None], span=span, cause="collect")
    thread.collect = CollectState(
        fields=fields, source=source, point=point, target=target, rule=rule, then=then, retry=retry, message=message
    )
    program = engine.program(thread)
    own_prompt = bool(fields) and program.field(fields[0]).prompt is not None
    if message and say and own_prompt:
        engine.say(thread, message, kind="notice", event="respond", span=span, data={"by": "on_fail"})
    if message and not say and not own_prompt:
        thread.collect.gather.quiet = True  # the message has just been said and is the prompt
    advance(engine, thread, request_of(engine, thread, thread.collect))


def request_of(engine: Engine, thread: Thread, collect: CollectState) -> Request:
    """The fields of a COLLECT as a request; all of them are required."""
    program = engine.program(thread)
    fields = tuple(program.field(name) for name in collect.fields)
    return Request(fields=fields, state=collect.gather, message=collect.message)


def answer(engine: Engine, thread: Thread, collect: CollectState, message: str) -> bool:
    """Take a message as the answer (T8); True when the fields are complete."""
    request = request_of(engine, thread, collect)
    receive(engine, thread, request, message)
    return advance(engine, thread, request)
