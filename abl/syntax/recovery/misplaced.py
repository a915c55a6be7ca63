"""Text that nothing reads: beside a key that takes lines, or below one that takes a text (docs/spec 01 §10)."""

from __future__ import annotations

from typing import Final

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.pieces import closing_bracket
from abl.syntax.nodes import Block, Text, Unknown
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_TAKES_LINES: Final = vocabulary.words(
    """MEMORY CONSTRAINTS FLOW TOOLS HANDOFF COMPLETE ON_START HOOKS MESSAGES TEMPLATES ACTION_HANDLERS IDENTITY
    EXECUTION GUARDRAILS DELEGATE ESCALATE ON_ERROR NLU ENTITIES MULTI_INTENT LOOKUP_TABLES ATTACHMENTS DESTINATIONS
    TRANSFER_FLOW_POLICIES RETURN_HANDLERS CONVERSATION BEHAVIOR AGENTS ROUTING STATE POLICIES
    COMMUNICATION"""
)
_TAKES_TEXT: Final = vocabulary.TEXT_SECTIONS | vocabulary.words("VERSION LANGUAGE")


def report_misplaced(ctx: Context, block: Block, keyword: str) -> None:
    """Report the value of a section that takes lines, or the lines below one that takes a text (ABL125)."""
    if keyword in _TAKES_LINES:
        report_value(ctx, block)
    elif keyword in _TAKES_TEXT and block.children:
        _report_lines(ctx, block)


def report_value(ctx: Context, block: Block) -> None:
    """Report what is beside a key that takes lines. An object or a list stands for lines."""
    value = block.value
    if value is None or not block.colon or _stands_for_lines(ctx, value):
        return
    behind = closing_bracket(ctx.text, *value.span) + 1 if value.style == "bare" and value.raw[0] in "{[" else 0
    if behind:  # the same finding as that of a value in a line (``abl.syntax.lines.values``)
        span = Span(behind, value.span.end)
        ctx.report(findings.behind_bracket(span, value.raw[0], ctx.text[slice(*span)]))
    else:
        ctx.report(findings.unreadable(value.span, f"`{block.key}` takes the lines below it", value.raw))
    ctx.unknown.append(Unknown(span=value.span, path=block.key.lower(), block=block, text=value.raw))


def _stands_for_lines(ctx: Context, value: Text) -> bool:
    """True for an object or a list, also for one that is not closed, which is reported already."""
    if value.style != "bare" or value.raw[:1] not in ("{", "["):
        return False
    return closing_bracket(ctx.text, *value.span) in (value.span.end - 1, -1)


def _report_lines(ctx: Context, block: Block) -> None:
    first = block.children[0]
    for child in block.children:
        text = ctx.text[slice(*child.span)]
        ctx.unknown.append(Unknown(span=child.span, path=block.key.lower(), block=child, text=text))
    reason = f"A text of several lines stands below `{block.key}: |`"
    ctx.report(findings.unreadable(first.line_span, reason, ctx.text[slice(*first.line_span)]))
