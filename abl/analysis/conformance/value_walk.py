"""Walks over the properties of sections as the table of places knows them (``abl.language``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from abl.analysis.conformance import generic
from abl.analysis.conformance.value_forms import belongs_below, is_wrong
from abl.language import Value, knows, profile_value, section_value, value_at
from abl.source import Source
from abl.syntax.nodes import Block
from abl.syntax.readers.tools import mapped_name
from abl.syntax.vocabulary import EVERY_TOOL_KEY, canonical_key

Entry = tuple[str, tuple[Block, ...]]
"""A place, and the properties of one map that is there."""

_DEEPEST = 12
"""Places nest as deep as that at most in any text that means something."""


_OF_PROFILES = ("RESPONSE", "VOICE", "TOOLS", "GATHER", "FLOW")


class Stood(NamedTuple):
    """A property where it stands: its place in the table, its block, what its value may be, whether it is listed.

    ``beside`` are the properties of its map, itself among them.
    """

    place: str
    block: Block
    value: Value
    listed: bool
    beside: tuple[Block, ...] = ()


_new_stood: Final = cast(Callable[[type[Stood], tuple[Any, ...]], Stood], tuple.__new__)


def below(source: Source, keyword: str, block: Block | None) -> Iterator[Entry]:
    """Every map below a section whose place the table knows: its place and its properties, outermost first."""
    if block is None:
        return
    if keyword == "BEHAVIOR_PROFILE":  # a document: its other sections are sections of their own
        for child in block.children:
            if child.key.upper() in _OF_PROFILES:
                yield from _below(source, profile_value(child.key.upper()), child, 0)
    elif any(value := section_value(keyword)):
        yield from _below(source, value, block, 0)


def within(source: Source, place: str, block: Block | None) -> Iterator[Entry]:
    """The same for one map of a place and what is below it."""
    if block is not None:
        yield from _entry(source, place, generic.members(source, block), 0)


def digressions(source: Source, flow: Block | None) -> Iterator[Entry]:
    """The same for what FLOW holds besides its steps."""
    for child in flow.children if flow is not None else ():
        if canonical_key(child.key) == "GLOBAL_DIGRESSIONS":
            yield from _below(source, value_at("flow", child.key), child, 0)


def shared_by_tools(source: Source, tools: Block | None) -> Iterator[Entry]:
    """The same for what TOOLS holds besides its tools: imports, and what the tools of a file share (08 §9)."""
    lines = tools.children if tools is not None else ()
    yield from _entry(source, "tools", tuple([c for c in lines if c.colon and not _is_of_a_tool(c)]), 0)


def _is_of_a_tool(line: Block) -> bool:
    """True for a tool, and for an entry of a list that begins like one."""
    return mapped_name(line) is not None or (line.item and canonical_key(line.key) in EVERY_TOOL_KEY)


def properties(entries: Iterable[Entry]) -> Iterator[Stood]:
    """Every property of such maps."""
    for place, members in entries:
        for child in members:
            yield _new_stood(Stood, (place, child, *_known(place, child.key), members))


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
            yield from _entry(source, listed[0], _of_one(source, listed[0], entry), depth)
        if not listed and is_wrong(source, value, block):
            yield from _of_wrong_list(source, value, block, depth)
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


def _of_wrong_list(source: Source, value: Value, block: Block, depth: int) -> Iterator[Entry]:
    """What is in a list where none is due, as if it stood there rightly."""
    key = belongs_below(source, value.maps[0], block) if value.maps else ""
    inner = value_at(value.maps[0], key).lists if key else ()
    for entry in generic.entries(source, block):
        members = generic.members(source, entry)
        place = (inner or value.maps or value.named_maps)[0]
        if not value.named_maps:
            yield from _entry(source, place, members, depth)
        elif any(knows(place, member.key) for member in members):
            yield from _entry(source, place, tuple([m for m in members if m.key.upper() != "NAME"]), depth)
        else:
            for member in members:
                yield from _entry(source, place, generic.members(source, member), depth)


def _of_one(source: Source, place: str, entry: Block) -> tuple[Block, ...]:
    """The properties of an entry. A field of SECURE_INPUT may begin with its name as a key: ``- card:`` (06 §5.11)."""
    members = generic.members(source, entry)
    first = members[0] if members and entry.colon and place == "secure_field" else None
    named = first is not None and (first.value is None or first.value.raw[:1] == "{") and not knows(place, first.key)
    return (*generic.members(source, first), *members[1:]) if named else members


def _entry(source: Source, place: str, members: tuple[Block, ...], depth: int) -> Iterator[Entry]:
    if members:
        yield place, members
    for child in members:
        if child.children or (child.value is not None and child.value.raw[:1] in ("{", "[")):
            yield from _below(source, _known(place, child.key)[0], child, depth + 1)


def _is_list(block: Block) -> bool:
    return any(child.item for child in block.children) or (block.value is not None and block.value.raw[:1] == "[")
