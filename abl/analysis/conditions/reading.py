"""Expressions and templates as the rules see them: the tree, the names it reads, what went wrong (docs/spec 02).

Everything here depends on one text only and is kept by text, so an unchanged line is never read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from abl.analysis.conditions.intervals import Constant, constant
from abl.analysis.registry import Found, Rule
from abl.expressions import (
    Expression,
    ExpressionError,
    Template,
    compile_expression,
    compile_template,
    read_condition,
)
from abl.expressions import nodes as en
from abl.once import once
from abl.remembered import remembered
from abl.source import Span

KEPT_TEXTS = 32_768
SHOUTED = re.compile(r"\b(?:AND|OR|NOT|IN|IS|SET|EMPTY|IMPLIES)\b")
_JOINING = re.compile(r"\b(?:AND|OR|NOT)\b")
_PROSE = re.compile(r"\b(?!(?:in|contains|matches)\b)[a-z]+ +(?!(?:in|contains|matches)\b)[a-z]+\b")
"""Two names in a row, which is an error in any expression."""
_OPERATORS = re.compile(r"[=<>&|+*/%(){}\[\]\"']|\b(?:AND|OR|NOT|IN|IS|SET|EMPTY|IMPLIES)\b")


def at(node: en.Node) -> Span:
    """Where a node is in the expression's text."""
    return Span(node.start, node.end)


class NameRead(NamedTuple):
    """A dotted name in an expression, as far as it is static, with offsets in the expression's text."""

    path: str
    start: int
    end: int

    @property
    def root(self) -> str:
        """The first segment."""
        return self.path.partition(".")[0]


_new_name: Final = cast(Callable[[type[NameRead], tuple[str, int, int]], NameRead], tuple.__new__)


@dataclass(eq=False)
class Reading:
    """One expression text and its tree, or why there is none.

    ``offset`` is where ``text`` begins in the value it was taken from. ``literal``: the value is a quoted text without
    operators, which is always true. ``sentence``: where natural language is legal, the value is language.
    """

    text: str
    offset: int = 0
    expression: Expression | None = None
    error: ExpressionError | None = None
    literal: bool = False
    sentence: bool = False
    shouted: bool = False  # a quoted sentence that only its upper-case words make an expression (09 §4)
    nodes: tuple[en.Node, ...] = ()  # of the whole tree, parents first
    tests: tuple[en.Test, ...] = ()
    names: tuple[NameRead, ...] = ()  # in order of the text; those inside string literals are not among them
    strings: tuple[en.Literal, ...] = ()  # literals that hold placeholders
    kinds: frozenset[type] = frozenset()  # classes of the nodes
    problems: tuple[tuple[Rule, Found], ...] | None = field(default=None, repr=False)  # see abl.analysis.check

    def __post_init__(self) -> None:
        """Take the tree apart once: every rule asks for some of its parts."""
        if self.expression is None:
            return
        self.nodes = nodes = tuple(en.walk(self.expression.node))
        self.kinds = kinds = frozenset([n.__class__ for n in nodes])
        if en.Test in kinds:
            self.tests = tuple([n for n in nodes if n.__class__ is en.Test])
        if en.Path in kinds:
            paths = [n for n in nodes if n.__class__ is en.Path]
            self.names = tuple([_new_name(NameRead, (".".join(n.parts), n.start, n.end)) for n in paths])
        if en.Literal in kinds:
            literals = [n for n in nodes if n.__class__ is en.Literal]
            self.strings = tuple([n for n in literals if n.form == "string" and "{{" in n.value])

    @property
    def node(self) -> en.Node | None:
        """The root of the tree."""
        return self.expression.node if self.expression is not None else None

    @once
    def constant(self) -> Constant | None:
        """The value of an expression that does not depend on anything."""
        return constant(self.expression.node, self.text) if self.expression is not None else None

    def error_of(self, code: str) -> ExpressionError | None:
        """The error, if it is of that code."""
        return self.error if self.error is not None and self.error.code == code else None

    @property
    def error_span(self) -> Span:
        """Where the error is shown: at least one character of the text."""
        if self.error is None or self.error.end > self.error.start:
            return Span(self.error.start, self.error.end) if self.error is not None else Span(0, 0)
        at = min(self.error.start, len(self.text))
        return Span(max(at - 1, 0), at) if at == len(self.text) else Span(at, at + 1)

    def slice(self, node: en.Node) -> str:
        """The text of a node as written, with the parentheses around it."""
        text = self.text[node.start : node.end]
        return f"({text})" if self.parenthesised(node) else text

    def parenthesised(self, node: en.Node) -> bool:
        """True when the node is in parentheses of its own."""
        return self.expression is not None and (node.start, node.end) in self.expression.parenthesised


@remembered(KEPT_TEXTS)
def read_value(text: str) -> Reading:
    """Read a value expression; blanks around it are left out."""
    return _read(text.strip(), len(text) - len(text.lstrip()))


@remembered(KEPT_TEXTS)
def read_condition_text(value: str, style: str) -> Reading:
    """Read a condition property given as its value without quotes and the style of its quotes (docs/spec 02 §1)."""
    quoted = style in ("double", "single")
    condition = read_condition(_as_quoted(value) if quoted else value)
    if quoted:
        text, offset = value.strip(), len(value) - len(value.lstrip())
    else:
        text, offset = condition.text, condition.shift
    if condition.kind != "expression":
        return Reading(text, offset, literal=condition.kind == "text", sentence=condition.kind == "text")
    reading = _read(text, offset)
    reading.sentence = condition.is_natural_language() or (reading.error is not None and _is_plain(text))
    reading.shouted = quoted and reading.error is not None and not reading.sentence and _is_shouted(text)
    return reading


def is_true_literal(value: str, style: str) -> bool:
    """True for a condition that is the word ``true``: one that always holds."""
    node = read_condition_text(value, style).node
    return isinstance(node, en.Literal) and node.value is True


def _is_shouted(text: str) -> bool:
    """True for what would be natural language but for words in upper case: a slip in an expression is none."""
    if _is_plain(_JOINING.sub("x", text)):
        return True
    return len(text.split()) > 4 and _is_plain(SHOUTED.sub("x", text)) and _PROSE.search(text) is not None


def _as_quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_plain(text: str) -> bool:
    """Three words or more without anything that only expressions have."""
    return len(text.split()) > 2 and _OPERATORS.search(text) is None


def _read(text: str, offset: int) -> Reading:
    try:
        return Reading(text, offset, compile_expression(text))
    except ExpressionError as error:
        return Reading(text, offset, error=error.kept())


class Tag(NamedTuple):
    """An expression inside a template: where its text begins, its role (value, if, each), how deep in ``#each``."""

    start: int
    reading: Reading
    role: str
    each_depth: int


@remembered(KEPT_TEXTS)
def tags_of(text: str) -> tuple[Tag, ...]:
    """Every expression of a template, in order; tags with an unknown helper hold none."""
    return tuple(_tags(compile_template(text)))


def _tags(template: Template) -> Iterator[Tag]:
    helpers = {(problem.start, problem.end) for problem in template.problems if problem.code == "ABL252"}
    for place in template.slots:
        slot = place.slot
        if slot.expression is not None or (slot.start, slot.end) not in helpers:
            yield Tag(slot.offset, Reading(slot.source, 0, slot.expression, slot.error), place.role, place.each_depth)
