"""Handlers of intents and of interactive elements (docs/spec 06 §6.4, §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from abl.syntax import vocabulary
from abl.syntax.nodes import ActionHandler, Block, Directive, IntentHandler, Name, Setting, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.directive_lines import flat, keyed, properties_of
from abl.syntax.readers.entries import entries_of, flag, inline_names, name_from, texts_of
from abl.syntax.readers.flow_style import expanded, expanded_item

DirectiveReader = Callable[[Context, Iterable[Block], str, str], tuple[Directive, ...]]
"""``read_directives``, which is given here because it reads handlers, too."""


def read_intents(
    ctx: Context, block: Block, place: str, path: str, read_directives: DirectiveReader
) -> tuple[IntentHandler, ...]:
    """SUB_INTENTS, DIGRESSIONS or global_digressions; a misplaced REASONING key is left to the rules."""
    block = expanded(ctx, block)
    entries = Block(
        block.key,
        block.key_span,
        None,
        tuple(c for c in block.children if c.key.upper() != "REASONING"),
        block.span,
        block.line_span,
        block.column,
    )
    return tuple(
        _read_intent(ctx, expanded_item(ctx, entry), place, f"{path}[{i}]", read_directives)
        for i, entry in enumerate(entries_of(ctx, entries, frozenset({"INTENT"}), vocabulary.KEYS_BY_PLACE[place]))
    )


def _read_intent(ctx: Context, item: Block, place: str, path: str, read_directives: DirectiveReader) -> IntentHandler:
    intent = condition = None
    keywords: tuple[Text, ...] = ()
    resume: bool | None = None
    actions: list[Block] = []
    ordered: Block | None = None
    blocks = tuple(flat((keyed(ctx, item, vocabulary.HANDLER_KEYS),)))
    for block in blocks:
        key = block.key.upper()
        if key == "INTENT":
            intent = block.value
        elif key == "KEYWORDS":
            keywords = _keywords(ctx, block)
        elif key == "CONDITION":
            condition = block.value
        elif key == "RESUME":
            resume = True if block.value is None else flag(block.value)
        elif key == "DO":
            ordered = block
        else:
            actions.append(block)
    if ordered is not None:
        actions = _do(ctx, ordered)
    directives = read_directives(ctx, actions, place, path)
    if resume is None:
        resume = next((_resumes(d) for d in directives if d.keyword == "RESUME"), None)
    return IntentHandler(
        span=item.span,
        path=path,
        block=item,
        props=properties_of(blocks),
        intent=intent,
        keywords=keywords,
        condition=condition,
        actions=directives,
        resume=resume,
        ordered=ordered is not None,
    )


def _do(ctx: Context, block: Block) -> list[Block]:
    """The actions of DO, in lines or in brackets."""
    return [expanded_item(ctx, item) for item in expanded(ctx, block).children]


def _resumes(directive: Directive) -> bool | None:
    value = directive.value if isinstance(directive, Setting) else None
    return True if value is None else flag(value)


def _keywords(ctx: Context, block: Block) -> tuple[Text, ...]:
    if block.value is not None and block.value.style == "bare" and "," in block.value.raw and block.value.raw[0] != "[":
        return tuple(Text(n.value, n.value, n.span, n.span) for n in inline_names(ctx, block.value))
    return texts_of(ctx, block)


def read_action_handlers(
    ctx: Context, block: Block, path: str, read_directives: DirectiveReader
) -> tuple[ActionHandler, ...]:
    """ON_ACTION or ACTION_HANDLERS: a list of ``- ACTION: id`` or a map ``id:``."""
    handlers: list[ActionHandler] = []
    for child in (expanded_item(ctx, entry) for entry in expanded(ctx, block).children):
        at = f"{path}[{len(handlers)}]"
        if child.item:
            blocks: tuple[Block, ...] = tuple(flat((child,)))
            name = name_from(next((b.value for b in blocks if b.key.upper() == "ACTION"), None))
        else:
            blocks, name = child.children, Name(child.key, child.key_span)
        ordered = next((b for b in blocks if b.key.upper() == "DO"), None)
        actions = [b for b in blocks if b.key.upper() not in ("ACTION", "CONDITION", "DO")]
        if ordered is not None:
            actions = _do(ctx, ordered)
        handlers.append(
            ActionHandler(
                span=child.span,
                path=at,
                block=child,
                props=properties_of(blocks),
                action=name,
                condition=next((b.value for b in blocks if b.key.upper() == "CONDITION"), None),
                actions=read_directives(ctx, actions, "action_handler", at),
                ordered=ordered is not None,
            )
        )
    return tuple(handlers)
