"""Quick fixes that add to a step, or put its branches into another order (docs/spec 10 §2)."""

from __future__ import annotations

from collections.abc import Sequence

from abl.analysis import fixes
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes


def add_directive(agent: AgentIndex, step: nodes.Step, title: str, *lines: str) -> tuple[Fix, ...]:
    """New lines below REASONING, or below the first directive; their indentation is added. Never preferred."""
    above = step.setting("REASONING") or (step.directives[0] if step.directives else None)
    if above is None or above.block is None or above.block.item or not has_own_lines(agent.source, above.span):
        return ()
    pad = fixes.indent_of(agent.source, above.span.start)
    text = "\n".join(f"{pad}{line}" for line in lines)
    return (fixes.insert_line_below(agent.source, above.span, text, title, preferred=False),)


def bound_attempts(agent: AgentIndex, step: nodes.Step) -> tuple[Fix, ...]:
    """A step that gives up after three attempts."""
    title = f"Bound the attempts of `{step.name.value}`"
    return add_directive(agent, step, title, "MAX_ATTEMPTS: 3", "ON_EXHAUSTED: ESCALATE")


def else_last(agent: AgentIndex, branches: Sequence[nodes.Branch]) -> tuple[Fix, ...]:
    """The first ELSE behind the last branch with a condition; both have to be there."""
    source = agent.source
    first = next(branch for branch in branches if branch.is_else)
    last = next(branch for branch in reversed(branches) if not branch.is_else)
    if not all(each.block is not None and each.block.item for each in (first, last)):
        return ()
    if not all(has_own_lines(source, each.span) for each in (first, last)):
        return ()
    lines = fixes.whole_lines(source, first.span)
    end = source.line_span(source.position(last.span.end - 1).line).end
    moved = source.text[slice(*lines)].rstrip("\r\n")
    return (Fix("Move `ELSE` to the end", (Edit(lines, ""), Edit(Span(end, end), f"\n{moved}")), preferred=True),)
