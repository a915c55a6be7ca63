"""Regular expressions of users: RE2 syntax, linear time, one function (docs/spec 02 §5.1, docs/architecture.md §4).

Patterns from a small subset for which backtracking cannot happen run on Python's `re`, which starts faster than the
RE2 binding; `tests/abl/expressions` holds both to the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from . import bounds
from .budget import found as found_budget
from .budget import writes

_FLAGS: Final = frozenset("ims")

# One atom: an ordinary character, an escaped sign, a class of characters or a shorthand; perhaps repeated n times.
_ATOM = r"(?:[A-Za-z0-9_ @#%&~=:;,<>!\"'/-]|\\[.\-/+*?()\[\]{}^$|dws]|\.|\[[A-Za-z0-9_ .@:,/-]+\])"
_FIXED = rf"(?:{_ATOM}(?:\{{[0-9]{{1,2}}\}})?)"
# With `^` there is one place to start from, so one unbounded repetition before a fixed rest stays linear.
_SIMPLE = re.compile(rf"\^?{_FIXED}*+\$?|\^{_FIXED}*(?:{_ATOM}[+*])?{_FIXED}{{0,20}}\$?")
_COUNT = re.compile(r"\{([0-9]{1,2})\}")
_SHORTHAND: Final = {r"\s": r"[\t\n\f\r ]"}


class Pattern:
    """A compiled pattern. Matches have the interface of `re.Match` (group, groups, start, end, groupdict)."""

    __slots__ = ("_compiled", "search")

    search: Callable[[str], Any]

    def __init__(self, compiled: Any, quick: Callable[[str], Any] | None = None) -> None:
        self._compiled = compiled
        self.search = quick or self._search

    @property
    def size(self) -> int:
        """Instructions of the compiled program: at worst a search takes as many steps for each byte of a text."""
        return int(self._compiled.programsize)

    def _search(self, text: str) -> Any:
        self._count(len(text))
        return self._compiled.search(clean(text))

    def finditer(self, text: str) -> Iterator[Any]:
        """All matches that do not overlap, from left to right."""
        before = None
        self._count(len(text))
        for found in self._compiled.finditer(clean(text)):
            if found.span() != before:  # the binding gives an empty match (`$`, `\\b`) twice
                yield found
            before = found.span()
            self._count(len(text) - found.end())

    def _count(self, length: int) -> None:
        """Count a search through so many characters before it is made; the clock shows later what it really took."""
        budget = found_budget()
        if budget is None:
            return
        if length * self.size > bounds.MAX_SEARCH:
            budget.exceed("operations")
        budget.spend(length >> 10)
        budget.step()


def clean(text: str) -> str:
    """Text that can be encoded: half a surrogate pair becomes `?`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=256)
def compile_pattern(pattern: str, flags: str = "") -> Pattern | None:
    """The pattern, or None when RE2 does not accept it; `regex_problem` says why. Flags: any of `i`, `m`, `s`."""
    compiled, _ = _compile(pattern, flags)
    if compiled is None:
        return None
    if not flags and (quick := _quick(pattern)) is not None:
        return Pattern(compiled, quick.search)
    return Pattern(compiled)


def regex_problem(pattern: str, flags: str = "") -> str | None:
    """Why a pattern is invalid, in RE2's words; None for a valid one (ABL213, ABL706)."""
    return _compile(pattern, flags)[1]


def _compile(pattern: str, flags: str) -> tuple[Any, str | None]:
    import re2

    if len(pattern) > bounds.MAX_PATTERN_LENGTH:
        return None, f"longer than {bounds.MAX_PATTERN_LENGTH:,} characters"
    options = re2.Options()
    options.log_errors = False
    options.max_mem = bounds.MAX_PATTERN_MEMORY
    used = "".join(sorted(_FLAGS & set(flags)))
    try:
        return re2.compile(f"(?{used}){clean(pattern)}" if used else clean(pattern), options=options), None
    except re2.error as problem:
        reason = problem.args[0] if problem.args else "unreadable"
        return None, reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _quick(pattern: str) -> re.Pattern[str] | None:
    """The pattern for Python's `re` where both engines mean the same and no backtracking can happen."""
    if len(pattern) > bounds.MAX_QUICK_PATTERN or "--" in pattern or _SIMPLE.fullmatch(pattern) is None:
        return None
    if len(pattern) + sum(int(count) for count in _COUNT.findall(pattern)) > bounds.MAX_QUICK_PATTERN:
        return None
    body = pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
    try:
        return re.compile(_SHORTHAND_USE.sub(lambda found: _SHORTHAND[found.group()], body), re.ASCII)
    except re.error:
        return None


_SHORTHAND_USE = re.compile(r"\\s")


def group_text(found: Any, number: int) -> str | None:
    """A group of a match, 0 the whole; None for a number that there is not."""
    if not 0 <= number <= found.re.groups:
        return None
    low, high = found.span(number)
    writes(high - low)
    text: str | None = found.group(number)
    return text


def match_record(found: Any) -> dict[str, str | None]:
    """What `match` holds after a hit: `0` the whole, `1` … the groups, and named groups by name."""
    low, high = found.span()
    writes((high - low) * (1 + found.re.groups + len(found.re.groupindex)))
    record: dict[str, str | None] = {"0": found.group(0)}
    for number, group in enumerate(found.groups(), start=1):
        record[str(number)] = group
    record.update(found.groupdict())
    return record
