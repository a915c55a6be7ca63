"""The rules of one agent compared with each other by what they demand (docs/spec 04 §8).

Those of a reasoning step follow the agent's own while it runs (04 §7). They are compared with these and with each
other, but not with those of other steps; so the edit of one step leaves the books of the others as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any

from abl.analysis.conditions.implication import Demand, asked
from abl.analysis.conditions.intervals import Interval, Limits
from abl.analysis.conditions.rule_entry import Entry, entries_of
from abl.analysis.incremental.recent import Recent
from abl.analysis.index.model import AgentIndex
from abl.limits import MAX_COMPARED_RULES
from abl.once import once

_ByPath = dict[str, list[Entry]]


class Rulebook:
    """The readable rules of one list in declaration order; their places in the text do not matter.

    ``above`` are the agent's own rules, when these are those of a step.
    """

    def __init__(self, entries: list[Entry], above: Rulebook | None = None) -> None:
        self.entries = entries
        self.above = above

    @property
    def books(self) -> tuple[Rulebook, ...]:
        """The lists whose rules are judged whenever these are, in their order."""
        return (self,) if self.above is None else (self.above, self)

    @once
    def _first(self) -> dict[Any, Entry]:
        """The first entry of each kind, condition, gate and checkpoint."""
        found: dict[Any, Entry] = {}
        for entry in self.entries:
            found.setdefault(_said(entry), entry)
        return found

    @once
    def duplicates(self) -> dict[int, Entry]:
        """For each rule (by id) that repeats an earlier one, that one."""
        repeated: dict[int, Entry] = {}
        for entry in self.entries:
            for first in (book._first.get(_said(entry)) for book in self.books):
                if first is not None and first is not entry and not first.spares(entry):
                    repeated[id(entry.rule)] = first
                    break
        return repeated

    @once
    def _by_path(self) -> _ByPath:
        by_path: _ByPath = {}
        for entry in self.entries:
            for path in paths_of(entry.limits):
                by_path.setdefault(path, []).append(entry)
        return by_path

    @once
    def _by_denied_path(self) -> _ByPath:
        by_path: _ByPath = {}
        for entry in self.entries:
            for path in dict.fromkeys(next(iter(paths_of(denial))) for denial in entry.denials):
                by_path.setdefault(path, []).append(entry)
        return by_path

    @once
    def _rooms(self) -> dict[str, Interval]:
        """The numbers that all rules which are compared leave a name; none for a name of which they say more."""
        rooms: dict[str, Interval] = {}
        for path, entries in self._by_path.items():
            compared = [entry.limits.numbers.get(path) for entry in entries[:MAX_COMPARED_RULES]]
            numbers = [interval for interval in compared if interval is not None and not interval.empty]
            if len(numbers) == len(compared) and not any(path in e.limits.values for e in entries[:MAX_COMPARED_RULES]):
                rooms[path] = Interval(max(each.low for each in numbers), min(each.high for each in numbers))
        return rooms

    def _may_exclude(self, entry: Entry) -> bool:
        """False where the limits of a rule reach into what all others leave its one name: then none excludes it."""
        if len(entry.limits.numbers) != 1 or entry.limits.values:
            return True
        [(path, interval)] = entry.limits.numbers.items()
        rooms = [book._rooms.get(path) for book in self.books if path in book._by_path]
        return not all(
            room is not None and interval.low < room.high and room.low < interval.high and not interval.empty
            for room in rooms
        )

    @once
    def _numbers(self) -> dict[int, int]:
        return {id(entry): number for number, entry in enumerate(self.entries)}

    def _number(self, entry: Entry) -> int:
        """The place of an entry of this list; before all of them for one above."""
        return self._numbers.get(id(entry), -1)

    def _related(self, entry: Entry, paths: Iterable[str] = ()) -> Iterator[Entry]:
        """Earlier rules that limit a name that this one limits, or one of ``paths``; of very many the first ones."""
        lists = [book._by_path for book in self.books]
        return self._earlier(entry, lists, {**paths_of(entry.limits), **dict.fromkeys(paths)})

    def _denying(self, entry: Entry) -> Iterator[Entry]:
        """Earlier rules that fail wherever this one holds, or hold nowhere but where this one fails."""
        denied = dict.fromkeys(path for denial in entry.denials for path in paths_of(denial))
        if denied:
            lists = [book._by_path for book in self.books]
            yield from (other for other in self._earlier(entry, lists, denied) if entry.denies(other))
        lists = [book._by_denied_path for book in self.books if book._by_denied_path]
        if lists:
            limited = paths_of(entry.limits)
            yield from (other for other in self._earlier(entry, lists, limited) if other.denies(entry))

    def _earlier(self, entry: Entry, lists: Iterable[_ByPath], paths: dict[str, None]) -> Iterator[Entry]:
        last = self._numbers[id(entry)]
        seen: set[int] = set()  # many may limit more than one of the names
        for by_path, path in product(lists, paths):
            for other in by_path.get(path, ())[:MAX_COMPARED_RULES]:
                if self._number(other) >= last:
                    break
                if id(other) not in seen:
                    seen.add(id(other))
                    yield other

    @once
    def contradicted(self) -> dict[int, Entry]:
        """By id of an entry: an earlier one that cannot hold together with it."""
        found: dict[int, Entry] = {}
        for entry in self.entries:
            if entry.rule.is_warning or entry.verdict is not None or entry.is_closed:
                continue
            if id(entry.rule) in self.duplicates:
                continue  # ABL437, reported at the first of them
            other = self._denied_by(entry) or self._excluded_by(entry)
            if other is not None:
                found[id(entry)] = other
        return found

    @once
    def _cores(self) -> dict[Any, Entry]:
        """The first entry that may be contradicted of each core and setting."""
        found: dict[Any, Entry] = {}
        for entry in self.entries:
            if not entry.rule.is_warning and entry.verdict is None and not entry.is_closed:
                found.setdefault((entry.core, entry.setting), entry)
        return found

    def _denied_by(self, entry: Entry) -> Entry | None:
        """An earlier rule that demands the opposite."""
        opposite = (entry.core[1] if entry.forbids else ("NOT", entry.core), entry.setting)
        said = (book._cores.get(opposite) for book in self.books)
        earlier = (other for other in said if other is not None and self._number(other) < self._number(entry))
        return next((other for other in earlier if not other.spares(entry)), None)

    def _excluded_by(self, entry: Entry) -> Entry | None:
        """An earlier rule whose limits exclude those of this one, or which forbids all that this one allows."""
        for other in self._related(entry) if self._may_exclude(entry) else ():
            if _together(other, entry) and other.limits.contradicts(entry.limits):
                return other
        return next((other for other in self._denying(entry) if _together(other, entry)), None)

    @once
    def binding(self) -> dict[Any, Entry]:
        """The first binding rule for each single demand, by its shape, gate and checkpoint."""
        found: dict[Any, Entry] = {}
        for entry in self.entries:
            if entry.binding and entry.verdict is None:
                for demand in (part for part in entry.demands if part.shape is not None):
                    found.setdefault((demand.shape, *entry.setting), entry)
        return found

    @once
    def stronger(self) -> dict[int, Entry]:
        """By id of an entry: the last of the earlier ones that together end the pass whenever it would fail."""
        found: dict[int, Entry] = {}
        for entry in self.entries:
            holding: list[Entry] = []
            for demand in entry.demands:
                other = self._holding(demand, entry)
                if other is None:
                    break
                holding.append(other)
            if holding and len(holding) == len(entry.demands):
                found[id(entry)] = max(holding, key=self._number)
        return found

    def _holding(self, demand: Demand, entry: Entry) -> Entry | None:
        """An earlier rule that sees to it that a demand of this one is met."""
        gate, checkpoint = entry.setting
        for setting in product(dict.fromkeys((None, gate)), dict.fromkeys((None, checkpoint))):
            for book in self.books:
                same = book.binding.get((demand.shape, *setting))
                if same is not None and self._number(same) < self._number(entry):
                    return same
        if asked(demand):  # where rules over unset names are skipped, one that only compares does not answer that
            return None
        for other in self._related(entry, paths_of(demand.opposite.bounds)):
            if other.binding and other.verdict is None and other.setting[1] in (None, checkpoint):
                open_too = other.gate is None or other.setting[0] == gate
                if open_too and _limited_by(demand, other):
                    return other
        return None

    @once
    def behind_leaving(self) -> dict[int, Entry]:
        """By id of an entry: one before it with the same gate that hands the conversation over (ABL452)."""
        return self._leaving[0]

    @once
    def _leaving(self) -> tuple[dict[int, Entry], dict[Any, Entry]]:
        """The same, and those that no rule has stood behind so far."""
        leaving: dict[Any, Entry] = dict(self.above._leaving[1]) if self.above is not None else {}
        found: dict[int, Entry] = {}
        for entry in self.entries:
            if entry.gate is None:
                continue
            earlier = leaving.pop(entry.setting, None)
            if earlier is not None:
                found[id(entry)] = earlier
            action = entry.rule.on_fail
            if action is not None and action.form in ("handoff", "escalate") and not entry.rule.is_warning:
                leaving[entry.setting] = entry
        return found, leaving


def _said(entry: Entry) -> tuple[Any, ...]:
    return (entry.rule.kind.value, entry.core, entry.setting)


def _together(other: Entry, entry: Entry) -> bool:
    """True when an earlier rule blocks wherever this one does not."""
    alike = other.setting == entry.setting and not other.spares(entry)
    return alike and not other.rule.is_warning and other.verdict is None


def _limited_by(demand: Demand, other: Entry) -> bool:
    """True when a demand is met wherever the limits of a rule hold."""
    limits = other.limits
    within = demand.limits is not None and limits.implies(demand.limits)
    return within or (demand.safe and bool(limits.contradicts(demand.opposite.bounds, strict=True)))


def paths_of(limits: Limits) -> dict[str, None]:
    """The names that are limited."""
    return {**dict.fromkeys(limits.numbers), **dict.fromkeys(limits.values)}


def rulebooks_of(agent: AgentIndex) -> tuple[Rulebook, ...]:
    """The rules of an agent and of each of its steps; the same objects while no rule of a list is edited.

    Callers that need them repeatedly let the agent cache them: ``agent.derive(rulebooks_of)``.
    """
    lists: dict[str, list[Entry]] = {"": []}
    for entry in agent.items(entries_of):
        lists.setdefault(entry.scope, []).append(entry)
    own = _recent().get(lists.pop(""), Rulebook)
    return (own, *(_of_step(entries, own) for entries in lists.values()))


def _of_step(entries: list[Entry], own: Rulebook) -> Rulebook:
    known = entries[0].book
    if known is None or known[0] is not own or known[1] != entries:
        known = entries[0].book = own, entries, Rulebook(entries, own)
    book: Rulebook = known[2]
    return book


@cache
def _recent() -> Recent[list[Entry], Rulebook]:
    return Recent(32)
