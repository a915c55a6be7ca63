"""The order of the keys that completion offers: what is required and missing, then what usually follows (12 §1).

What follows a key comes from ``abl.language.usual``, which was learned from written agents, and from the project
itself: what its authors write after a key comes before what others write.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from abl.editing.completion.cursor import Cursor, Item
from abl.editing.completion.names import binding
from abl.editing.place import Line, read_line
from abl.language import PLACES, SECTIONS, knows
from abl.language.tools import BINDING_NEEDS
from abl.language.usual import followers
from abl.source import Source
from abl.syntax import vocabulary
from abl.syntax.nodes import Fragment

_OF_AUTHORS: Final = frozenset({"step", "tool", "field"})
"""Places whose maps stand below a name of the author's."""
_WORDS: Final = frozenset(SECTIONS).union(*[place.keys for place in PLACES.values()])
_KEY_LINE: Final = re.compile(r"^( *)((?:- +)?)([A-Za-z_]\w*):", re.MULTILINE)
_READ_CHARS: Final = 200_000
"""Characters of a document that are read for how its keys follow each other."""
_LINES_ABOVE: Final = 400
_ALIKE: Final = {"STEP_CONSTRAINTS": "CONSTRAINTS"}
"""Keys whose lists hold the same entries as those of another."""
_LEARNED, _LONGER, _OWN = 1.0, 1.5, 0.6
"""Weights of what follows the last key, the last two keys, and of what follows it in the project."""


class Before(NamedTuple):
    """The key before a place in its map and the one before that; see ``abl.language.usual`` for ``^KEY`` and ``-``."""

    last: str
    second: str


def ordered(cursor: Cursor, items: Iterable[Item]) -> list[Item]:
    """The keys of a place, those first that an author most likely wants."""
    found = list(items)
    needed = _needed(cursor)
    before = before_of(cursor.source, cursor.line, cursor.before, cursor.place.block)
    scores = _scores(cursor, before)
    rank = {item.label: (item.label.upper() not in needed, -scores.get(item.label.upper(), 0.0)) for item in found}
    return sorted(found, key=lambda item: rank[item.label])


def _needed(cursor: Cursor) -> frozenset[str]:
    """What the place requires; what is there already is offered no more."""
    if cursor.place.block == "agent":
        agent = cursor.agent.agent if cursor.agent is not None else None
        whole = agent is not None and not isinstance(agent, Fragment)
        return frozenset(name for name, key in SECTIONS.items() if key.required) if whole else frozenset()
    place = PLACES.get(cursor.place.block)
    needed = {key.name.upper() for key in place.listed if key.required} if place is not None else set()
    if cursor.place.block == "tool":
        needed.update(names[0] for names in BINDING_NEEDS.get(binding(cursor), ()))
    return frozenset(needed)


def _scores(cursor: Cursor, before: Before) -> Mapping[str, float]:
    scores: Counter[str] = Counter()
    for weight, context in ((_LEARNED, (before.last,)), (_LONGER, (before.second, before.last)), (0.01, ())):
        for at, key in enumerate(followers(cursor.place.block, *context)):
            scores[key] += weight / (1 + at)  # type: ignore[assignment]
    own: Counter[str] = Counter()
    for document in cursor.index.documents.values():
        own.update(_followed(document.source.text).get(before.last, {}))
    total = sum(own.values())
    for key, count in own.items():
        scores[key] += _OWN * count / (total + 1)  # type: ignore[assignment]
    return scores


@lru_cache(maxsize=256)
def _followed(text: str) -> dict[str, Counter[str]]:
    """By each key the keys that follow it in the same column, with how often, in the beginning of a text."""
    found: dict[str, Counter[str]] = {}
    last: dict[int, str] = {}
    for line in _KEY_LINE.finditer(text, 0, _READ_CHARS):
        column, key = line.end(2) - line.start(), line[3].upper()
        if line[2]:
            last.pop(column, None)
        for deeper in [other for other in last if other > column]:
            del last[deeper]
        if column in last:
            found.setdefault(last[column], Counter())[key] += 1
        last[column] = key
    return found


def before_of(source: Source, number: int, before: str, block: str) -> Before:
    """The keys before a cursor, in the map that it stands in."""
    here = read_line(before)
    column, begins = here.column, here.item
    seen: list[str] = []
    for above in range(number - 1, max(number - _LINES_ABOVE, 0), -1):
        text = source.line_text(above)
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        line = read_line(text)
        if line.key and line.column == column and not begins:
            seen.append(_named(block, line.key))
            begins = line.item
            if len(seen) == 2:
                break
        elif line.indent < (here.indent if begins and not seen else column) and not _same(line, column):
            seen.append(_head(block, line.key))
            break
    last, second, *_ = (*seen, "", "")
    return Before(last or "^", second)


def _same(line: Line, column: int) -> bool:
    """True for an item whose key stands in that column."""
    return line.item and line.column == column


def _named(block: str, key: str) -> str:
    known = key.upper() in _WORDS if block == "agent" else knows(block, key)
    return vocabulary.canonical_key(key) if known else "-"


def _head(block: str, key: str) -> str:
    if block in _OF_AUTHORS or key.upper() not in _WORDS:
        return "^"
    known = vocabulary.canonical_key(key)
    return f"^{_ALIKE.get(known, known)}"
