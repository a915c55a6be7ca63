"""What a walk over a tree records: expressions with the names they read, templates, writes, references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Concatenate, Final, ParamSpec, TypeVar

from abl.analysis.collect.records import (
    BINDING,
    ExpressionUse,
    Mode,
    Read,
    StepKind,
    StepRef,
    TemplateUse,
    Write,
    WriteKind,
    new_read,
)
from abl.analysis.conditions.reading import read_condition_text, read_value, tags_of
from abl.analysis.incremental.parts import Part, Placed
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.incremental.relocation import Move, moved, moved_block
from abl.syntax.nodes import Block, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.flow_style import in_lines

AnyNode = TypeVar("AnyNode", bound=nodes.Node)
AnyValue = TypeVar("AnyValue")
Args = ParamSpec("Args")

_EACH_NAMES = frozenset({"this", "@index", "@first", "@last"})
_NO_NAMES: Final[frozenset[str]] = frozenset()
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_TOLD: Final = frozenset({"ABL123"})  # which case is usual differs from place to place
_COLLECTED: Final = "what was collected"  # the key of the notes of a unit


class Recorder:
    """Walks in document order of the parts; reads and writes are numbered, so "earlier" is one comparison."""

    def __init__(self, source: Source, units: Mapping[int, nodes.Unit], yaml: bool = False) -> None:
        self.source = source
        self.units = units
        self.yaml = yaml
        self.placed: list[Placed] = []
        self.part = Part(unit=False)
        self.before = 0
        self.shift = 0
        self.step: str | None = None
        self.in_tool = ""  # the tool whose ``do`` list is walked
        self.locals = _NO_NAMES  # names that the place gets from outside, such as the result of a tool
        self.certain = True

    @contextmanager
    def within(self, names: Iterable[str] = _NO_NAMES, *, certain: bool = True) -> Iterator[None]:
        """A scope with names of its own; without ``certain`` it may have more, so that no name counts as undeclared."""
        before = self.locals, self.certain
        self.locals, self.certain = self.locals | frozenset(names), self.certain and certain
        try:
            yield
        finally:
            self.locals, self.certain = before

    def read_below(
        self,
        read: Callable[Concatenate[Context, Block, Args], AnyValue],
        block: Block,
        *args: Args.args,
        **kwargs: Args.kwargs,
    ) -> AnyValue:
        """What a reader of the parser makes of a block that the tree keeps as lines. What it notices is kept."""
        ctx = Context(self.source, self.source.text, yaml=self.yaml)
        found = read(ctx, in_lines(ctx, moved_block(block, self.shift)), *args, **kwargs)
        self.part.findings.extend(moved(each, -self.shift) for each in ctx.findings if each.code not in _NOT_TOLD)
        return moved(found, -self.shift)

    def unit(self, node: AnyNode, walk: Callable[[AnyNode], None]) -> None:
        """Walk over an entry; one that is reused from an earlier text is not walked again."""
        known = self.units.get(id(node))
        if known is None or self.part.unit:
            walk(node)
            return
        reading, move = known
        part: Part | None = reading.notes.get(_COLLECTED)
        self._end_part()
        if part is None:
            between, self.part = self.part, Part(unit=True)
            self.shift = move.shift if move is not None else 0
            walk(reading.node)  # of which ``node`` is a copy, or the same
            part, self.part, self.shift = self.part, between, 0
            reading.notes[_COLLECTED] = part
        self._place(part, move)

    def finish(self) -> tuple[Placed, ...]:
        """The parts in order."""
        self._end_part()
        return tuple(self.placed)

    def _end_part(self) -> None:
        """What follows belongs to another part than what was met between the last unit and now."""
        if not self.part.empty:
            self._place(self.part, None)
            self.part = Part(unit=False)

    def _place(self, part: Part, move: Move | None) -> None:
        self.placed.append(Placed(part, move, self.before))
        self.before += part.numbers

    def number(self) -> int:
        """The number of what is met now."""
        self.part.numbers += 1
        return self.part.numbers

    def seen(self, node: nodes.Node) -> None:
        """Note a node."""
        part = self.part
        part.nodes.append(node)
        part.by_type.setdefault(node.__class__, []).append(node)

    def expression(
        self,
        text: Text | None,
        mode: Mode,
        place: str,
        owner: nodes.Node,
        names: Iterable[str] = _NO_NAMES,
        *,
        certain: bool = True,
    ) -> None:
        """Note an expression and the names it reads; these are not ``certain`` where a rule of its own judges them."""
        if text is None or not text.value.strip():
            return
        reading = read_condition_text(text.value, text.style) if mode == "condition" else read_value(text.value)
        known = self.locals.union(names) if names else self.locals
        use = ExpressionUse(text, mode, place, owner, self.step, known, reading)
        self.part.uses.append(use)
        self._reads(use, self.number(), certain and self.certain)

    def _reads(self, use: ExpressionUse, number: int, certain: bool = True) -> None:
        add, owner, step = self.part.reads.append, use.owner, self.step
        for name in use.reading.names:
            if not use.locals or name.root not in use.locals:
                span = use.span(name.start, name.end)
                add(new_read(Read, (name.path, span, use, owner, step, number, certain)))
        for literal in use.reading.strings:
            if "\\" not in use.reading.text[literal.start : literal.end]:
                self._tags(
                    use.text, literal.value, use.base + use.reading.offset + literal.start + 1, "STRING", use.owner
                )

    def template(self, text: Text | None, place: str, owner: nodes.Node) -> None:
        """Note a text with placeholders and the names they read."""
        if text is not None and text.value:
            self._tags(text, text.value, 0, place, owner)

    def _tags(self, text: Text, value: str, base: int, place: str, owner: nodes.Node) -> None:
        number = self.number()
        self.part.templates.append(TemplateUse(text, value, base, place, owner, self.step))
        if "{" not in value:
            return
        tag_place = place if place == BINDING else "TAG"
        for tag in tags_of(value):
            names = self.locals | _EACH_NAMES if tag.each_depth else self.locals
            use = ExpressionUse(
                text, "tag", tag_place, owner, self.step, names, tag.reading, base + tag.start, tag.role, tag.each_depth
            )
            self.part.uses.append(use)
            self._reads(use, number, certain=self.certain and not tag.each_depth)

    def value_or_template(self, text: Text | None, place: str, owner: nodes.Node) -> None:
        """A quoted value is a string with placeholders, anything else an expression (docs/spec 06 §5.8)."""
        if text is not None and text.style in ("double", "single"):
            self.template(text, place, owner)
        else:
            self.expression(text, "value", place, owner)

    def read(self, name: nodes.Name, owner: nodes.Node, *, certain: bool = True) -> None:
        """Note a name that is read outside of expressions."""
        if name.value.partition(".")[0] not in self.locals:
            certain = certain and self.certain
            self.part.reads.append(Read(name.value, name.span, None, owner, self.step, self.number(), certain))

    def write(self, name: nodes.Name | None, kind: WriteKind, node: nodes.Node, type_: str | None = None) -> None:
        """Note a name that is declared or gets a value."""
        if name is not None and name.value:
            self.part.writes.append(Write(name.value, name.span, kind, self.step, self.number(), node, type_))

    def mention(self, span: Span) -> None:
        """Note the words of what has no node of its own."""
        start, end = span
        self.part.mentions.update(_WORD.findall(self.source.text, start + self.shift, end + self.shift))
        self.part.mentioned.append(span)

    def step_ref(self, name: nodes.Name | None, kind: StepKind, owner: nodes.Node, key: str) -> None:
        """Note a reference to a step."""
        if name is not None and name.value:
            self.part.step_refs.append(StepRef(name, kind, owner, self.step, key, self.in_tool))
