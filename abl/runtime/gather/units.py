"""Units of values: read behind a number, and converted (docs/spec 07 §8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Any, Final, NamedTuple

from abl.runtime.gather.recognise import recognise
from abl.runtime.plan.fields import FieldPlan

_LENGTHS: Final = """mm millimeter millimeters millimetre millimetres: 1/1000
cm centimeter centimeters centimetre centimetres: 1/100
dm decimeter decimeters decimetre decimetres: 1/10
m meter meters metre metres: 1
km kilometer kilometers kilometre kilometres: 1000
in inch inches: 0.0254
ft foot feet: 0.3048
yd yard yards: 0.9144
mi mile miles: 1609.344"""
_MASSES: Final = """mg milligram milligrams: 1/1000
g gram grams: 1
kg kilo kilos kilogram kilograms: 1000
t ton tonne tonnes: 1000000
oz ounce ounces: 28.349523125
lb lbs pound pounds: 453.59237"""
_MONEY: Final = """cent cents ct pence penny rappen: 1
eur euro euros usd dollar dollars gbp pound pounds chf franc francs: 100"""
_TEMPERATURES: Final = """k kelvin: 1
c celsius: 1 273.15
f fahrenheit: 5/9 2298.35/9"""
_SAID: Final = re.compile(r"\s{0,3}(?:degrees?\s{1,3}|°\s{0,3})?([^\W\d_]{1,20})(?!\w)")
_SYMBOLS: Final = {"€": "eur", "$": "usd", "£": "gbp", "°c": "c", "°f": "f"}
_OTHER_WORDS: Final = frozenset({"in"})
"""Units that are other words in most messages, so that only the author may mean them."""


class Unit(NamedTuple):
    """A unit of a kind: ``value * factor + offset`` is the value in the base unit of its kind."""

    kind: str
    factor: Fraction
    offset: Fraction


def _table(kind: str, lines: str) -> Iterator[tuple[str, Unit]]:
    for line in lines.split("\n"):
        names, _, numbers = line.partition(":")
        factor, offset = (*map(_fraction, numbers.split()), Fraction(0))[:2]
        yield from ((name, Unit(kind, factor, offset)) for name in names.split())


def _fraction(text: str) -> Fraction:
    over, _, under = text.partition("/")
    return Fraction(over) / Fraction(under or "1")


_KINDS: Final[dict[str, dict[str, Unit]]] = {
    kind: dict(_table(kind, lines))
    for kind, lines in (
        ("length", _LENGTHS),
        ("mass", _MASSES),
        ("temperature", _TEMPERATURES),
        ("money", _MONEY),
    )
}


def converts(field: FieldPlan) -> bool:
    """Whether the units of a field are known here and belong together."""
    return _units(field) is not None


def measured(field: FieldPlan, value: Any, text: str, language: str, today: date) -> Any:
    """A value in the unit in which the field is stored; None where it does not fit the type of the field there.

    ``text`` holds the number. A unit of the same kind behind it counts, else it is in the field's ``unit``.
    """
    units = _units(field)
    if units is None:
        return value
    given, wanted = units
    said = _said(field, text, given.kind, language, today) or given
    if isinstance(value, dict):
        return {key: part if part is None else _converted(part, said, wanted) for key, part in value.items()}
    if isinstance(value, list):
        return [_converted(part, said, wanted) for part in value]
    made = _converted(value, said, wanted)
    return None if field.type == "integer" and not isinstance(made, int) else made


def without_unit(field: FieldPlan, text: str) -> str:
    """A text without the unit at its end."""
    units = _units(field)
    found = re.search(r"[^\W\d_]{1,20}$", text) if units is not None else None
    if units is None or found is None or found[0].lower() not in _KINDS[units[0].kind]:
        return text
    return text[: found.start()].rstrip(" °")


def _units(field: FieldPlan) -> tuple[Unit, Unit] | None:
    """The unit of a bare number, and that in which values are stored."""
    names = [_plain(name) for name in (field.unit or field.convert_to, field.convert_to or field.unit) if name]
    for known in _KINDS.values():
        if names and all(name in known for name in names):
            return known[names[0]], known[names[-1]]
    return None


def _plain(name: str) -> str:
    name = name.strip().lower()
    return _SYMBOLS.get(name, name)


def _said(field: FieldPlan, text: str, kind: str, language: str, today: date) -> Unit | None:
    """The unit behind the last number of a text."""
    number = field.type if field.type in ("number", "integer", "float", "currency") else "number"
    found = recognise(number, text, field.language or language, today)
    match = _SAID.match(text, found[-1].end) if found else None
    if match is None or match[1].lower() in _OTHER_WORDS:
        return None
    return _KINDS[kind].get(match[1].lower())


def _converted(value: Any, said: Unit, wanted: Unit) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    base = Fraction(str(value)) * said.factor + said.offset
    made = (base - wanted.offset) / wanted.factor
    return int(made) if made.denominator == 1 else round(float(made), 10)
