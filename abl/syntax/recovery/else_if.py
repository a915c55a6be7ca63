"""``ELSE IF`` and its kin: of branches the first that holds is taken, so an IF says it (docs/spec 06 §6.1)."""

from __future__ import annotations

import re
from typing import Final

from abl.source import Span
from abl.syntax.lines.texts import scalar_text
from abl.syntax.nodes import Block
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_TWO_WORDS: Final = re.compile(r"(ELSE +IF)\b[ \t]*:?[ \t]*", re.IGNORECASE)
_ONE_WORD: Final = frozenset({"ELSEIF", "ELSE_IF", "ELSIF", "ELIF"})


def as_if(ctx: Context, item: Block) -> Block:
    """A branch that begins with one of these words as the ``- IF:`` it means (ABL106); any other is the same object."""
    value, condition, colon = item.value, item.value, item.colon
    if item.colon:
        if item.key.upper() not in _ONE_WORD:
            return item
        span = item.key_span
    else:
        match = _TWO_WORDS.match(value.raw) if value is not None and value.style == "bare" else None
        if value is None or match is None:
            return item
        start = value.inner.start
        span, colon = Span(start, start + match.end(1)), ":" in match[0]
        condition = scalar_text(ctx.text, start + match.end(), value.inner.end)
    intended = "if" if ctx.yaml else "IF"
    ctx.report(findings.intended_key(span, ctx.text[span.start : span.end], "branch", intended, colon=colon))
    return Block(
        intended, span, condition, item.children, item.span, item.line_span, item.column, item.item, True, item.comments
    )
