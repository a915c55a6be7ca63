"""Limits on what one evaluation, request or turn may cost, counted where values are made (docs/spec 02 §8).

A `Budget` is entered by the caller (`with budget:`) and is then the current one of this thread or task: functions and
loops of the language count on it through `spend`, `write`, `make` and `nest`. Functions take no argument for it, so
compiled conditions have no overhead as long as they make nothing large.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, NoReturn, TypeVar

from . import bounds

_Item = TypeVar("_Item")

STRIDE: Final = 1_000
"""Operations between two looks at the clock: about a millisecond of work."""

POLL_SECONDS: Final = 0.05
"""Seconds of work between two calls of `poll`."""

FREE: Final = 256
"""Characters and elements of a value up to which nothing is counted for making or reading it: an expression is too
short to make many of these, and loops count their iterations.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be spent. All of it is summed over everything that is computed with one budget, but for `depth`.

    `operations` are steps of about a microsecond, `characters` and `elements` those of all texts, lists and objects
    made, `depth` the levels of a value or of nested loops, `seconds` processor time of the thread.
    """

    operations: int
    characters: int
    elements: int
    depth: int
    seconds: float


KEYSTROKE: Final = Limits(200_000, 2_000_000, 100_000, bounds.MAX_VALUE_DEPTH, 0.25)
"""What the editor evaluates while somebody types."""

REQUEST: Final = Limits(2_000_000, 5_000_000, 250_000, bounds.MAX_VALUE_DEPTH, 2.0)
"""One call of `abl eval`, or an evaluation for which nobody gave a budget."""

TURN: Final = Limits(5_000_000, 20_000_000, 1_000_000, bounds.MAX_VALUE_DEPTH, 5.0)
"""One turn of a conversation; also a preview of its prompt."""

EXPLORATION: Final = Limits(2_000_000, 5_000_000, 250_000, bounds.MAX_VALUE_DEPTH, 3.0)
"""One call of `/evaluate/`, which people use to try an expression."""

RESERVE: Final = Limits(50_000, 100_000, 10_000, bounds.MAX_VALUE_DEPTH, 0.25)
"""The reserve for the message of a rule that failed because its condition ran out of budget."""

_WORDS: Final = {
    "operations": "it takes more than {limit:,} steps",
    "characters": "it makes more than {limit:,} characters of text",
    "elements": "it makes lists and objects of more than {limit:,} elements",
    "depth": "values and loops nest deeper than {limit:,} levels",
    "time": "it computes longer than {limit:g} s",
}


class BudgetExceeded(Exception):
    """Something ran out. `what` is `operations`, `characters`, `elements`, `depth` or `time`; `limit` is in its unit.

    The text of the exception is one sentence for the author, without a full stop.
    """

    def __init__(self, what: str, limit: float, message: str | None = None) -> None:
        super().__init__(message or f"the budget ran out: {_WORDS[what].format(limit=limit)}")
        self.what = what
        self.limit = limit

    def as_json(self) -> dict[str, Any]:
        """`what` and `limit`, as traces and problem objects show them."""
        return {"what": self.what, "limit": self.limit}


class NoBudget(LookupError):
    """Something is counted without a current budget: the caller of the evaluation has to enter one."""


class _Interrupted(BaseException):
    """What `poll` raised, on its way through handlers of `Exception` to the caller who entered the budget."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(cause)
        self.cause = cause


_current: ContextVar[Budget | None] = ContextVar("abl_budget", default=None)


