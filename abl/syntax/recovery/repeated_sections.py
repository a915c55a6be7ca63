"""Quick fixes for a repeated section (ABL105): its entries are moved, or one of two values stays (docs/spec 05 §2)."""

from __future__ import annotations

from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax.nodes import Block
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings


def merge_fix(ctx: Context, first: Block, second: Block) -> tuple[Fix, ...]:
    """Move the entries of the second section to the end of the first."""
    if not first.children or not second.children:
        return ()
    moved: dict[int, str] = {}
    there = {child.key.upper(): child for child in first.children if _holds_lines(child)}
    same = [child for child in second.children if _holds_lines(child) and child.key.upper() in there]
    for child in same:  # two of `session:` or `ADD:` become one
        target = there[child.key.upper()]
        if target.children[-1].column != child.children[0].column:
            return ()
        notes = "".join("\n" + ctx.source.line_text(ctx.line_of(comment.span.start)) for comment in child.comments)
        moved[target.span.end] = moved.get(target.span.end, "") + notes + _lines(ctx, child.children[0], child)
    others = [child for child in second.children if child not in same]
    if others:
        rest = "".join(_lines(ctx, child, child) for child in others) if same else _lines(ctx, others[0], second)
        moved[first.span.end] = moved.get(first.span.end, "") + rest
    edits = [Edit(Span(at, at), lines) for at, lines in moved.items()]
    title = f"Move the entries into the first `{second.key}`"
    return (Fix(title, (*edits, findings.line_removal(ctx.source, second.span))),)


def _holds_lines(block: Block) -> bool:
    return block.colon and not block.item and block.value is None and bool(block.children)


def _lines(ctx: Context, first: Block, last: Block) -> str:
    """From the line where a block, with the comments above it, begins to where another ends; behind a line break."""
    at = first.comments[0].span.start if first.comments else first.span.start
    return "\n" + ctx.text[ctx.source.line_starts[ctx.line_of(at) - 1] : last.span.end]


def choices(ctx: Context, first: Block, second: Block) -> tuple[Fix, ...]:
    """Of two sections with one value each, one may stay."""
    if first.value is None or second.value is None or first.children or second.children:
        return ()
    later = Fix(f"Keep the first `{second.key}`", (findings.line_removal(ctx.source, second.span),))
    return later, Fix(f"Keep this `{second.key}`", (findings.line_removal(ctx.source, first.span),))
