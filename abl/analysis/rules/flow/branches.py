"""5xx and 6xx about lists of branches (docs/spec 06 §6, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis import fixes
from abl.analysis.conditions.certainty import varies
from abl.analysis.conditions.implication import Demand, implies, reverses_order
from abl.analysis.conditions.judgement import condition_among
from abl.analysis.fixes.entries import remove_entry
from abl.analysis.fixes.flow import else_last
from abl.analysis.fixes.steps import add_else, add_exits
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.limits import MAX_COMPARED_RULES
from abl.syntax import nodes, vocabulary
from abl.syntax.readers.outcomes import gathers_of

_WithBranches = nodes.OnInput | nodes.Call | nodes.OnFail | nodes.Outcome
_ALL_BRANCHES = (nodes.OnInput, nodes.Call, nodes.OnFail, nodes.Outcome)  # those of a GATHER and of ON_START, too


@rule("ABL509", "silent-trap", "warning", "ON_INPUT without ELSE traps other input", over=nodes.Step)
def silent_trap(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step waits for input, says nothing, collects nothing and has no ELSE.
    Why: A message that no branch expects gets no answer, and the conversation seems dead.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1 to lend a book."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - ELSE:
                RESPOND: "Please type 1."
    """
    on_inputs = [d for d in step.directives if isinstance(d, nodes.OnInput)]
    speaks = any(isinstance(d, nodes.Respond | nodes.Gather) for d in step.directives)
    if speaks or step.name.value not in agent.graph.waits:
        return
    for on_input in on_inputs:
        if on_input.branches and not any(branch.is_else for branch in on_input.branches):
            yield found(on_input.key_span, *add_else(agent, on_input.branches))


