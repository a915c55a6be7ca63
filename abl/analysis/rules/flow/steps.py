"""6xx about single steps: exits, attempts, names (docs/spec 06 §4, §8, 10 §2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.steps import beside, following_steps, rename_step
from abl.analysis.flow.graph import NO_EXITS, TERMINAL_WORDS
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.language import type_at
from abl.language.written import word
from abl.source import Span
from abl.syntax import nodes, vocabulary

MAX_STEPS = 500


@rule("ABL601", "step-listed-twice", "warning", 'Step "{s}" is listed twice', over=nodes.Flow)
def step_listed_twice(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `steps` names a step twice.
    Why: The second entry has no effect; perhaps another step was meant.
    Bad:
        FLOW:
          steps: [greet, greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    seen: set[str] = set()
    for name in flow.listed:
        if name.value in seen:
            yield found(name.span, _without(name, agent), s=name.value)
        seen.add(name.value)


_JOINT = 40
"""Characters in which a comma or an arrow is looked for, before a name."""


def _without(name: nodes.Name, agent: AgentIndex) -> Fix:
    """Take a name out of a block list, an inline list or a chain."""
    line = agent.source.line_span(agent.source.position(name.span.start).line)
    if agent.source.text[line.start : line.end].lstrip().startswith("- "):
        return fixes.remove_lines(agent.source, name.span, "Remove the second entry")
    begin = max(line.start, name.span.start - _JOINT)  # of a long line only what can matter
    joint = re.search(r"(,|->)\s*[\"']?$", agent.source.text[begin : name.span.start])
    start = begin + joint.start() if joint else name.span.start
    text = agent.source.text[start : name.span.start].rstrip("\"'")
    quoted = 1 if text != agent.source.text[start : name.span.start] else 0
    before = start - 1 if joint and agent.source.text[start - 1] == " " else start
    return fixes.replace(Span(before, name.span.end + quoted), "", "Remove the second entry")


@rule("ABL602", "no-exit", "warning", 'Step "{s}" has no exit: the flow ends here', over=nodes.Step)
def no_exit(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step has no THEN, no branch that leaves it, and does not wait. For the last step it is a hint.
    Why: The flow ends there; the next step of the list does not follow by itself.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, lend]
          greet:
            REASONING: false
            RESPOND: "Hello."
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, lend]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: lend
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    """
    name, graph = step.name.value, agent.graph
    if agent.steps.get(name) is not step or not step.directives:
        return
    if (
        name in graph.leaves
        or any(edge.kind not in NO_EXITS for edge in graph.outgoing[name])
        or name in graph.waits
        or any(isinstance(d, nodes.OnInput) for d in step.directives)
    ):
        return
    following = agent.derive(following_steps).get(name)
    last = following is None
    indent = fixes.indent_of(agent.source, step.directives[-1].span.start)
    targets = ([following] if following else []) + ["COMPLETE"]
    repairs = tuple(
        fixes.insert_line_below(
            agent.source, step.directives[-1].span, f"{indent}THEN: {t}", f"Add `THEN: {t}`", preferred=False
        )
        for t in targets
    )
    yield found(step.name.span, *repairs, severity="hint" if last else None, s=name)


