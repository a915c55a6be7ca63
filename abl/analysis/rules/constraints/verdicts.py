"""4xx about rules over names that are not set yet (docs/spec 04 §6.1, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis.conditions.judgement import (
    condition_of,
    fields_waited_for,
    gate_of,
    holds_unset,
    names_unset_at_start,
)
from abl.analysis.fixes.entries import add_property
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.syntax import nodes


def _fails_unset(
    checked: nodes.Rule, agent: AgentIndex, project: Index
) -> tuple[ExpressionUse, tuple[str, ...]] | None:
    """The condition and the unset names of a rule that fails on them on a fresh session."""
    use = condition_of(checked, agent)
    if use is None or agent.fragment or use.reading.node is None or not _judged_at_start(use, agent):
        return None
    if fields_waited_for(use, agent):
        return None
    received = project.received(agent)
    names = tuple(name for name in names_unset_at_start(use, agent) if name.partition(".")[0] not in received)
    if not names or holds_unset(use.reading, names.__contains__) is not (checked.kind.value == "RESTRICT"):
        return None
    return use, names


def _judged_at_start(use: ExpressionUse, agent: AgentIndex) -> bool:
    """True for a rule that the first message meets: one of the agent, or of the step in which the flow then waits."""
    return use.step is None or (use.step == agent.graph.entry and use.step in agent.graph.waits)


@rule(
    "ABL447",
    "depends-on-unset-policy",
    "hint",
    "Verdict on unset `{names}` depends on the unset policy",
    off=True,
    over=nodes.Rule,
    project=True,
)
def depends_on_unset_policy(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: On a fresh session the rule fails, but platforms that skip rules over unset names let it pass. Where it also
        blocks the conversation, ABL448 tells that instead.
    Why: The same agent behaves differently in the two places; a gate says which is meant.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - role
        CONSTRAINTS:
          - REQUIRE role == "MEMBER"
            ON_FAIL: ESCALATE
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: look
          look:
            REASONING: false
            SET: role = UPPER(code)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - role
        CONSTRAINTS:
          - REQUIRE role == "MEMBER"
            WHEN: role IS SET
            ON_FAIL: ESCALATE
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: look
          look:
            REASONING: false
            SET: role = UPPER(code)
            THEN: COMPLETE
    """
    if checked.before is not None:
        return
    if gate_of(checked, agent) is not None:
        return
    failing = _fails_unset(checked, agent, project)
    if failing is None:
        return
    use, names = failing
    asks = any(test.op in ("IS SET", "IS NOT SET") for test in use.reading.tests)
    implies = any(isinstance(node, en.Logical) and node.op == "IMPLIES" for node in use.reading.nodes)
    if not asks and not implies:
        gate = partial(_set_gate, checked, agent, names)
        yield found(use.whole, later=gate, node=checked.path, names=", ".join(names))


def _set_gate(checked: nodes.Rule, agent: AgentIndex, names: tuple[str, ...]) -> tuple[Fix, ...]:
    return add_property(agent, checked, "WHEN: " + " AND ".join(f"{name} IS SET" for name in names))
