"""Quick fixes for what is written as ``Content``: in lines or in brackets (docs/spec 05 §1)."""

from __future__ import annotations

from abl.analysis import fixes
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax.nodes import Content


def added(source: Source, content: Content, key: str, value: str, *, preferred: bool = True) -> tuple[Fix, ...]:
    """``key: value`` as a new member; the key in capitals if the others are. None where there is no room for it."""
    key = styled(content, key)
    title = f"Add `{key}`"
    if content.brackets is not None:
        if source.text[content.brackets.start] != "{":
            return ()
        last = content.members[-1].span.end if content.members else content.brackets.start + 1
        return (fixes.insert(last, f"{', ' if content.members else ''}{key}: {value}", title, preferred=preferred),)
    block = content.block
    if block is None or (content.text is not None and not content.members):
        return ()
    if not content.key:  # a list item, whose keys stand behind its dash
        line = f"{' ' * (source.position(content.key_span.start).column - 1)}{key}: {value}"
        return (fixes.insert_line_below(source, block.span, line, title, preferred=preferred),)
    first = block.children[0] if block.children else None
    indent = fixes.indent_of(source, (first or block).span.start) + ("" if first is not None else "  ")
    line = f"{indent}{key}: {value}"
    return (fixes.insert_line_below(source, block.line_span, line, title, preferred=preferred),)


def styled(content: Content, key: str) -> str:
    """A key in the case of those beside which it is to stand."""
    written = [member.key for member in content.members]
    if written and all(word.isupper() for word in written):
        return key.upper()
    return key.lower() if written and key.isupper() and all(word.islower() for word in written) else key


def removed(source: Source, parent: Content, content: Content, *, preferred: bool = True) -> tuple[Fix, ...]:
    """The content taken out of its parent; none where that would leave a broken line."""
    title = f"Remove `{content.key or content.word_of()}`"
    edit = _removal(source, parent, content)
    return (Fix(title, (edit,), preferred),) if edit is not None else ()


def _removal(source: Source, parent: Content, content: Content) -> Edit | None:
    if parent.brackets is not None:
        return Edit(_with_comma(parent, content), "")
    if content.block is None:
        return None
    line = source.position(content.span.start).line
    before = source.text[source.line_starts[line - 1] : content.block.span.start]
    return None if before.strip() else Edit(fixes.whole_lines(source, content.block.span), "")


def _with_comma(parent: Content, content: Content) -> Span:
    """The place of an element of an inline list or object and of the comma that goes with it."""
    row = sorted((*parent.members, *parent.items), key=lambda part: part.span.start)
    at = next(number for number, part in enumerate(row) if part is content)
    if at + 1 < len(row):
        return Span(content.span.start, row[at + 1].span.start)
    return Span(row[at - 1].span.end if at else content.span.start, content.span.end)


def appended(source: Source, array: Content, value: str, *, preferred: bool = True) -> tuple[Fix, ...]:
    """A new element at the end of a list."""
    title = f"Add `{value}`"
    if array.brackets is not None:
        last = array.items[-1].span.end if array.items else array.brackets.start + 1
        return (fixes.insert(last, f"{', ' if array.items else ''}{value}", title, preferred=preferred),)
    last_item = array.items[-1].block if array.items else None
    if last_item is None:
        return ()
    line = f"{fixes.indent_of(source, last_item.span.start)}- {value}"
    return (fixes.insert_line_below(source, last_item.span, line, title, preferred=preferred),)
