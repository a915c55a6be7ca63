"""HANDOFF, COMPLETE, ON_START and HOOKS of an agent (docs/spec 09 §5, §7, §9)."""

from __future__ import annotations

from typing import Final

from abl.syntax import vocabulary
from abl.syntax.incremental.reader_cache import kept
from abl.syntax.nodes import Assignment, Block, Completion, Directive, Handoff, Name, Property, Text
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import (
    children_of,
    condition_of,
    entries_of,
    item_properties,
    name_from,
    names_of,
    read_properties,
    text_of,
    with_colon,
)
from abl.syntax.readers.flow_style import expanded, expanded_item
from abl.syntax.readers.literals import object_blocks
from abl.syntax.readers.state import read_assignments
from abl.syntax.recovery import findings, section_findings
from abl.syntax.recovery.colons import mended, with_key

_HANDOFF_NESTING: Final = vocabulary.HANDOFF_KEYS
_COMPLETION_NESTING: Final = vocabulary.COMPLETION_KEYS
_COMPLETION_ACTIONS: Final = vocabulary.words(
    "SET CLEAR CALL WITH AS LOG SET_INTERACTION_LANGUAGE CLEAR_INTERACTION_LANGUAGE"
)


def _entry_blocks(ctx: Context, item: Block, legal: vocabulary.Words) -> tuple[Block, ...]:
    """The properties of an entry in any of its forms, ``legal`` are their keys."""
    item = with_colon(ctx, item, legal)
    if item.colon:
        return item_properties(item)
    if item.value is not None and item.value.raw[:1] == "{":
        return object_blocks(ctx, item.value)
    return (item, *item.children) if item.value is not None else item.children


def read_handoffs(ctx: Context, block: Block, path: str = "handoff") -> tuple[Handoff, ...]:
    """The entries of HANDOFF."""
    entries = entries_of(ctx, block, frozenset({"TO"}), vocabulary.HANDOFF_KEYS)
    return tuple(_read_handoff(ctx, item, f"{path}[{i}]") for i, item in enumerate(entries))


@kept
def _read_handoff(ctx: Context, item: Block, path: str) -> Handoff:
    blocks = [mended(ctx, block) for block in _entry_blocks(ctx, item, vocabulary.HANDOFF_KEYS)]
    props = read_properties(ctx, blocks, "handoff", "a HANDOFF entry", nesting=_HANDOFF_NESTING)
    context = next((prop.block for prop in reversed(props) if prop.key == "CONTEXT"), None)
    inner = {child.key.upper(): child for child in children_of(ctx, context)} if context is not None else {}
    merged = {**inner, **{prop.key: prop.block for prop in props if prop.key in ("PASS", "SUMMARY", "HISTORY", "SET")}}
    passes = merged.get("PASS")
    sets = merged.get("SET")
    assignments: tuple[Assignment, ...] = read_assignments(ctx, sets, f"{path}.SET") if sets is not None else ()
    return Handoff(
        span=item.span,
        path=path,
        block=item,
        props=props,
        to=name_from(text_of(props, "TO")),
        when=condition_of(ctx, props, "WHEN"),
        priority=text_of(props, "PRIORITY"),
        passes=names_of(ctx, passes) if passes is not None else (),
        sets=assignments,
        summary=_value(merged, "SUMMARY"),
        history=_value(merged, "HISTORY"),
        expect_return=text_of(props, "EXPECT_RETURN"),
        on_return=next((prop.block for prop in reversed(props) if prop.key == "ON_RETURN"), None),
    )


def _value(blocks: dict[str, Block], key: str) -> Text | None:
    block = blocks.get(key)
    return block.value if block is not None else None


def read_completions(ctx: Context, block: Block, path: str = "complete") -> tuple[Completion, ...]:
    """The entries of COMPLETE."""
    entries = entries_of(ctx, block, frozenset({"WHEN"}), vocabulary.COMPLETION_KEYS)
    return tuple(_read_completion(ctx, item, f"{path}[{i}]") for i, item in enumerate(entries))


@kept
def _read_completion(ctx: Context, item: Block, path: str) -> Completion:
    blocks = _entry_blocks(ctx, item, vocabulary.COMPLETION_KEYS)
    props = read_properties(ctx, blocks, "complete", "a COMPLETE entry", nesting=_COMPLETION_NESTING)
    actions = read_directives(ctx, _actions(props), "complete", path)
    return Completion(
        span=item.span,
        path=path,
        block=item,
        props=props,
        when=condition_of(ctx, props, "WHEN"),
        respond=text_of(props, "RESPOND"),
        actions=actions,
        terminal=text_of(props, "TERMINAL"),
    )


def _actions(props: tuple[Property, ...]) -> list[Block]:
    """The properties that are directives and not empty (that is reported already)."""
    return [
        prop.block
        for prop in props
        if prop.key in _COMPLETION_ACTIONS and (prop.value is not None or prop.block.children)
    ]


def read_on_start(ctx: Context, block: Block, path: str = "on_start") -> tuple[Directive, ...]:
    """The directives of ON_START."""
    return read_directives(ctx, block.children, "on_start", path)


def read_hooks(ctx: Context, block: Block, path: str = "hooks") -> tuple[tuple[str, tuple[Directive, ...]], ...]:
    """Hook name and its directives, for each hook."""
    found: list[tuple[str, tuple[Directive, ...]]] = []
    for written in block.children:
        child = expanded(ctx, _hook_with_colon(ctx, written))
        if not child.colon:
            ctx.skip(child, "This is no hook", path)
            continue
        name = child.key.lower()
        if name not in vocabulary.HOOKS:
            ctx.report(section_findings.unknown_hook(child.key_span, child.key, vocabulary.HOOKS))
            continue
        if not child.children:
            ctx.report(findings.empty_block(ctx.source, child.span, child.key))
        lines = [expanded_item(ctx, line) for line in child.children]
        found.append((name, read_directives(ctx, lines, "hook", f"{path}.{name}")))
    return tuple(found)


def _hook_with_colon(ctx: Context, block: Block) -> Block:
    value = block.value
    if block.colon or value is None or value.value.lower() not in vocabulary.HOOKS:
        return block
    ctx.report(findings.missing_colon(value.span, value.value))
    return with_key(block, value, None)


def read_named_texts(ctx: Context, block: Block) -> tuple[tuple[Name, Text], ...]:
    """MESSAGES and TEMPLATES: name and text; of a template with variants, its DEFAULT."""
    found: list[tuple[Name, Text]] = []
    for child in block.children:
        value = child.value
        if value is None:
            value = next((c.value for c in child.children if c.key.upper() in ("DEFAULT", "TEXT")), None)
        if child.colon and value is not None:
            found.append((Name(child.key, child.key_span), value))
    return tuple(found)
