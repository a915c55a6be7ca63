"""Quick fixes as text edits (docs/spec 05 §1). Every function gives a ``Fix`` that keeps comments and layout."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from abl.analysis.fixes import braces
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax.recovery.suggest import closest, not_given


def replace(span: Span, text: str, title: str = "", *, preferred: bool = True) -> Fix:
    """Write ``text`` instead of what stands at ``span``."""
    return Fix(title or f"Write {text}", (Edit(span, text),), preferred)


def insert(at: int, text: str, title: str, *, preferred: bool = True) -> Fix:
    """Put ``text`` in at an offset."""
    return Fix(title, (Edit(Span(at, at), text),), preferred)


def remove_lines(source: Source, span: Span, title: str, *, preferred: bool = True) -> Fix:
    """Take out the whole lines that ``span`` touches, or a member of braces with its comma."""
    return Fix(title, (Edit(whole_lines(source, span), ""),), preferred)


def whole_lines(source: Source, span: Span) -> Span:
    """The span widened to full lines, the last line break included; in braces to what goes with a member."""
    member = braces.extent(source, span)
    return lines_of(source, span) if member is None else member


def lines_of(source: Source, span: Span) -> Span:
    """The full lines that a span touches, the last line break included."""
    start = source.line_starts[source.position(span.start).line - 1]
    last = source.position(max(span.end - 1, span.start)).line
    end = source.line_starts[last] if last < source.line_count else len(source.text)
    return Span(start, end)


def insert_line_below(source: Source, span: Span, text: str, title: str, *, preferred: bool = True) -> Fix:
    """A new line with ``text`` (already indented) below the last line that ``span`` touches; in braces a new member."""
    member = braces.added(source, span, text)
    if member is not None:
        return Fix(title, (member,), preferred)
    line = source.position(max(span.end - 1, span.start)).line
    return insert(source.line_span(line).end, f"\n{text}", title, preferred=preferred)


def insert_line_above(source: Source, span: Span, text: str, title: str, *, preferred: bool = True) -> Fix:
    """A new line with ``text`` (already indented) above the line where ``span`` begins; in braces a new member."""
    member = braces.added(source, span, text, above=True)
    if member is not None:
        return Fix(title, (member,), preferred)
    line = source.position(span.start).line
    return insert(source.line_starts[line - 1], f"{text}\n", title, preferred=preferred)


def indent_of(source: Source, at: int) -> str:
    """The blanks at the start of the line that holds an offset."""
    text = source.line_text(source.position(at).line)
    return text[: len(text) - len(text.lstrip())]


def rename_key(
    span: Span, word: str, candidates: Iterable[str], given: Collection[str]
) -> tuple[str, str, tuple[Fix, ...]]:
    """As ``rename_to`` for a key, but none of those that are ``given`` already (canonical): the first is named."""
    free, there = not_given(word, [c for c in closest(word, candidates) if c != word], given)
    return (free[0] if free else ""), there, rename_fixes(span, free)


def rename_to(span: Span, word: str, candidates: Iterable[str]) -> tuple[str, tuple[Fix, ...]]:
    """The best did-you-mean answer and a fix for each; preferred only when there is exactly one."""
    close = [c for c in closest(word, candidates) if c != word]
    return (close[0] if close else ""), rename_fixes(span, close)


def rename_fixes(span: Span, words: Sequence[str]) -> tuple[Fix, ...]:
    """One fix per suggested word."""
    return tuple(replace(span, word, f"Change to `{word}`", preferred=len(words) == 1) for word in words)
