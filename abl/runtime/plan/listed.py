"""Entries of a section that no node names, as typed values (docs/spec 09)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.language.entry import Entry, Member, Piece
from abl.language.written import Lines, split_outside
from abl.syntax.nodes import Block
from abl.syntax.readers.entries import item_properties


class Listed(NamedTuple):
    """An entry with its block, and its key where it has one."""

    given: Entry
    block: Lines
    name: str = ""


def entry_at(place: str, block: Lines | None) -> Entry:
    """What is in a list item, in lines or in braces, or below or behind a key."""
    if isinstance(block, Block) and block.item and block.colon:
        return Entry.at(place, Member("", None, item_properties(block)))
    return Entry.at(place, block)


def entries(place: str, block: Lines | None) -> Iterator[Listed]:
    """The entries of a list: a dash each, or the elements of a list in brackets; a mapping is one entry."""
    if block is None:
        return
    items = [child for child in block.children if child.item]
    text = block.value.value.strip() if block.value is not None and block.value.style == "bare" else ""
    if items:
        yield from (Listed(entry_at(place, item), item) for item in items)
    elif text[:1] == "[" and text[-1:] == "]":
        yield from (Listed(Entry.at(place, Member("", Piece(part))), block) for part in split_outside(text[1:-1]))
    elif block.children or block.value is not None:
        yield Listed(entry_at(place, block), block)


def named(place: str, block: Block | None) -> Iterator[Listed]:
    """The entries of a map by their keys."""
    for child in block.children if block is not None else ():
        if child.colon and not child.item:
            yield Listed(entry_at(place, child), child, child.key)
