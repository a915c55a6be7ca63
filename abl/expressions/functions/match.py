"""How alike two texts are: MATCH_SCORE and what is built on it (docs/spec 02 §8)."""

from __future__ import annotations

import re
import unicodedata

from .. import bounds
from ..budget import takes
from ..values import Value, text
from .table import builtin

_WORD = re.compile(r"[^\W\d_]+|[0-9]+")
_SPOKEN = {
    "zero": "0", "oh": "0", "o": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_REPEATED = {"double": 2, "triple": 3}
_SIGNS = tuple(
    (re.compile(rf"(?<!\s)\s++(?:{words})\s++"), sign)
    for words, sign in (
        ("at the rate(?: of)?|at", "@"),
        ("dot|point", "."),
        ("underscore", "_"),
        ("dash|hyphen|minus", "-"),
    )
)
KINDS = ("name", "person_name", "email", "address", "phone", "digits", "text")
_NOTHING = -1
_PASS = 70
_NEVER_PASS = 69
_RETRY = 10
_RETRY_DIGITS = 50


@builtin("MATCH_SCORE(said, stored, kind?)", "number")
def match_score(said: Value, stored: Value, *kind: Value) -> int:
    """Likeness from 0 to 100; -1 when there is nothing to judge.

    Kinds: name, person_name, email, address, phone, digits, text.
    """
    one, two = text(said), text(stored)
    if not one.strip() or not two.strip() or max(len(one), len(two)) > bounds.MAX_MATCHED_TEXT:
        return _NOTHING
    takes(len(one) + len(two))
    sort = text(kind[0]).lower() if kind else "text"
    if sort in ("phone", "digits"):
        return _digits_score(one, two, sort)
    if sort == "email":
        return _exact_score(_address(one), _address(two))
    return _text_score(_normalised(one), _normalised(two))


def _text_score(one: str, two: str) -> int:
    from rapidfuzz import fuzz

    if not one or not two:
        return _NOTHING
    return int(max(fuzz.ratio(one, two), fuzz.token_sort_ratio(one, two)) + 0.5)


def _digits_score(one: str, two: str, sort: str) -> int:
    first, second = _digits(one), _digits(two)
    if not first or not second:
        return _NOTHING
    if sort == "phone" and len(first) >= 10 and first[-10:] == second[-10:]:
        return 100
    return _exact_score(first, second)


def _digits(said: str) -> str:
    """The digits of a text, spoken ones included: `four one two`, `double five`."""
    digits: list[str] = []
    times = 1
    for word in _WORD.findall(said.casefold()):
        if word in _REPEATED:
            times = _REPEATED[word]
            continue
        read = _SPOKEN.get(word) or "".join(c for c in word if c in "0123456789")
        digits.append(read[:1] * (times - 1) + read)
        times = 1
    return "".join(digits)


def _address(said: str) -> str:
    """An e-mail address, also as it is spoken: `ada at the rate example dot com`."""
    written = said.strip().casefold()
    for spoken, sign in _SIGNS:
        written = spoken.sub(sign, written)
    return written


def _exact_score(one: str, two: str) -> int:
    """100 for the same text, else the likeness, too low to pass."""
    from rapidfuzz import fuzz

    return 100 if one == two else min(int(fuzz.ratio(one, two) + 0.5), _NEVER_PASS)


def _normalised(subject: str) -> str:
    decomposed = unicodedata.normalize("NFKD", subject.casefold())
    kept = (c for c in decomposed if unicodedata.category(c)[0] not in "PM")
    return " ".join("".join(kept).split())


@builtin("MATCHES(said, stored, kind?)", "boolean")
def matches(said: Value, stored: Value, *kind: Value) -> Value:
    """Whether MATCH_SCORE passes: at least 70, for phone and digits 100. No regular expression."""
    return match_score(said, stored, *kind) >= _needed(*kind)


def _needed(*kind: Value) -> int:
    return 100 if _is_digits(*kind) else _PASS


def _is_digits(*kind: Value) -> bool:
    return bool(kind) and text(kind[0]).lower() in ("phone", "digits")


@builtin("MATCH_RESULT(said, stored, kind?)", "string")
def match_result(said: Value, stored: Value, *kind: Value) -> Value:
    """`match`, `retry`, `mismatch` or `missing`."""
    score = match_score(said, stored, *kind)
    if score == _NOTHING:
        return "missing"
    if score >= _needed(*kind):
        return "match"
    return "retry" if score >= (_RETRY_DIGITS if _is_digits(*kind) else _RETRY) else "mismatch"
