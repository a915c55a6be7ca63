"""Values that wait for the user's yes, and answers that fit exactly (docs/spec 07 §11)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from abl.expressions.values import text
from abl.runtime.gather.extract import Extracted, pattern_value
from abl.runtime.gather.recognise import whole
from abl.runtime.gather.units import without_unit
from abl.runtime.plan.fields import FieldPlan
from abl.runtime.state import GatherState

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

PENDING = "_pending_inferences"
"""Variable of the runtime with the values that wait, by field (09 §17), as they are shown."""
_APART = frozenset({"pair", "parts"})
"""How a value is found that stands alone in a part of the message."""


def is_due(thread: Thread, wanted: str, field: FieldPlan, value: Any) -> bool:
    """Whether a collected value has to be confirmed: each (``always``), or one in place of another (``on_change``)."""
    if wanted == "on_change":
        old = thread.variables.get(field.name)
        return old is not None and thread.origins.get(field.name) != "initial" and old != value
    return wanted == "always"


def hold(engine: Engine, thread: Thread, state: GatherState, field: FieldPlan, held: dict[str, Any]) -> None:
    """Keep a value (``value``, and how it was found) until the user has confirmed it."""
    state.unconfirmed = [each for each in state.unconfirmed if each["field"] != field.name]
    state.unconfirmed.append({"field": field.name, **held})
    _note(engine, thread, state)


def ask(engine: Engine, thread: Thread, state: GatherState, fields: Sequence[FieldPlan]) -> None:
    """The question for the first value that waits."""
    if state.quiet:
        state.quiet = False
        return
    held = state.unconfirmed[0]
    field = next((f for f in fields if f.name == held["field"]), None)
    shown = engine.masker(thread).shown(held["field"], held["value"])
    label = field.spaced if field is not None else held["field"]
    span = engine.program(thread).span(field.span) if field is not None else None
    data = {"field": held["field"], "value": shown}
    state.asked = None
    engine.say(thread, f"{label}: {text(shown)}, right?", kind="prompt", event="gather.confirm", span=span, data=data)


def answer(engine: Engine, thread: Thread, state: GatherState, message: str) -> tuple[dict[str, Any] | None, bool]:
    """The value that the message confirms, and whether the message is still to be read.

    A no discards the value. So does anything else, which may name another one.
    """
    held = state.unconfirmed.pop(0)
    _note(engine, thread, state)
    said = whole("boolean", message.strip(" .!"), engine.language(thread), engine.now().date(), "any")
    if said is not None and said.value:
        return held, False
    shown = engine.masker(thread).shown(held["field"], held["value"])
    engine.recorder.emit("gather.declined", {"field": held["field"], "value": shown}, status="skipped")
    state.asked = held["field"]
    return None, said is None


def _note(engine: Engine, thread: Thread, state: GatherState) -> None:
    masker = engine.masker(thread)
    waiting = {each["field"]: masker.shown(each["field"], each["value"]) for each in state.unconfirmed}
    if waiting:
        thread.system[PENDING] = waiting
    else:
        thread.system.pop(PENDING, None)


def fits_exactly(hit: Extracted, message: str, language: str, today: date) -> bool:
    """Whether a text is nothing but the value: all of the message, a part of it or what stands behind the name."""
    field, raw = hit.field, message[hit.start : hit.end]
    if hit.strategy == "pair":
        raw = raw.replace("=", ":", 1).partition(":")[2]
    elif hit.strategy not in _APART and message.strip(" .!?,\n") != raw.strip(" .!?,\n"):
        return False
    raw = raw.strip(" .!?,\n")
    if field.list or field.range or field.preferences:
        return True
    if field.options:
        return raw.casefold() in {str(option).casefold() for option in field.options} or (
            raw.casefold() in field.synonyms
        )
    if field.pattern:
        return pattern_value(field, raw)[0] == raw
    raw = without_unit(field, raw)
    return field.is_text or whole(field.type, raw, field.language or language, today, field.temporal) is not None
