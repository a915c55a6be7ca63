"""Expressions and templates as the runtime uses them: read once, never raising, with names as dotted paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from abl.expressions.api import (
    BudgetExceeded,
    Conceal,
    Expression,
    ExpressionError,
    Random,
    Rendered,
    Template,
    compile_expression,
    compile_template,
    read_condition,
    truthy,
)
from abl.expressions.budget import found as current_budget
from abl.expressions.nodes import Node, walk
from abl.expressions.scope import descend
from abl.remembered import remembered

__all__ = ["Formula", "Outcome", "Rendered", "condition", "condition_holds", "template", "value"]


NODE_WEIGHT = 500
"""Characters of the record of a node without its value."""


class Resolver(Protocol):
    """What an expression reads from; see :class:`abl.runtime.context.Context`."""

    def resolve(self, parts: tuple[str, ...]) -> Any: ...


@dataclass(slots=True)
class Outcome:
    """What an evaluation came to. With ``error`` set the value is None; ``tree`` is there after ``explain``.

    ``exceeded`` says what ran out of the budget, when that is the error.
    """

    value: Any
    error: str | None = None
    notes: list[dict[str, Any]] = field(default_factory=list)
    match: dict[str, Any] | None = None
    tree: dict[str, Any] | None = None
    truth: bool = False
    exceeded: BudgetExceeded | None = None

    @property
    def holds(self) -> bool:
        """The truth of the value; False on an error."""
        return self.truth


class Formula:
    """A condition or value. A text that cannot be read gives an error when it is evaluated, never earlier."""

    def __init__(
        self, text: str, expression: Expression | None, constant: Any = None, problem: str | None = None
    ) -> None:
        self.text = text
        self._expression = expression
        self._constant = constant
        self._problem = problem

    @property
    def node(self) -> Node | None:
        """The tree, None for a constant or unreadable text."""
        return self._expression.node if self._expression is not None else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Paths it reads, each once, in the order of the text."""
        if self._expression is None:
            return ()
        return tuple(dict.fromkeys(name.text for name in self._expression.names if name.parts[0][0] != "@"))

    @cached_property
    def paths(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Every path with its segments."""
        return tuple((name, tuple(name.split("."))) for name in self.names)

    @cached_property
    def weight(self) -> int:
        """Characters that the record of its evaluation may have, roughly: a record for each node."""
        return sum(NODE_WEIGHT for _ in walk(self.node)) if self.node is not None else 0

    @cached_property
    def _sets_match(self) -> bool:
        return "match" in self.text.lower()

    def run(self, context: Resolver, now: datetime, rng: Random) -> Outcome:
        """Evaluate."""
        if self._expression is None:
            return self._without_expression()
        found = self._expression.evaluate_checked(context, now, rng)
        return Outcome(found.value, found.error, found.notes, found.match, None, found.holds, found.exceeded)

    def explain(self, context: Resolver, now: datetime, rng: Random) -> Outcome:
        """Evaluate and record the tree of docs/spec 04 §10.

        What the expression reads is looked up first and handed over flat, for which there is compiled code.
        """
        expression = self._expression
        if expression is None:
            return self._without_expression()
        if self._sets_match:
            trace = expression.trace(context, now, rng)
            done = trace.outcome
            return Outcome(done.value, done.error, done.notes, done.match, trace.tree, done.holds, done.exceeded)
        flat = self._flat(context)
        tree = expression.explain(flat, now, rng)
        error = tree["error"]
        budget = current_budget() if error is not None else None
        exceeded = budget.exceeded if budget is not None else None
        return Outcome(tree["value"], error, [], None, tree, error is None and tree["truthy"], exceeded)

    def _flat(self, context: Resolver) -> dict[str, Any]:
        """Every path that is set; of an unset one its longest set beginning, so the tree can say where it ends."""
        flat: dict[str, Any] = {}
        for name, parts in self.paths:
            found = context.resolve(parts)
            if found is not None:
                flat[name] = found
                continue
            for size in range(len(parts) - 1, 0, -1):
                found = context.resolve(parts[:size])
                if found is not None:
                    if descend(found, parts[size:]) is None:
                        flat[".".join(parts[:size])] = found
                    break
        return flat

    def _without_expression(self) -> Outcome:
        return Outcome(self._constant, self._problem, truth=self._problem is None and truthy(self._constant))


@remembered(4_096)
def condition(raw: str) -> Formula:
    """A condition as written, quotes included; an empty one is true, quoted text without operators a literal."""
    read = read_condition(raw)
    if read.kind == "empty":
        return Formula("", None, True)
    if read.kind == "text":
        return Formula(read.text, None, read.text or raw)
    return value(read.text)


@remembered(4_096)
def value(text: str) -> Formula:
    """A value expression."""
    try:
        return Formula(text, compile_expression(text))
    except ExpressionError as error:
        return Formula(text, None, None, f"cannot be read: {error.reason}")


@remembered(1_024)
def guard(text: str) -> Formula:
    """A check of a guardrail, which has functions of its own (docs/spec 09 §11)."""
    try:
        return Formula(text, compile_expression(text, guardrail=True))
    except ExpressionError as error:
        return Formula(text, None, None, f"cannot be read: {error.reason}")


@remembered(4_096)
def constant(text: str) -> Formula:
    """A text that is the value itself."""
    return Formula(text, None, text)


@dataclass(frozen=True, slots=True)
class TemplateText:
    """A message text ready to render."""

    text: str
    compiled: Template
    names: tuple[str, ...]

    def run(self, context: Resolver, now: datetime, rng: Random, conceal: Conceal | None = None) -> Rendered:
        """Render; never fails. ``conceal`` says how slots are shown where the text is not for its reader."""
        return self.compiled.render_traced(context, now, rng, conceal)


@remembered(4_096)
def template(text: str) -> TemplateText:
    """A message text."""
    compiled = compile_template(text)
    return TemplateText(text, compiled, tuple(dict.fromkeys(name.text for name in compiled.names)))


def condition_holds(raw: str, names: Mapping[str, Any], now: datetime) -> bool:
    """A condition over plain names, as mock cases use it; False when it cannot be read or evaluated.

    Raises BudgetExceeded.
    """
    read = read_condition(raw)
    if read.kind != "expression":
        return True
    try:
        outcome = read.compile().evaluate_checked(names, now)
    except ExpressionError:
        return False
    if outcome.exceeded is not None:
        raise outcome.exceeded
    return outcome.holds
