"""The ruler and the rows beneath it: a condition as written, with what each part came to (docs/spec 04 §10).

Both are made from the recorded node tree alone, so an old trace shows what was evaluated then, whatever the text says
now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from abl.expressions.lexer import scan
from constraints.traces.values import clipped, shown
from web.templatetags.wb import state

Node = Mapping[str, Any]
TOKEN_CLASSES = frozenset(
    ("section", "key", "kind", "word", "op", "name", "label", "slot", "string", "number", "func", "type", "comment")
)

ORIGINS = {
    "session": "session",
    "initial": "INITIAL",
    "user_fact": "user fact",
    "project_fact": "project fact",
    "tree_fact": "fact of this conversation",
    "default": "DEFAULT",
    "record": "memory store",
    "recall": "recalled",
    "system": "set by the runtime",
    "tool_result": "result of a call",
    "unset": "never set",
}


def highlighted(text: str) -> SafeString:
    """An expression with the token classes of the editor."""
    pieces, at = [], 0
    for piece in scan(text):
        if piece.start > at:
            pieces.append(format_html("{}", text[at : piece.start]))
        pieces.append(colored(piece.kind, text[piece.start : piece.end]))
        at = piece.end
    pieces.append(format_html("{}", text[at:]))
    return mark_safe("".join(pieces))  # noqa: S308 - every piece was escaped by format_html


def colored(kind: str, text: str) -> SafeString:
    if kind not in TOKEN_CLASSES:
        return format_html("{}", text)
    return format_html('<span class="t-{}">{}</span>', kind, text)


def ruler(text: str, tree: Node, *, outcome: str) -> SafeString:
    """The condition with a bracket and a value under each part; the verdict under the whole."""
    verdict = state(outcome, "state", shown(tree.get("value")) if tree.get("status") == "ok" else "error")
    spoken = ", ".join(f"{row.text} is {row.value}" for row in rows(tree) if row.depth and row.value)
    body = part(text, tree, verdict)
    label = f"{spoken}; {text} is {shown(tree.get('value'))}" if spoken else f"{text} is {shown(tree.get('value'))}"
    return format_html('<div class="ruler" tabindex="0" role="group" aria-label="{}">{}</div>', label, body)


def part(text: str, node: Node, verdict: SafeString | None = None) -> SafeString:
    """One node as nested boxes: its words, and its value beneath. Literals are their own value."""
    start, end = node.get("start", 0), node.get("end", len(text))
    if verdict is not None:
        start, end = 0, len(text)
    words, at = [], start
    for child in sorted(node.get("children") or [], key=lambda each: each.get("start", 0)):
        if not at <= child.get("start", -1) <= child.get("end", -1) <= end:
            continue
        words.append(plain(text[at : child["start"]]))
        words.append(part(text, child))
        at = child["end"]
    words.append(plain(text[at:end]))
    inside = mark_safe("".join(words))  # noqa: S308 - plain() and part() escape
    if verdict is None and (node.get("kind") == "literal" or node.get("status") == "not_evaluated"):
        return inside
    return format_html('<span class="part"><span class="words">{}</span>{}</span>', inside, value_of(node, verdict))


def plain(text: str) -> SafeString:
    return format_html("<span>{}</span>", highlighted(text)) if text else SafeString("")


def value_of(node: Node, verdict: SafeString | None) -> SafeString:
    if verdict is not None:
        name = "error" if node.get("status") == "error" else ""
        return format_html(
            '<span class="val is-verdict" data-state="{}">{}</span>', name or verdict_state(verdict), verdict
        )
    if node.get("status") == "error":
        return format_html('<span class="val" data-state="error">{}</span>', "error")
    if node.get("value") is None:
        return format_html('<span class="val" data-state="unset">{}</span>', "unset")
    return format_html('<span class="val">{}</span>', clipped(shown(node.get("value"))))


def verdict_state(verdict: SafeString) -> str:
    """The ``data-state`` that the verdict carries, for the bracket above it."""
    return verdict.partition('data-state="')[2].partition('"')[0]


@dataclass(frozen=True, slots=True)
class Row:
    """A node as a row: its text, value, type and where the value is from."""

    depth: int
    text: str
    value: str
    type: str
    state: str
    origin: str
    by: int | None
    note: str

    @property
    def code(self) -> SafeString:
        """The text with token classes."""
        return highlighted(self.text)

    @property
    def shown_value(self) -> SafeString:
        """The value; a state with icon and word where it is none."""
        return state(self.state, "state", self.value) if self.state else format_html("{}", clipped(self.value))


def rows(tree: Node, refs: Mapping[str, Node] | None = None, *, outcome: str = "", wanted: str = "") -> list[Row]:
    """The tree as rows in the order of the text, literals left out.

    ``refs`` are the record's, by path; a ref may name the step that set the value as ``by``.
    """
    return list(_rows(tree, refs or {}, 0, outcome, wanted))


def _rows(node: Node, refs: Mapping[str, Node], depth: int, outcome: str, wanted: str) -> Iterator[Row]:
    if node.get("kind") == "literal" and depth:
        return
    status = node.get("status", "ok")
    ref = refs.get(node.get("text", ""), {}) if node.get("kind") == "path" else {}
    reached = status == "ok" or node.get("hypothetical")
    name, value = "", shown(node.get("value")) if reached else ""
    if status == "error":
        name, value = "error", "error"
    elif not reached:
        name, value = "not_reached", "not evaluated"
    elif node.get("value") is None:
        name, value = "unset", "unset"
    elif depth == 0 and outcome:
        name = outcome
    origin = ORIGINS.get(ref.get("origin", ""), str(ref.get("origin", "")).replace("_", " "))
    yield Row(
        depth=min(depth, 5),
        text=node.get("text", ""),
        value=value,
        type="" if node.get("value") is None else str(node.get("type") or ""),
        state=name,
        origin=origin if depth or not wanted else wanted,
        by=ref.get("by"),
        note=note_of(node) if ref.get("origin") != "unset" else "",
    )
    for child in node.get("children") or []:
        yield from _rows(child, refs, depth + 1, outcome, "")


def note_of(node: Node) -> str:
    """A note about what may surprise a reader: an error, a conversion, an unset segment, a value that was not
    needed.
    """
    if node.get("error"):
        error = node["error"]
        return str(error.get("message", error)) if isinstance(error, Mapping) else str(error)
    if node.get("hypothetical"):
        return "not needed for the outcome"
    notes = [
        f"{each.get('operand', '')}: {each.get('from')} read as {each.get('to')}"
        for each in node.get("coercions") or []
    ]
    if node.get("null_source") and node.get("null_source") != node.get("text"):
        notes.append(f"{node['null_source']} is unset")
    return "; ".join(notes)
