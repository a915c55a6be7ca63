"""4xx about rules that cannot fail, cannot hold, repeat or contradict each other (docs/spec 04 §8, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis.conditions.implication import Demand, reverses_order
from abl.analysis.conditions.intervals import constant
from abl.analysis.conditions.judgement import condition_of, gate_of, holds_unset, never_set
from abl.analysis.conditions.mixed_words import always_fails, excludes
from abl.analysis.conditions.rule_entry import Entry
from abl.analysis.conditions.rulebook import Rulebook, rulebooks_of
from abl.analysis.fixes.entries import in_one_list, remove_entry
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Related
from abl.source import Span
from abl.syntax import nodes


def _entries(agent: AgentIndex) -> Iterator[tuple[Rulebook, Entry]]:
    """The rules of the agent and those of its steps, each with its list."""
    return ((book, entry) for book in agent.derive(rulebooks_of) for entry in book.entries)


def _place(agent: AgentIndex, entry: Entry) -> Span:
    """Where the condition of a rule stands."""
    use = condition_of(agent.here(entry.rule), agent)
    return use.whole if use is not None else first_line(agent.here(entry.rule))


def _line(agent: AgentIndex, entry: Entry) -> tuple[int, tuple[Related, ...]]:
    span = first_line(agent.here(entry.rule))
    return agent.source.position(span.start).line, (Related(agent.source.path, span, "the other rule"),)


@rule(
    "ABL434",
    "closed-gate",
    "warning",
    "Gate can never be true; rule unreachable",
    over=nodes.Rule,
    tags=("unnecessary",),
)
def closed_gate(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The WHEN of a rule is false whatever the state.
    Why: The rule is never checked.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            WHEN: age > 18 AND age < 12
            ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            WHEN: age > 12 AND age < 18
            ON_FAIL: "Members only."
    """
    gate = gate_of(checked, agent)
    node = gate.reading.node if gate is not None else None
    if gate is None or node is None:
        return
    value = constant(node, gate.reading.text)
    if not value.holds if value is not None else not reverses_order(node) and Demand(node).is_impossible:
        yield found(gate.whole, *remove_entry(agent, checked, "Remove the rule"), node=checked.path)


@rule("ABL435", "rule-cannot-fail", "warning", "Rule can never fail", over=AgentIndex, tags=("unnecessary",))
def rule_cannot_fail(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule holds whatever the state, because of its condition or because an earlier rule demands as much.
    Why: It protects nothing; often a bound was mistyped.
    Bad:
        CONSTRAINTS:
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
          - LIMIT loans < 5
            ON_FAIL: "Far too many loans."
    Good:
        CONSTRAINTS:
          - LIMIT loans < 5
            ON_FAIL: "Far too many loans."
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
    """
    for book, entry in _entries(agent):
        if id(entry.rule) in book.duplicates or entry.is_closed or entry.verdict is False:
            continue
        if not entry.has_safe_gate:
            continue
        stronger = book.stronger.get(id(entry))
        if stronger is not None or entry.verdict is True or entry.is_demanded_by_gate:
            removal = partial(remove_entry, agent, agent.here(entry.rule), "Remove the rule")
            related = _line(agent, stronger)[1] if stronger is not None else ()
            yield found(_place(agent, entry), later=removal, related=related, node=entry.rule.path)


@rule("ABL436", "rule-always-fails", "warning", "Rule always fails", over=AgentIndex, project=True)
def rule_always_fails(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A rule fails whatever the state: its condition is constant, contradicts itself or its gate, or waits for a
    name that nothing sets.
    Why: It blocks the conversation as soon as it is checked.
    Bad:
        CONSTRAINTS:
          - LIMIT loans < 3 AND loans > 5
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
    """
    for _, entry in _entries(agent):
        fails = always_fails(entry, agent) or _waits_for_nothing(entry, agent, project)
        if fails and not entry.is_closed:
            yield found(_place(agent, entry), node=entry.rule.path)


def _waits_for_nothing(entry: Entry, agent: AgentIndex, project: Index) -> bool:
    if agent.fragment or entry.gate is not None or not any(test.op == "IS SET" for test in entry.use.reading.tests):
        return False
    declared = [name.path for name in entry.use.reading.names if name.root in agent.session]
    unset = {path for path in declared if never_set(agent, project, path)}
    return bool(unset) and holds_unset(entry.use.reading, unset.__contains__) is entry.forbids


@rule("ABL437", "duplicate-rule", "warning", "Duplicate of rule at line {n}", over=AgentIndex, tags=("unnecessary",))
def duplicate_rule(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule has the same kind, condition, gate and checkpoint as an earlier one.
    Why: It adds nothing, and a later change to one of them is forgotten in the other.
    Bad:
        CONSTRAINTS:
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - LIMIT loans < 3
            ON_FAIL: "Too many loans."
          - LIMIT requests < 3
            ON_FAIL: "Too many requests."
    """
    for book, entry in _entries(agent):
        first = book.duplicates.get(id(entry.rule))
        if first is not None:
            line, related = _line(agent, first)
            duplicate = agent.here(entry.rule)
            safe = first.binding and in_one_list(agent, agent.here(first.rule), duplicate)
            removal = partial(remove_entry, agent, duplicate, "Remove the duplicate", preferred=safe)
            yield found(first_line(duplicate), later=removal, related=related, node=duplicate.path, n=line)


@rule("ABL438", "contradicting-rules", "error", "Contradicts rule at line {n}", over=AgentIndex)
def contradicting_rules(agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two rules that apply together cannot both hold.
    Why: Whatever the state, one of them blocks.
    Bad:
        CONSTRAINTS:
          - REQUIRE member_type == "public"
            ON_FAIL: "Public members only."
          - REQUIRE member_type == "staff"
            ON_FAIL: "Staff only."
    Good:
        CONSTRAINTS:
          - REQUIRE member_type IN ["public", "staff"]
            ON_FAIL: "Members only."
    """
    for book, entry in _entries(agent):
        other = book.contradicted.get(id(entry))
        if other is not None and excludes(other, entry, agent):
            line, related = _line(agent, other)
            yield found(_place(agent, entry), related=related, node=entry.rule.path, n=line)


@rule(
    "ABL452",
    "behind-a-handoff",
    "info",
    "Rule after an identical gate with HANDOFF/ESCALATE is rarely reached",
    over=AgentIndex,
)
def behind_a_handoff(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule has the same gate as an earlier one that hands off or escalates.
    Why: When the gate opens, the earlier rule often ends the pass first.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member
            WHEN: is_guest == true
            ON_FAIL: HANDOFF Librarian
          - LIMIT loans < 1
            WHEN: is_guest == true
            ON_FAIL: "One book at a time."
    Good:
        CONSTRAINTS:
          - LIMIT loans < 1
            WHEN: is_guest == true
            ON_FAIL: "One book at a time."
          - REQUIRE is_member
            WHEN: is_guest == true
            ON_FAIL: HANDOFF Librarian
    """
    for book, entry in _entries(agent):
        earlier = book.behind_leaving.get(id(entry))
        if earlier is not None:
            yield found(first_line(agent.here(entry.rule)), related=_line(agent, earlier)[1], node=entry.rule.path)
