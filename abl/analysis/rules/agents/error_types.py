"""5xx about the types of errors that ON_ERROR handles (docs/spec 09 §8, 10 §1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.entries import has_own_lines, is_yaml
from abl.analysis.fixes.steps import cased_like
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.vocabulary import ERROR_TERMINALS, ERROR_TYPES


@rule(
    "ABL513",
    "unraised-error-type",
    "warning",
    "ON_ERROR type `{x}` never raised. Did you mean `{y}`?",
    over=(nodes.Section, nodes.Setting),
    needs="ON_ERROR",
)
def unraised_error_type(node: nodes.Section | nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
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
    children = node.block.children if node.keyword == "ON_ERROR" and node.block is not None else ()
    handled: Counter[tuple[str, str]] | None = None
    for child in children:
        word, span = _type_of(child, agent)
        if not word or word.lower() in ERROR_TYPES:
            continue
        type_ = _MAPPED.get(word.lower(), ("", ""))[0]
        if type_:  # the nearest word would be another error
            handled = handled or Counter(each for other in children for each in _handled(other, agent))
            alone = all(handled[each] == 1 for each in _handled(child, agent))
            yield found(span, *(_mapped(agent, child, word, span) if alone else ()), x=word, y=type_)
        else:
            best, renames = fixes.rename_to(span, word, ERROR_TYPES)
            yield found(span, *renames, x=word, y=best)


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


def _type_of(handler: Block, agent: AgentIndex) -> tuple[str, Span]:
    """The type that a handler is for, as written; empty for a line that is none."""
    if not handler.item:
        return ("" if handler.key.upper() in _NO_ERROR_TYPES else handler.key), handler.key_span
    written = generic.by_key(agent.source, handler).get("type")
    return generic.word(written), written.value.inner if written and written.value else handler.span


def _handled(handler: Block, agent: AgentIndex) -> frozenset[tuple[str, str]]:
    """The types and subtypes that a handler is for, or is meant for."""
    word = _type_of(handler, agent)[0].lower()
    type_, subtype = _MAPPED.get(word, (word, ""))
    keys = generic.by_key(agent.source, handler)
    given = generic.names(agent.source, keys.get("subtype") or keys.get("subtypes"))
    return frozenset([(type_, name.value) for name in given] or [(type_, subtype)])


def _mapped(agent: AgentIndex, child: Block, word: str, span: Span) -> tuple[Fix, ...]:
    """The type that is raised in such a case, with its subtype in a line of its own.

    Not for a handler beside another one for the same: which of them is to stay is the author's choice.
    """
    type_, subtype = _MAPPED[word.lower()]
    edits, keys = [Edit(span, type_)], generic.by_key(agent.source, child)
    title = f"Write `{type_}`"
    if subtype and "subtype" not in keys and "subtypes" not in keys:
        narrowed = _narrowed(agent, child, keys, subtype)
        if narrowed is None:
            return ()
        edits.append(narrowed)
        title += f" with `SUBTYPE: {subtype}`"
    return (Fix(title, tuple(edits), preferred=True),)


def _narrowed(agent: AgentIndex, handler: Block, keys: Mapping[str, Block], subtype: str) -> Edit | None:
    """SUBTYPE in a line of its own; of ``type: ACTION`` the action gets one, too."""
    source = agent.source
    if not handler.item and handler.value is not None and not handler.children:
        if not has_own_lines(source, handler.span) or handler.value.raw[:1] in ("{", "["):
            return None
        pad = " " * (handler.column + 1)
        narrow, then = ("subtype", "then") if is_yaml(agent) else ("SUBTYPE", "THEN")
        action = source.text[slice(*handler.value.span)]
        behind = Span(source.text.index(":", handler.key_span.end) + 1, handler.value.span.end)
        return Edit(behind, f"\n{pad}{narrow}: {subtype}\n{pad}{then}: {action}")
    line = keys.get("type") if handler.item else next(iter(handler.children), None)
    if line is None or not has_own_lines(source, line.span):
        return None
    column = source.position(line.key_span.start).column
    text = f"{' ' * (column - 1)}{cased_like(agent, line, 'SUBTYPE')}: {subtype}"
    below = line.span if handler.item else handler.line_span
    return fixes.insert_line_below(source, below, text, "").edits[0]
