"""MEMORY: session, persistent, remember, recall (docs/spec 03 §2-§5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, TypeVar

from abl.language import PLACES
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.reader_cache import kept
from abl.syntax.lines.pieces import ARROW, cuts, inside_brackets, split_commas
from abl.syntax.lines.scanner import open_brackets
from abl.syntax.lines.texts import bare_text, expression_text, halves
from abl.syntax.nodes import (
    Block,
    Memory,
    Name,
    PersistentPath,
    Property,
    RecallInstruction,
    RememberTrigger,
    SessionVariable,
    Store,
    Text,
)
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import (
    NAME,
    PATH,
    check_name,
    condition_of,
    entries_of,
    item_properties,
    legal_key,
    literal_of,
    name_from,
    names_of,
    read_properties,
    text_of,
    with_colon,
)
from abl.syntax.readers.flow_style import expanded
from abl.syntax.readers.literals import object_blocks, split_member
from abl.syntax.recovery import findings, section_findings
from abl.syntax.recovery.colons import with_key
from abl.syntax.recovery.misplaced import report_value
from abl.syntax.recovery.suggest import closest

T = TypeVar("T")

_ARROW_SLIP: Final = re.compile(r"\s(?P<arrow>[=~]?>)\s+[A-Za-z_]\w*(?:\.\w+)+\s*$")
"""A misspelt arrow, in front of what can only be a path."""
_BLOCK_NAMES: Final = ("session", "persistent", "remember", "recall", "READS", "WRITES")


def read_memory(ctx: Context, block: Block, path: str = "memory") -> Memory:
    """The MEMORY section; an unknown sub-block is reported and left out (ABL127)."""
    session: list[SessionVariable] = []
    persistent: list[PersistentPath] = []
    remember: list[RememberTrigger] = []
    recall: list[RecallInstruction] = []
    for written in block.children:
        child = expanded(ctx, _with_colon(ctx, written), names=True)
        key = child.key.upper()
        if key == "SESSION":
            _read_each(ctx, child, session, read_session_variable, f"{path}.session")
        elif key == "PERSISTENT":
            _read_persistent(ctx, child, persistent, f"{path}.persistent")
        elif key == "REMEMBER":
            _read_each(ctx, child, remember, read_remember, f"{path}.remember")
        elif key == "RECALL":
            _read_each(ctx, child, recall, read_recall, f"{path}.recall")
        elif key in vocabulary.MEMORY_SHORTHANDS:
            _read_shorthand(ctx, child, persistent, f"{path}.persistent")
        elif child.colon:
            ctx.report(findings.unknown_memory_block(child.key_span, child.key, _BLOCK_NAMES))
        elif not _lacks_colon(child):  # which is reported, and nothing is below it
            ctx.skip(child, "This is no part of MEMORY", path)
    return Memory(
        span=block.span,
        path=path,
        block=block,
        session=tuple(session),
        persistent=tuple(persistent),
        remember=tuple(remember),
        recall=tuple(recall),
    )


def _lacks_colon(block: Block) -> bool:
    return not block.colon and block.value is not None and block.value.value.upper() in vocabulary.MEMORY_BLOCKS


def _with_colon(ctx: Context, block: Block) -> Block:
    """``session`` with its missing colon (ABL110)."""
    if block.value is None or not _lacks_colon(block):
        return block
    ctx.report(findings.missing_colon(block.value.span, block.value.value))
    return with_key(block, block.value, None) if block.children else block


def _read_each(ctx: Context, block: Block, into: list[T], read: Callable[[Context, Block, str], T], path: str) -> None:
    keys = vocabulary.KEYS_BY_PLACE[path.rpartition(".")[2]]
    if not block.children and block.value is None:
        ctx.report(findings.empty_block(ctx.source, block.span, block.key))
    report_value(ctx, block)
    for entry in entries_of(ctx, block, keys=keys):
        into.append(read(ctx, entry, f"{path}[{len(into)}]"))


# session and persistent -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Declaration:
    """How entries of ``session`` and ``persistent`` differ."""

    place: str
    name_key: str
    kind: str
    pattern: re.Pattern[str]
    elsewhere: vocabulary.Words  # keys of the other kind, which rules judge (ABL312, ABL313)

    def read(self, ctx: Context, item: Block) -> tuple[Name, tuple[Property, ...]]:
        """Name and properties of an entry in any of its forms."""
        name, props = self._parts(ctx, item)
        return check_name(ctx, name, self.kind, self.pattern), props

    def _parts(self, ctx: Context, item: Block) -> tuple[Name, tuple[Property, ...]]:
        if item.value is not None and " " in item.value.raw:  # else the word is a name
            item = with_colon(ctx, item, self._legal)
        value = item.value
        if not item.colon:
            if value is None:
                return self._long_form(ctx, item, item.children)
            if value.raw[:1] == "{":
                return self._long_form(ctx, item, object_blocks(ctx, value))
            return self._short_form(ctx, name_from(value) or Name("", item.line_span), item.children)
        if legal_key(item.key, vocabulary.KEYS_BY_PLACE[self.place]) in self._legal:
            return self._long_form(ctx, item, item_properties(item))
        if value is None or value.raw[:1] == "{":
            blocks = (*(object_blocks(ctx, value) if value else ()), *item.children)
            return self._short_form(ctx, Name(item.key, item.key_span), blocks)
        shown = sorted(vocabulary.KEYS_BY_PLACE[self.place])
        given = {vocabulary.canonical_key(child.key) for child in item.children}
        ctx.report(findings.unknown_key(ctx.source, item, f"a {self.kind}", shown, given))
        name = name_from(value) if closest(item.key, (self.name_key,)) else None
        return self._short_form(ctx, name or Name(item.key, item.key_span), item.children)

    @property
    def _legal(self) -> vocabulary.Words:
        return vocabulary.KEYS_BY_PLACE[self.place] | self.elsewhere

    def _short_form(self, ctx: Context, name: Name, blocks: tuple[Block, ...]) -> tuple[Name, tuple[Property, ...]]:
        return name, read_properties(ctx, blocks, self.place, f"`{name.value}`", also=self.elsewhere)

    def _long_form(self, ctx: Context, item: Block, blocks: tuple[Block, ...]) -> tuple[Name, tuple[Property, ...]]:
        """The name is a property."""
        props = read_properties(ctx, blocks, self.place, f"a {self.kind}", also=self.elsewhere)
        name = name_from(text_of(props, self.name_key))
        return name or Name("", Span(item.line_span.start, item.line_span.start + 1)), props


_SESSION: Final = _Declaration("session", "NAME", "session variable", NAME, vocabulary.PERSISTENT_ONLY_KEYS)
_PERSISTENT: Final = _Declaration("persistent", "PATH", "persistent path", PATH, vocabulary.SESSION_ONLY_KEYS)


@kept
def read_session_variable(ctx: Context, item: Block, path: str) -> SessionVariable:
    """An entry of ``session:``."""
    name, props = _SESSION.read(ctx, item)
    return SessionVariable(
        span=item.span,
        path=path,
        block=item,
        props=props,
        name=name,
        type=text_of(props, "TYPE"),
        description=text_of(props, "DESCRIPTION"),
        initial=literal_of(ctx, props, "INITIAL"),
        reset=text_of(props, "RESET"),
    )


def _read_persistent(ctx: Context, block: Block, into: list[PersistentPath], path: str) -> None:
    if not block.children and block.value is None:
        ctx.report(findings.empty_block(ctx.source, block.span, block.key))
    report_value(ctx, block)
    for shorthand, children in groupby(block.children, lambda child: child.key.upper() in vocabulary.MEMORY_SHORTHANDS):
        if shorthand:
            for child in children:
                _read_shorthand(ctx, child, into, path)
            continue
        part = Block(block.key, block.key_span, None, tuple(children), block.span, block.line_span, block.column)
        for entry in entries_of(ctx, part, keys=vocabulary.KEYS_BY_PLACE["persistent"]):
            into.append(read_persistent_path(ctx, entry, f"{path}[{len(into)}]"))


@kept
def read_persistent_path(ctx: Context, item: Block, path: str) -> PersistentPath:
    """An entry of ``persistent:``."""
    name, props = _PERSISTENT.read(ctx, item)
    return PersistentPath(
        span=item.span,
        path=path,
        block=item,
        props=props,
        name=name,
        scope=text_of(props, "SCOPE"),
        access=text_of(props, "ACCESS"),
        type=text_of(props, "TYPE"),
        unit=text_of(props, "UNIT"),
        default=literal_of(ctx, props, "DEFAULT"),
        description=text_of(props, "DESCRIPTION"),
        sensitive=text_of(props, "SENSITIVE"),
        sensitive_display=text_of(props, "SENSITIVE_DISPLAY"),
        mask_config=literal_of(ctx, props, "MASK_CONFIG"),
        domain=text_of(props, "DOMAIN"),
    )


def _read_shorthand(ctx: Context, block: Block, into: list[PersistentPath], path: str) -> None:
    """READS and WRITES: paths with that access; a path in both is readwrite (03 §3)."""
    access = "read" if block.key.upper() == "READS" else "write"
    for name in names_of(ctx, block):
        check_name(ctx, name, "persistent path", PATH)
        before = next((i for i, known in enumerate(into) if known.name.value == name.value), None)
        both = before is not None and into[before].access is not None
        mode = Text("readwrite" if both else access, block.key, block.key_span, block.key_span)
        node = PersistentPath(span=name.span, path=f"{path}[{len(into)}]", block=block, name=name, access=mode)
        if before is not None and not into[before].props:
            into[before] = PersistentPath(
                span=into[before].span,
                path=into[before].path,
                block=into[before].block,
                name=into[before].name,
                access=mode,
            )
        else:
            into.append(node)


# remember -------------------------------------------------------------------------------------------------------


def _entry_blocks(ctx: Context, item: Block, legal: vocabulary.Words) -> tuple[Block, ...]:
    item = with_colon(ctx, item, legal)
    if item.colon:
        return item_properties(item)
    if item.value is not None and item.value.raw[:1] == "{":
        return object_blocks(ctx, item.value)
    if item.value is None:
        return item.children
    return (item, *item.children)


@kept
def read_remember(ctx: Context, item: Block, path: str) -> RememberTrigger:
    """An entry of ``remember:``."""
    props = read_properties(ctx, _entry_blocks(ctx, item, vocabulary.REMEMBER_KEYS), "remember", "a remember trigger")
    store = next((p for p in reversed(props) if p.key == "STORE"), None)
    return RememberTrigger(
        span=item.span,
        path=path,
        block=item,
        props=props,
        when=condition_of(ctx, props, "WHEN"),
        store=read_store(ctx, store.block, f"{path}.STORE") if store else None,
        ttl=text_of(props, "TTL"),
    )


def read_store(ctx: Context, block: Block, path: str) -> Store:
    """STORE as ``value -> target`` (split at the last top-level arrow) or as a block, in lines or in braces."""
    lines = block.children if block.value is None else _in_braces(ctx, block.value)
    if block.value is not None and not lines:
        return _arrow_store(ctx, block, block.value, path)
    props = read_properties(ctx, lines, "store", "STORE")
    value, target = text_of(props, "VALUE"), text_of(props, "TARGET")
    if lines:
        for side, given in (("value", value), ("target", target)):
            if given is None:
                ctx.report(section_findings.store_side_missing(block.key_span, side))
    return Store(
        span=block.span,
        path=path,
        block=block,
        props=props,
        arrow=False,
        target=name_from(target),
        value=expression_text(ctx.text, value) if value else None,
        operation=text_of(props, "OPERATION"),
        unique=text_of(props, "UNIQUE"),
        max_size=text_of(props, "MAXSIZE"),
    )


def _in_braces(ctx: Context, text: Text) -> tuple[Block, ...]:
    """The keys of ``{value: v, target: t}``; none of an object that is itself the value, which an arrow follows."""
    if text.style != "bare" or text.raw[:1] != "{" or any(cuts(ARROW, ctx.text, *text.span)):
        return ()
    lines = object_blocks(ctx, text)
    known = PLACES["store"]
    return lines if any(known.key(line.key) is not None for line in lines) else ()


def _arrow_store(ctx: Context, block: Block, text: Text, path: str) -> Store:
    broken = Store(span=block.span, path=path, block=block, value=None, target=None)
    if text.style == "bare" and text.raw.startswith(("[", "{")) and open_brackets(text.raw):
        return broken  # the open bracket is reported where the line was read
    start, end = text.inner if ctx.yaml else text.span
    arrow = max(cuts(ARROW, ctx.text, start, end), key=lambda match: match.start(), default=None)
    escaped = None
    if ctx.yaml and text.map and text.style == "double":  # what its quotes hold is the text
        escaped = max(cuts(ARROW, text.value, 0, len(text.value)), key=lambda match: match.start(), default=None)
        arrow = arrow or escaped
    slip = _ARROW_SLIP.search(ctx.text, start, end) if arrow is None else None
    if slip is not None:
        ctx.report(section_findings.arrow_slip(text.span, Span(*slip.span("arrow"))))
        meant = name_from(bare_text(ctx.text, slip.end("arrow"), end))
        return replace(broken, target=meant)  # so that nobody reports the path as never written; it is not run
    if arrow is None:
        written = ctx.text[start:end]
        ctx.report(section_findings.store_without_arrow(text.span, written))
        turned = section_findings.turned_store(written)
        if turned is not None:
            at = start + turned.start
            return replace(broken, target=Name(turned.path, Span(at, at + len(turned.path))))
        return Store(span=block.span, path=path, block=block, value=expression_text(ctx.text, text), target=None)
    value, target = bare_text(ctx.text, start, arrow.start()), bare_text(ctx.text, arrow.end(), end)
    if escaped is not None:
        value, target = halves(text, escaped.span())
    for side, given in (("value", value), ("target", target)):
        if given is None:
            ctx.report(section_findings.store_side_missing(text.span, side))
    is_object = value is not None and not value.map and value.raw[:1] == "{" and value.raw[-1] == "}"
    if value is not None and is_object and not _good_object(ctx, value):
        value = None
    name = name_from(target)
    if name is not None:
        check_name(ctx, name, "persistent path", PATH)
    return Store(span=block.span, path=path, block=block, value=value, target=name)


def _good_object(ctx: Context, value: Text) -> bool:
    before = len(ctx.findings)
    for part in split_commas(ctx.text, *inside_brackets(ctx.text, *value.span)):
        split_member(ctx, *part)
    return len(ctx.findings) == before


# recall ---------------------------------------------------------------------------------------------------------


@kept
def read_recall(ctx: Context, item: Block, path: str) -> RecallInstruction:
    """An entry of ``recall:``. The retired shorthand ``- ON_X: "text"`` gives the event and the instruction."""
    if item.colon and item.key in vocabulary.RETIRED_RECALL_EVENTS:
        props = read_properties(ctx, item.children, "recall", "a recall instruction")
        event: Text | None = Text(item.key, item.key, item.key_span, item.key_span)
        instruction = item.value
    else:
        blocks = _entry_blocks(ctx, item, vocabulary.RECALL_KEYS)
        props = read_properties(ctx, blocks, "recall", "a recall instruction")
        event, instruction = text_of(props, "ON"), text_of(props, "INSTRUCTION")
    paths = next((p for p in reversed(props) if p.key == "PATHS"), None)
    return RecallInstruction(
        span=item.span,
        path=path,
        block=item,
        props=props,
        on=event,
        action=text_of(props, "ACTION"),
        paths=names_of(ctx, paths.block) if paths else None,
        domain=text_of(props, "DOMAIN"),
        instruction=instruction,
    )
