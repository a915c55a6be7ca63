"""What a walk over a tree records: expressions, templates, names that are read and written, references.

The tree (``abl.syntax.nodes``) says what is written; these records say what that means for names. They are immutable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, cast

from abl.analysis.conditions.reading import Reading
from abl.expressions import Template, compile_template
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.incremental.relocation import Move

Mode = Literal["condition", "value", "tag"]
WriteKind = Literal[
    "session", "persistent", "gather", "set", "as", "transform", "recall", "remember", "collect", "return", "tool"
]
StepKind = Literal[
    "then",
    "goto",
    "on_fail",
    "exhausted",
    "timeout",
    "on_success",
    "on_failure",
    "on_result",
    "on_input",
    "digression",
    "sub_intent",
    "constraint",
    "backtrack",
]

STORING: Final[frozenset[WriteKind]] = frozenset({"remember", "set", "return", "tool"})
"""Writes that put a value under a persistent path."""

# Conditions where a quoted sentence is meant for a model (docs/spec 09 §4).
ROUTING_PLACES = frozenset({"HANDOFF", "DELEGATE", "ESCALATE", "ROUTING", "EXIT_WHEN"})
BINDING = "BINDING"
"""Place of texts that a tool sends (docs/spec 08 §3): no messages, and ``{x}`` is a parameter in some of them."""
GUARDRAIL = "GUARDRAIL"
"""Place of the checks of guardrails, which have functions of their own (docs/spec 09 §11)."""
_HOOK_BRANCH = re.compile(r"(?:^|\.)hooks\.\w+\.WHEN(?:\[\d+\])?$")


@dataclass(eq=False, slots=True)
class ExpressionUse:
    """One expression where it stands. Offsets of ``reading.expression`` count in its text; ``span`` maps them back.

    ``place`` is the property that holds it (REQUIRE, WHEN, REMEMBER, CHECK, IF, SET, STORE, WITH, MAP, FILTER, TAG …);
    ``locals`` are item variables in scope (TRANSFORM, ``#each``).
    """

    text: nodes.Text
    mode: Mode
    place: str
    owner: nodes.Node
    step: str | None
    locals: frozenset[str]
    reading: Reading
    base: int = 0
    role: str = ""  # of a tag: value, if, each
    each_depth: int = 0

    def span(self, start: int, end: int) -> Span:
        """Span in the source of a range of the expression's text."""
        shift = self.base + self.reading.offset
        return self.text.span_of(start + shift, end + shift)

    def moved(self, move: Move) -> ExpressionUse:
        """The same at another place."""
        return ExpressionUse(
            move.of(self.text),
            self.mode,
            self.place,
            move.of(self.owner),
            self.step,
            self.locals,
            self.reading,
            self.base,
            self.role,
            self.each_depth,
        )

    def span_of(self, node: en.Node) -> Span:
        """Span in the source of a node of the expression."""
        return self.span(node.start, node.end)

    @property
    def whole(self) -> Span:
        """Span of the whole expression in the source."""
        return self.span(0, len(self.reading.text))

    @property
    def routing(self) -> bool:
        """True where natural language is legal."""
        return self.place in ROUTING_PLACES

    @property
    def guards_reply(self) -> bool:
        """True for WHEN of a hook with what it guards below it (09 §9); what is wrong with it is ABL969."""
        return self.place == "IF" and _HOOK_BRANCH.search(self.owner.path) is not None

    @property
    def keys(self) -> frozenset[type | str]:
        """What rules may need of an expression: classes of its nodes (not of natural language), mode, place, role."""
        own: frozenset[type | str] = frozenset((self.mode, self.place, self.role))
        return own if self.is_sentence else own | self.reading.kinds

    @property
    def is_sentence(self) -> bool:
        """True for natural language where it is legal."""
        return self.routing and (self.reading.literal or self.reading.sentence)


@dataclass(eq=False, slots=True)
class TemplateUse:
    """One text with placeholders where it stands (docs/spec 02 §9)."""

    text: nodes.Text
    value: str
    base: int  # where ``value`` begins in ``text.value``
    place: str
    owner: nodes.Node
    step: str | None

    @property
    def template(self) -> Template:
        """The template that was read; its offsets count in ``value``."""
        return compile_template(self.value)

    def moved(self, move: Move) -> TemplateUse:
        """The same at another place."""
        return TemplateUse(move.of(self.text), self.value, self.base, self.place, move.of(self.owner), self.step)

    def span(self, start: int, end: int) -> Span:
        """Span in the source of a range of ``value``."""
        return self.text.span_of(start + self.base, end + self.base)


class Read(NamedTuple):
    """A name that is read: the dotted path as far as it is static."""

    path: str
    span: Span
    use: ExpressionUse | None
    owner: nodes.Node
    step: str | None
    order: int
    certain: bool = True  # False inside ``#each``, where the name may be a field of the item

    @property
    def root(self) -> str:
        """The first segment."""
        return self.path.partition(".")[0]


new_read: Final = cast(Callable[[type[Read], tuple[Any, ...]], Read], tuple.__new__)
"""A read from its fields; there are so many that their names cost time."""


class Write(NamedTuple):
    """A name that gets a value: by a declaration, a directive or a collected field."""

    path: str
    span: Span
    kind: WriteKind
    step: str | None
    order: int
    node: nodes.Node
    type: str | None = None

    @property
    def root(self) -> str:
        """The first segment."""
        return self.path.partition(".")[0]


class StepRef(NamedTuple):
    """A reference to a step; ``owner`` is the node that holds it, ``source_step`` the step where it stands.

    ``tool`` is the tool whose ``do`` list holds it.
    """

    name: nodes.Name
    kind: StepKind
    owner: nodes.Node
    source_step: str | None
    key: str
    tool: str = ""


class ToolRef(NamedTuple):
    """A reference to a tool; ``call`` is the CALL, if it is one."""

    name: nodes.Name
    call: nodes.Call | None
    key: str
    step: str | None


class AgentRef(NamedTuple):
    """A reference to another agent of the project; ``tool`` as in ``StepRef``."""

    name: nodes.Name
    key: str
    owner: nodes.Node
    step: str | None = None
    tool: str = ""
