"""Method calls that the language does not have, and what was probably intended (docs/spec 02 §8, §10)."""

from __future__ import annotations

from typing import Final, NamedTuple

from abl.analysis import fixes
from abl.analysis.conditions.reading import Reading, at
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.expressions.builtins import BUILTINS, CEL_FUNCTIONS, METHODS
from abl.source import Span
from abl.syntax.recovery.suggest import closest

_PROPERTIES: Final = {"length": "length", "len": "length", "count": "length"}
"""Properties, which are written without parentheses (02 §7)."""
_FUNCTIONS: Final = {
    "touppercase": "UPPER", "tolowercase": "LOWER", "upcase": "UPPER", "downcase": "LOWER", "strip": "TRIM",
    "tostring": "TO_STRING", "tonumber": "TO_NUMBER", "slice": "SUBSTRING", "substr": "SUBSTRING",
    "replaceall": "REPLACE", "padstart": "PAD_START", "padend": "PAD_END", "keys": "OBJECT_KEYS",
    "values": "OBJECT_VALUES", "isempty": "", "includes": "",
}  # fmt: skip
"""Methods of other languages, and the functions that do the same; those without one have a sentence of their own."""
_WORDS: Final = {"includes": "contains"}


class Intended(NamedTuple):
    """What was meant by an unknown method: the first answer in words, and the fixes."""

    y: str
    fixes: tuple[Fix, ...]


def is_known(node: en.Method) -> bool:
    """True for one of the four method forms, however many arguments it has."""
    return node.name in METHODS


def intended(node: en.Method, reading: Reading) -> Intended:
    """The property, the function or the method that an unknown one stands for."""
    span = Span(node.name_start, node.name_end)
    word = node.name.lower()
    if word in _PROPERTIES and not node.args:
        known = _PROPERTIES[word]
        return Intended(f".{known}", (fixes.replace(Span(node.name_start, node.end), known, f"Write .{known}"),))
    name = _FUNCTIONS.get(word, "") or node.name.upper()
    function = BUILTINS.get(name) or CEL_FUNCTIONS.get(word)
    if word in _WORDS:
        return Intended(_WORDS[word], fixes.rename_fixes(span, [_WORDS[word]]))
    if function is not None and function.accepts(1 + len(node.args)) and word not in {m.lower() for m in METHODS}:
        called = name if name in BUILTINS else word
        arguments = ", ".join(reading.slice(argument) for argument in (node.target, *node.args))
        return Intended(f"{called}(…)", (fixes.replace(at(node), f"{called}({arguments})"),))
    close = [found for found in closest(node.name, METHODS) if found != node.name]
    if not close and not node.args and closest(word, _PROPERTIES):
        return Intended(".length", (fixes.replace(Span(node.name_start, node.end), "length", "Write .length"),))
    return Intended(close[0] if close else "", fixes.rename_fixes(span, close))
