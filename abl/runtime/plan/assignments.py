"""Assignments as they are written: lines below SET, one behind it, or a mapping in braces."""

from __future__ import annotations

from collections.abc import Iterator

from abl.language.entry import members
from abl.language.written import Lines
from abl.syntax import nodes


def assignments_of(block: Lines | None) -> Iterator[tuple[str, str, Lines]]:
    """Target, expression and line of each assignment: lines below SET, one behind it, or a mapping in braces."""
    if block is None:
        return
    listed = [*block.children] if block.children else [*members(block)]
    if not listed and block.value is not None:
        target, _, text = block.value.value.partition("=")
        yield target.strip(), text.strip(), block
    for entry in listed:
        yield *assignment_of(entry), entry


def line_of(entry: Lines, block: nodes.Block) -> nodes.Block:
    """What an event about an entry points to: its line; of what is in braces the whole ``block``."""
    return entry if isinstance(entry, nodes.Block) else block


def assignment_of(entry: Lines) -> tuple[str, str]:
    """Target and expression of a line ``name: expr`` or ``name = expr``."""
    if entry.key and entry.key.upper() != "SET" and entry.value is not None:
        return entry.key, entry.value.value
    target, _, text = (entry.value.value if entry.value is not None else "").partition("=")
    return target.strip(), text.strip()
