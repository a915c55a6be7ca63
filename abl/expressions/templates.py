"""Templates: text with slots and blocks (docs/spec 02 §9). Reading and rendering never fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from . import bounds
from .budget import REQUEST, Budget, BudgetExceeded, current, is_missing
from .errors import EvaluationError
from .evaluation import Evaluation, Now, Random
from .expression import Expression, NameRead, error_text
from .nodes import Path, walk
from .scope import Context, ItemScope
from .template_parser import Each, If, Part, Problem, SingleBrace, Slot, Text
from .values import Value, text, to_number, truthy


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered text; `missing` are the names that were ∅ where they were printed, `errors` what failed.

    `shown` is the text with what was concealed in its place, None when nobody asked for that.
    """

    text: str
    missing: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    shown: str | None = None


Conceal = Callable[[Expression, Value, bool], str | None]
"""`(expression of a slot, its value, inside an each over something concealed)`: what to show, None = the value."""


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """A slot for the analyser: its expression and how many `#each` blocks are around it.

    `role` is `value`, `if` or `each`.
    """

    slot: Slot
    role: str
    each_depth: int


class Template:
    """A template that was read. `parts` is its tree, `problems` what an author should know (05 §4)."""

    __slots__ = ("parts", "problems", "single_braces", "text")

    def __init__(
        self, text: str, parts: tuple[Part, ...], problems: tuple[Problem, ...], braces: tuple[SingleBrace, ...]
    ) -> None:
        self.text = text
        self.parts = parts
        self.problems = problems
        self.single_braces = braces

    def render(self, context: Context, now: Now = None, rng: Random | None = None) -> str:
        """The text for a context; what fails or is ∅ prints nothing. Raises BudgetExceeded."""
        return self.render_traced(context, now, rng).text

    def render_traced(
        self, context: Context, now: Now = None, rng: Random | None = None, conceal: Conceal | None = None
    ) -> Rendered:
        """As `render`, with what was missing and what failed, and the text with its slots concealed."""
        if is_missing():
            with Budget.of(REQUEST):
                return self.render_traced(context, now, rng, conceal)
        renderer = _Renderer(Evaluation(context, now, rng), conceal)
        renderer.parts(self.parts)
        shown = "".join(renderer.shown) if conceal is not None else None
        return Rendered("".join(renderer.out), list(renderer.missing), renderer.errors, shown)

    def render_in(self, evaluation: Evaluation) -> str:
        """The text within the evaluation of an expression, whose clock and `match` it shares."""
        renderer = _Renderer(evaluation)
        renderer.parts(self.parts)
        return "".join(renderer.out)[: bounds.MAX_TEXT]

    @property
    def slots(self) -> list[SlotPlace]:
        """Every slot in the order of the text, those of `#if` and `#each` included."""
        return list(_slots(self.parts, 0))

    @property
    def names(self) -> list[NameRead]:
        """Every path the template reads, with its span in the template."""
        return [
            NameRead(name.parts, name.start + place.slot.offset, name.end + place.slot.offset, name.in_text)
            for place in self.slots
            if place.slot.expression is not None
            for name in place.slot.expression.names
        ]

    @property
    def is_static(self) -> bool:
        """True when the text is printed as it is."""
        return all(isinstance(part, Text) for part in self.parts)


def _slots(parts: tuple[Part, ...], depth: int) -> Iterator[SlotPlace]:
    for part in parts:
        match part:
            case Slot():
                yield SlotPlace(part, "value", depth)
            case If():
                yield SlotPlace(part.condition, "if", depth)
                yield from _slots(part.then, depth)
                yield from _slots(part.otherwise, depth)
            case Each():
                yield SlotPlace(part.subject, "each", depth)
                yield from _slots(part.body, depth + 1)


class _Renderer:
    def __init__(self, evaluation: Evaluation, conceal: Conceal | None = None) -> None:
        self.evaluation = evaluation
        self.budget = current()
        self.conceal = conceal
        self.concealing = 0
        self.out: list[str] = []
        self.shown: list[str] = []
        self.room = bounds.MAX_RENDERED
        self.rounds = bounds.MAX_ITERATIONS
        self.missing: dict[str, None] = {}
        self.errors: list[str] = []

    def parts(self, parts: tuple[Part, ...]) -> None:
        for part in parts:
            if self.room <= 0:
                return
            self.budget.step()
            match part:
                case Text():
                    self.write(part.text)
                case Slot():
                    self.slot(part)
                case If():
                    holds = truthy(self.value(part.condition))
                    self.parts(part.then if holds else part.otherwise)
                case Each():
                    self.each(part)

    def write(self, piece: str, shown: str | None = None) -> None:
        self.budget.write(len(piece))
        self.out.append(piece[: self.room])
        if self.conceal is not None:
            self.shown.append(piece[: self.room] if shown is None else shown)
        self.room -= len(piece)

    def slot(self, slot: Slot) -> None:
        value = self.value(slot)
        if value is None and slot.expression is not None:
            self.note_missing(slot.expression)
        try:
            printed = text(value)
        except EvaluationError as problem:
            self.fail(slot, str(problem))
            return
        self.write(printed, self.concealed(slot, value))

    def concealed(self, slot: Slot, value: Value) -> str | None:
        if self.conceal is None or slot.expression is None:
            return None
        return self.conceal(slot.expression, value, self.concealing > 0)

    def value(self, slot: Slot) -> Value:
        """The value of a slot; None, with an error on the list, when there is none."""
        if slot.expression is None:
            if slot.error is not None:
                self.fail(slot, slot.error.reason)
            return None
        try:
            value = slot.expression.run(self.evaluation)
        except BudgetExceeded:
            raise
        except Exception as problem:  # rendering never fails a turn
            self.fail(slot, error_text(problem))
            return None
        if slot.added is None:
            return value
        number = to_number(value)
        return None if number is None else number + slot.added

    def each(self, block: Each) -> None:
        items = self.value(block.subject)
        if not isinstance(items, list):
            return
        hidden = self.concealed(block.subject, items) is not None
        self.concealing += hidden
        outer = self.evaluation.context
        inside = self.evaluation.scope()
        for place, item in enumerate(items):
            if self.room <= 0 or self.rounds <= 0:
                break
            self.rounds -= 1
            self.budget.step()
            self.evaluation.context = ItemScope(item, place, len(items), inside)
            self.parts(block.body)
        self.evaluation.context = outer
        self.concealing -= hidden

    def fail(self, slot: Slot, reason: str) -> None:
        """Note what failed; a loop may do so at every round, so the first ones have to do."""
        if len(self.errors) < bounds.MAX_RENDER_ERRORS:
            self.errors.append(f"{slot.source}: {reason}")

    def note_missing(self, expression: Expression) -> None:
        paths = [node for node in walk(expression.node) if isinstance(node, Path)]
        unset = [path for path in paths if self.evaluation.read(path.parts) is None]
        self.missing.update(dict.fromkeys(".".join(path.parts) for path in unset))


__all__ = ["Conceal", "Rendered", "SlotPlace", "Template"]