class Budget:
    """A budget that is used up; not thread-safe, and entered by one thread at a time.

    `poll` is a function of the host that long evaluations call about every 50 ms of work. What it raises reaches the
    caller who entered the budget as it is, past every handler in between. Once something ran out, whatever is counted
    raises `BudgetExceeded` again; `exceeded` holds the first one.
    """

    __slots__ = (
        "_characters",
        "_deadline",
        "_due",
        "_earliest",
        "_elements",
        "_entered",
        "_mark",
        "_operations",
        "_polled",
        "_reserve",
        "_started",
        "depth",
        "exceeded",
        "limits",
        "poll",
    )

    def __init__(
        self,
        *,
        operations: int = REQUEST.operations,
        characters: int = REQUEST.characters,
        elements: int = REQUEST.elements,
        depth: int = REQUEST.depth,
        seconds: float = REQUEST.seconds,
        poll: Callable[[], None] | None = None,
    ) -> None:
        self.limits = Limits(operations, characters, elements, depth, seconds)
        self.poll = poll
        self.exceeded: BudgetExceeded | None = None
        self._entered: list[Token[Budget | None]] = []
        self._started = False
        self._deadline = self._earliest = math.inf
        self._due = self._polled = time.perf_counter()
        self._fill(self.limits)

    @classmethod
    def of(cls, limits: Limits, poll: Callable[[], None] | None = None) -> Budget:
        """A budget with one of the presets of this module."""
        return cls(
            operations=limits.operations,
            characters=limits.characters,
            elements=limits.elements,
            depth=limits.depth,
            seconds=limits.seconds,
            poll=poll,
        )

    def fresh(self) -> Budget:
        """A budget with the same limits and `poll`, of which nothing is spent."""
        return Budget.of(self.limits, self.poll)

    def _fill(self, limits: Limits) -> None:
        self._operations = limits.operations
        self._characters = limits.characters
        self._elements = limits.elements
        self._mark = max(limits.operations - STRIDE, 0)
        self.depth = limits.depth
        self._reserve = limits is RESERVE

    def _start(self, seconds: float) -> None:
        """Let time count from now. Reading processor time is expensive (a system call); reading the clock is not."""
        self._started = True
        self._due = self._polled = time.perf_counter()
        self._earliest = self._due + seconds
        self._deadline = time.thread_time() + seconds

    # -- being the current one ---------------------------------------------------------------------------------

    def __enter__(self) -> Budget:
        """Become the current budget. Time counts from the first entry."""
        if not self._started:
            self._start(self.limits.seconds)
        self._entered.append(_current.set(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give way to the budget before; what `poll` raised leaves the outermost block as it was raised."""
        _current.reset(self._entered.pop())
        if isinstance(problem, _Interrupted) and not self._entered:
            raise problem.cause

    # -- counting ----------------------------------------------------------------------------------------------

    def spend(self, operations: int = 1) -> None:
        """Count steps; also looks at the clock and calls `poll` when it is time."""
        self._operations -= operations
        if self._operations < self._mark:
            self._look()

    def write(self, characters: int) -> None:
        """Count the characters of a text before it is made."""
        self._characters -= characters
        if self._characters < 0:
            self.exceed("characters")
        self.spend(1 + (characters >> 8))

    def make(self, elements: int) -> None:
        """Count the elements of a list or the keys of an object before it is made."""
        self._elements -= elements
        if self._elements < 0:
            self.exceed("elements")
        self.spend(1 + (elements >> 3))

    def step(self) -> None:
        """Count one step of something whose steps are long: looks at the clock each time."""
        self._operations -= 1
        if self._operations < self._mark or time.perf_counter() >= self._due:
            self._look()

    def check_depth(self, levels: int) -> None:
        """Refuse what nests deeper than `depth`."""
        if levels > self.depth:
            self.exceed("depth")

    def require(self) -> None:
        """Raise `BudgetExceeded` if something ran out before, and nobody passed it on."""
        if self.exceeded is not None:
            raise self._again(self.exceeded)

    @staticmethod
    def _again(problem: BudgetExceeded) -> BudgetExceeded:
        return BudgetExceeded(problem.what, problem.limit, str(problem))

    def refill(self) -> None:
        """Give a budget that ran out its reserve, once."""
        if self.exceeded is not None and not self._reserve:
            self._fill(RESERVE)
            self._start(RESERVE.seconds)

    def _look(self) -> None:
        if self._operations < 0:
            self.exceed("operations")
        self._mark = max(self._operations - STRIDE, 0)
        now = time.perf_counter()
        if now < self._due:
            return
        # Processor time never runs ahead of the clock on the wall: before that shows the time, none can have run out.
        if now >= self._earliest and time.thread_time() > self._deadline:
            self.exceed("time")
        self._due = now + 0.001
        if self.poll is not None and now - self._polled >= POLL_SECONDS:
            self._polled = now
            try:
                self.poll()
            except BaseException as problem:
                raise _Interrupted(problem) from problem

    def exceed(self, what: str) -> NoReturn:
        """Raise `BudgetExceeded`: a step needs more than is left, or more than one step may take."""
        self._operations = self._characters = self._elements = -1
        self._mark = 0
        limits = self.limits
        if self.exceeded is None:
            self.exceeded = BudgetExceeded(what, limits.seconds if what == "time" else getattr(limits, what))
        raise self._again(self.exceeded)


def current() -> Budget:
    """The budget that was entered last; raises `NoBudget` when there is none."""
    budget = _current.get()
    if budget is None:
        raise NoBudget
    return budget


def found() -> Budget | None:
    """The current budget, where there is one: for what is also used outside of evaluations."""
    return _current.get()


def is_missing() -> bool:
    """Whether nobody gave a budget; then an evaluation begins with one of a request."""
    return _current.get() is None


def ensured() -> Budget:
    """The current budget, else a new one of a request: for callers who may have been given none."""
    return _current.get() or Budget.of(REQUEST)


# Functions of the language count with these. Where there is no budget they raise NoBudget: compiled code then leaves
# the expression to the evaluation that has one.


def visits(items: Sequence[_Item]) -> Iterable[_Item]:
    """The items, with the step of comparing each counted; the same list for short ones."""
    return counted(items) if len(items) > FREE else items


def takes(operations: int) -> None:
    """Count steps that are about to be made at once; nothing for few."""
    if operations > FREE:
        current().spend(operations)


def reads(characters: int) -> None:
    """Count the steps of looking through a text; nothing for short ones."""
    if characters > FREE:
        current().spend(1 + (characters >> 10))


def writes(characters: int) -> None:
    """Count a text that is about to be made; nothing for short ones."""
    if characters > FREE:
        current().write(characters)


def makes(elements: int) -> None:
    """Count a list or an object that is about to be made; nothing for short ones."""
    if elements > FREE:
        current().make(elements)


def spends(operations: int) -> None:
    """Count steps where there is a budget: for what is also used outside of evaluations, such as texts of values."""
    budget = _current.get()
    if budget is not None:
        budget.spend(operations)


def counted(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items, a step counted for each, in batches."""
    budget = current()
    for number, item in enumerate(items, 1):
        if not number % FREE:
            budget.spend(FREE)
        yield item
