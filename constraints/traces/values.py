"""Values of a trace for display: in a line, in a cell, or member by member."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VALUE_LENGTH = 24
CELL_LENGTH = 48
DEEPEST = 3
"""Members below this depth are shown as one line."""
MOST_MEMBERS = 50
NAME = re.compile(r"[A-Za-z_]\w*\Z")


def shown(value: Any) -> str:
    """A value in one line, written as the language writes it; ``unset`` for null."""
    return "unset" if value is None else literal(value)


def literal(value: Any) -> str:
    """A value as a literal of the language. A value that the trace has cut shows its beginning and its size."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case Mapping() if value.get("truncated"):
            return f"{value.get('preview', '')}… ({value.get('size'):,} characters)"
        case Mapping():
            members = (f"{key if NAME.match(key) else json.dumps(key)}: {literal(item)}" for key, item in value.items())
            return f"{{{', '.join(members)}}}"
        case _:
            return str(value)


def clipped(text: str, length: int = VALUE_LENGTH) -> str:
    """The text, cut with an ellipsis where it is longer."""
    return text if len(text) <= length else text[: length - 1] + "…"


@dataclass(frozen=True, slots=True)
class Tree:
    """A value to be drawn: a line of ``text``, or ``members`` with their labels (empty for items of a list)."""

    text: str = ""
    unset: bool = False
    members: list[tuple[str, Tree]] = field(default_factory=list)
    more: int = 0

    @property
    def is_list(self) -> bool:
        """Whether the members are items, which have no names."""
        return bool(self.members) and not self.members[0][0]


def tree(value: Any, depth: int = 0) -> Tree:
    """The value member by member, no deeper and no longer than one can read; ``more`` counts what is left out."""
    if not isinstance(value, Mapping | list) or not value or depth >= DEEPEST:
        return Tree(shown(value), unset=value is None)
    if isinstance(value, Mapping) and value.get("truncated"):
        return Tree(shown(value))
    if isinstance(value, list) and not any(isinstance(item, Mapping | list) for item in value):
        return Tree(shown(value))
    items = [(key, item) for key, item in value.items()] if isinstance(value, Mapping) else [("", i) for i in value]
    members = [(key, tree(item, depth + 1)) for key, item in items[:MOST_MEMBERS]]
    return Tree(members=members, more=max(len(items) - MOST_MEMBERS, 0))