@rule(
    "ABL510",
    "branch-after-else",
    "warning",
    "Branch after ELSE is never reached",
    over=_ALL_BRANCHES,
    tags=("unnecessary",),
)
def branch_after_else(node: _WithBranches, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A branch follows ELSE.
    Why: The first branch that matches wins, and ELSE always matches.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1 or 2."
            ON_INPUT:
              - ELSE:
                RESPOND: "Please type 1."
              - IF: input == "1"
                THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1 or 2."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - ELSE:
                RESPOND: "Please type 1."
    """
    for branches in _branch_lists(node):
        first_else = next((i for i, branch in enumerate(branches) if branch.is_else), len(branches))
        late = [branch for branch in branches[first_else + 1 :] if not branch.is_else]
        repairs = else_last(agent, branches) if late else ()
        for branch in late:
            yield found(first_line(branch), *repairs)


def _branch_lists(node: _WithBranches) -> Iterator[tuple[nodes.Branch, ...]]:
    """The lists of branches of a node."""
    if isinstance(node, nodes.Call):
        yield from (node.on_success, node.on_failure, node.on_result)
    else:
        yield node.branches


@rule("ABL615", "no-else", "hint", "ON_INPUT has no ELSE", over=nodes.Step)
def no_else(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step that asks something has no branch for other answers.
    Why: An answer that no branch expects is met with silence.
    Bad:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1 to lend a book."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
    Good:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1 to lend a book."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - ELSE:
                RESPOND: "Please type 1."
    """
    speaks = any(isinstance(d, nodes.Respond | nodes.Gather) for d in step.directives)
    for directive in step.directives if speaks else ():
        if (
            isinstance(directive, nodes.OnInput)
            and directive.branches
            and not any(b.is_else for b in directive.branches)
        ):
            yield found(directive.key_span, *add_else(agent, directive.branches))


@rule("ABL616", "second-else", "error", "More than one ELSE", over=_ALL_BRANCHES)
def second_else(node: _WithBranches, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A list of branches has two ELSE.
    Why: The second can never be reached.
    Bad:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - ELSE:
                RESPOND: "Please type 1."
              - ELSE:
                RESPOND: "Once more, please."
    Good:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - ELSE:
                RESPOND: "Please type 1."
    """
    for branches in _branch_lists(node):
        for branch in [b for b in branches if b.is_else][1:]:
            yield found(first_line(branch), fixes.remove_lines(agent.source, branch.span, "Remove this ELSE"))


@rule(
    "ABL617",
    "repeated-condition",
    "warning",
    "This condition repeats branch {n}",
    over=_ALL_BRANCHES,
    tags=("unnecessary",),
)
def repeated_condition(node: _WithBranches, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A branch has the condition of an earlier one, or one that only holds where the earlier one does, too.
    Why: The first branch that matches wins, so this one never runs.
    Bad:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - IF: input == "1"
                THEN: ESCALATE
              - ELSE:
                RESPOND: "Please type 1."
    Good:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - IF: input == "2"
                THEN: ESCALATE
              - ELSE:
                RESPOND: "Please type 1 or 2."
    """
    for branches in _branch_lists(node):
        first: dict[str, int] = {}
        earlier: list[tuple[int, Demand]] = []
        numbered = enumerate(branches, start=1)
        conditions = [(number, each, each.condition) for number, each in numbered if each.condition is not None]
        for number, branch, condition in conditions if len(conditions) > 1 else ():
            text = " ".join(condition.value.split())
            before = first.get(text) if _is_steady(branch, agent) else None
            before = before or _covering(branch, earlier, agent)
            if before is not None:
                yield found(condition.span, later=partial(remove_entry, agent, branch, "Remove this branch"), n=before)
            elif len(earlier) < MAX_COMPARED_RULES and (demand := _demand(branch, agent)) is not None:
                earlier.append((number, demand))
            first.setdefault(text, number)


def _is_steady(branch: nodes.Branch, agent: AgentIndex) -> bool:
    """False for a condition that may answer differently when it is asked again, as with a random number."""
    use = condition_among(agent.expressions_of(branch))
    return use is None or use.reading.node is None or not varies(use.reading.node)


def _demand(branch: nodes.Branch, agent: AgentIndex) -> Demand | None:
    """The condition of a branch, if it can be read and may hold."""
    use = condition_among(agent.expressions_of(branch))
    if use is None or use.reading.node is None or use.reading.constant is not None:
        return None
    if reverses_order(use.reading.node):
        return None
    demand = Demand(use.reading.node)
    return None if demand.bounds.impossible else demand


def _covering(branch: nodes.Branch, earlier: list[tuple[int, Demand]], agent: AgentIndex) -> int | None:
    """The number of an earlier branch that matches whenever this one would."""
    demand = _demand(branch, agent)
    if demand is None:
        return None
    return next((number for number, other in earlier if implies(demand, other)), None)


@rule("ABL618", "idle-branch", "warning", "Branch does nothing", over=_ALL_BRANCHES)
def idle_branch(node: _WithBranches, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A branch has neither an action nor an exit.
    Why: It only keeps later branches from matching.
    Bad:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - IF: input == "1"
              - ELSE:
                RESPOND: "Please type 1."
    Good:
        FLOW:
          choose:
            REASONING: false
            RESPOND: "Type 1."
            ON_INPUT:
              - IF: input == "1"
                THEN: COMPLETE
              - ELSE:
                RESPOND: "Please type 1."
    """
    if isinstance(node, nodes.Outcome) and node.keyword not in vocabulary.RESULT_BLOCKS:
        return
    for branches in _branch_lists(node):
        for branch in branches:
            block = branch.block
            # A map in braces is no map in the keyword form, and reported as such.
            unreadable = block is not None and not block.colon and agent.source.text.startswith("- {", block.span.start)
            if not unreadable and not branch.actions and not (branch.block and branch.block.children):
                yield found(first_line(branch), later=partial(add_exits, agent, branch))


@rule(
    "ABL626",
    "result-after-success",
    "hint",
    "ON_RESULT runs only if ON_SUCCESS does not leave the step",
    over=(nodes.Call, nodes.Step),
)
def result_after_success(node: nodes.Call | nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A call, or a GATHER, has ON_SUCCESS and ON_RESULT.
    Why: ON_SUCCESS comes first; where it takes an exit, ON_RESULT is not looked at.
    Bad:
        FLOW:
          look:
            REASONING: false
            CALL: find_book
            ON_SUCCESS:
              THEN: COMPLETE
            ON_RESULT:
              - IF: call_result.id IS SET
                THEN: COMPLETE
    Good:
        FLOW:
          look:
            REASONING: false
            CALL: find_book
            ON_RESULT:
              - IF: call_result.id IS SET
                THEN: COMPLETE
            THEN: COMPLETE
    """
    for each in (node,) if isinstance(node, nodes.Call) else gathers_of(node.directives):
        if each.on_success and each.on_result:
            yield found(first_line(each.on_result[0]))
