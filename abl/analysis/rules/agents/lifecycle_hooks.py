"""9xx about HOOKS, and what ON_START has in common with them (docs/spec 09 §9, 10 §6)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_condition_text
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes


def _lists(agent: AgentIndex) -> Iterator[tuple[nodes.Directive, ...]]:
    """The directives of ON_START and of each hook."""
    if agent.agent.on_start:
        yield agent.agent.on_start
    yield from (directives for _, directives in agent.agent.hooks)


@rule("ABL968", "unguarded-call", "warning", "WHEN beside CALL does not guard it", over=AgentIndex)
def unguarded_call(agent: AgentIndex) -> Iterator[Found]:
    """
    What: In ON_START or a hook, WHEN is beside a CALL, not below it.
    Why: Only what is indented below CALL belongs to it; the tool is called whatever the condition says.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          load_reader(id: string) -> {name: string}
            description: "Load a reader."
            effect: read_only
        HOOKS:
          before_agent:
            CALL: load_reader(session.user) AS reader
            WHEN: session.user IS SET
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          load_reader(id: string) -> {name: string}
            description: "Load a reader."
            effect: read_only
        HOOKS:
          before_agent:
            CALL: load_reader(session.user) AS reader
              WHEN: session.user IS SET
    """
    for directives in _lists(agent):
        for number, when in enumerate(directives):
            if not isinstance(when, nodes.Setting) or when.keyword != "WHEN":
                continue
            beside = [d for d in directives[max(number - 1, 0) : number + 2] if isinstance(d, nodes.Call)]
            if beside:
                yield found(when.key_span, *_indented(when, directives[number - 1] if number else None, agent))


def _indented(when: nodes.Setting, above: nodes.Directive | None, agent: AgentIndex) -> tuple[Fix, ...]:
    """WHEN as the last property of the CALL above it."""
    block = above.block if isinstance(above, nodes.Call) else None
    if block is None or not has_own_lines(agent.source, when.span) or block.column != _column(when, agent):
        return ()
    column = block.children[0].column if block.children else block.column + 2
    at = when.span.start
    if block.span.end > at or agent.source.text[block.span.end : at].strip():
        return ()
    edit = Edit(Span(at, at), " " * (column - block.column))
    return (Fix("Indent it under CALL", (edit,), True),)


def _column(directive: nodes.Directive, agent: AgentIndex) -> int:
    return agent.source.position(directive.key_span.start).column


@rule("ABL969", "hook-sentence", "warning", "Hook WHEN is not an expression; its RESPOND always runs", over=AgentIndex)
def hook_sentence(agent: AgentIndex) -> Iterator[Found]:
    """
    What: The condition of a hook is a sentence, or cannot be read.
    Why: No model judges it; the reply below it is given every time.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HOOKS:
          before_turn:
            WHEN: "the reader is in a hurry"
              RESPOND: "One moment."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HOOKS:
          before_turn:
            WHEN: turn_count > 10
              RESPOND: "One moment."
    """
    for _, directives in agent.agent.hooks:
        for outcome in directives:
            if not isinstance(outcome, nodes.Outcome) or outcome.keyword != "WHEN":
                continue
            for text in (branch.condition for branch in outcome.branches if branch.condition is not None):
                reading = read_condition_text(text.value, text.style)
                quoted = isinstance(reading.node, en.Literal) and reading.node.form == "string"
                if reading.literal or quoted or reading.error is not None:
                    yield found(text.span)


@rule("ABL970", "unknown-hook", "error", "There is no hook `{h}`. Did you mean `{y}`?")
def unknown_hook() -> None:
    """
    What: HOOKS names a hook that does not exist.
    Why: It never runs. After a tool, use `on_result` of the tool or a recall `tool:*:after`.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HOOKS:
          before_tool:
            SET: calls = 1
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HOOKS:
          before_turn:
            SET: calls = 1
    """


@rule("ABL974", "result-before-call", "hint", "SET reads the result of a CALL written below it", over=AgentIndex)
def result_before_call(agent: AgentIndex) -> Iterator[Found]:
    """
    What: In ON_START or a hook, SET uses what a CALL further down gives.
    Why: Actions run from top to bottom, so the result is not there yet.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          load_reader(id: string) -> {name: string}
            description: "Load a reader."
            effect: read_only
        ON_START:
          SET: reader_name = reader.name
          CALL: load_reader(session.user) AS reader
          RESPOND: "Hello {{reader_name}}."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          load_reader(id: string) -> {name: string}
            description: "Load a reader."
            effect: read_only
        ON_START:
          CALL: load_reader(session.user) AS reader
          SET: reader_name = reader.name
          RESPOND: "Hello {{reader_name}}."
    """
    for directives in _lists(agent):
        calls: dict[str, tuple[int, nodes.Call]] = {}
        for number, directive in enumerate(directives):
            if isinstance(directive, nodes.Call) and directive.as_ is not None:
                calls.setdefault(directive.as_.value, (number, directive))
        for number, directive in enumerate(directives if calls else ()):
            for assignment in directive.assignments if isinstance(directive, nodes.SetVariables) else ():
                for use in agent.expressions_of(assignment):
                    for read in use.reading.names:
                        at, call = calls.get(read.root, (-1, None))
                        if call is not None and at > number:
                            yield found(use.span(read.start, read.end), *_call_first(directive, call, agent))


def _call_first(directive: nodes.Directive, call: nodes.Call, agent: AgentIndex) -> tuple[Fix, ...]:
    """The lines of the CALL above those of the SET."""
    source = agent.source
    lines = fixes.whole_lines(source, call.span)
    if not (has_own_lines(source, directive.span) and has_own_lines(source, call.span)):
        return ()
    at = source.line_starts[source.position(directive.span.start).line - 1]
    text = source.text[slice(*lines)]
    text = text if text.endswith("\n") else f"{text}\n"
    return (Fix("Move the CALL up", (Edit(Span(at, at), text), Edit(lines, "")), True),)
