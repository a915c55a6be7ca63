"""Blocks -> ``Content``, and the nodes of the sections that are made of it (docs/spec 09 §10-§15)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from abl.limits import MAX_VALUE_DEPTH
from abl.source import Span
from abl.syntax.incremental.reader_cache import kept
from abl.syntax.incremental.relocation import moved
from abl.syntax.lines.pieces import COLON, bracket_depth, cuts, inside_brackets, split_commas
from abl.syntax.lines.texts import bare_text, scalar_text
from abl.syntax.nodes import (
    Attachment,
    Block,
    Content,
    Conversation,
    Described,
    Elements,
    Format,
    Guardrail,
    Name,
    Profile,
    Template,
    Text,
    Understanding,
)
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import NAME, condition_text, item_properties
from abl.syntax.readers.flow_style import expanded


def content_of(block: Block) -> Content:
    """What a block says."""
    if not block.item or not block.colon:
        return _content(block, block.children)
    members = tuple(_content(part, part.children) for part in item_properties(block) if part.colon)
    start = block.key_span.start
    return Content("", Span(start, start), None, members, (), block.span, block)


def _content(block: Block, children: Iterable[Block]) -> Content:
    members: list[Content] = []
    items: list[Content] = []
    for child in children:
        if child.item:
            items.append(content_of(child))
        elif child.colon:
            members.append(content_of(child))
        elif child.value is not None and NAME.fullmatch(child.value.raw) is not None and not child.children:
            members.append(_bare_name(child, child.value))
    text, brackets = block.value, None
    if (
        text is not None
        and text.style == "bare"
        and text.raw[:1] in ("[", "{")
        and bracket_depth(text.raw) <= MAX_VALUE_DEPTH
    ):
        inner = moved(_in_brackets(text.value, 0, len(text.value)), text.inner.start)
        members, items, brackets, text = [*inner.members, *members], [*inner.items, *items], inner.span, None
    return Content(block.key, block.key_span, text, tuple(members), tuple(items), block.span, block, brackets)


def _bare_name(block: Block, value: Text) -> Content:
    """A name on a line of its own, as those of INTENTS may be: a key that says no more."""
    return Content(value.value, value.span, None, (), (), block.span, block)


def _in_brackets(text: str, start: int, end: int, key: Text | None = None) -> Content:
    """The object, list or scalar at a range of ``text``, behind its ``key``; places count in ``text``."""
    span = Span(start, end)
    word, place = (key.value, key.inner) if key is not None else ("", Span(start, start))
    whole = Span(key.span.start if key is not None else start, end)
    if start < end and text[start] in "[{":
        parts = split_commas(text, *inside_brackets(text, start, end))
        if text[start] == "[":
            items = tuple(_in_brackets(text, *part) for part in parts)
            return Content(word, place, None, (), items, whole, None, span)
        members = tuple(member for part in parts if (member := _member(text, *part)) is not None)
        return Content(word, place, None, members, (), whole, None, span)
    return Content(word, place, scalar_text(text, start, end), (), (), whole)


def _member(text: str, start: int, end: int) -> Content | None:
    """``key: value`` of an object; ``{a}`` is ``{a: a}``."""
    colon = next(cuts(COLON, text, start, end), None)
    key = scalar_text(text, start, colon.start() if colon is not None else end)
    if key is None:
        return None
    value = bare_text(text, colon.end(), end) if colon is not None else None
    if value is None:
        at = Span(end, end) if colon is not None else Span(start, end)
        return _in_brackets(text, *at, key)
    return _in_brackets(text, *value.span, key)


# Sections -------------------------------------------------------------------------------------------------------


def read_described(ctx: Context, block: Block, keyword: str, path: str) -> tuple[Described, ...]:
    """The nodes of a section of this module; none for another section."""
    if keyword in _ENTRIES:
        entries = expanded(ctx, block).children
        return tuple(_read_entry(ctx, child, keyword, path) for child in entries if child.colon or child.item)
    if keyword == "BEHAVIOR_PROFILE":
        return (_read_inline_profile(ctx, block, path),)
    return (_read_whole(ctx, block, keyword, path),) if keyword in _WHOLE else ()


@kept
def _read_entry(ctx: Context, block: Block, keyword: str, path: str) -> Described:
    content = content_of(block)
    name = _name_of(content)
    fields: dict[str, Any] = {"span": block.span, "path": f"{path}.{name.value}", "block": block, "content": content}
    if keyword == "RICH_CONTENT":
        return Format(where="agent", **fields)
    return _ENTRIES[keyword](name=name, **fields)


def _name_of(content: Content) -> Name:
    """The key of an entry, or its NAME in a list."""
    if content.key:
        return Name(content.key, content.key_span)
    text = content.text or content.text_of("name", "id")
    return Name(text.value, text.inner) if text is not None else Name("", content.place)


@kept
def _read_whole(ctx: Context, block: Block, keyword: str, path: str) -> Described:
    fields: dict[str, Any] = {"span": block.span, "path": path, "block": block, "content": content_of(block)}
    if keyword == "ACTIONS":
        return Elements(where="agent", **fields)
    return Conversation(**fields) if keyword == "CONVERSATION" else Understanding(keyword=keyword, **fields)


_ENTRIES: Final[dict[str, Callable[..., Described]]] = {
    "GUARDRAILS": Guardrail,
    "TEMPLATES": Template,
    "ATTACHMENTS": Attachment,
    "RICH_CONTENT": Format,
}
_WHOLE: Final = frozenset({"NLU", "INTENTS", "ENTITIES", "ACTIONS", "CONVERSATION"})


@kept
def _read_inline_profile(ctx: Context, block: Block, path: str) -> Profile:
    return _profile(ctx, block, path, inline=True)


def profile_document(ctx: Context, header: Block, blocks: Iterable[Block], span: Span, path: str) -> Profile:
    """A BEHAVIOR_PROFILE document; ``blocks`` are those beside its header."""
    lines = (*header.children, *blocks)
    whole = Block(header.key, header.key_span, header.value, lines, span, header.line_span, header.column)
    return _profile(ctx, whole, path, inline=False)


def _profile(ctx: Context, block: Block, path: str, *, inline: bool) -> Profile:
    content = content_of(block)
    name = Name(block.value.value, block.value.inner) if block.value is not None else None
    return Profile(
        span=block.span,
        path=path,
        block=block,
        content=content,
        name=name,
        inline=inline,
        priority=content.text_of("priority"),
        when=condition_text(ctx, content.text_of("when")),
    )
