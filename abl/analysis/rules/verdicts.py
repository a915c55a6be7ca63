"""4xx about rules over names that are not set yet (docs/spec 04 §6.1, 05 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis import fixes
from abl.analysis.entry_fixes import add_property
from abl.analysis.judgement import assignments_of, condition_of, gate_of, holds_unset, names_unset_at_start
from abl.analysis.model import AgentIndex, ExpressionUse
from abl.analysis.parts import Part
from abl.analysis.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.syntax import nodes

_TALKS_ONLY = frozenset({"message", "respond", "block", "redact", "unknown"})


def _fails_unset(
    checked: nodes.Rule, agent: AgentIndex, project: Index
) -> tuple[ExpressionUse, tuple[str, ...]] | None:
    """The condition and the unset names of a rule that fails on them on a fresh session."""
    use = condition_of(checked, agent)
    if use is None or agent.fragment or use.reading.node is None or not _judged_at_start(use, agent):
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
        GATHER:
          role:
            prompt: "Who are you?"
            type: string
        CONSTRAINTS:
          - REQUIRE role == "member"
            ON_FAIL: ESCALATE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - role
        GATHER:
          role:
            prompt: "Who are you?"
            type: string
        CONSTRAINTS:
          - REQUIRE role == "member"
            WHEN: role IS SET
            ON_FAIL: ESCALATE
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


@rule(
    "ABL448",
    "blocks-until-set",
    "warning",
    "Blocks every turn until `{names}` is set, and only work that it blocks can set it",
    over=nodes.Rule,
    project=True,
)
def blocks_until_set(checked: nodes.Rule, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A rule fails as long as a name is unset, and only steps that the rule keeps from running set it. Where the
    user's answer or a hook can set it, this is a note.
    Why: The conversation gets stuck at the first message.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - verified
        CONSTRAINTS:
          - REQUIRE verified == true
            ON_FAIL: "You have to be verified."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: verify
          verify:
            REASONING: false
            SET: verified = true
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - verified
        CONSTRAINTS:
          - REQUIRE verified == true
            WHEN: verified IS SET
            ON_FAIL: "You have to be verified."
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - code: required
                prompt: "Your code?"
            THEN: verify
          verify:
            REASONING: false
            SET: verified = LENGTH(code) == 6
            THEN: COMPLETE
    """
    if checked.before is not None or checked.whens or checked.is_warning or not _only_talks(checked.on_fail):
        return
    failing = _fails_unset(checked, agent, project)
    if failing is None:
        return
    use, names = failing
    stuck = not agent.reasoning and all(not _set_by_collection(name, agent) for name in names)
    shown, repairs = ", ".join(names), partial(_gated, checked, agent, use, names)
    if stuck:
        yield found(use.whole, later=repairs, node=checked.path, names=shown)
    else:
        wording = "Fails on a fresh session, until `{names}` is set"
        yield found(use.whole, later=repairs, severity="info", node=checked.path, names=shown, wording=wording)


def _gated(checked: nodes.Rule, agent: AgentIndex, use: ExpressionUse, names: tuple[str, ...]) -> Iterator[Fix]:
    """The rule with a gate or, where one tool of the agent may change something, judged before that is called."""
    yield from _set_gate(checked, agent, names)
    tools = [name for name in agent.tools if not name.startswith(("find_", "load_", "get_"))]
    if len(tools) == 1:
        title = f"Check before `{tools[0]}`"
        yield fixes.insert(use.whole.end, f" BEFORE calling {tools[0]}", title, preferred=False)


def _only_talks(action: nodes.OnFail | None) -> bool:
    """True when a failure leads nowhere: neither to a step, nor to a question, nor to somebody else."""
    if action is None or action.form in _TALKS_ONLY:
        return True
    return action.form == "structured" and action.goto is None and not action.collect and not action.sets


def _set_by_collection(name: str, agent: AgentIndex) -> bool:
    """True when a gather field, a branch on input or a handler can set the name before the rules are checked."""
    return name.partition(".")[0] in agent.union(_collected_roots)


def _collected_roots(part: Part) -> frozenset[str]:
    """First segments of the names that an answer of the user sets."""
    actions = [branch.actions for on_input in part.all(nodes.OnInput) for branch in on_input.branches]
    actions += [handler.actions for handler in part.all(nodes.ActionHandler)]
    actions += [handler.actions for handler in part.all(nodes.IntentHandler)]
    lines = [line for directives in actions for line in assignments_of(directives)]
    names = [line.target.value for line in lines if line.target is not None]
    names += [write.path for write in part.writes if write.kind == "gather"]
    return frozenset([name.partition(".")[0] for name in names])
