"""COLLECT of an ON_FAIL: the named fields become missing and are asked here, then the rule is judged again (04 §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abl.runtime.constraints.unasked import Demand
from abl.runtime.flow.variables import clear
from abl.runtime.gather.collecting import Request, advance, receive
from abl.runtime.plan.fields import FieldPlan
from abl.runtime.state import CollectState

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def start_collecting(
    engine: Engine,
    thread: Thread,
    fields: list[str],
    *,
    source: str,
    point: str,
    target: str | None,
    rule: str,
    then: str | None,
    retry: bool,
    message: str | None,
    span: Any,
    demand: Demand,
    say: bool = True,
    result: bool = False,
) -> bool:
    """Make the fields missing and ask the first; ``message`` is the prompt of a field without its own.

    ``result``: the message reads what came from a tool (04 §6). False when nothing is asked: with ``THEN: continue``
    all fields may be there already.
    """
    to_clear = to_empty(thread, fields, demand, then)
    if not to_clear and all(_given(thread, field) for field in fields):
        return False
    clear(engine, thread, to_clear, span=span, cause="collect")
    thread.collect = CollectState(
        fields=fields, source=source, point=point, target=target, rule=rule, then=then, retry=retry, message=message
    )
    program, said = engine.program(thread), len(engine.turn.outbox)
    first = next((field for field in fields if not _given(thread, field)), None)
    own_prompt = first is not None and program.field(first).prompt is not None
    if message and say and own_prompt:
        engine.say(thread, message, kind="notice", event="respond", span=span, data={"by": "on_fail"}, result=result)
    if message and not say and not own_prompt:
        thread.collect.gather.quiet = True  # the message has just been said and is the prompt
    advance(engine, thread, request_of(engine, thread, thread.collect))
    for prompt in engine.turn.outbox[said:]:
        prompt.result = prompt.result or (result and not own_prompt)
    return True


def to_empty(thread: Thread, fields: list[str], demand: Demand, then: str | None) -> list[str]:
    """The fields of a COLLECT that lose their value (docs/spec 04 §5).

    What the condition only asks to be there is kept; with ``THEN: continue`` so is what it does not name. Where that
    would leave nothing to ask, none is kept.
    """
    kept = {f for f in fields if f in demand.tested or (then == "continue" and f not in demand.named)}
    if then != "continue" and all(field in kept and _given(thread, field) for field in fields):
        kept = set()
    return [f for f in fields if f not in kept and thread.variables.get(f) is not None]


def _given(thread: Thread, field: str) -> bool:
    return thread.variables.get(field) is not None and thread.origins.get(field) != "initial"


def request_of(engine: Engine, thread: Thread, collect: CollectState) -> Request:
    """The fields of a COLLECT as a request; all of them are asked, optional ones and those with a default too."""
    program = engine.program(thread)
    fields = tuple(_asked(program.field(name)) for name in collect.fields)
    return Request(fields=fields, state=collect.gather, message=collect.message)


def _asked(field: FieldPlan) -> FieldPlan:
    return replace(
        field,
        required=True,
        has_default=False,
        prompt_mode="ask",
        activation="required",
        active_when=None,
        depends_on=(),
    )


def answer(engine: Engine, thread: Thread, collect: CollectState, message: str) -> bool:
    """Take a message as the answer (T8); True when the fields are complete."""
    request = request_of(engine, thread, collect)
    receive(engine, thread, request, message)
    return advance(engine, thread, request)
