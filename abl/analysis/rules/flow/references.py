"""5xx about steps: they must exist, once, and be reachable (docs/spec 05 §8, 10 §1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.flow.graph import is_terminal
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Related
from abl.syntax import nodes
from abl.syntax.readers.entries import NAME
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import ON_FAIL_ACTIONS, STEP_EXITS, TERMINALS


@rule(
    "ABL501", "unknown-step", "error", "Step `{s}` is not defined. Did you mean `{y}`?", over=Placed, needs="step_refs"
)
def unknown_step(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A transition names a step that the flow does not define.
    Why: The flow stops with an error when it gets there.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: lend_book
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    for ref in part.step_refs:
        name = ref.name.value
        if ref.kind == "constraint" or name in agent.steps or is_terminal(name, agent.steps):
            continue
        if name in agent.listed:
            continue  # without a body: ABL505
        flow = agent.agent.flow
        if flow is None:
            return
        actions = ON_FAIL_ACTIONS if ref.key == "ON_FAIL" else TERMINALS[:2]
        best, renames = fixes.rename_to(ref.name.span, name, (*agent.steps, *actions))
        end = fixes.replace(ref.name.span, "COMPLETE", "End the flow here: `COMPLETE`", preferred=False)
        create = (_create_step(agent, flow, name),) if NAME.fullmatch(name) else ()
        yield found(ref.name.span, *renames, *create, end, s=name, y=best)


def _create_step(agent: AgentIndex, flow: nodes.Flow, name: str) -> Fix:
    indent = fixes.indent_of(agent.source, flow.steps[0].span.start) if flow.steps else "  "
    body = f'{indent}{name}:\n{indent}  REASONING: false\n{indent}  RESPOND: "…"\n{indent}  THEN: COMPLETE'
    last = flow.steps[-1].span if flow.steps else flow.span
    where = last if braces.extent(agent.source, last) is not None else flow.span
    return fixes.insert_line_below(agent.source, where, body, f"Create step `{name}`", preferred=False)


@rule(
    "ABL502", "unknown-entry-point", "error", "entry_point `{s}` is not defined. Did you mean `{y}`?", over=nodes.Flow
)
def unknown_entry_point(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `entry_point` names a step that the flow does not define.
    Why: The flow cannot start.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          entry_point: start
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          entry_point: greet
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    entry = flow.entry_point
    if entry is not None and flow.steps and entry.value not in flow.order:
        best, renames = fixes.rename_to(entry.span, entry.value, agent.steps)
        yield found(entry.span, *renames, s=entry.value, y=best)


@rule("ABL503", "duplicate-step", "error", "Step `{s}` defined twice", over=nodes.Step)
def duplicate_step(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two steps of one flow have one name.
    Why: Only the first counts; the other never runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
          greet:
            REASONING: false
            RESPOND: "Good morning."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    first = agent.steps.get(step.name.value)
    if first is not None and first is not step:
        where = Related(agent.source.path, first.name.span, "first definition")
        free = next(f"{step.name.value}_{n}" for n in range(2, 999) if f"{step.name.value}_{n}" not in agent.steps)
        yield found(
            step.name.span, fixes.replace(step.name.span, free, preferred=False), related=(where,), s=step.name.value
        )


@rule("ABL504", "unreachable-step", "warning", "Step `{s}` is unreachable", over=nodes.Step, tags=("unnecessary",))
def unreachable_step(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: No transition, digression or constraint leads to the step.
    Why: It never runs; usually a THEN elsewhere was forgotten.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, lend]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
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
    name = step.name.value
    if agent.fragment or agent.steps.get(name) is not step or agent.graph.entry not in agent.steps:
        return
    if name not in agent.graph.reachable and name not in agent.mentions:
        yield found(step.name.span, s=name)


@rule("ABL505", "step-list-differs", "error", "Step `{s}` is {what}", over=nodes.Flow)
def step_list_differs(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `steps` and the step definitions do not name the same steps.
    Why: A listed step without a definition cannot run; a defined step that is not listed is only a hint.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet, lend]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          steps: [greet]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    listed = {name.value for name in flow.listed}
    if not flow.steps:
        return
    unlisted = [step for step in agent.steps if step not in listed]
    intended: set[str] = set()
    for name in flow.listed:
        if name.value not in agent.steps:
            close = closest(name.value, unlisted)
            intended.update(close)
            stub = _create_step(agent, flow, name.value)
            renames = fixes.rename_fixes(name.span, close)
            yield found(name.span, *renames, stub, s=name.value, what="listed in `steps` but not defined")
    if listed:
        for step in agent.steps.values():
            if step.name.value not in listed:
                keeps = step.name.value not in intended and not _would_go_on(step, flow)
                append = (_append_to_list(agent, flow, step.name.value),) if keeps else ()
                yield found(
                    step.name.span,
                    *append,
                    severity="hint",
                    s=step.name.value,
                    what="defined but not listed in `steps`",
                )


def _would_go_on(step: nodes.Step, flow: nodes.Flow) -> bool:
    """True for a step that ends the flow and that a chain would lead on from (06 §2 D)."""
    exits = any(directive.keyword in STEP_EXITS for directive in step.directives)
    return flow.shape == "D" and not exits and step.name.value != flow.order[-1]


def _append_to_list(agent: AgentIndex, flow: nodes.Flow, name: str) -> Fix:
    last = flow.listed[-1].span
    text = agent.source.text
    line = agent.source.line_text(agent.source.position(last.start).line)
    if line.lstrip().startswith("- "):
        indent = fixes.indent_of(agent.source, last.start)
        return fixes.insert_line_below(agent.source, last, f"{indent}- {name}", f"Add `{name}` to `steps`")
    joint = " -> " if "->" in line else ", "
    end = last.end + (1 if text[last.end : last.end + 1] in ('"', "'") else 0)
    return fixes.insert(end, f"{joint}{name}", f"Add `{name}` to `steps`")


@rule("ABL506", "missing-reasoning", "error", "Step `{s}` must declare `REASONING:`", over=nodes.Step)
def missing_reasoning(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step does not say whether a model acts in it.
    Why: The key is required; `REASONING: false` runs the step as written.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    if step.reasoning is None and step.setting("REASONING") is None and not _misspells_reasoning(step):
        indent = fixes.indent_of(agent.source, step.name.span.start) + "  "
        if step.directives:
            indent = fixes.indent_of(agent.source, step.directives[0].span.start)
        text = f"{indent}REASONING: false"
        yield found(
            step.name.span,
            fixes.insert_line_below(agent.source, step.name.span, text, "Add `REASONING: false`"),
            s=step.name.value,
        )


def _misspells_reasoning(step: nodes.Step) -> bool:
    """True where ABL620 reports the same cause."""
    below = step.block.children if step.block is not None else ()
    return any(child.key.upper() != "REASONING" and closest(child.key.upper(), ("REASONING",)) for child in below)


def _is_misread(flow: nodes.Flow) -> bool:
    """True where nothing but an unreadable value or list is there, which is ABL125."""
    block = flow.block
    below = block.children if block is not None else ()
    return block is not None and ((bool(below) and all(not child.colon for child in below)) or block.value is not None)


@rule("ABL516", "empty-flow", "error", "FLOW has no steps", over=nodes.Flow)
def empty_flow(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: FLOW defines no step.
    Why: An agent with FLOW runs its steps; without one it can do nothing.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          entry_point: greet
          steps: [greet]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    if not flow.steps and not agent.fragment and not _is_misread(flow):
        yield found(flow.block.line_span if flow.block else flow.span)
