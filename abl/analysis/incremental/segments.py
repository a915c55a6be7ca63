"""The rules over single nodes and expressions, which need not look again at what an edit has not changed.

A rule that found nothing at a node, and read nothing outside of the node's part
(``abl.analysis.incremental.parts``), will find nothing the next time either. The same holds if it read only facts that
are still the same (``AgentIndex.facts``). These rules are noted with the part, which is reused in the next text; only
the others run again. So an edit costs the rules of what was edited, and those that compare with the
whole agent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.incremental.parts import Part, Placed
from abl.analysis.incremental.runs import Run
from abl.analysis.index.model import DECLARATIONS, FACTS, AgentIndex
from abl.analysis.registry import Found, Rule
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.incremental.relocation import first_of

if TYPE_CHECKING:
    from abl.analysis.index.project import Index

_BITS: Final = {fact: 1 << number for number, fact in enumerate((*FACTS, *DECLARATIONS))}
Rules = tuple[Rule, ...]
Todo = list[tuple[int, Rules]]  # number of the thing in its part, and the rules for it
Facts = tuple[Any, ...]


class _Noted(NamedTuple):
    """Which rules must look again at which things of a part: always, or if facts differ that they asked for (bits)."""

    facts: Facts
    always: Todo
    dependent: list[tuple[int, Rule, int]]


class _Watch:
    """What a rule that looks at a thing was seen to ask for: ``facts`` (bits) or ``more``."""

    __slots__ = ("facts", "more", "part", "thing")

    def __init__(self) -> None:
        self.thing: Any = None
        self.part: Part | None = None
        self.facts = 0
        self.more = False

    def is_within(self, node: nodes.Node) -> bool:
        """True for nodes of the part of the thing, which change only if the part does."""
        return node is self.thing or (self.part is not None and id(first_of(node)) in self.part.derive(_ids))


def _ids(part: Part) -> frozenset[int]:
    return frozenset([id(first_of(node)) for node in part.nodes])


class _WatchedNames(Mapping[str, Any]):
    """Declarations by name: names are a fact; the thing itself, looked up, is the thing; another one is more."""

    __slots__ = ("named", "watch")

    def __init__(self, named: Mapping[str, Any], watch: _Watch) -> None:
        self.named = named
        self.watch = watch

    def __contains__(self, name: object) -> bool:
        return name in self.named

    def __iter__(self) -> Iterator[str]:
        return iter(self.named)

    def __len__(self) -> int:
        return len(self.named)

    def __getitem__(self, name: str) -> Any:
        found = self.named[name]
        if found is not self.watch.thing:
            self.watch.more = True
        return found


class _WatchedAgent:
    """An agent that records what it was asked for."""

    def __init__(self, agent: AgentIndex, watch: _Watch) -> None:
        self._agent = agent
        self._watch = watch
        self._facts: dict[str, Any] = {}

    def expressions_of(self, owner: nodes.Node) -> list[ExpressionUse]:
        """Those of the part belong to the thing."""
        if not self._watch.is_within(owner):
            self._watch.more = True
        return self._agent.expressions_of(owner)

    def path_of(self, dotted: str) -> nodes.PersistentPath | None:
        """That there is none is a fact."""
        self._watch.facts |= _BITS["persistent"]
        declared = self._agent.path_of(dotted)
        if declared is not None and declared is not self._watch.thing:
            self._watch.more = True
        return declared

    @property
    def own_source(self) -> Source:
        """Read only where the thing stands, whose text is its part's."""
        return self._agent.source

    @property
    def persistent_parents(self) -> dict[str, str]:
        """These follow from the names of the paths."""
        self._watch.facts |= _BITS["persistent"]
        return self._agent.persistent_parents

    def __getattr__(self, name: str) -> Any:
        self._watch.more = True
        return getattr(self._agent, name)


