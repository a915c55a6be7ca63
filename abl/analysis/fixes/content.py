"""Quick fixes for what is written as ``Content``: in lines or in brackets (docs/spec 05 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax.nodes import Content


def added(source: Source, content: Content, key: str, value: str, *, preferred: bool = True) -> tuple[Fix, ...]:
    """``key: value`` as a new member; the key in capitals if the others are. None where there is no room for it."""
    return all_added(source, content, ((key, value),), preferred=preferred)


def all_added(
    source: Source, content: Content, pairs: Sequence[tuple[str, str]], *, preferred: bool = True
) -> tuple[Fix, ...]:
    """The same for several members at once. The title names the values that the author need not fill in."""
    words = [(styled(content, key), value) for key, value in pairs]
    title = "Add " + " and ".join(f"`{key}`" if value[0] in '["' else f"`{key}: {value}`" for key, value in words)
    lines = [f"{key}: {value}" for key, value in words]
    if content.brackets is not None:
        if source.text[content.brackets.start] != "{":
            return ()
        last = content.members[-1].span.end if content.members else content.brackets.start + 1
        text = f"{', ' if content.members else ''}{', '.join(lines)}"
        return (fixes.insert(last, text, title, preferred=preferred),)
    block = content.block
    if block is None or (content.text is not None and not content.members):
        return ()
    if not content.key:  # a list item, whose keys follow its dash
        indent, below = " " * (source.position(content.key_span.start).column - 1), block.span
    else:
        first = block.children[0] if block.children else None
        indent = fixes.indent_of(source, (first or block).span.start) + ("" if first is not None else "  ")
        below = block.line_span
    text = "\n".join(f"{indent}{line}" for line in lines)
    first_member = content.members[0].span if content.members else block.span
    member = braces.added(source, content.key_span if content.key else first_member, text)
    if member is not None:
        return (Fix(title, (member,), preferred),)
    return (fixes.insert_line_below(source, below, text, title, preferred=preferred),)


def styled(content: Content, key: str) -> str:
    """A key in the case of those beside which it is to stand."""
    written = [member.key for member in content.members]
    if written and all(word.isupper() for word in written):
        return key.upper()
    return key.lower() if written and key.isupper() and all(word.islower() for word in written) else key


def removed(source: Source, parent: Content, *contents: Content, preferred: bool = True) -> tuple[Fix, ...]:
    """Contents taken out of their parent; none where that would leave a broken line."""
    title = "Remove " + " and ".join(f"`{content.key or content.word_of()}`" for content in contents)
    edits = _removals(source, parent, contents)
    return (Fix(title, edits, preferred),) if edits else ()


def _removals(source: Source, parent: Content, contents: Sequence[Content]) -> tuple[Edit, ...]:
    if parent.brackets is not None:
        return tuple([Edit(span, "") for span in _with_commas(parent, contents)])
    edits: list[Edit] = []
    for content in contents:
        if content.block is None:
            return ()
        line = source.position(content.span.start).line
        if source.text[source.line_starts[line - 1] : content.block.span.start].strip():
            return ()
        edits.append(Edit(fixes.whole_lines(source, content.block.span), ""))
    return tuple(edits)


def _with_commas(parent: Content, contents: Sequence[Content]) -> Iterator[Span]:
    """The places of elements of an inline list or object and of the commas that go with them."""
    row = sorted((*parent.members, *parent.items), key=lambda part: part.span.start)
    gone = [any(part is content for content in contents) for part in row]
    kept = next((at for at in range(len(row) - 1, -1, -1) if not gone[at]), -1)  # the last that stays
    for at in range(kept):
        if gone[at]:
            yield Span(row[at].span.start, row[at + 1].span.start)
    if kept + 1 < len(row):
        yield Span(row[kept].span.end if kept >= 0 else row[0].span.start, row[-1].span.end)


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
