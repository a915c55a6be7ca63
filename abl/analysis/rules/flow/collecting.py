"""6xx about collecting in a step: when it is complete, and what is asked (docs/spec 06 §5.7, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.entries import remove_property
from abl.analysis.fixes.steps import remove_directive
from abl.analysis.index.model import AgentIndex, ExpressionUse, is_true
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en
from abl.syntax import nodes


def fields_of(step: nodes.Step) -> dict[str, nodes.GatherField]:
    """The fields that a step collects, by name."""
    gathers = [d for d in step.directives if isinstance(d, nodes.Gather)]
    return {field.name.value: field for gather in gathers for field in gather.fields}


def complete_when(step: nodes.Step, agent: AgentIndex) -> ExpressionUse | None:
    """The condition under which a step has collected enough."""
    setting = step.setting("COMPLETE_WHEN")
    return next(iter(agent.expressions_of(setting)), None) if setting is not None else None


@rule(
    "ABL633",
    "complete-when-unknown-field",
    "error",
    "COMPLETE_WHEN mentions `{f}`, which is no field of this step and is never assigned. Did you mean `{y}`?",
    over=nodes.Step,
    project=True,
)
def complete_when_unknown_field(step: nodes.Step, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: COMPLETE_WHEN reads a name that the step does not collect and nothing else sets.
    Why: Collecting never ends.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            COMPLETE_WHEN: titel IS SET
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            COMPLETE_WHEN: title IS SET
            THEN: COMPLETE
    """
    use, fields = complete_when(step, agent), fields_of(step)
    if use is None or not fields or agent.fragment:
        return
    known = project.known_names(agent)
    for name in use.reading.names:
        if name.path not in known:
            span = use.span(name.start, name.end)
            best, renames = fixes.rename_to(span, name.path, fields)
            yield found(span, *renames, f=name.path, y=best)


@rule(
    "ABL635",
    "required-not-in-complete-when",
    "hint",
    "Required field `{f}` is not part of COMPLETE_WHEN",
    over=nodes.Step,
)
def required_not_in_complete_when(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A required field is not mentioned in COMPLETE_WHEN.
    Why: COMPLETE_WHEN alone decides, so the step may continue without that field.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
              - branch: required
            COMPLETE_WHEN: title IS SET
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
              - branch: optional
            COMPLETE_WHEN: title IS SET
            THEN: COMPLETE
    """
    use = complete_when(step, agent)
    if use is None or use.reading.node is None:
        return
    mentioned = {name.root for name in use.reading.names}
    for name, field in fields_of(step).items():
        if field.required and name not in mentioned:
            addition = fixes.insert(use.whole.end, f" AND {name} IS SET", f"Add `{name}`", preferred=False)
            yield found(field.name.span, addition, f=name)


@rule(
    "ABL636",
    "bare-value",
    "warning",
    "`{f}` as bare condition is false for {what}",
    over=ExpressionUse,
    needs="COMPLETE_WHEN",
)
def bare_value(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: COMPLETE_WHEN asks for a boolean or a number by its bare name.
    Why: The legal answers `false` and 0 count as not collected.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: number
            COMPLETE_WHEN: copies
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: number
            COMPLETE_WHEN: copies IS SET
            THEN: COMPLETE
    """
    for node in _bare(use.reading.node):
        name = ".".join(node.parts)
        kind = agent.types.of_path(name)
        if kind in ("boolean", "number"):
            span = use.span_of(node)
            fix = fixes.replace(span, f"{name} IS SET")
            yield found(span, fix, f=name, what="false" if kind == "boolean" else "0")


def _bare(node: en.Node | None) -> Iterator[en.Path]:
    """Names that are tested for truth as they stand: alone or under AND and OR."""
    match node:
        case en.Path():
            yield node
        case en.Logical(op="AND" | "OR"):
            for operand in node.operands:
                yield from _bare(operand)


@rule(
    "ABL655", "two-questions", "hint", "The user gets two questions: RESPOND and the prompt of `{f}`", over=nodes.Step
)
def two_questions(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step asks with RESPOND, and its first field asks with its prompt.
    Why: Both messages are sent, one after the other.
    Bad:
        FLOW:
          ask:
            REASONING: false
            RESPOND: "Which book?"
            GATHER:
              - title: required
                prompt: "Please name the book."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            THEN: COMPLETE
    """
    asks = [d for d in step.directives if isinstance(d, nodes.Respond) and d.keyword in ("RESPOND", "SAY") and d.text]
    question = next((d for d in asks if d.text is not None and d.text.value.rstrip().endswith("?")), None)
    field = next((f for f in fields_of(step).values() if f.prompt is not None and not is_true(f, "INFER")), None)
    if question is not None and field is not None:
        prompt = field.prop("PROMPT")
        repairs = (
            *remove_directive(agent, question.block, f"Remove `{question.keyword}`"),
            *(remove_property(agent, prompt) if prompt is not None else ()),
        )
        yield found(question.key_span, *repairs, f=field.name.value)


@rule("ABL632", "complete-when-without-gather", "error", "COMPLETE_WHEN without GATHER", over=nodes.Step)
def complete_when_without_gather(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: COMPLETE_WHEN is in a step that collects nothing.
    Why: It says when collecting is done; without GATHER it is never looked at.
    Bad:
        FLOW:
          greet:
            REASONING: false
            COMPLETE_WHEN: title IS SET
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            COMPLETE_WHEN: title IS SET
            THEN: COMPLETE
    """
    yield from _needs_gather(step, "COMPLETE_WHEN", agent)


@rule("ABL637", "corrections-without-gather", "hint", "CORRECTIONS has no effect", over=nodes.Step, needs="CORRECTIONS")
def corrections_without_gather(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: CORRECTIONS is in a step without GATHER.
    Why: Only collected fields can be corrected.
    Bad:
        FLOW:
          greet:
            REASONING: false
            CORRECTIONS: true
            RESPOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            CORRECTIONS: true
            GATHER:
              - title: required
            THEN: COMPLETE
    """
    yield from _needs_gather(step, "CORRECTIONS", agent)


def _needs_gather(step: nodes.Step, keyword: str, agent: AgentIndex) -> Iterator[Found]:
    if any(isinstance(d, nodes.Gather) for d in step.directives):
        return
    for directive in step.directives:
        if directive.keyword == keyword:
            removal = fixes.remove_lines(agent.source, directive.span, f"Remove `{keyword}`")
            yield found(directive.key_span, removal)