@rule(
    "ABL612",
    "bad-count",
    "error",
    "{kw} must be a whole number of at least 1",
    over=nodes.Setting,
    needs=("MAX_TURNS", "MAX_ATTEMPTS"),
)
def bad_count(setting: nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: MAX_TURNS or MAX_ATTEMPTS is no whole number of at least 1.
    Why: The bound cannot be applied.
    Bad:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: zero
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED: ask
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    if setting.keyword not in ("MAX_TURNS", "MAX_ATTEMPTS") or setting.value is None:
        return
    if type_at("step", setting.keyword).read_word(word(setting.value)) is None:
        usual = "10" if setting.keyword == "MAX_TURNS" else "3"
        yield found(setting.value.span, fixes.replace(setting.value.span, usual, preferred=False), kw=setting.keyword)


@rule(
    "ABL613",
    "attempts-without-exhausted",
    "warning",
    "MAX_ATTEMPTS without ON_EXHAUSTED raises an error when used up",
    over=nodes.Step,
    needs="MAX_ATTEMPTS",
)
def attempts_without_exhausted(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step bounds its attempts but does not say where to go then.
    Why: The flow stops with an error when the attempts are used up.
    Bad:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED: ESCALATE
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    attempts = step.setting("MAX_ATTEMPTS")
    if attempts is not None and not any(d.keyword == "ON_EXHAUSTED" for d in step.directives):
        targets = ("ESCALATE", "COMPLETE") if attempts.block is not None else ()
        exits = (beside(agent, attempts.block, "ON_EXHAUSTED", target) for target in targets if attempts.block)
        yield found(attempts.key_span, *(fix for choice in exits for fix in choice))


@rule(
    "ABL614",
    "exhausted-without-attempts",
    "warning",
    "ON_EXHAUSTED without MAX_ATTEMPTS is never used",
    over=nodes.Step,
    needs="ON_EXHAUSTED",
)
def exhausted_without_attempts(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step says where to go when its attempts are used up, but has no bound.
    Why: The transition never happens.
    Bad:
        FLOW:
          ask:
            REASONING: false
            ON_EXHAUSTED: ESCALATE
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED: ESCALATE
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    exhausted = next((d for d in step.directives if d.keyword == "ON_EXHAUSTED"), None)
    if exhausted is not None and step.setting("MAX_ATTEMPTS") is None:
        indent = fixes.indent_of(agent.source, exhausted.span.start)
        line = f"{indent}MAX_ATTEMPTS: 3"
        yield found(
            exhausted.key_span, fixes.insert_line_above(agent.source, exhausted.span, line, "Add `MAX_ATTEMPTS: 3`")
        )


@rule("ABL652", "step-hides-terminal", "warning", 'Step name "{s}" hides the terminal {T}', over=nodes.Step)
def step_hides_terminal(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step is named like COMPLETE, ESCALATE or HANDOFF. Lower-case `complete` and `escalate` are only a hint.
    Why: `THEN` with that name goes to the step, not to the terminal.
    Bad:
        FLOW:
          COMPLETE:
            REASONING: false
            RESPOND: "Bye."
            THEN: ESCALATE
    Good:
        FLOW:
          goodbye:
            REASONING: false
            RESPOND: "Bye."
            THEN: COMPLETE
    """
    name = step.name.value
    if name.lower() in TERMINAL_WORDS:
        common = name in ("complete", "escalate")
        repair = rename_step(agent, step)
        yield found(step.name.span, *repair, severity="hint" if common else None, s=name, T=name.upper())


@rule("ABL660", "too-many-steps", "error", "The flow has {n} steps; the limit is 500", over=nodes.Flow)
def too_many_steps(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A flow has more than 500 steps.
    Why: Platforms refuse it; split the agent into several that hand over to each other.
    Bad:
        (a flow of more than 500 steps)
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    if len(flow.steps) > MAX_STEPS:
        yield found(first_line(flow), n=len(flow.steps))


@rule("ABL624", "on-fail-alone", "error", "ON_FAIL has no CHECK or CALL above it", over=nodes.Outcome)
def on_fail_alone(outcome: nodes.Outcome, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL is in a step without a CHECK or CALL before it.
    Why: There is nothing that could fail.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            ON_FAIL: greet
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            CHECK: input != "quit"
            ON_FAIL: ESCALATE
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    if outcome.keyword == "ON_FAIL":
        yield found(
            outcome.key_span, fixes.remove_lines(agent.source, outcome.span, "Remove `ON_FAIL`", preferred=False)
        )


@rule("ABL625", "outcome-alone", "error", "{kw} without CALL or GATHER", over=nodes.Step)
def outcome_alone(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_SUCCESS, ON_FAILURE or ON_RESULT is in a step without a CALL or a GATHER before it.
    Why: There is no result to look at.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            ON_SUCCESS:
              THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          look:
            REASONING: false
            CALL: find_book
            ON_SUCCESS:
              THEN: COMPLETE
            ON_FAILURE:
              THEN: ESCALATE
    """
    gathers = False
    for directive in step.directives:
        kw = directive.keyword
        gathers = gathers or isinstance(directive, nodes.Gather)
        if isinstance(directive, nodes.Outcome) and kw in vocabulary.RESULT_BLOCKS and not gathers:
            removed = fixes.remove_lines(agent.source, directive.span, f"Remove `{kw}`", preferred=False)
            yield found(directive.key_span, removed, kw=kw)
