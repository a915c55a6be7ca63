"""ON_FAIL of rules, CHECK and CALL (docs/spec 04 §5, 06 §5.9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.texts import first_word, rest_behind, scalar_text, slice_of
from abl.syntax.nodes import Assignment, Block, Branch, Form, Name, OnFail, Property, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import NAME, children_of, condition_text, names_of, read_properties
from abl.syntax.readers.flow_style import expanded
from abl.syntax.readers.state import read_assignments
from abl.syntax.recovery import section_findings

BranchReader = Callable[[Context, Block, str], tuple[Branch, ...]]

_FORMS: Final[dict[str, Form]] = {
    "RESPOND": "respond",
    "HANDOFF": "handoff",
    "ESCALATE": "escalate",
    "BLOCK": "block",
    "REDACT": "redact",
    "THEN": "then",
    "GOTO": "then",
}
_ESCALATES = re.compile(
    r"ESCALATE\b:?\s*(?:(?:with\s+)?REASON\s*:\s*)?(?:([\"'])(.*)\1|(.*?))\s*", re.IGNORECASE | re.DOTALL
)
_REASON = re.compile(r"(?:with\s+)?REASON\s*:\s*", re.IGNORECASE)
_ACTION_WORD = re.compile(r"[A-Z][A-Z_]+:?")


def read_on_fail(ctx: Context, block: Block, path: str, branches: BranchReader | None = None) -> OnFail:
    """The action on failure. ``branches`` reads a branch list where one is legal (CHECK and CALL)."""
    if branches is not None and block.value is not None and block.value.raw[:1] == "[":
        block = expanded(ctx, block)  # branches in brackets
    value = condition_text(ctx, block.value)
    if value is not None and not value.raw.strip():
        value = block.value  # quotes of YAML with nothing in them are an empty message, as quotes of ABL are
    if value is not None and not (value.style == "bare" and value.raw[:1] == "{" and value.raw[:2] != "{{"):
        read = _one_line(ctx, block, value, path)
        if read.form == "step" and value is not block.value and not NAME.fullmatch(value.value.strip()):
            read = replace(read, form="message", target=None)  # YAML quotes a message and a step alike
        if read.form == "message" or (read.form == "step" and branches is None):
            return replace(read, message=block.value)
        return read
    children = children_of(ctx, block)
    if not children:
        ctx.report(section_findings.empty_on_fail(Span(block.key_span.start, block.line_span.end)))
        return OnFail(span=block.span, path=path, block=block, form="structured")
    if branches is not None and children[0].item:
        return OnFail(span=block.span, path=path, block=block, form="branches", branches=branches(ctx, block, path))
    return _structured(ctx, block, children, path)


def reason_text(ctx: Context, text: Text | None) -> Text | None:
    """Reason of ESCALATE: the text behind it, without ``with REASON:``."""
    if text is None:
        return None
    start, end = text.span
    prefix = _REASON.match(ctx.text, start, end)
    return scalar_text(ctx.text, prefix.end(), end) if prefix else text


def reason_of(ctx: Context, value: Text, rest: Text | None) -> Text | None:
    """Reason in ``ESCALATE with REASON: "..."``, also where a text in quotes holds the whole (YAML)."""
    found = _ESCALATES.fullmatch(value.value) if value.map else None
    if found is None:
        return reason_text(ctx, rest)
    start, end = found.span(2) if found[2] is not None else found.span(3)
    return slice_of(value, start, end) if start < end else None


def _one_line(ctx: Context, block: Block, value: Text, path: str) -> OnFail:
    if value.style != "bare":
        return OnFail(span=block.span, path=path, block=block, form="message", message=value)
    word = first_word(value)
    plain = word.value.rstrip(":")
    name = Name(plain, Span(word.span.start, word.span.start + len(plain)))
    rest = rest_behind(ctx.text, value, word)
    form = _FORMS.get(plain)
    message = target = reason = None
    if form is None:
        form, target, message = _undecided(value, name, rest)
    elif form in ("respond", "block", "redact"):
        message = rest
    elif form == "escalate":
        reason = reason_of(ctx, value, rest)
    elif rest is not None:
        target = Name(rest.value, rest.inner) if rest.style != "bare" else first_word(rest)
    return OnFail(span=block.span, path=path, block=block, form=form, message=message, target=target, reason=reason)


def _undecided(value: Text, word: Name, rest: Text | None) -> tuple[Form, Name | None, Text | None]:
    """A first word that is no action: a step, an unknown action sent as text, or plain text."""
    if rest is None:
        return "step", word, None
    if _ACTION_WORD.fullmatch(word.value):
        return "unknown", word, value
    return "message", None, value


def _structured(ctx: Context, block: Block, children: tuple[Block, ...], path: str) -> OnFail:
    props = read_properties(
        ctx, children, "on_fail", "ON_FAIL", also=vocabulary.ON_FAIL_INERT_KEYS, nesting=frozenset({"RESPOND"})
    )
    last = {prop.key: prop for prop in props}
    sets: list[Assignment] = []
    clear: list[Name] = []
    for prop in props:
        if prop.key == "SET":
            sets.extend(read_assignments(ctx, prop.block, f"{path}.SET"))
        elif prop.key == "CLEAR":
            clear.extend(names_of(ctx, prop.block))
    collect = last.get("COLLECT")
    return OnFail(
        span=block.span,
        path=path,
        block=block,
        props=props,
        form="structured",
        message=_value(last, "RESPOND"),
        collect=names_of(ctx, collect.block) if collect else None,
        goto=_word(last, "GOTO"),
        retry=_value(last, "RETRY"),
        then=_word(last, "THEN"),
        clear=tuple(clear),
        sets=tuple(sets),
        order=tuple(prop.key for prop in props),
    )


def _value(props: dict[str, Property], key: str) -> Text | None:
    prop = props.get(key)
    return prop.value if prop is not None else None


def _word(props: dict[str, Property], key: str) -> Name | None:
    value = _value(props, key)
    return Name(value.value, value.inner) if value is not None else None
