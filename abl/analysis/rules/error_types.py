"""5xx about the types of errors that ON_ERROR handles (docs/spec 09 §8, 10 §1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes, generic
from abl.analysis.entry_fixes import has_own_lines
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.shape_words import ERROR_TYPES
from abl.analysis.step_fixes import cased_like
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import ERROR_TERMINALS


@rule(
    "ABL513",
    "unraised-error-type",
    "warning",
    "ON_ERROR type `{x}` never raised. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Setting),
)
def unraised_error_type(holder: nodes.Section | nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_ERROR has a handler for an error type that the runtime never raises.
    Why: The handler never runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_eror:
            RESPOND: "Please try again."
            THEN: CONTINUE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ON_ERROR:
          tool_error:
            RESPOND: "Please try again."
            THEN: CONTINUE
    """
    children = holder.block.children if holder.keyword == "ON_ERROR" and holder.block is not None else ()
    for child in children:
        if child.item:
            written = generic.by_key(agent.source, child).get("type")
            word, span = generic.word(written), written.value.inner if written and written.value else child.span
        else:
            word, span = "" if child.key.upper() in _NO_ERROR_TYPES else child.key, child.key_span
        if word and word.lower() not in ERROR_TYPES:
            mapped = _mapped(agent, children, child, word, span)
            best, renames = fixes.rename_to(span, word, ERROR_TYPES) if not mapped else ("", ())
            yield found(span, *mapped, *renames, x=word, y=best or _MAPPED.get(word.lower(), ("",))[0])


_NO_ERROR_TYPES = frozenset({*ERROR_TERMINALS, "RESPOND", "THEN", "RETRY", "TYPE", "SUBTYPE"})
_MAPPED = {
    "tool_timeout": ("tool_error", "tool_timeout"),
    "api_error": ("tool_error", "network_error"),
    "auth_error": ("tool_error", "auth_failure"),
    "invalid_input": ("validation_error", ""),
    "routing_failure": ("routing_error", ""),
    "agent_unavailable": ("routing_error", ""),
}
"""What is raised instead of types that look right: the type and its subtype (docs/spec 09 §8)."""


def _mapped(agent: AgentIndex, children: tuple[Block, ...], child: Block, word: str, span: Span) -> tuple[Fix, ...]:
    """The type that is raised in such a case, with its subtype in a line of its own."""
    type_, subtype = _MAPPED.get(word.lower(), ("", ""))
    if not type_ or any(other.key.lower() == type_ for other in children):
        return ()
    edits, keys = [Edit(span, type_)], generic.by_key(agent.source, child)
    title = f"Write `{type_}`"
    if subtype and "subtype" not in keys:
        line = keys.get("type") if child.item else next(iter(child.children), None)
        if line is None or not has_own_lines(agent.source, line.span):
            return ()
        column = agent.source.position(line.key_span.start).column
        text = f"{' ' * (column - 1)}{cased_like(agent, line, 'SUBTYPE')}: {subtype}"
        below = line.span if child.item else child.line_span
        edits += fixes.insert_line_below(agent.source, below, text, "").edits
        title += f" with `SUBTYPE: {subtype}`"
    return (Fix(title, tuple(edits), preferred=True),)
