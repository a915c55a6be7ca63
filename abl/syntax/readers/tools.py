"""TOOLS: signatures, types and properties (docs/spec 08 §1-§2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from abl.diagnostics import Edit, Fix
from abl.limits import MAX_VALUE_DEPTH
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.reader_cache import kept
from abl.syntax.lines.pieces import (
    ARROW,
    COLON,
    EQUALS,
    bracket_depth,
    closing_bracket,
    cuts,
    inside_brackets,
    split_commas,
)
from abl.syntax.lines.scanner import open_brackets
from abl.syntax.lines.texts import bare_text, scalar_text
from abl.syntax.nodes import Block, Literal_, Name, Parameter, Property, Text, Tool, TypeRef
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import NAME, check_name, flag, with_colon
from abl.syntax.readers.flow_style import expanded, expanded_item
from abl.syntax.readers.literals import plain_value, read_literal
from abl.syntax.readers.returns import described_type
from abl.syntax.recovery import findings, section_findings
from abl.syntax.recovery.colons import mended
from abl.syntax.recovery.suggest import closest

_TOOL_NAME = re.compile(r"[^\s(:]+")
_NAME_AND_TYPE = re.compile(r"([A-Za-z_]\w*\??)[ \t]+\S.*", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
_GENERIC = re.compile(r"([A-Za-z_][\w.]*)\s*<(.*)>", re.DOTALL)


def read_tools(ctx: Context, block: Block, path: str = "tools") -> tuple[Tool, ...]:
    """The tools of a TOOLS section. ``FROM`` imports and other keys stay in the block."""
    found: list[Tool] = []
    for child in block.children:
        tool = read_tool(ctx, child, path)
        if tool is not None:
            found.append(tool)
    return tuple(found)


@kept
def read_tool(ctx: Context, block: Block, path: str) -> Tool | None:
    """One signature and its properties; None for a line that is none."""
    block = expanded_item(ctx, block)
    value = block.value
    if block.colon:
        return _mapped_tool(ctx, block, path)
    if value is None or value.style != "bare":
        _no_tool(ctx, block, path)
        return None
    start, end = value.span
    match = _TOOL_NAME.match(ctx.text, start, end)
    if match is not None and match[0] == "FROM":
        return None  # a removed import, which ABL818 judges
    if match is None or (match.end() == end and not block.children and not NAME.fullmatch(match[0])):
        _no_tool(ctx, block, path)
        return None
    noticed = ctx.noticed
    name = check_name(ctx, Name(match[0], Span(*match.span())), "tool", NAME)
    at = f"{path}.{name.value}"
    parameters, behind = _parameters(ctx, match.end(), end, at)
    returns = _returns(ctx, behind, end)
    rest: list[Block] = []
    for child in block.children:
        arrow = _returns(ctx, *child.value.span) if not child.colon and child.value is not None else None
        returns = returns or arrow
        if arrow is None:
            rest.append(child)
    if ctx.noticed == noticed:
        _judge(ctx, Span(match.end(), end), behind, parameters, returns)
    props = tuple(_properties(ctx, rest, name.value, at))
    return Tool(
        span=block.span,
        path=at,
        block=block,
        props=props,
        name=name,
        parameters=parameters,
        returns=returns,
        description=_description(props),
    )


def _no_tool(ctx: Context, block: Block, path: str) -> None:
    finding = section_findings.malformed_tool(block.line_span, "`name(parameter: type) -> type` is expected")
    ctx.skip(block, "", path, finding)


def _judge(ctx: Context, rest: Span, behind: int, parameters: tuple[Parameter, ...], returns: TypeRef | None) -> None:
    """Report what a signature lacks (ABL112, ABL806); ``rest`` is what follows the name, ``behind`` its
    parameters."""
    for type_ in (*(parameter.type for parameter in parameters), returns):
        if type_ is not None:
            _judge_type(ctx, type_)
    untyped = next((p for p in parameters if p.type is None and p.name.value), None)
    if untyped is not None:
        fix = _insertion(untyped.name.span.end, ": string", preferred=False)
        detail = f"parameter `{untyped.name.value}` has no type"
        ctx.report(section_findings.malformed_tool(untyped.name.span, detail, (fix,)))
    if behind == rest.start or ctx.text[behind - 1] != ")":
        text = bare_text(ctx.text, *rest)
        if text is not None:
            arrow = text.raw.startswith(("->", "→"))
            detail = "`()` is missing behind the name" if arrow else f"`{text.raw[:40]}` stands behind the name"
            fixes = (_insertion(rest.start, "()"),) if arrow else ()
            ctx.report(section_findings.malformed_tool(text.span, detail, fixes))
        else:  # the name alone
            span = Span(ctx.text.rfind("\n", 0, rest.start) + 1, rest.start)
            span = Span(span.end - len(ctx.text[slice(*span)].lstrip(" \t-")), span.end)
            fixes = (_insertion(rest.start, "()"),)
            ctx.report(section_findings.malformed_tool(span, "`()` is missing behind the name", fixes))
        return
    text = bare_text(ctx.text, behind, rest.end)
    if text is None or (returns is not None and returns.text):
        return
    if text.raw in ("->", "→"):
        fix = _insertion(text.span.end, " object", preferred=False)
        ctx.report(section_findings.malformed_tool(text.span, "the type behind the arrow is missing", (fix,)))
        return
    colon = text.raw.startswith((":", "="))
    edit = Edit(Span(behind, text.span.start + 1), " ->") if colon else Edit(Span(behind, text.span.start), " -> ")
    fix = Fix("Write `->` before the return type", (edit,), preferred=True)
    ctx.report(section_findings.malformed_tool(text.span, "the return type needs `->`", (fix,)))


def _judge_type(ctx: Context, type_: TypeRef) -> None:
    """Report a bracket of a type that nothing closes."""
    plain = _QUOTED.sub("", type_.text)
    opens = open_brackets(plain) or "<" * (plain.count("<") > plain.count(">"))
    if opens:
        at = type_.span.start + type_.text.find(opens[0])
        missing = "".join(_CLOSING[bracket] for bracket in reversed(opens))
        end = type_.span.end - type_.text.endswith((">", "}", ")"))  # which closes what is around
        ctx.report(findings.unclosed_bracket(Span(at, at + 1), opens[0], ctx.line_of(at), end, missing))


def _insertion(at: int, text: str, *, preferred: bool = True) -> Fix:
    return Fix(f"Insert `{text.strip()}`", (Edit(Span(at, at), text),), preferred)


def _mapped_tool(ctx: Context, block: Block, path: str) -> Tool | None:
    """A tool in the list form of YAML, or ``name:`` with properties. Words such as FROM stay what they are."""
    name = mapped_name(block)
    if name is None:
        _judge_mapped(ctx, block)
        return None
    at = f"{path}.{name.value}"
    props = tuple(_properties(ctx, block.children, name.value, at))
    listed = next((prop.block for prop in props if prop.key == "PARAMETERS"), None)
    parameters = tuple(_listed_parameter(ctx, item, at) for item in _items(ctx, listed)) if listed else ()
    return Tool(
        span=block.span,
        path=at,
        block=block,
        props=props,
        name=name,
        parameters=parameters,
        returns=_mapped_returns(ctx, props),
        description=_description(props),
    )


def _items(ctx: Context, listed: Block) -> Iterator[Block]:
    """The parameters of a list in any form."""
    return (expanded_item(ctx, item) for item in expanded(ctx, listed).children)


def _judge_mapped(ctx: Context, block: Block) -> None:
    """Report ``name: type``, which is no tool (ABL806); defaults of a file and imports are other keys."""
    value = block.value
    type_ = value.raw.rstrip("?") if value is not None and value.style == "bare" and not block.children else ""
    if block.item or type_.lower() not in vocabulary.TOOL_TYPES or not NAME.fullmatch(block.key):
        return
    if block.key.isupper() or block.key.lower() in vocabulary.TOOL_FILE_KEYS or value is None:
        return
    line = ctx.source.line_starts[ctx.line_of(block.key_span.start) - 1]
    fix = Fix("Write a signature", (Edit(Span(block.key_span.end, value.span.start), "() -> "),), preferred=True)
    fixes = () if ctx.text[line : block.key_span.start].strip() else (fix,)  # in braces it is no signature
    ctx.report(section_findings.malformed_tool(block.key_span, "`name(parameter: type) -> type` is expected", fixes))


def mapped_name(block: Block) -> Name | None:
    """The name of a tool that is written as ``name: x`` in a list, or as a key with properties; None for other keys."""
    if block.item:
        return Name(block.value.value, block.value.inner) if block.key.lower() == "name" and block.value else None
    if not block.children or not NAME.fullmatch(block.key) or not _may_name_tool(block):
        return None
    return Name(block.key, block.key_span)


def _properties(ctx: Context, lines: Iterable[Block], tool: str, path: str) -> Iterator[Property]:
    for child in lines:
        line = mended(ctx, with_colon(ctx, child, vocabulary.EVERY_TOOL_KEY))
        if line.colon:
            yield Property(vocabulary.canonical_key(line.key), line.key, line.key_span, line.value, line)
        else:
            ctx.skip(line, f"This is no property of `{tool}`", path)


def _may_name_tool(block: Block) -> bool:
    """False for words such as FROM, and for defaults that the tools of a file share, also misspelt (08 §9)."""
    key = block.key
    if key.isupper() or key.lower() in vocabulary.TOOL_FILE_KEYS:
        return False
    of_a_tool = any(vocabulary.canonical_key(child.key) in vocabulary.EVERY_TOOL_KEY for child in block.children)
    return of_a_tool or not closest(key.lower(), vocabulary.TOOL_FILE_KEYS)


def _listed_parameter(ctx: Context, block: Block, path: str) -> Parameter:
    values = {vocabulary.canonical_key(child.key): child for child in (block, *block.children) if child.colon}
    given = values.get("NAME")
    name = Name(block.key, block.key_span)
    if given is not None and given.value is not None:
        name = Name(given.value.value, given.value.inner)
    type_ = values.get("TYPE")
    default = values.get("DEFAULT")
    required = values.get("REQUIRED")
    is_required = required is None or flag(required.value) is not False
    return Parameter(
        span=block.span,
        path=f"{path}.{name.value}",
        block=block,
        name=name,
        type=read_type(ctx, type_.value) if type_ is not None and type_.value is not None else None,
        required=is_required and default is None,
        default=read_literal(ctx, default.value) if default is not None and default.value is not None else None,
    )


def _mapped_returns(ctx: Context, props: tuple[Property, ...]) -> TypeRef | None:
    returns = next((prop for prop in props if prop.key == "RETURNS"), None)
    return described_type(ctx, returns.block, read_type) if returns is not None else None


def _description(props: tuple[Property, ...]) -> Text | None:
    return next((prop.value for prop in props if prop.key == "DESCRIPTION"), None)


def _parameters(ctx: Context, at: int, end: int, path: str) -> tuple[tuple[Parameter, ...], int]:
    """Parameters and the offset behind the closing parenthesis."""
    text = ctx.text
    while at < end and text[at].isspace():
        at += 1
    if at >= end or text[at] != "(":
        return (), at
    close = closing_bracket(text, at, end)
    if close < 0:
        arrow = next(cuts(ARROW, text, at + 1, end), None)
        close = arrow.start() if arrow else end
        last = close - (len(text[at:close]) - len(text[at:close].rstrip()))
        ctx.report(findings.unclosed_bracket(Span(at, at + 1), "(", ctx.line_of(at), last, ")"))
    parameters = tuple(_parameter(ctx, *part, path) for part in split_commas(text, at + 1, close))
    return parameters, close + 1 if text.startswith(")", close, end) else close


def _parameter(ctx: Context, start: int, end: int, path: str) -> Parameter:
    """``name?: type = default``."""
    text = ctx.text
    colon = next(cuts(COLON, text, start, end), None)
    equals = next((m for m in cuts(EQUALS, text, colon.end() if colon else start, end) if m[3] == "="), None)
    stop = equals.start() if equals else end
    named, typed = (colon.start(), colon.end()) if colon else (stop, stop)
    written = bare_text(text, start, named)
    together = _NAME_AND_TYPE.fullmatch(written.raw) if written is not None and colon is None else None
    if written is not None and together is not None:
        named = typed = written.span.start + together.end(1)
        detail = f"`:` is missing behind `{together[1]}`"
        ctx.report(section_findings.malformed_tool(written.span, detail, (_insertion(named, ":"),)))
        written = bare_text(text, start, named)
    optional = written is not None and written.raw.endswith("?")
    if written is not None and optional:
        written = bare_text(text, written.span.start, written.span.end - 1)
    name = Name(written.value, written.inner) if written else Name("", Span(start, start + 1))
    check_name(ctx, name, "parameter", NAME)
    type_ = bare_text(text, typed, stop) if typed < stop else None
    given = scalar_text(text, equals.end(), end) if equals else None
    default: Literal_ | None = read_literal(ctx, given) if given is not None else None
    return Parameter(
        span=Span(start, end),
        path=f"{path}.{name.value}",
        name=name,
        type=read_type(ctx, type_) if type_ is not None else None,
        required=not optional and default is None,
        default=default,
    )


def _returns(ctx: Context, start: int, end: int) -> TypeRef | None:
    arrow = next(cuts(ARROW, ctx.text, start, end), None)
    text = bare_text(ctx.text, arrow.end(), end) if arrow else None
    return read_type(ctx, text) if text is not None else None


# Types ----------------------------------------------------------------------------------------------------------


def read_type(ctx: Context, text: Text) -> TypeRef:
    """A type expression. One nested too deep is kept as text and reported."""
    start, end = text.inner
    depth = max(bracket_depth(text.raw), text.raw.count("<"), text.raw.count("[]"))
    if depth > MAX_VALUE_DEPTH:
        ctx.report(findings.unreadable(text.span, f"Types are nested deeper than {MAX_VALUE_DEPTH}"))
        return TypeRef(text.raw, text.inner, "object")
    return _type(ctx, start, end)


def _type(ctx: Context, start: int, end: int) -> TypeRef:
    text = bare_text(ctx.text, start, end)
    if text is None:
        return TypeRef("", Span(start, end), "object")
    raw, span = text.raw, text.span
    if raw.endswith("[]"):
        return TypeRef(raw, span, "array", item=_type(ctx, span.start, span.end - 2))
    if raw[:1] == "{":
        return _object(ctx, text, span)
    generic = _GENERIC.fullmatch(raw)
    if generic is not None:
        return _generic(ctx, text, generic)
    return TypeRef(raw, span, raw)


def _generic(ctx: Context, text: Text, match: re.Match[str]) -> TypeRef:
    name = match[1].lower()
    start, end = text.span.start + match.start(2), text.span.start + match.end(2)
    if name == "array":
        return TypeRef(text.raw, text.span, "array", item=_type(ctx, start, end))
    if name == "nullable":
        return TypeRef(text.raw, text.span, "nullable", item=_type(ctx, start, end))
    inner = bare_text(ctx.text, start, end)
    if inner is None:
        return TypeRef(text.raw, text.span, name)
    if name == "object":
        return _object(ctx, text, inner.span)
    parts = split_commas(ctx.text, *(inside_brackets(ctx.text, *inner.span) if inner.raw[:1] == "[" else inner.span))
    if name == "union":
        options: tuple[Any, ...] = tuple(_type(ctx, *part) for part in parts)
    else:
        texts = (scalar_text(ctx.text, *part) for part in parts)
        options = tuple(plain_value(option) for option in texts if option is not None)
    return TypeRef(text.raw, text.span, name, options=options)


def _object(ctx: Context, text: Text, braces: Span) -> TypeRef:
    """The type that a text is, whose fields are in ``braces``."""
    fields: list[tuple[str, bool, TypeRef]] = []
    names: list[Name] = []
    for start, end in split_commas(ctx.text, *inside_brackets(ctx.text, *braces)):
        colon = next(cuts(COLON, ctx.text, start, end), None)
        written = ctx.text[start : colon.start() if colon else end].strip()
        type_ = _type(ctx, colon.end(), end) if colon else TypeRef("any", Span(end, end), "any")
        name = written.rstrip("?").strip("\"' ")
        at = start + written.find(name)
        fields.append((name, not written.endswith("?"), type_))
        names.append(Name(name, Span(at, at + len(name))))
    return TypeRef(text.raw, text.span, "object", fields=tuple(fields), names=tuple(names))
