"""Sections and properties without nodes of their own, read from their blocks (docs/spec 01 §3, §5).

Keys are compared without case and ``_``, so that ``POST_AGENT``, ``post_agent`` and ``postAgent`` are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from abl.analysis.index.model import AgentIndex
from abl.language import key_at
from abl.limits import MAX_COMPARED_NAMES
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.incremental.relocation import moved
from abl.syntax.lines.pieces import inside_brackets, split_commas
from abl.syntax.lines.texts import bare_text, scalar_text
from abl.syntax.nodes import Block, Name
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import item_properties, names_of
from abl.syntax.readers.literals import members_in_braces, readable

COMPARED: Final = MAX_COMPARED_NAMES
"""Names that a misspelt one is compared with at most, where authors may declare any number."""


def some(names: Iterable[str]) -> tuple[str, ...]:
    """The first of many names, for did-you-mean."""
    return tuple(islice(names, COMPARED))


def plain(key: str) -> str:
    """A key as it is compared."""
    return key.replace("_", "").lower()


def members(source: Source, block: Block | None) -> tuple[Block, ...]:
    """The properties of a map or list entry: nested lines, or the members of an inline object."""
    if block is None:
        return ()
    if block.item and block.colon:
        return tuple([child for child in item_properties(block) if child.colon])
    if block.value is not None:
        inline = members_in_braces(source, block.value)
        if inline:
            return inline
    return tuple([child for child in block.children if child.colon])


def by_key(source: Source, block: Block | None) -> dict[str, Block]:
    """The same by compared key; of two with one key the last counts."""
    return {plain(child.key): child for child in members(source, block)}


def entries(source: Source, block: Block | None) -> Iterator[Block]:
    """The entries of a list: lines with a dash, or the elements of an inline list. A map is one entry."""
    if block is None:
        return
    value = block.value
    if value is not None and value.style == "bare" and value.raw[:1] == "[":
        its, text, shift = readable(source, value)
        parts = split_commas(its.text, *inside_brackets(its.text, *text.span))
        yield from (moved(_element(its, start, end), shift) for start, end in parts)
    elif any(child.item for child in block.children):
        yield from (child for child in block.children if child.item)
    elif block.children or (value is not None and value.raw[:1] == "{"):
        yield block


def _element(source: Source, start: int, end: int) -> Block:
    """An element of a list in brackets as an item with a dash."""
    span = Span(start, end)
    text = bare_text(source.text, start, end) if source.text[start] == "{" else None
    text = text or scalar_text(source.text, start, end)
    return Block("", Span(start, start), text, (), span, span, source.position(start).column, True, False)


def word(block: Block | None) -> str:
    """The value of a property without quotes and blanks; empty without one."""
    return block.value.value.strip() if block is not None and block.value is not None else ""


def span_of(block: Block) -> Span:
    """Where a property's value stands, else its key, else its line."""
    if block.value is not None:
        return block.value.inner
    return block.key_span if block.colon else block.line_span


def names(source: Source, block: Block | None) -> tuple[Name, ...]:
    """The names of a list in any form; of a map its keys."""
    return names_of(_context(source), block) if block is not None else ()


def value(place: str, key: str, block: Block | None) -> Any:
    """The value of a property of a place as it is meant, else its default (``abl.language``)."""
    declared = key_at(place, key)
    return declared.read(block) if declared is not None else None


def number(text: str) -> float | None:
    """A plain number, or None."""
    try:
        return float(text) if text and text[-1].isdigit() else None
    except ValueError:
        return None


def sections(agent: AgentIndex, keyword: str) -> Iterator[nodes.Section]:
    """Every section of a canonical keyword that has a block."""
    return (s for s in agent.agent.sections if s.keyword == keyword and s.block is not None)


def section_keys(agent: AgentIndex, keyword: str) -> dict[str, Block]:
    """The properties of the first such section."""
    section = next(sections(agent, keyword), None)
    return by_key(agent.source, section.block) if section is not None else {}


def section_keys_as_written(agent: AgentIndex, keyword: str) -> Iterator[str]:
    """The keys of all such sections as authors wrote them, for those that are names."""
    for section in sections(agent, keyword):
        yield from (member.key for member in members(agent.source, section.block))


def first_of(found: Mapping[str, Block], keys: Iterable[str]) -> Block | None:
    """The first property that is there of several that mean the same."""
    return next((found[key] for key in keys if key in found), None)


def _context(source: Source) -> Context:
    return Context(source, source.text)
