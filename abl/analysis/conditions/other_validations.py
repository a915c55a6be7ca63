"""Rules of fields in the notation of another language, and how ABL writes them (docs/spec 07 §4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from abl.analysis.conditions.other_notations import is_readable, rewritings
from abl.expressions.regex import regex_problem
from abl.syntax.readers.validations import FUNCTIONS
from abl.syntax.recovery.suggest import closest

_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_BETWEEN: Final = re.compile(
    rf"(?i)(?:(?:range|between)\s*+)?(?:[(:\[]\s*+)?({_NUMBER})\s*+(?:,|-|\.\.|and|to)\s*+({_NUMBER})\s*+[)\]]?"
)
"""Two bounds."""
_BOUND: Final = re.compile(rf"(?i)(?P<sign>[<>]=?|min\b|max\b)\s*+[:=(]?\s*+(?P<limit>{_NUMBER})\s*+\)?")
_JOINED: Final = re.compile(r"(?i),|&&|\band\b")
_SLASHES: Final = re.compile(r"/(?P<regex>(?:[^/\\]|\\.)+)/")
_REGEX: Final = re.compile(r"(?i)(?:pattern|regexp?)\s*+[:\s=]\s*+(?P<regex>\S.*)")
_ONE_OF: Final = re.compile(r"(?i)(?:one\s?_?of|in|any\s?_?of|values?)?\s*+[:=]?\s*+[\[(](?P<words>[\w \"',-]+)[\])]")
_LENGTH: Final = re.compile(r"(?i)(?P<which>min|max|)_?(?:length|len)\s*+[(:=]\s*+(?P<limit>\d+)\s*+\)?")
_SIGNS: Final = {"min": ">=", "max": "<=", "": "=="}
_SHORT: Final = {"minimum": "min", "maximum": "max", "regex": "pattern", "mail": "email"}


def certain_validation(written: str, field: str, joint: str = ", ") -> str:
    """What a rule in another notation says, as functions or as an expression over ``field``; empty if it is none.

    ``joint`` stands between two functions: in braces a comma would end the property.
    """
    between = _BETWEEN.fullmatch(written)
    if between is not None:
        return f"min({between[1]}){joint}max({between[2]})"
    bounds = [_BOUND.fullmatch(part.strip()) for part in _JOINED.split(written)]
    if all(bounds):
        return _bounded([(each["sign"].lower(), each["limit"]) for each in bounds if each is not None], field, joint)
    regex = _SLASHES.fullmatch(written) or _REGEX.fullmatch(written)
    if regex is not None:
        return f"pattern({regex['regex']})" if regex_problem(regex["regex"]) is None else ""
    words = _ONE_OF.fullmatch(written)
    if words is not None:
        return "enum(" + ", ".join(word.strip(" \"'") for word in words["words"].split(",")) + ")"
    length = _LENGTH.fullmatch(written)
    if length is not None:
        return f"LENGTH({field}) {_SIGNS[length['which'].lower()]} {length['limit']}"
    return _as_expression(written, field)


def _bounded(bounds: Sequence[tuple[str, str]], field: str, joint: str) -> str:
    functions = {">=": "min", "<=": "max", "min": "min", "max": "max"}
    if all(sign in functions for sign, _ in bounds):
        return joint.join(f"{functions[sign]}({limit})" for sign, limit in bounds)
    return " AND ".join(f"{field} {_SIGNS.get(sign, sign)} {limit}" for sign, limit in bounds)


def _as_expression(written: str, field: str) -> str:
    """An expression over the field that another notation spoils; a sentence that mentions it is none."""
    if re.search(rf"\b(?:{re.escape(field)}|value)\b", written) is None or is_readable(written):
        return ""
    return next((text for _, text in rewritings(written)), "")


def perhaps_function(written: str) -> str:
    """The function that a text was perhaps meant to be."""
    name, bracket, rest = written.partition("(")
    if not re.fullmatch(r"\w+", name.strip()):
        return f"pattern({written})" if written[:1] == "^" and regex_problem(written) is None else ""
    short = _SHORT.get(name.strip().lower())
    close = (short,) if short else closest(name.strip(), FUNCTIONS)
    if bracket:
        return f"{close[0]}({rest}" if close else ""
    return "email()" if close[:1] == ("email",) else ""
