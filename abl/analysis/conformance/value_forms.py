"""In which form a value is written, and whether the table of places takes it so (docs/spec 01 §3, §5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from abl.analysis.conformance import generic
from abl.language import Value, knows, offered_keys, value_at
from abl.source import Source
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import words

LIST: Final = "list"
MAP: Final = "map"
MIXED: Final = "mixed"
_EITHER: Final = words(
    """
    with set map input returned free branch hook on_start on_error pair renderable intents
    """
)
"""Places whose maps may be written as lists: assignments and names, branches, actions, handlers."""
_BELOW: Final = {"lookup": "values"}
"""Keys below which a list of values belongs that is in the place of the properties."""


def form_of(source: Source, block: Block) -> str:
    """How a value is written: as a list, as properties, as both one below the other, or as neither."""
    value = block.value
    if value is not None:
        return {"[": LIST, "{": MAP}.get(value.raw[:1], "") if value.style == "bare" else ""
    if any(child.item for child in block.children):
        return LIST if all(child.item for child in block.children) else MIXED
    return MAP if any(child.colon for child in block.children) else ""


def is_wrong(source: Source, value: Value, block: Block) -> bool:
    """True for a list, or items, where only properties stand, and for properties where only a list stands."""
    maps, form = value.maps or value.named_maps, form_of(source, block)
    if form == MIXED and maps and not (value.lists or value.named_lists):
        return not (value.maps and value.maps[0] in _EITHER)
    if value.words and maps and form == LIST and not (value.kinds or value.lists or value.named_lists):
        return True  # a word or properties
    if takes_either(value):
        return False
    return (form in (LIST, MIXED) and bool(maps)) or (form in (MAP, MIXED) and bool(value.lists))


def takes_either(value: Value) -> bool:
    """True for what may be written as a list and as properties, or as something else than both."""
    maps, lists = value.maps or value.named_maps, value.lists or value.named_lists
    return bool(value.kinds or value.words or bool(maps) == bool(lists) or (value.maps and value.maps[0] in _EITHER))


def is_either(place: str) -> bool:
    """True for a place whose maps have other forms as well."""
    return place in _EITHER


def belongs_below(source: Source, place: str, block: Block) -> str:
    """The one key of a place below which a list belongs that was written in the place of its properties."""
    if place in _BELOW:
        return _BELOW[place]
    members = [member for entry in generic.entries(source, block) for member in generic.members(source, entry)]
    if not members or any(knows(place, member.key) for member in members):
        return ""
    known = {key: _known_of(value_at(place, key), members) for key in offered_keys(place)}
    most = max(known.values(), default=0)
    best = [key for key, count in known.items() if count == most] if most else []
    return best[0] if len(best) == 1 else ""


def _known_of(value: Value, members: list[Block]) -> int:
    """How many of these properties the entries of a list know; none where something else may stand as well."""
    if not value.lists or value.maps or value.named_maps or value.kinds:
        return 0
    return sum(knows(value.lists[0], member.key) for member in members)


def entries_of_map(properties: Iterable[Block]) -> list[list[Block]]:
    """Properties as those of entries; one that is given again begins the next entry."""
    entries: list[list[Block]] = [[]]
    for child in properties:
        if any(child.key.upper() == other.key.upper() for other in entries[-1]):
            entries.append([])
        entries[-1].append(child)
    return entries