class _Fact:
    """A fact of a watched agent. Rules ask for little else, so these are found without ``__getattr__``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bit = _BITS[name]

    def __get__(self, watched: _WatchedAgent, owner: type) -> Any:
        watched._watch.facts |= self.bit
        facts = watched._facts
        if self.name not in facts:
            value = getattr(watched._agent, self.name)
            facts[self.name] = _WatchedNames(value, watched._watch) if self.name in DECLARATIONS else value
        return facts[self.name]


for _name in _BITS:
    setattr(_WatchedAgent, _name, _Fact(_name))


class _WatchedProject:
    """A project that records that it was asked for something."""

    def __init__(self, project: Index, watch: _Watch) -> None:
        self._project = project
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        self._watch.more = True
        return getattr(self._project, name)


def findings_of(
    agent: AgentIndex, rules_of: Callable[[Any], Rules], project: Index | None = None
) -> Iterator[tuple[Rule, Found]]:
    """What the rules over nodes and expressions say about an agent; ``rules_of`` gives those of each.

    With a ``project`` the rules are those that take one.
    """
    asked: tuple[Any, ...] = (agent,) if project is None else (agent, project)
    check = _AgentCheck(agent, rules_of, project)
    for begin, run in agent.runs:
        for number in check.numbers(run):
            placed = agent.parts[begin + number]
            noted = check.noted(placed.part)
            if noted is None:
                yield from check.look(placed)
                continue
            for at, rules in noted.always:
                thing = placed.thing(at)
                for rule in rules:
                    for problem in rule.check(thing, *asked):
                        yield rule, problem
        check.end(run)


class _AgentCheck:
    """One check of the parts of an agent."""

    def __init__(self, agent: AgentIndex, rules_of: Callable[[Any], Rules], project: Index | None) -> None:
        self.rules_of = rules_of
        # A text with a misspelt word is read twice, with most parts in common: each reading keeps its own notes.
        self.key = ("local" if project is None else "project") + (" corrected" if agent.is_corrected else "")
        self.facts: Facts = agent.facts
        self.others: dict[int, tuple[Facts, int]] = {}  # facts that parts were last seen with: what is different now
        self._take_over(agent.runs)
        self.watch = _Watch()
        watched = _WatchedAgent(agent, self.watch)
        self.asked = (watched,) if project is None else (watched, _WatchedProject(project, self.watch))

    def _take_over(self, runs: Iterable[tuple[int, Run]]) -> None:
        """Go on with equal facts that were noted, so that to compare them again is to see that they are the same."""
        for _, run in runs:
            facts, _ = run.noted.get(self.key, (None, ()))
            if facts is not None:
                self.facts = self.facts if self._changed(facts) else facts
                return

    def numbers(self, run: Run) -> Iterable[int]:
        """The parts of a run to look at, by number: all, or those with something that is looked at always."""
        facts, always = run.noted.get(self.key, (None, ()))
        return always if facts is self.facts else range(len(run.parts))

    def end(self, run: Run) -> None:
        """Note about a run which of its parts have something that is looked at always."""
        if run.noted.get(self.key, (None, ()))[0] is self.facts:
            return
        always: list[int] = []
        for number, part in enumerate(run.parts):
            noted: _Noted | None = part.noted.get(self.key)
            if noted is None or noted.facts is not self.facts:
                return
            if noted.always:
                always.append(number)
        run.noted[self.key] = self.facts, always

    def noted(self, part: Part) -> _Noted | None:
        """What was noted about a part, if it still holds."""
        noted: _Noted | None = part.noted.get(self.key)
        if noted is None or noted.facts is self.facts:
            return noted
        if self._changed(noted.facts):
            return None
        part.noted[self.key] = noted = _Noted(self.facts, noted.always, noted.dependent)
        return noted

    def _changed(self, before: Facts) -> int:
        known = self.others.get(id(before))
        if known is None:
            pairs = enumerate(zip(before, self.facts, strict=True))
            changed = sum(1 << number for number, (one, other) in pairs if one is not other and one != other)
            known = self.others[id(before)] = before, changed
        return known[1]

    def look(self, placed: Placed) -> Iterator[tuple[Rule, Found]]:
        """Run the rules that must look at something of a part, and note which of them must do so again."""
        part = placed.part
        earlier: _Noted | None = part.noted.get(self.key)
        noting = _Noted(self.facts, [], [])
        if earlier is None:
            things = (placed, *part.nodes, *part.uses)
            todo = [(at, rules) for at, thing in enumerate(things, start=-1) if (rules := self.rules_of(thing))]
        else:
            changed = self._changed(earlier.facts)
            noting.dependent.extend(kept for kept in earlier.dependent if not kept[2] & changed)
            again = [(at, (rule,)) for at, rule, facts in earlier.dependent if facts & changed]
            todo = sorted([*earlier.always, *again], key=_number)
        self.watch.part = part if part.unit else None
        for at, rules in todo:
            if problems := self._watched(placed.thing(at), rules, at, noting):
                yield from problems
        if part.unit:
            part.noted[self.key] = noting

    def _watched(self, thing: Any, rules: Rules, at: int, noting: _Noted) -> list[tuple[Rule, Found]]:
        watch, arguments = self.watch, (thing, *self.asked)
        watch.thing = thing
        found: list[tuple[Rule, Found]] = []
        always: list[Rule] = []
        for rule in rules:  # runs thousands of times a check, and nearly all rules find nothing and ask for nothing
            watch.facts, watch.more = 0, False
            problem: Found | None = None
            for problem in rule.check(*arguments):
                found.append((rule, problem))
            if watch.more or problem is not None:
                always.append(rule)
            elif watch.facts:
                noting.dependent.append((at, rule, watch.facts))
        if always:
            noting.always.append((at, tuple(always)))
        return found


def _number(item: tuple[int, Rules]) -> int:
    return item[0]
