"""The header of a CALL: ``tool(arguments) AS name WITH: {...}`` (docs/spec 06 §5.8)."""

from __future__ import annotations

import re

from abl.source import Span
from abl.syntax.lines.pieces import closing_bracket
from abl.syntax.lines.texts import bare_text
from abl.syntax.nodes import Argument, Name, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.state import inline_arguments
from abl.syntax.recovery import findings

_TOOL = re.compile(r"[^\s(]+")
_INLINE_AS = re.compile(r"\s*\bAS\b:?\s+(\S+)\s*", re.IGNORECASE)
_INLINE_WITH = re.compile(r"\s*\bWITH\b:?\s*(\{.*\})\s*", re.DOTALL)

_Header = tuple[Name | None, tuple[Argument, ...], Name | None, tuple[Argument, ...]]


def call_header(ctx: Context, value: Text, path: str) -> _Header:
    """Tool, inline arguments, AS name and inline WITH of ``name(args) AS x``."""
    start, end = value.inner
    match = _TOOL.match(ctx.text, start, end)
    if match is None:
        return None, (), None, ()
    tool = Name(match[0], Span(*match.span()))
    at = match.end()
    arguments: tuple[Argument, ...] = ()
    while at < end and ctx.text[at] in " \t":
        at += 1
    if at < end and ctx.text[at] == "(":
        close = closing_bracket(ctx.text, at, end)
        if close < 0:
            line = ctx.line_of(at)
            ctx.report(findings.unclosed_bracket(Span(at, at + 1), "(", line, end, ")"))
            return tool, inline_arguments(ctx, at + 1, end, path), None, ()
        arguments = inline_arguments(ctx, at + 1, close, path)
        at = close + 1
    return tool, arguments, *_call_tail(ctx, at, end, path)


def _call_tail(ctx: Context, at: int, end: int, path: str) -> tuple[Name | None, tuple[Argument, ...]]:
    as_: Name | None = None
    with_: tuple[Argument, ...] = ()
    while at < end:
        name = _INLINE_AS.match(ctx.text, at, end)
        if name is not None:
            as_, at = Name(name[1], Span(*name.span(1))), name.end()
            continue
        given = _INLINE_WITH.match(ctx.text, at, end)
        if given is not None:
            with_ = inline_arguments(ctx, given.start(1) + 1, given.end(1) - 1, f"{path}.WITH")
            at = given.end()
            continue
        rest = bare_text(ctx.text, at, end)
        if rest is not None:
            ctx.report(findings.unreadable(rest.span, "This does not belong to a CALL", rest.raw))
        break
    return as_, with_
