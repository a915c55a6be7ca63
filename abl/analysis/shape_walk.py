"""Walks over the properties of sections as the table of places knows them (``abl.analysis.shapes``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from abl.analysis import generic
from abl.analysis.shapes import PROFILE_PLACES, SECTION_PLACES, Value, knows, value_at, value_of
from abl.source import Source
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import canonical_key

Entry = tuple[str, tuple[Block, ...]]
"""A place, and the properties of one map that stands there."""

_DEEPEST = 12
"""Places nest as deep as that at most in any text that means something."""


_OF_PROFILES = ("RESPONSE", "VOICE", "TOOLS", "GATHER", "FLOW")


class Stood(NamedTuple):
    """A property where it stands: its place in the table, its block, what its value may be, whether it is listed."""

    place: str
    block: Block
    value: Value
    known: bool


def below(source: Source, keyword: str, block: Block | None) -> Iterator[Entry]:
    """Every map below a section whose place the table knows: its place and its properties, outermost first."""
    if block is None:
        return
    if keyword == "BEHAVIOR_PROFILE":  # a document: its other sections are sections of their own
        for child in block.children:
            if child.key.upper() in _OF_PROFILES:
                yield from _below(source, value_of(PROFILE_PLACES[child.key.upper()]), child, 0)
    elif keyword in SECTION_PLACES:
        yield from _below(source, value_of(SECTION_PLACES[keyword]), block, 0)


def within(source: Source, place: str, block: Block | None) -> Iterator[Entry]:
    """The same for one map of a place and what is below it."""
    if block is not None:
        yield from _entry(source, place, generic.members(source, block), 0)


def digressions(source: Source, flow: Block | None) -> Iterator[Entry]:
    """The same for what FLOW holds besides its steps."""
    for child in flow.children if flow is not None else ():
        if canonical_key(child.key) == "GLOBAL_DIGRESSIONS":
            yield from _below(source, value_at("flow", child.key), child, 0)


def properties(entries: Iterable[Entry]) -> Iterator[Stood]:
    """Every property of such maps."""
    for place, members in entries:
        for child in members:
            yield Stood(place, child, *_known(place, child.key))


@lru_cache(maxsize=4096)
def _known(place: str, key: str) -> tuple[Value, bool]:
    return value_at(place, key), knows(place, key)


def _below(source: Source, value: Value, block: Block, depth: int) -> Iterator[Entry]:
    """The maps that a property holds, by the form in which it is written."""
    if depth > _DEEPEST:
        return
    listed = value.lists or value.named_lists
    if _is_list(block):
        for entry in generic.entries(source, block) if listed else ():
            yield from _entry(source, listed[0], generic.members(source, entry), depth)
    elif value.maps[:1] == ("tools",):
        for tool in block.children:  # a signature has no colon
            yield from _entry(source, "tool", generic.members(source, tool), depth)
    elif value.maps:
        yield from _entry(source, value.maps[0], generic.members(source, block), depth)
    elif value.named_maps:
        for child in generic.members(source, block):
            yield from _entry(source, value.named_maps[0], generic.members(source, child), depth)
    elif value.lists:  # one entry without its dash, or a map of names
        members = generic.members(source, block)
        if any(knows(value.lists[0], member.key) for member in members):
            yield from _entry(source, value.lists[0], members, depth)


def _entry(source: Source, place: str, members: tuple[Block, ...], depth: int) -> Iterator[Entry]:
    if members:
        yield place, members
    for child in members:
        if child.children or (child.value is not None and child.value.raw[:1] in ("{", "[")):
            yield from _below(source, _known(place, child.key)[0], child, depth + 1)


def _is_list(block: Block) -> bool:
    return any(child.item for child in block.children) or (block.value is not None and block.value.raw[:1] == "[")
