"""Entries of a section that no node names, as typed values (docs/spec 09)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.language.entry import Entry, Member
from abl.syntax.nodes import Block
from abl.syntax.readers.entries import item_properties


class Listed(NamedTuple):
    """An entry with its block, and its key where it has one."""

    given: Entry
    block: Block
    name: str = ""


def entry_at(place: str, block: Block | None) -> Entry:
    """What is in a list item, or below or behind a key."""
    if block is not None and block.item:
        return Entry.at(place, Member("", None, item_properties(block)))
    return Entry.at(place, block)


def entries(place: str, block: Block | None) -> Iterator[Listed]:
    """The entries of a list with a dash each; lines without dashes are one entry."""
    if block is None:
        return
    items = [child for child in block.children if child.item]
    if items:
        yield from (Listed(entry_at(place, item), item) for item in items)
    elif block.children or block.value is not None:
        yield Listed(entry_at(place, block), block)


def named(place: str, block: Block | None) -> Iterator[Listed]:
    """The entries of a map by their keys."""
    for child in block.children if block is not None else ():
        if child.colon and not child.item:
            yield Listed(entry_at(place, child), child, child.key)
