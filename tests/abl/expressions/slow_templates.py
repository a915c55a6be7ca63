"""Templates (docs/spec 02 §9) for the second evaluator: a list of pieces, blocks found by walking over it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.abl.expressions.slow_reader import Unreadable, read
from tests.abl.expressions.slow_values import Failure, to_text, truthy

PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*")
HELPER = re.compile(r"(add|sub)\s+@index\s+(-?[0-9]+)")
CLOSING = re.compile(r"\A/(if|each)\b.*", re.DOTALL)  # what else is in such a tag is left out
OPENING = re.compile(r"#(if|each)(?![A-Za-z_])\s*")
BLOCK = re.compile(OPENING.pattern + r"|else$|/if$|/each$")

Piece = tuple[str, str]  # ("text", …) or ("tag", what stands between the braces)
Evaluate = Callable[..., Any]


def render(template: str, evaluate: Evaluate, scopes: list[dict[str, Any]]) -> str:
    """The text. ``evaluate(node, scopes)`` gives a value or raises Failure; ``scopes`` are items, the inner last."""
    return _Rendering(_pieces(template), evaluate).upto((), scopes)[0]


def _tag_end(text: str, at: int) -> int:
    """Where the first }} outside of quotes stands, or -1."""
    quote = ""
    while at < len(text):
        if quote:
            if text[at] == "\\":
                at += 1
            elif text[at] == quote:
                quote = ""
        elif text[at] in "\"'":
            quote = text[at]
        elif text.startswith("}}", at):
            return at
        at += 1
    return -1


def _pieces(text: str) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    while at < len(text):
        end = _tag_end(text, at + 2) if text.startswith("{{", at) else -1
        if text.startswith("\\{{", at):
            found.append(("text", "{{"))
            at += 3
        elif end >= 0:
            found.append(("tag", CLOSING.sub(r"/\1", text[at + 2 : end].strip())))
            at = end + 2
        elif text.startswith("{{", at):
            found.append(("text", "{{"))
            at += 2
        elif text.startswith("${", at) and text[at + 2 : at + 3] != "{" and (path := _legacy(text, at)):
            found.append(("tag", path.strip()))
            at += len(path) + 3
        else:
            found.append(("text", text[at]))
            at += 1
    return _without_lone_lines(found)


def _legacy(text: str, at: int) -> str | None:
    inner = text[at + 2 :].partition("}")
    return inner[0] if inner[1] and PATH.fullmatch(inner[0].strip()) else None


def _without_lone_lines(pieces: list[Piece]) -> list[Piece]:
    """A block tag with only spaces around it takes its line with it."""
    dropped: set[int] = set()
    for at, (kind, inner) in enumerate(pieces):
        if kind != "tag" or not BLOCK.match(inner):
            continue
        before, after = at - 1, at + 1
        while before >= 0 and pieces[before] in (("text", " "), ("text", "\t")):
            before -= 1
        while after < len(pieces) and pieces[after] in (("text", " "), ("text", "\t")):
            after += 1
        starts = before < 0 or pieces[before] == ("text", "\n")
        ends = after >= len(pieces) or pieces[after] == ("text", "\n")
        if starts and ends:
            dropped |= set(range(before + 1, min(after + 1, len(pieces)))) - {at}
    return [piece for at, piece in enumerate(pieces) if at not in dropped]


class _Rendering:
    def __init__(self, pieces: list[Piece], evaluate: Evaluate) -> None:
        self.pieces = pieces
        self.evaluate = evaluate
        self.at = 0

    def upto(self, ends: tuple[str, ...], scopes: list[dict[str, Any]], silent: bool = False) -> tuple[str, str]:
        """What the pieces print up to one of these tags, and that tag; ``silent`` walks over them."""
        printed = ""
        while self.at < len(self.pieces):
            kind, inner = self.pieces[self.at]
            self.at += 1
            if kind == "text":
                printed += inner
            elif inner in ends:
                return printed, inner
            elif (opening := OPENING.match(inner)) is not None:
                block = self.if_block if opening[1] == "if" else self.each_block
                printed += block(inner[opening.end() :], scopes, silent)
            elif inner not in ("else", "/if", "/each") and not silent:
                printed += self.value(inner, scopes)
        return printed, ""

    def if_block(self, condition: str, scopes: list[dict[str, Any]], silent: bool) -> str:
        holds = not silent and truthy(self.result(condition, scopes))
        yes, end = self.upto(("else", "/if"), scopes, silent or not holds)
        no = self.upto(("/if",), scopes, silent or holds)[0] if end == "else" else ""
        return yes if holds else no

    def each_block(self, path: str, scopes: list[dict[str, Any]], silent: bool) -> str:
        items = None if silent else self.result(path, scopes)
        start, printed = self.at, ""
        self.upto(("/each",), scopes, silent=True)
        end = self.at
        for index, item in enumerate(items if isinstance(items, list) else ()):
            self.at = start
            scope = {"this": item, "@index": float(index), "@first": index == 0, "@last": index == len(items) - 1}
            scope |= item if isinstance(item, dict) else {}
            printed += self.upto(("/each",), [*scopes, scope])[0]
        self.at = end
        return printed

    def value(self, inner: str, scopes: list[dict[str, Any]]) -> str:
        helper = HELPER.fullmatch(inner)
        if helper and scopes:
            offset = int(helper[2]) * (1 if helper[1] == "add" else -1)
            return to_text(scopes[-1]["@index"] + offset)
        return to_text(self.result(inner, scopes))

    def result(self, text: str, scopes: list[dict[str, Any]]) -> Any:
        try:
            return self.evaluate(read(text, in_each=bool(scopes)), scopes)
        except (Unreadable, Failure):
            return None
