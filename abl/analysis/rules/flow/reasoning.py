"""6xx about steps in which a model acts (docs/spec 06 §4.1, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.values import misfit
from abl.analysis.fixes.flow import add_directive
from abl.analysis.fixes.steps import split_step
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.language.types import FLAG
from abl.syntax import nodes

_REASONING_ONLY = frozenset({"GOAL", "BEHAVIOR", "AVAILABLE_TOOLS", "EXIT_WHEN", "MAX_TURNS", "STEP_CONSTRAINTS"})


@rule("ABL606", "bad-reasoning", "error", "REASONING must be true or false", over=(nodes.Step, nodes.Profile))
def bad_reasoning(node: nodes.Step | nodes.Profile, agent: AgentIndex) -> Iterator[Found]:
    """
    What: REASONING has a value other than true or false.
    Why: Whether a model acts in this step is then not known.
    Bad:
        FLOW:
          greet:
            REASONING: maybe
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    for value in _reasonings(node):
        problem = misfit(FLAG, value.value.strip(), value.span)
        if problem is not None:
            repairs = problem.fixes or (fixes.replace(value.span, "false", preferred=False),)
            yield found(value.span, *repairs, severity=problem.severity)


def _reasonings(node: nodes.Step | nodes.Profile) -> Iterator[nodes.Text]:
    """REASONING of a step, or of those that a profile puts in (06 §11)."""
    if isinstance(node, nodes.Step):
        setting = node.setting("REASONING")
        if setting is not None and setting.value is not None:
            yield setting.value
        return
    flow = node.content.get("flow")
    inserted = flow.get("insertions") if flow is not None else None
    for item in inserted.items if inserted is not None else ():
        text = item.text_of("reasoning")
        if text is not None:
            yield text


@rule(
    "ABL607", "reasoning-without-goal", "error", 'Reasoning step "{s}" has no goal', over=nodes.Step, needs="reasoning"
)
def reasoning_without_goal(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A model acts in the step, but neither step nor agent has a goal.
    Why: The model would not know what to do.
    Bad:
        AGENT: Desk
        FLOW:
          talk:
            REASONING: true
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          talk:
            REASONING: true
            GOAL: "Find out which book is wanted."
            THEN: COMPLETE
    """
    if step.reasoning and not agent.fragment and step.setting("GOAL") is None and agent.agent.goal is None:
        goal = 'GOAL: "…"'
        yield found(step.name.span, *add_directive(agent, step, "Insert `GOAL`", goal), s=step.name.value)


@rule("ABL608", "no-effect-without-reasoning", "warning", "{kw} has no effect in a deterministic step", over=nodes.Step)
def no_effect_without_reasoning(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A property for the model is in a step with `REASONING: false`.
    Why: It is dead text there.
    Bad:
        FLOW:
          greet:
            REASONING: false
            GOAL: "Be kind"
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          greet:
            REASONING: true
            GOAL: "Be kind"
            THEN: COMPLETE
    """
    if step.reasoning is not False:
        return
    for directive in step.directives:
        if directive.keyword in _REASONING_ONLY:
            removal = fixes.remove_lines(agent.source, directive.span, f"Remove `{directive.keyword}`", preferred=False)
            yield found(directive.key_span, removal, kw=directive.keyword)


@rule(
    "ABL609",
    "call-in-reasoning",
    "warning",
    "In a reasoning step the model picks tools; this {kw} runs after the zone",
    over=nodes.Step,
    needs="reasoning",
)
def call_in_reasoning(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: CALL or CHECK is in a step with `REASONING: true`.
    Why: It runs after the model is done, which is rarely what its place suggests.
    Bad:
        FLOW:
          talk:
            REASONING: true
            GOAL: "Find the book."
            CALL: find_book
            THEN: COMPLETE
    Good:
        FLOW:
          talk:
            REASONING: true
            GOAL: "Find the book."
            THEN: COMPLETE
    """
    if step.reasoning:
        first = True
        for number, directive in enumerate(step.directives):
            if isinstance(directive, nodes.Call | nodes.Check) or directive.keyword == "SECURE_INPUT":
                repairs = _in_own_step(agent, step, number) if first else ()  # the others go along
                yield found(directive.key_span, *repairs, kw=directive.keyword)
                first = False


def _in_own_step(agent: AgentIndex, step: nodes.Step, number: int) -> tuple[Fix, ...]:
    """What follows goes along, in its order: it runs behind the zone now as well."""
    before, directive, behind = step.directives[:number], step.directives[number], step.directives[number + 1 :]
    if any(isinstance(each, nodes.Setting) for each in behind):
        return ()
    if any(isinstance(each, nodes.Transition) for each in before):
        return ()
    return split_step(agent, step, directive, reasoning=False)


@rule(
    "ABL610", "no-exit-when", "hint", '"{s}" leaves after one reply: no EXIT_WHEN', over=nodes.Step, needs="reasoning"
)
def no_exit_when(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A reasoning step has no EXIT_WHEN.
    Why: It ends after the model's first reply, without waiting for an answer.
    Bad:
        FLOW:
          talk:
            REASONING: true
            GOAL: "Find out which book is wanted."
            THEN: COMPLETE
    Good:
        FLOW:
          talk:
            REASONING: true
            GOAL: "Find out which book is wanted."
            EXIT_WHEN: title IS SET
            THEN: COMPLETE
    """
    if step.reasoning and step.setting("EXIT_WHEN") is None:
        sentence = 'EXIT_WHEN: "the goal is reached"'
        yield found(step.name.span, *add_directive(agent, step, "Insert `EXIT_WHEN`", sentence), s=step.name.value)
