"""SET, CLEAR, TRANSFORM and LOG in all their spellings (docs/spec 03 §7, 06 §5.3-§5.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax.lines.pieces import COLON, EQUALS, cuts, inside_brackets, outside, split_commas
from abl.syntax.lines.texts import bare_text, halves, name_of, scalar_text
from abl.syntax.nodes import Argument, Assignment, Block, Clear, Log, Name, Property, SetVariables, Text, Transform
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import children_of, names_of, read_properties, text_of
from abl.syntax.recovery import section_findings
from abl.syntax.recovery.unattached_lines import begins_nothing

_INTO: Final = outside(r"\bINTO\b|\binto\b")
_AS: Final = outside(r"\bAS\b|\bas\b")
_TARGET: Final = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_COMPOUND: Final = re.compile(rf"({_TARGET.pattern})\s*([-+*/:])")
_OPERAND: Final = re.compile(r"[\w.]+")
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\s*(?:=(?!=)|:)")


# SET and CLEAR --------------------------------------------------------------------------------------------------


def read_assignments(ctx: Context, block: Block, path: str) -> tuple[Assignment, ...]:
    """``SET: a = x``, a list, a block of ``a = x`` lines, or a map ``a: x``."""
    value = block.value
    if value is not None:
        if value.style == "bare" and value.raw[:1] == "{":
            return tuple(_member(ctx, child, f"{path}[{i}]") for i, child in enumerate(children_of(ctx, block)))
        span = value.span if value.style == "bare" else value.inner
        return (_assignment(ctx, block, span, path, value),)
    found: list[Assignment] = []
    for child in block.children:
        at = f"{path}[{len(found)}]"
        if child.colon:
            found.append(_member(ctx, child, at))
        elif child.value is not None and begins_nothing(child.value.raw) and "=" not in child.value.raw:
            ctx.skip(child, "This is no assignment", path)
        elif child.value is not None:
            given = child.value if child.value.style == "bare" else None
            found.append(_assignment(ctx, child, child.value.span, at, given))
    return tuple(found)


def _member(ctx: Context, block: Block, path: str) -> Assignment:
    target = Name(block.key, block.key_span) if _TARGET.fullmatch(block.key) else None
    if target is None:
        ctx.report(section_findings.no_target(block.key_span, block.key))
    return Assignment(span=block.span, path=path, block=block, target=target, value=block.value)


def compared_at(text: str, span: Span) -> Span | None:
    """Where a SET line has ``==`` in place of its ``=`` (ABL628)."""
    mark = next(cuts(EQUALS, text, *span), None)
    is_slip = mark is not None and mark[3] == "==" and text[span.start : mark.start()].strip()
    return Span(*mark.span(3)) if mark is not None and is_slip else None


def _assignment(ctx: Context, block: Block, span: Span, path: str, given: Text | None = None) -> Assignment:
    """Split at the first ``=`` that is no part of a comparison; ``given`` is what quotes hold, with its escapes."""
    target, value = _sides(ctx, span, given)
    if (target is None or value is None) and compared_at(ctx.text, span) is None:
        ctx.report(section_findings.bad_assignment(span, ctx.text[span.start : span.end]))
    elif target is not None and "[" in target.value:
        ctx.report(section_findings.indexed_target(target.span, target.value))
    elif target is not None and _TARGET.fullmatch(target.value) is None:
        _report_target(ctx, span, target, value)
        target = None
    name = name_of(target) if target is not None else None
    return Assignment(span=span, path=path, block=block, target=name, value=value)


def _sides(ctx: Context, span: Span, given: Text | None) -> tuple[Text | None, Text | None]:
    if given is not None and given.map and given.style != "pipe":
        mark = next((m for m in cuts(EQUALS, given.value, 0, len(given.value)) if m[3] == "="), None)
        return halves(given, mark.span()) if mark else (None, None)
    equals = next((m for m in cuts(EQUALS, ctx.text, *span) if m[3] == "="), None)
    if equals is None:
        return None, None
    return bare_text(ctx.text, span.start, equals.start()), bare_text(ctx.text, equals.end(), span.end)


def _report_target(ctx: Context, span: Span, target: Text, value: Text | None) -> None:
    """What precedes the ``=`` and is no path: often the operator of ``x += 1``."""
    compound = _COMPOUND.fullmatch(target.value)
    if compound is None or value is None:
        ctx.report(section_findings.no_target(target.span, target.value))
        return
    name, operator = compound.groups()
    operand = value.raw if value.style != "bare" or _OPERAND.fullmatch(value.raw) else f"({value.raw})"
    written = value.raw if operator == ":" else f"{name} {operator} {operand}"
    ctx.report(section_findings.compound_assignment(span, name, operator, f"{name} = {written}"))


def read_set(ctx: Context, block: Block, keyword: str, path: str) -> SetVariables:
    """SET."""
    return SetVariables(
        span=block.span,
        path=path,
        block=block,
        keyword=keyword,
        key_span=block.key_span,
        assignments=read_assignments(ctx, block, path),
    )


def read_clear(ctx: Context, block: Block, keyword: str, path: str) -> Clear:
    """CLEAR."""
    return Clear(
        span=block.span,
        path=path,
        block=block,
        keyword=keyword,
        key_span=block.key_span,
        names=names_of(ctx, block),
    )


# TRANSFORM ------------------------------------------------------------------------------------------------------


def read_transform(ctx: Context, block: Block, keyword: str, path: str, parts: Sequence[Block] = ()) -> Transform:
    """TRANSFORM with its header on one line, in SOURCE, or in keys of its own."""
    blocks = (*block.children, *parts)
    props = read_properties(ctx, blocks, "transform", "TRANSFORM", nesting=frozenset({"MAP"}))
    header = block.value
    source, item, into = _pipeline_header(ctx, header) if header is not None else (None, None, None)
    given = text_of(props, "SOURCE")
    if given is not None:
        source, inline_item, _ = _pipeline_header(ctx, given)
        item = inline_item or item
    item = _own_name(props, "AS") or item
    into = _own_name(props, "INTO") or into
    mapping = next((p.block for p in reversed(props) if p.key == "MAP"), None)
    node = Transform(
        span=block.span,
        path=path,
        block=block,
        props=props,
        keyword=keyword,
        key_span=block.key_span,
        source=source,
        item=item,
        into=into,
        filter=text_of(props, "FILTER"),
        mapping=read_arguments(ctx, mapping, f"{path}.MAP") if mapping else (),
        sort_by=text_of(props, "SORT_BY"),
        limit=text_of(props, "LIMIT"),
    )
    _check_pipeline(ctx, block, node)
    return node


def _own_name(props: tuple[Property, ...], key: str) -> Name | None:
    text = text_of(props, key)
    return name_of(text) if text is not None else None


def _pipeline_header(ctx: Context, text: Text) -> tuple[Name | None, Name | None, Name | None]:
    """Source, item and target of ``path [AS item] [INTO name]``."""
    start, end = text.inner
    into = next(cuts(_INTO, ctx.text, start, end), None)
    head_end = into.start() if into else end
    item = next(cuts(_AS, ctx.text, start, head_end), None)
    ranges = (
        (start, item.start() if item else head_end),
        (item.end(), head_end) if item else (start, start),
        (into.end(), end) if into else (start, start),
    )
    source, name, target = (bare_text(ctx.text, *part) for part in ranges)
    return (
        name_of(source) if source else None,
        name_of(name) if name else None,
        name_of(target) if target else None,
    )


def _check_pipeline(ctx: Context, block: Block, node: Transform) -> None:
    missing = [key for key, given in (("SOURCE", node.source), ("INTO", node.into)) if given is None]
    span = block.key_span
    if missing:
        fixes: tuple[Fix, ...] = ()
        if block.children:
            lacking = [*missing, *(["AS"] if _needs_item(node) else ())]
            edit = _missing_keys(ctx, block.children[0], lacking)
            fixes = (Fix(f"Insert {' and '.join(lacking)}", (edit,)),)
        ctx.report(section_findings.incomplete_transform(span, " and ".join(missing), fixes))
    elif _needs_item(node):
        ctx.report(section_findings.incomplete_transform(span, "the item name (AS)"))


def _needs_item(node: Transform) -> bool:
    return node.item is None and (node.filter is not None or bool(node.mapping))


def _missing_keys(ctx: Context, first: Block, missing: list[str]) -> Edit:
    """The keys in front of the first one: in lines of their own, or in its braces."""
    words = [f"{key}: {key.lower()}_name" for key in missing]
    start = ctx.source.line_starts[ctx.line_of(first.span.start) - 1]
    if ctx.text[start : first.span.start].strip():
        return Edit(Span(first.span.start, first.span.start), "".join(f"{word}, " for word in words))
    indent = " " * (first.column - 1)
    return Edit(Span(start, start), "".join(f"{indent}{word}\n" for word in words))


# Arguments: WITH, MAP and what is in the parentheses of a CALL ------------------------------------------------


def read_arguments(ctx: Context, block: Block, path: str) -> tuple[Argument, ...]:
    """Arguments of a map block; a key with nested lines is a nested object."""
    found: list[Argument] = []
    for child in children_of(ctx, block):
        at = f"{path}[{len(found)}]"
        if not child.colon:
            if child.value is not None and begins_nothing(child.value.raw):
                ctx.skip(child, "This is no argument", path)
            elif child.value is not None:
                found.append(_inline_argument(ctx, *child.value.span, at))
            continue
        nested = read_arguments(ctx, child, at) if child.value is None else ()
        name = Name(child.key, child.key_span)
        found.append(Argument(span=child.span, path=at, block=child, name=name, value=child.value, children=nested))
    return tuple(found)


def inline_arguments(ctx: Context, start: int, end: int, path: str) -> tuple[Argument, ...]:
    """Arguments between parentheses: positional, ``name = value`` or ``name: value``."""
    parts = split_commas(ctx.text, start, end)
    return tuple(_inline_argument(ctx, *part, f"{path}[{i}]") for i, part in enumerate(parts))


def _inline_argument(ctx: Context, start: int, end: int, path: str) -> Argument:
    named = _NAMED.match(ctx.text, start, end)
    name = Name(named[1], Span(named.start(1), named.end(1))) if named else None
    value = scalar_text(ctx.text, named.end() if named else start, end)
    return Argument(span=Span(start, end), path=path, name=name, value=value)


# LOG ------------------------------------------------------------------------------------------------------------


def read_log(ctx: Context, block: Block, keyword: str, path: str) -> Log:
    """LOG: text, ``{MESSAGE, LEVEL}`` or a block of the two."""
    text, level = block.value, None
    props: tuple[Property, ...] = ()
    if text is None or (text.style == "bare" and _is_log_object(ctx, text)):
        props = read_properties(ctx, children_of(ctx, block), "log", "LOG")
        text, level = text_of(props, "MESSAGE"), text_of(props, "LEVEL")
    elif block.children:
        props = read_properties(ctx, block.children, "log", "LOG")
        level = text_of(props, "LEVEL")
    return Log(
        span=block.span,
        path=path,
        block=block,
        props=props,
        keyword=keyword,
        key_span=block.key_span,
        text=text,
        level=level,
    )


def _is_log_object(ctx: Context, text: Text) -> bool:
    if text.raw[:1] != "{" or text.raw.startswith("{{"):
        return False
    return next(cuts(COLON, ctx.text, *inside_brackets(ctx.text, *text.span)), None) is not None
