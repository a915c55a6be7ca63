"""How large values are when they are written out, and what happens to those that are too large (docs/spec 02 §8).

Values may share parts (`x = [x, x]`), so that what is small in memory is huge as JSON. Each part is measured once.
"""

from __future__ import annotations

from typing import Any, Final

from abl.limits import MAX_VARIABLE

from .bounds import MAX_VALUE_DEPTH
from .budget import FREE, BudgetExceeded, spends

_SCALAR: Final = 8
"""Characters of a number, true, false or null, roughly."""


class SizeExceeded(BudgetExceeded):
    """Something is larger than is kept or answered. `what` is `variable`, `variables`, `fact`, `reply`, `replies`,
    `snapshot`, `events`, `secrets` or `value`, `subject` says which; `size` and `limit` are characters, or a count.
    """

    def __init__(self, what: str, subject: str, size: int, limit: int, unit: str = "characters") -> None:
        super().__init__(what, limit, f"{subject} has {size:,} {unit}; at most {limit:,} are allowed")
        self.subject = subject
        self.size = size

    def as_json(self) -> dict[str, Any]:
        """`what`, `subject`, `size` and `limit`."""
        return {"what": self.what, "subject": self.subject, "size": self.size, "limit": self.limit}


class DepthExceeded(SizeExceeded):
    """A value nests deeper than is kept; `size` is one more than the limit."""

    def __init__(self, subject: str) -> None:
        super().__init__("depth", subject, MAX_VALUE_DEPTH + 1, MAX_VALUE_DEPTH, "levels of nesting")


def written_size(value: Any, name: str) -> int:
    """Characters of a value as JSON, roughly: escapes are not counted. Raises DepthExceeded, which calls it `name`."""
    if type(value) is str:
        return len(value) + 2
    if not isinstance(value, dict | list | tuple):
        return _SCALAR
    return _Measure(name).of(value, 1)[0]


def whole_size(value: Any) -> int:
    """As `written_size`, for values of any depth that are only shown: what nests too deeply counts as the largest."""
    try:
        return written_size(value, "the value")
    except DepthExceeded:
        return MAX_VARIABLE


class _Measure:
    """One measurement. Each part is measured once, however often it occurs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.measured: dict[int, tuple[int, int]] = {}
        self.steps = 0

    def of(self, value: Any, level: int) -> tuple[int, int]:
        """Characters and levels of a list or object that stands at a level of the whole."""
        known = self.measured.get(id(value))
        if level + (known[1] - 1 if known is not None else 0) > MAX_VALUE_DEPTH:
            raise DepthExceeded(self.name)
        if known is not None:
            return known
        size, levels = 2 + len(value), 0
        if isinstance(value, dict):
            size += sum(len(key) + 3 if isinstance(key, str) else _SCALAR for key in value)
        for item in value.values() if isinstance(value, dict) else value:
            self.steps += 1
            if not self.steps % FREE:
                spends(FREE >> 2)
            if isinstance(item, dict | list | tuple):
                below = self.of(item, level + 1)
                size += below[0]
                levels = max(levels, below[1])
            else:
                size += len(item) + 2 if type(item) is str else _SCALAR
        self.measured[id(value)] = size, levels + 1
        return size, levels + 1
