"""A compiled expression: what the rest of the workbench works with (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from . import bounds
from .budget import REQUEST, Budget, BudgetExceeded, is_missing
from .compiling import compiler
from .compiling.compiler import has_slots
from .compiling.fast import compile_fast
from .compiling.recorder import compile_recorder
from .errors import EvaluationError
from .evaluation import Evaluation, Now, Random
from .explain import Explainer, Record, prepared_records, references
from .lexer import unescape
from .nodes import Literal, Node, Path, walk
from .parser import Parsed
from .scope import Context
from .values import Value, truthy


class Evaluate(Protocol):
    """`(context, now=None, rng=None)`: the value; None when the evaluation fails. Never raises."""

    def __call__(self, context: Context, now: Now = None, rng: Random | None = None) -> Value: ...


class Holds(Protocol):
    """`(context, now=None, rng=None)`: the truth of the value (02 §6); False when the evaluation fails."""

    def __call__(self, context: Context, now: Now = None, rng: Random | None = None) -> bool: ...


class Explain(Protocol):
    """`(context, now=None, rng=None, full=False)`: the node tree of docs/spec 04 §10 as plain dicts. Never raises.

    With `full`, operands that were short-circuited are evaluated aside and marked `hypothetical`. Trees share records
    of what never changes (literals, operands that were not reached): copy a record before you change it.
    """

    def __call__(self, context: Context, now: Now = None, rng: Random | None = None, full: bool = False) -> Record: ...


@dataclass(frozen=True, slots=True)
class NameRead:
    """A path an expression reads, with its span in the text. `in_text` = inside the slot of a string literal.

    `start` and `end` are exact, but for a slot in a string that holds escapes: then they are those of the string.
    """

    parts: tuple[str, ...]
    start: int
    end: int
    in_text: bool = False

    @property
    def text(self) -> str:
        """The path with dots."""
        return ".".join(self.parts)


class TextTemplate(Protocol):
    """What an expression needs of a ``Template``, which itself holds expressions."""

    @property
    def names(self) -> list[NameRead]: ...

    def render_in(self, evaluation: Evaluation) -> str: ...


class ReadTemplate(Protocol):
    """``compile_template``."""

    def __call__(self, text: str, depth: int = 0) -> TextTemplate: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an evaluation came to. `error` is None or one sentence; then `value` is None (02 §10).

    `match` is the record to store as the variable `match`, None when no `matches` succeeded. `notes` are findings
    such as `{"rule": "invalid_regex", "pattern": …, "reason": …}`. `exceeded` says what ran out of the budget, when
    that is the error: its name is `budget-exceeded`.
    """

    value: Value
    error: str | None = None
    notes: list[dict[str, Any]] = field(default_factory=list)
    match: dict[str, Any] | None = None
    exceeded: BudgetExceeded | None = None

    @property
    def holds(self) -> bool:
        """The truth of the value; False on an error."""
        return self.error is None and truthy(self.value)


@dataclass(frozen=True, slots=True)
class Trace:
    """An explained evaluation: its outcome and the node tree (04 §10)."""

    outcome: Outcome
    tree: Record


