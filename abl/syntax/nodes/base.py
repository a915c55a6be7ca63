"""What every part of the tree is made of: texts, names, literals, comments, blocks, properties, nodes."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple

from abl.language.entry import Entry
from abl.source import Span, new_span

TextStyle = Literal["bare", "double", "single", "pipe"]


class Text(NamedTuple):
    """A scalar as written.

    ``value`` has escapes resolved and pipe indentation removed; ``raw`` is the text of ``inner`` as it is in the
    file; ``span`` includes the quotes. For pipe blocks ``span`` covers ``|`` to the last line and offsets inside
    ``value`` are mapped by ``offset_of``.
    """

    value: str
    raw: str
    span: Span
    inner: Span
    style: TextStyle = "bare"
    map: tuple[tuple[int, int], ...] = ()  # (offset in value, offset in source), one per run; empty = identity

    def offset_of(self, at: int) -> int:
        """Offset in the source of an offset in ``value``."""
        if not self.map:
            return self.inner.start + at
        base, source = self.map[max(bisect_right(self.map, (at, sys.maxsize)) - 1, 0)]
        return source + (at - base)

    def span_of(self, start: int, end: int) -> Span:
        """Span in the source of a range of ``value``."""
        first = self.offset_of(start)
        if end <= start:
            return new_span(Span, (first, first))
        last = self.offset_of(end - 1) + 1 if self.style == "pipe" else self.offset_of(end)
        return new_span(Span, (first, last if last > first else first))


class Name(NamedTuple):
    """An identifier or dotted path as written."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Literal_:  # noqa: N801  "Literal" is typing's
    """A literal value (INITIAL, DEFAULT, tool defaults): JSON-like ``value``; ``dynamic`` holds text such as NOW()."""

    value: Any
    span: Span
    dynamic: Text | None = None


class Comment(NamedTuple):
    """A comment line; ``text`` without the ``#``."""

    text: str
    span: Span


class _Remembering:
    """Room for what a reader made of a block, no part of its value (``abl.syntax.incremental.reader_cache``)."""

    __slots__ = ("reading",)


@dataclass(frozen=True, slots=True, eq=False)
class Block(_Remembering):
    """One logical line and what is nested below it.

    ``key`` is the word before ``:`` as written ("" for a bare line); ``value`` what follows on the line (or the pipe
    text, or a bracket value over several lines); ``item`` says that the line began with ``- ``. A list item whose
    first line holds a property (``- WHEN: x``) is one Block with ``key`` WHEN and the further properties as children.
    ``column`` is 1-based, of the first character (the dash of an item).
    """

    key: str
    key_span: Span
    value: Text | None
    children: tuple[Block, ...]
    span: Span  # from the first character of the line to the end of the last line of its children
    line_span: Span  # its own first line, without indentation
    column: int
    item: bool = False
    colon: bool = True
    comments: tuple[Comment, ...] = ()  # comment lines directly above it
    path: str = ""

    def walk(self) -> Iterator[Block]:
        """This block and everything below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __eq__(self, other: object) -> bool:
        """Equal content at an equal place; a block that was moved there counts (``incremental.relocation``)."""
        return self is other or (isinstance(other, Block) and _field_values(self) == _field_values(other))

    def __hash__(self) -> int:
        return hash((self.key, self.span))


_field_values = attrgetter(*(part.name for part in fields(Block)))


class Property(NamedTuple):
    """``KEY: value`` of an entry: canonical key, as written, its value and nested block."""

    key: str
    written: str
    key_span: Span
    value: Text | None
    block: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What every typed node has: its span, its stable path (``memory.session[1]``) and its block.

    ``PLACE`` is the place of ``abl.language`` whose keys ``props`` are, empty where they are of none.
    """

    PLACE: ClassVar[str] = ""

    span: Span
    path: str
    block: Block | None = field(default=None, repr=False, compare=False)
    props: tuple[Property, ...] = field(default=(), repr=False)

    def prop(self, key: str) -> Property | None:
        """The last property of that canonical key, if any."""
        return next((p for p in reversed(self.props) if p.key == key), None)

    @property
    def typed(self) -> Entry:
        """The properties as typed values; of a key that is given twice the last one counts."""
        return Entry(self.PLACE, {p.key: p.block for p in self.props})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Node):
    """A line that could not be read, with its raw text."""

    text: str
