"""6xx about the keys of a step: known ones, once, with a value of the right kind (docs/spec 06 §3, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from abl.analysis import fixes
from abl.analysis.conformance.closed_places import LOOKED_THROUGH, Whole
from abl.analysis.conformance.number_places import wrong_numbers
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.escalations import misread_reason
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes, vocabulary
from abl.syntax.readers.outcomes import gathers_of
from abl.syntax.recovery.suggest import IS_GIVEN

_DIRECTIVES: Final = tuple(sorted(vocabulary.STEP_DIRECTIVES))
_SAME: Final = {"GOTO": "THEN", "TRANSITION": "THEN"}
_SCALARS: Final = {
    **dict.fromkeys(("GOAL", "BEHAVIOR"), "a text"),
    **dict.fromkeys(("WHEN", "EXIT_WHEN", "COMPLETE_WHEN", "CHECK"), "a condition"),
    **dict.fromkeys(("MAX_TURNS", "MAX_ATTEMPTS"), "a whole number"),
    **dict.fromkeys(("REASONING", "CORRECTIONS"), "true or false"),
    **dict.fromkeys(("THEN", "GOTO", "TRANSITION", "ON_EXHAUSTED", "ON_TIMEOUT"), "a step"),
    "MESSAGE_KEY": "a key of the locale catalogue",
    "CALL": "a tool",
}
"""What a key takes on its line."""
_BLOCKS: Final = {
    **dict.fromkeys(("DIGRESSIONS", "SUB_INTENTS"), "a list of intents"),
    "ACTIONS": "a list of elements",
    "ON_ACTION": "handlers by action",
    "ON_ERROR": "handlers by error type",
    "AWAIT_ATTACHMENT": "a block with NAME",
    "SECURE_INPUT": "a block with MODE, FIELDS and CALL",
    "RESOLVE_SIP_DESTINATION": "a block with FROM_WORKFLOW or FROM_MEMORY",
}
"""What a key takes in the lines below it."""
_ONCE_PER_CALL: Final = frozenset({"WITH", "AS", "ON_FAIL", *vocabulary.RESULT_BLOCKS})


@rule(
    "ABL620",
    "unknown-step-key",
    "error",
    "`{kw}` is not a step directive. Did you mean `{y}`?",
    over=nodes.Step,
)
def unknown_step_key(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step has a key that steps do not have.
    Why: The line has no effect. A key that holds a block may be a step that is indented too far.
    Bad:
        FLOW:
          greet:
            REASONING: false
            REPSOND: "Hello."
            THEN: COMPLETE
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: COMPLETE
    """
    for directive in step.directives:
        if directive.keyword in vocabulary.STEP_DIRECTIVES or directive.block is None:
            continue
        written = directive.block.key
        if isinstance(directive, nodes.Transition):
            target = f"THEN: {directive.keyword}"
            named = directive.keyword == "HANDOFF" and directive.agent is not None
            text = f"{target} {directive.agent.value}" if named and directive.agent is not None else target
            span = Span(directive.key_span.start, directive.block.line_span.end)
            yield found(directive.key_span, fixes.replace(span, text), kw=written, y="THEN")
            continue
        given = {other.keyword for other in step.directives}
        best, there, renames = fixes.rename_key(directive.key_span, written.upper(), _DIRECTIVES, given)
        repairs = renames or _as_step(step, directive, agent)
        said: dict[str, Any] = (
            {"given": there, "wording": f"`{{kw}}` is not a step directive; {IS_GIVEN}"} if there else {}
        )
        yield found(directive.key_span, *repairs, kw=written, y=best, **said)


def _as_step(step: nodes.Step, directive: nodes.Directive, agent: AgentIndex) -> tuple[Fix, ...]:
    """The last block of a step as a step of its own."""
    block = directive.block
    if block is None or step.block is None or not block.children or directive is not step.directives[-1]:
        return ()
    edits = outdented(agent, block.span, block.column - step.block.column)
    if not edits:  # indented by tabs
        return ()
    if not any(child.key.upper() == "REASONING" for child in block.children):
        at = agent.source.line_starts[agent.source.position(block.children[0].span.start).line - 1]
        pad = " " * (block.children[0].column - 1 - (block.column - step.block.column))
        member = braces.added(agent.source, block.children[0].span, "REASONING: false")
        edits = (*edits, member or Edit(Span(at, at), f"{pad}REASONING: false\n"))
    return (Fix(f"Make `{block.key}` a step", tuple(sorted(edits, key=lambda e: (e.span, -len(e.text)))), True),)