class Expression:
    """An expression that was read. Made by `compile_expression`; immutable, and safe to share between threads.

    `evaluate`, `holds` and `explain` are functions held by the instance: they are compiled on first use, and a call
    then costs no more than the compiled code.
    """

    __slots__ = (
        "__weakref__",
        "_depth",
        "_prepared",
        "_read_template",
        "_run",
        "evaluate",
        "explain",
        "guardrail",
        "holds",
        "node",
        "parenthesised",
        "text",
    )

    evaluate: Evaluate
    holds: Holds
    explain: Explain

    def __init__(
        self, text: str, parsed: Parsed, read_template: ReadTemplate, *, depth: int = 0, guardrail: bool = False
    ) -> None:
        self.text = text
        self.node: Node = parsed.node
        self.parenthesised = parsed.parenthesised
        self.guardrail = guardrail
        self._depth = depth
        self._read_template = read_template
        self._run: Callable[[Evaluation], Value] | None = None
        self._prepared: dict[int, Record] | None = None

    if not TYPE_CHECKING:  # to mypy every name would be an attribute

        def __getattr__(self, name: str) -> Callable[..., Any]:
            """Compile on the first call, because most expressions are read but never evaluated."""
            if name in ("evaluate", "holds", "explain"):
                return getattr(self, f"_first_{name}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    # -- evaluation --------------------------------------------------------------------------------------------

    def run(self, evaluation: Evaluation) -> Value:
        """The value within a given evaluation (its context, clock and `match`).

        Raises EvaluationError, and BudgetExceeded where the budget runs out.
        """
        if self._run is None:
            self._run = self._compile()
        return self._run(evaluation)

    def evaluate_checked(self, context: Context, now: Now = None, rng: Random | None = None) -> Outcome:
        """As `evaluate`, but distinguishes an error from a null, and gives the details. Never raises."""
        if is_missing():
            with Budget.of(REQUEST):
                return self.evaluate_checked(context, now, rng)
        evaluation = Evaluation(context, now, rng)
        try:
            value, error = self.run(evaluation), None
        except BudgetExceeded as problem:
            value, error, evaluation.exceeded = None, str(problem), problem
        except Exception as problem:  # no value of a context may stop a conversation
            value, error = None, error_text(problem)
        return Outcome(value, error, evaluation.notes, evaluation.match, evaluation.exceeded)

    def evaluate_once(self, context: Context, now: Now = None) -> Outcome:
        """As `evaluate_checked`, for many expressions that are evaluated once: compiling costs more than it saves."""
        if self._run is not None:
            return self.evaluate_checked(context, now)
        return self._traced(Evaluation(context, now), full=False).outcome

    def trace(self, context: Context, now: Now = None, rng: Random | None = None, full: bool = False) -> Trace:
        """`evaluate_checked` and `explain` in one evaluation. Never raises."""
        return self._traced(Evaluation(context, now, rng), full=full)

    def _traced(self, evaluation: Evaluation, *, full: bool) -> Trace:
        if is_missing():
            with Budget.of(REQUEST):
                return self._traced(evaluation, full=full)
        value, tree = self._explainer(evaluation, full=full).visit(self.node)
        return Trace(Outcome(value, tree["error"], evaluation.notes, evaluation.match, evaluation.exceeded), tree)

    def references(self, context: Context) -> list[tuple[Path, Value]]:
        """Every path the expression mentions outside of string literals, each once, with its value (04 §10 `refs`)."""
        return references(self.node, Evaluation(context))

    # -- compiling ---------------------------------------------------------------------------------------------

    def _compile(self) -> Callable[[Evaluation], Value]:
        if compiler.is_compilable(self.node):
            return compiler.compile_general(self.node, self._template, self.guardrail)
        return self._interpret

    def _interpret(self, evaluation: Evaluation) -> Value:
        value, tree = self._explainer(evaluation).visit(self.node)
        if evaluation.exceeded is not None:
            raise evaluation.exceeded
        if tree["error"] is not None:
            raise EvaluationError(tree["error"])
        return value

    def _explainer(self, evaluation: Evaluation, *, full: bool = False) -> Explainer:
        if self._prepared is None:
            self._prepared = prepared_records(self.node, self.text)
        return Explainer(self._prepared, evaluation, render=self._template, full=full, guardrail=self.guardrail)

    def _first_explain(
        self, context: Context, now: Now = None, rng: Random | None = None, full: bool = False
    ) -> Record:
        """The first call of `explain`: put compiled code in its place where the tree has a shape for that."""
        if self.explain != self._first_explain:
            return self.explain(context, now, rng, full)  # a reference taken before the first call
        recorder = None
        if compiler.is_compilable(self.node, bounds.MAX_FAST_NODES):
            recorder = compile_recorder(self.node, self.text, self.guardrail)
        if recorder is not None:
            recorder.__globals__["slow"] = self._slow_explain
        self.explain = recorder or self._slow_explain
        return self._slow_explain(context, now, rng, full)

    def _slow_explain(self, context: Context, now: Now = None, rng: Random | None = None, full: bool = False) -> Record:
        return self._traced(Evaluation(context, now, rng), full=full).tree

    def _first_evaluate(self, context: Context, now: Now = None, rng: Random | None = None) -> Value:
        """The first call of `evaluate`: put compiled code in its place."""
        if self.evaluate == self._first_evaluate:  # else a reference was taken before the first call
            self.evaluate = self._fast(self._slow_evaluate, condition=False) or self._slow_evaluate
        return self.evaluate(context, now, rng)

    def _first_holds(self, context: Context, now: Now = None, rng: Random | None = None) -> bool:
        """The first call of `holds`: put compiled code in its place."""
        if self.holds == self._first_holds:
            self.holds = self._fast(self._slow_holds, condition=True) or self._slow_holds
        return self.holds(context, now, rng)

    def _fast(self, slow: Evaluate, *, condition: bool) -> Callable[..., Any] | None:
        """Code for the usual values around what evaluates all others; None for a tree that has none."""
        if not compiler.is_compilable(self.node, bounds.MAX_FAST_NODES):
            return None
        fast = compile_fast(self.node, self.guardrail, condition=condition)
        if fast is not None:
            fast.__globals__["slow"] = slow
        return fast

    def _slow_evaluate(self, context: Context, now: Now = None, rng: Random | None = None) -> Value:
        return self.evaluate_checked(context, now, rng).value

    def _slow_holds(self, context: Context, now: Now = None, rng: Random | None = None) -> bool:
        return truthy(self._slow_evaluate(context, now, rng))

    def _template(self, text: str) -> TextTemplate:
        return self._read_template(text, depth=self._depth + 1)

    # -- analysis ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[NameRead]:
        """Every path the expression reads, in the order of the text, slots of string literals included."""
        found: list[NameRead] = []
        for node in walk(self.node):
            if isinstance(node, Path):
                found.append(NameRead(node.parts, node.start, node.end))
            elif isinstance(node, Literal) and has_slots(node):
                found.extend(self._slot_names(node))
        return found

    def _slot_names(self, node: Literal) -> list[NameRead]:
        body = self.text[node.start + 1 : node.end - 1]
        plain = unescape(body) == body
        names = self._template(node.value).names
        if plain:
            first = node.start + 1
            return [NameRead(name.parts, first + name.start, first + name.end, True) for name in names]
        return [NameRead(name.parts, node.start, node.end, True) for name in names]


def error_text(problem: Exception) -> str:
    """What to say about a failed evaluation."""
    if isinstance(problem, EvaluationError):
        return str(problem)
    if isinstance(problem, RecursionError):
        return "the values nest too deeply"
    return f"the values cannot be computed with ({type(problem).__name__})"
