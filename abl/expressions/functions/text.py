"""Text functions (docs/spec 02 §8). A text argument is text(x), ∅ as empty; results are at most `MAX_TEXT` long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .. import bounds
from ..budget import counted, makes, reads, writes
from ..regex import compile_pattern, group_text
from ..values import Value, text, to_number
from .table import builtin

_CAP = bounds.MAX_TEXT
_BEYOND = 64
"""Characters behind the cap on which those before it may depend, as a final sigma does."""


def whole(value: Value) -> int | None:
    """A number argument cut to a whole number; None when it is ∅ or unreadable."""
    number = to_number(value)
    return None if number is None else int(number)


@builtin("UPPER(s)", "string")
def upper(value: Value) -> Value:
    """The text in upper case."""
    return _start(value).upper()[:_CAP]


@builtin("LOWER(s)", "string")
def lower(value: Value) -> Value:
    """The text in lower case."""
    return _start(value).lower()[:_CAP]


def _start(value: Value) -> str:
    """As much of a text as can matter to a result that is cut."""
    subject = text(value)[: _CAP + _BEYOND]
    writes(len(subject))
    return subject


@builtin("TRIM(s)", "string")
def trim(value: Value) -> Value:
    """The text without blanks at either end."""
    subject = text(value)
    writes(len(subject))
    return subject.strip()


@builtin("SUBSTRING(s, start, end?)", "string")
def substring(value: Value, start: Value, *end: Value) -> Value:
    """The part from start (0-based) up to, not including, end. Negatives count as 0; start > end are swapped."""
    subject = text(value)
    first = whole(start)
    last = whole(end[0]) if end else len(subject)
    if first is None or last is None:
        return None
    first, last = max(first, 0), max(last, 0)
    low, high = min(first, last), min(max(first, last), len(subject))
    writes(high - low)
    return subject[low:high]


@builtin("REPLACE(s, find, repl)", "string")
def replace(value: Value, find: Value, replacement: Value) -> Value:
    """All occurrences of a literal text replaced; with an empty one nothing is."""
    subject, wanted, new = text(value), text(find), text(replacement)
    reads(len(subject))
    if not wanted or wanted not in subject:
        return subject
    return _joined(_parts(subject, wanted), new)


def _parts(subject: str, between: str) -> Iterator[str]:
    """As `str.split`, one part after the other."""
    start = 0
    while (found := subject.find(between, start)) >= 0:
        yield subject[start:found]
        start = found + len(between)
    yield subject[start:]


@builtin("SPLIT(s, delim)", "array")
def split(value: Value, delimiter: Value) -> Value:
    """The parts between delimiters; an empty delimiter gives single characters, ∅ an empty list."""
    if value is None:
        return []
    subject, between = text(value), text(delimiter)
    reads(len(subject))
    makes(subject.count(between) + 1 if between else len(subject))
    writes(len(subject))
    return subject.split(between) if between else list(subject)


@builtin("JOIN(arr, delim?)", "string")
def join(value: Value, *delimiter: Value) -> Value:
    """The texts of the elements with a delimiter between them, by default `,`; anything but a list: its text."""
    if not isinstance(value, list):
        return text(value)
    between = text(delimiter[0]) if delimiter else ","
    return _joined((text(item) for item in value), between)


def _joined(pieces: Iterable[str], between: str) -> str:
    """As `str.join`, but stops when the result is long enough."""
    written: list[str] = []
    room = _CAP
    for piece in counted(pieces):
        if written:
            written.append(between[:room])
            room -= len(between)
        if room <= 0:
            break
        written.append(piece[:room])
        room -= len(piece)
        if room <= 0:
            break
    writes(_CAP - max(room, 0))
    return "".join(written)


@builtin("PAD_START(s, length, char?)", "string")
def pad_start(value: Value, length: Value, *char: Value) -> Value:
    """The text filled up in front to a length, by default with spaces."""
    padding = _padding(value, length, *char)
    return None if padding is None else _both(padding, text(value))


@builtin("PAD_END(s, length, char?)", "string")
def pad_end(value: Value, length: Value, *char: Value) -> Value:
    """The text filled up behind to a length, by default with spaces."""
    padding = _padding(value, length, *char)
    return None if padding is None else _both(text(value), padding)


def _both(first: str, second: str) -> str:
    writes(len(first) + len(second))
    return first + second


def _padding(value: Value, length: Value, *char: Value) -> str | None:
    wanted = whole(length)
    if wanted is None:
        return None
    fill = text(char[0]) if char else " "
    missing = min(wanted, _CAP) - len(text(value))
    return _repeated(fill, missing) if fill else ""


def _repeated(piece: str, length: int) -> str:
    """As many copies of `piece` as fill `length`, the last one cut."""
    if length <= 0 or not piece:
        return ""
    writes(length)
    return (piece * (length // len(piece) + 1))[:length]


@builtin("REPEAT(s, count)", "string")
def repeat(value: Value, count: Value) -> Value:
    """The text count times; empty when count is below 0."""
    times = whole(count)
    if times is None:
        return None
    subject = text(value)
    return _repeated(subject, min(times * len(subject), _CAP))


@builtin("REGEX_REPLACE(text, pattern, repl)", "string")
def regex_replace(value: Value, pattern: Value, replacement: Value) -> Value:
    """All matches replaced in one pass, `$1`–`$9` standing for groups; unchanged when the pattern is invalid."""
    subject, new = text(value), text(replacement)
    compiled = compile_pattern(text(pattern))
    if compiled is None:
        return subject
    pieces: list[str] = []
    last, room = 0, _CAP
    for found in counted(compiled.finditer(subject)):
        pieces += (subject[last : found.start()][:room], _expand(new, found, room))
        last = found.end()
        room -= len(pieces[-1]) + len(pieces[-2])
        if room <= 0:
            break
    pieces.append(subject[last : last + max(room, 0)])
    writes(_CAP - max(room, 0))
    return "".join(pieces)[:_CAP]


def _expand(template: str, found: Any, room: int) -> str:
    """What takes the place of a match; no more than is needed to fill `room`."""
    if "$" not in template:
        return template[:room]
    pieces = _parts(template, "$")
    out = [next(pieces)[:room]]
    room -= len(out[0])
    for piece in counted(pieces):
        if room <= 0:
            break
        if piece[:1] in tuple("123456789"):
            out += (group_text(found, int(piece[0])) or "", piece[1:])
        else:
            out += ("$", piece)
        room -= len(out[-1]) + len(out[-2])
    return "".join(out)


@builtin("REGEX_EXTRACT(text, pattern, group?)", "string")
def regex_extract(value: Value, pattern: Value, *group: Value) -> Value:
    """The first match, or one of its groups (0 = whole match); null when there is none or the pattern is invalid."""
    number = whole(group[0]) if group else 0
    compiled = compile_pattern(text(pattern))
    found = compiled.search(text(value)) if compiled is not None else None
    return None if found is None or number is None else group_text(found, number)


@builtin("MASK(s, pattern, char?)", "string")
def mask(value: Value, pattern: Value, *char: Value) -> Value:
    """The text with all but its visible ends hidden. Patterns: `last4`, `first4`, `N*M` (first N and last M)."""
    subject = text(value)
    visible = mask_ends(text(pattern))
    if visible is None or sum(visible) >= len(subject):
        return subject
    sign = (text(char[0]) if char else "*")[:1] or "*"
    first, last = visible
    hidden = len(subject) - first - last
    writes(len(subject))
    return subject[:first] + sign * hidden + subject[len(subject) - last :]


def mask_ends(pattern: str) -> tuple[int, int] | None:
    """How many characters a mask pattern leaves visible at either end; None for an unknown pattern (ABL229)."""
    if pattern in ("last4", "first4"):
        return (0, 4) if pattern == "last4" else (4, 0)
    first, star, last = pattern.partition("*")
    digits = first.isdecimal() and last.isdecimal() and first.isascii() and last.isascii()
    if not star or not digits or len(pattern) > 12:
        return None
    return int(first), int(last)
