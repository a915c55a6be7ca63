"""``CHECK: phase`` as gates of the phase's rules (docs/spec 05 §9): a phase is only a label, a gate has an effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis import fixes
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.diagnostics import Diagnostic, Edit
from abl.editing.declare import session_variables
from abl.source import Span
from abl.syntax import nodes

_NAMES_PHASE: Final = "ABL450"


def gated_phases(document: DocumentIndex, index: Index, problems: Sequence[Diagnostic]) -> list[Edit]:
    """For each phase that a CHECK names: a variable that the step sets instead, and a gate on it for the phase's rules.

    The variable is reset in each step, so that the rules hold where the check stood. What the CHECK did on failure is
    left to the ON_FAIL of the rules.
    """
    edits: list[Edit] = []
    starts = {problem.span.start for problem in problems if problem.code == _NAMES_PHASE}
    for agent in document.agents:
        checks = [c for c in agent.all(nodes.Check) if c.condition is not None and c.condition.inner.start in starts]
        phases = dict.fromkeys(c.condition.value.strip() for c in checks if c.condition is not None)
        constraints = agent.agent.constraints
        for phase in constraints.phases if constraints is not None else ():
            if phase.name.value in phases:
                edits += [edit for rule in phase.rules for edit in _gate(agent, rule, _flag(phase.name.value))]
        edits += [edit for check in checks for edit in _set(agent, check)]
        lines = [(f"- {_flag(phase)}", "  TYPE: boolean", "  INITIAL: false", "  RESET: per_step") for phase in phases]
        edits += session_variables(document, agent, [line for entry in lines for line in entry])
    return sorted(edits, key=lambda edit: edit.span)


def _flag(phase: str) -> str:
    return f"in_{phase}"


def _set(agent: AgentIndex, check: nodes.Check) -> Iterator[Edit]:
    """``CHECK: phase`` and its ON_FAIL give way to a SET."""
    if check.condition is None:
        return
    yield Edit(
        Span(check.key_span.start, check.condition.span.end), f"SET: {_flag(check.condition.value.strip())} = true"
    )
    if check.on_fail is not None and check.on_fail.block is not None:
        yield Edit(fixes.whole_lines(agent.source, check.on_fail.block.span), "")


def _gate(agent: AgentIndex, rule: nodes.Rule, flag: str) -> Iterator[Edit]:
    """A gate, joined to the one that the rule has."""
    if rule.when is not None:
        text = agent.source.text[slice(*rule.when.inner)]
        yield Edit(rule.when.inner, f"({text}) AND {flag} == true")
    elif rule.block is not None and rule.block.item:
        line = agent.source.line_span(agent.source.position(rule.block.line_span.start).line)
        end = max(line.end, rule.block.value.span.end if rule.block.value is not None else 0)
        yield Edit(Span(end, end), f"\n{' ' * (rule.block.column + 1)}WHEN: {flag} == true")