def outdented(agent: AgentIndex, span: Span, columns: int) -> tuple[Edit, ...]:
    """Edits that move whole lines to the left."""
    source = agent.source
    first, last = source.position(span.start).line, source.position(max(span.start, span.end - 1)).line
    edits: list[Edit] = []
    for number in range(first, last + 1):
        text = source.line_text(number)
        blanks = min(columns, len(text) - len(text.lstrip(" ")))
        start = source.line_starts[number - 1]
        if blanks > 0 and text.strip():
            edits.append(Edit(Span(start, start + blanks), ""))
    return tuple(edits)


@rule(
    "ABL621",
    "wrong-value-shape",
    "error",
    "{kw} expects {type}",
    over=(*LOOKED_THROUGH, nodes.Call, nodes.Transition, nodes.OnFail),
)
def wrong_value_shape(node: Whole | nodes.Call | nodes.Transition | nodes.OnFail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A directive has lines below it where it takes a value, or a value where it takes lines; or a property that
        takes a number, such as RETRY, `timeout` or `max_retries`, has something else; or the reason of ESCALATE does
        not begin with `with REASON:`.
    Why: What is written there is not read.
    Bad:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED:
              THEN: COMPLETE
            GATHER:
              - title: required
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            MAX_ATTEMPTS: 3
            ON_EXHAUSTED: COMPLETE
            GATHER:
              - title: required
            RESPOND: "Looking for {{title}}."
            THEN: COMPLETE
    """
    if isinstance(node, nodes.Transition | nodes.OnFail):
        yield from misread_reason(node)
    elif not isinstance(node, nodes.Call):
        yield from wrong_numbers(node, agent)
    for directive in _looked_at(node) if isinstance(node, nodes.Step | nodes.Call) else ():
        block, keyword = directive.block, directive.keyword
        if block is None:
            continue
        if keyword in _SCALARS and block.value is None:
            if block.children:
                yield found(directive.key_span, *_on_one_line(block), kw=keyword, type=_SCALARS[keyword])
        elif keyword == "CORRECTIONS":
            yield from unfit(block.value, "step", keyword, directive.path, kw=keyword, type="true or false")
        elif keyword in _BLOCKS and block.value is not None and _is_scalar(block, block.value):
            yield found(block.value.span, *_below(block), kw=keyword, type=_BLOCKS[keyword])


def _looked_at(node: nodes.Step | nodes.Call) -> tuple[nodes.Directive, ...]:
    """A call wherever it stands, also in branches, handlers and hooks; of a step what else it has."""
    if isinstance(node, nodes.Call):
        return (node,)
    return tuple(directive for directive in node.directives if not isinstance(directive, nodes.Call))


def _is_scalar(block: nodes.Block, value: nodes.Text) -> bool:
    return not block.children and value.raw[:1] not in ("[", "{")


def _on_one_line(block: nodes.Block) -> tuple[Fix, ...]:
    """``KEY: step`` for a block that says only where to go."""
    child = block.children[0]
    if len(block.children) > 1 or child.value is None or child.children or child.key.upper() not in ("THEN", "GOTO"):
        return ()
    if _SCALARS.get(block.key.upper()) != "a step":
        return ()
    span = Span(block.key_span.start, block.span.end)
    return (fixes.replace(span, f"{block.key}: {child.value.value.strip()}"),)


def _below(block: nodes.Block) -> tuple[Fix, ...]:
    if block.key.upper() != "AWAIT_ATTACHMENT" or block.value is None or block.value.style != "bare":
        return ()
    pad = " " * (block.column + 1)
    span = Span(block.key_span.end, block.value.span.end)
    return (Fix("Write it as NAME", (Edit(span, f":\n{pad}NAME: {block.value.value.strip()}"),), preferred=True),)


@rule("ABL622", "directive-twice", "warning", "{kw} appears twice in `{s}`", over=nodes.Step)
def directive_twice(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step has two of a directive that belongs there once; a call has two results or names, or a GATHER two
        blocks of one kind.
    Why: Both count, in the order in which they are written, which is rarely meant.
    Bad:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: lend
            THEN: COMPLETE
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: lend
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    """
    seen: dict[str, nodes.Directive] = {}
    for directive in step.directives:
        keyword = _SAME.get(directive.keyword, directive.keyword)
        first = seen.setdefault(keyword, directive)
        if first is not directive and keyword in vocabulary.ONCE_DIRECTIVES:
            if isinstance(first, nodes.Respond) and isinstance(directive, nodes.Respond):
                repair = _joined(first, directive, step, agent)
            else:
                repair = _merged(first.block, directive.block, agent)
            yield found(directive.key_span, *repair, kw=directive.keyword, s=step.name.value)
        if directive.props and isinstance(directive, nodes.Call | nodes.Check):
            for earlier, later in _repeated(directive.props):
                repair = _merged(earlier.block, later.block, agent)
                yield found(later.key_span, *repair, kw=later.key, s=step.name.value)
    for before, outcome in _repeated_outcomes(step):
        repair = _merged(before.block, outcome.block, agent)
        yield found(outcome.key_span, *repair, kw=outcome.keyword, s=step.name.value)


def _repeated(props: Iterable[nodes.Property]) -> Iterator[tuple[nodes.Property, nodes.Property]]:
    seen: dict[str, nodes.Property] = {}
    for prop in props:
        first = seen.setdefault(prop.key, prop)
        if first is not prop and prop.key in _ONCE_PER_CALL:
            yield first, prop


def _repeated_outcomes(step: nodes.Step) -> Iterator[tuple[nodes.Outcome, nodes.Outcome]]:
    """Blocks of one kind below the same GATHER."""
    for each in gathers_of(step.directives):
        seen: dict[str, nodes.Outcome] = {}
        for outcome in each.outcomes:
            first = seen.setdefault(outcome.keyword, outcome)
            if first is not outcome:
                yield first, outcome


def _joined(first: nodes.Respond, later: nodes.Respond, step: nodes.Step, agent: AgentIndex) -> tuple[Fix, ...]:
    """Two messages as one, where nothing happens between them and both are quoted texts."""
    one, two = first.text, later.text
    at = next(number for number, directive in enumerate(step.directives) if directive is first)
    if one is None or two is None or one.style != "double" or two.style != "double" or first.props or later.props:
        return ()
    if step.directives[at + 1] is not later or not has_own_lines(agent.source, later.span):
        return ()
    edits = (
        Edit(Span(one.inner.end, one.inner.end), f" {two.raw}"),
        Edit(fixes.whole_lines(agent.source, later.span), ""),
    )
    return (Fix("Join the two messages", edits, preferred=False),)


def _merged(first: nodes.Block | None, later: nodes.Block | None, agent: AgentIndex) -> tuple[Fix, ...]:
    """The entries of the later one behind those of the first; or the later one taken out."""
    if first is None or later is None or not has_own_lines(agent.source, later.span):
        return ()
    inline = any(
        not block.children or _in_brackets(block, agent) or block.value is not None for block in (first, later)
    )
    if inline:
        return (fixes.remove_lines(agent.source, later.span, f"Remove the second {later.key}", preferred=False),)
    if any(child.key.upper() == "ELSE" for child in first.children):  # behind which nothing is looked at
        return ()
    alike = first.children[0].column == later.children[0].column
    if not alike or first.children[0].item != later.children[0].item:
        return ()
    start = agent.source.line_starts[agent.source.position(later.children[0].span.start).line - 1]
    entries = agent.source.text[start : later.span.end]
    edits = (
        Edit(Span(first.span.end, first.span.end), f"\n{entries}"),
        Edit(fixes.whole_lines(agent.source, later.span), ""),
    )
    return (Fix("Merge the two", edits, preferred=first.children[0].item),)


def _in_brackets(block: nodes.Block, agent: AgentIndex) -> bool:
    """True for a key whose lines are members of a map or list in brackets."""
    behind = agent.source.text[block.key_span.end : block.children[0].span.start]
    return behind.lstrip("\"' \t:")[:1] in ("{", "[")


@rule(
    "ABL658",
    "model-context-no-text",
    "error",
    "RESPOND MODEL_CONTEXT must be text",
    over=(nodes.Setting, nodes.Respond, nodes.Completion),
    needs="MODEL_CONTEXT",
)
def model_context_no_text(node: nodes.Setting | nodes.Respond | nodes.Completion, agent: AgentIndex) -> Iterator[Found]:
    """
    What: MODEL_CONTEXT of a message is a block, a list or an object.
    Why: It is the text that later model calls see in place of the message.
    Bad:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
              MODEL_CONTEXT:
                fields: [title]
            THEN: COMPLETE
    Good:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
              MODEL_CONTEXT: "The user was greeted."
            THEN: COMPLETE
    """
    if isinstance(node, nodes.Setting):
        block = node.block if node.keyword == "MODEL_CONTEXT" else None
    else:
        prop = node.prop("MODEL_CONTEXT") if node.props else None
        block = prop.block if prop is not None else None
    if block is None:
        return
    value = block.value
    collection = value is not None and value.style == "bare" and value.raw[:1] in ("[", "{") and value.raw[:2] != "{{"
    if (value is None and block.children) or collection:
        yield found(value.span if value is not None else block.key_span)
