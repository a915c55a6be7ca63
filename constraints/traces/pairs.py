"""Labelled pairs: how the pane of a step shows the fields of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from abl.runtime.events.kinds import label_of
from constraints.traces.ruler import highlighted
from constraints.traces.values import shown, tree
from constraints.traces.wording import EMPTY

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and what is beside it. ``form`` says how it is drawn:

    ``text`` a sentence, ``said`` a list of messages, ``name`` and ``names`` identifiers, ``code`` an expression,
    ``value`` a ``Tree``, ``change`` and ``changes`` values before and after, ``read`` names with values, ``time`` an
    instant, ``talk`` messages with who said them.
    """

    label: str
    form: str
    value: Any


Draw = str | Mapping[str, str] | Callable[[Data], Any]
Field = tuple[str, Draw]
"""The key of a field in ``data`` and how it is drawn; or a label, and what draws it from all of ``data``."""


def pair_of(kind: str, field: Field, data: Data) -> Pair | None:
    """One field of an event, labelled as its declaration says; None where there is nothing to show."""
    key, draw = field
    if callable(draw):
        made = draw(data)
        return made if isinstance(made, Pair) else Pair(key, "text", made) if made else None
    label, value = label_of(kind, key), data.get(key)
    if value in EMPTY:
        return None
    if isinstance(draw, Mapping):
        return Pair(label, "text", draw.get(str(value), str(value).replace("_", " ")))
    return Pair(label, draw, DRAWN.get(draw, as_it_is)(value))


def as_it_is(value: Any) -> Any:
    return value


def instant(value: Any) -> Any:
    """An instant of a trace; a text that is none stays what it is."""
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return str(value)


def changed(value: Any) -> list[tuple[str, str, str]]:
    """(name, before, after) of ``changed`` of a turn."""
    return [(name, shown(each.get("old")), shown(each.get("new"))) for name, each in value.items()]


def read(value: Any) -> list[tuple[str, str]]:
    """(name, value) of the variables that a condition read."""
    return [(ref["path"], shown(ref.get("value"))) for ref in value]


def talk(value: Any) -> list[tuple[str, str]]:
    """(who, text) of messages that a model was given."""
    return [(str(each.get("agent") or each.get("from") or ""), str(each.get("text") or "")) for each in value]


DRAWN: dict[str, Callable[[Any], Any]] = {
    "text": lambda value: value if isinstance(value, str) else shown(value),
    "said": lambda value: value if isinstance(value, list) else [value],
    "names": lambda value: value if isinstance(value, list) else [value],
    "code": lambda value: highlighted(str(value)),
    "value": tree,
    "changes": changed,
    "read": read,
    "time": instant,
    "talk": talk,
}
