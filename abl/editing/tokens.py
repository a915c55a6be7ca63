"""``tokens``: the pieces of a text to colour, line by line (docs/spec 12 §1).

A line's pieces depend on its text and on the state before it: the open blocks, a pipe block, open brackets. Both make
the key of a cache, so that after an edit only the lines whose text or surroundings changed are read again.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from abl.editing import roles
from abl.expressions.lexer import scan
from abl.limits import MAX_TOKEN_LINE, TOKEN_CACHE
from abl.syntax import vocabulary
from abl.syntax.lines.scanner import BLANK, COMMENT, CONTENT, Line, open_brackets, scan_line
from abl.syntax.lines.texts import pipe_header

Piece = tuple[int, int, str]
Pieces = list[Piece]

KINDS: Final = (
    "section", "key", "kind", "word", "op", "name", "label", "string", "slot", "number", "func", "type", "comment",
    "text",
)  # fmt: skip

_SLOT = re.compile(r"\{\{.*?(?:\}\}|$)|\$\{[^}]*\}")
_CONSTANTS: Final = frozenset({"true", "false", "null", "TRUE", "FALSE"})
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_RULE = re.compile(r"([A-Za-z_]+)(?:\s*:)?")
_CLAUSE = re.compile(r"\b(BEFORE|WHEN)\b")
_CHECKPOINT = re.compile(r"\s*(calling|returning\s+results)?\s*(\S*)")
_NAME_IN_LIST = re.compile(r"[^\s,\[\]]+")
_WORD = re.compile(r"\S+")
_TYPE_PIECE = re.compile(r"[A-Za-z_][\w.]*|\"[^\"]*\"|'[^']*'|-?[0-9]+(?:\.[0-9]+)?|->|→|[^\sA-Za-z_0-9]")
_VALIDATION = re.compile(r"([A-Za-z_]+)\((.*)\)")
_MAX_CACHED_LINE: Final = 2_000


class State(NamedTuple):
    """What a line needs to know about the lines before it.

    ``stack``: column and role of the open blocks. ``pipe``: column that pipe text is deeper than, or 0. ``opens``:
    brackets left open, with ``limit`` the column their lines are deeper than and ``mode`` how they are read.
    """

    stack: tuple[tuple[int, str], ...] = ()
    pipe: int = 0
    opens: str = ""
    limit: int = 0
    mode: str = ""


_START: Final = State()


def tokens(text: str) -> Pieces:
    """``(start, end, kind)`` of all pieces, in order and covering the text; kinds are ``KINDS``."""
    found: Pieces = []
    add = found.append
    state = _START
    at = covered = 0
    for raw in text.split("\n"):
        pieces, state = line_tokens(raw, state)
        for first, last, kind in pieces:
            start = at + first
            if start > covered:
                add((covered, start, "text"))
            covered = at + last
            add((start, covered, kind))
        at += len(raw) + 1
    if covered < len(text):
        add((covered, len(text), "text"))
    return found


def line_tokens(text: str, state: State) -> tuple[tuple[Piece, ...], State]:
    """Pieces of one line, relative to it and without the blanks between them, and the state behind it."""
    if len(text) <= _MAX_CACHED_LINE:
        return _cached(text, state)
    if len(text) <= MAX_TOKEN_LINE:
        return _read(text, state)
    return ((0, len(text), "text"),), state


def _read(text: str, state: State) -> tuple[tuple[Piece, ...], State]:
    shift = 1 if text.startswith("\ufeff") else 0
    line = scan_line(text[shift:])
    if state.pipe:
        if line.kind == BLANK:
            return (), state
        if line.column > state.pipe:
            return tuple(_moved(_template(text, line.indent, line.end), 0)), state
        state = state._replace(pipe=0)
    if line.kind == BLANK:
        return (), state
    if line.kind != CONTENT:
        kind = "comment" if line.kind == COMMENT else "text"
        return ((line.indent + shift, line.end + shift, kind),), state
    if state.opens:
        if _continues(line, text, state):
            pieces = _value(text, line.indent, line.end, state.mode)
            return tuple(pieces), state._replace(opens=open_brackets(text[line.indent : line.end], state.opens))
        state = state._replace(opens="")
    pieces, state = _line(text[shift:], line, state)
    return tuple(_moved(pieces, shift)), state


_cached = lru_cache(maxsize=TOKEN_CACHE)(_read)


def _moved(pieces: Pieces, shift: int) -> Pieces:
    return [(start + shift, end + shift, kind) for start, end, kind in pieces] if shift else pieces


def _continues(line: Line, text: str, state: State) -> bool:
    return line.column > state.limit or text[line.indent] in ")]}"


def _line(text: str, line: Line, state: State) -> tuple[Pieces, State]:
    stack = list(state.stack)
    while stack and stack[-1][0] >= line.column:
        if line.item and stack[-1][0] == line.column and not stack[-1][1].endswith("-"):
            break
        stack.pop()
    role = stack[-1][1].rstrip("-") if stack else roles.ROOT
    pieces: Pieces = [(line.indent, line.indent + 1, "op")] if line.item else []
    end = line.end
    comment: Pieces = []
    if line.trailer >= 0 and line.key.upper() not in vocabulary.TEXT_KEYS and role != "texts":
        comment = [(line.trailer, end, "comment")]
        end = len(text[: line.trailer].rstrip())
    reading = roles.reading(role, line)
    if line.colon:
        pieces += _key(line, reading)
        if line.item:
            stack.append((line.column, roles.ENTRIES.get(role, role) + "-"))
            stack.append((line.key_column, reading.below))
        else:
            stack.append((line.column, reading.below))
        first = line.value
    else:
        stack.append((line.column, reading.below + ("-" if line.item else "")))
        first = line.content
    pipe = 0
    mode = reading.mode
    if first < end:
        if line.colon and pipe_header(text, first, end) is not None:
            pieces.append((first, end, "op"))
            pipe = line.key_column if line.item else line.column
        else:
            pieces += _value(text, first, end, mode)
    opens = line.opens if mode != "text" else ""
    limit = line.key_column if line.item and line.colon else line.column
    return pieces + comment, State(tuple(stack), pipe, opens, limit if opens else 0, mode if opens else "")


def _key(line: Line, reading: roles.Reading) -> Pieces:
    """The key with its colon; the colon of a name is an operator."""
    behind = line.value if line.value == line.key_end else line.key_end + 1
    if reading.key == "name":
        return [(line.content, line.key_end, "name"), (line.key_end, behind, "op")]
    return [(line.content, behind, reading.key)]


# Values ---------------------------------------------------------------------------------------------------------


def _value(text: str, start: int, end: int, mode: str) -> Pieces:
    reader = _MODES.get(mode)
    return reader(text, start, end) if reader is not None else _auto(text, start, end)


def _expression(text: str, start: int, end: int) -> Pieces:
    """An expression; a dotted path is one name and an arrow one operator."""
    pieces: Pieces = []
    for piece in scan(text[start:end]):
        at, behind, kind = start + piece.start, start + piece.end, piece.kind
        if kind == "word" and text[at:behind] in _CONSTANTS:
            kind = "number"
        if pieces and pieces[-1][1] == at:
            first, _, before = pieces[-1]
            if (kind == "name" and text[at - 1] == "." and before == "name") or text[first:behind] == "->":
                pieces[-1] = (first, behind, before)
                continue
            if before == "name" and text[at:behind] == "." and text[behind : behind + 1].isidentifier():
                pieces[-1] = (first, behind, "name")
                continue
        pieces.append((at, behind, kind))
    return pieces


def _validation(text: str, start: int, end: int) -> Pieces:
    """``rule(arguments)`` of a gather field."""
    call = _VALIDATION.fullmatch(text, start, end)
    if call is None:
        return _auto(text, start, end)
    pieces: Pieces = [(*call.span(1), "func"), (call.end(1), call.end(1) + 1, "op")]
    first, last = call.span(2)
    if first < last:
        number = _NUMBER.fullmatch(text, first, last) is not None
        pieces.append((first, last, "number" if number else "string"))
    return [*pieces, (last, last + 1, "op")]


def _template(text: str, start: int, end: int, kind: str = "string") -> Pieces:
    """Text with ``{{ }}`` slots."""
    pieces: Pieces = []
    at = start
    for slot in _SLOT.finditer(text, start, end):
        if slot.start() > at:
            pieces.append((at, slot.start(), kind))
        pieces.append((*slot.span(), "slot"))
        at = slot.end()
    if at < end:
        pieces.append((at, end, kind))
    return pieces


def _auto(text: str, start: int, end: int) -> Pieces:
    """A value of no known type: by its first character."""
    first = text[start]
    if first in "\"'":
        return _template(text, start, end)
    if first in "[{" and not text.startswith("{{", start):
        return _expression(text, start, end)
    word = text[start:end]
    if word in _CONSTANTS or _NUMBER.fullmatch(word):
        return [(start, end, "number")]
    if word.isidentifier():
        return [(start, end, "type")]
    return _template(text, start, end)


def _enum(text: str, start: int, end: int) -> Pieces:
    if text[start] in "\"'[{" or text[start:end] in _CONSTANTS:
        return _auto(text, start, end)
    return [(start, end, "type")]


def _listed(kind: str, text: str, start: int, end: int) -> Pieces:
    pieces: Pieces = []
    at = start
    while at < end:
        match = _NAME_IN_LIST.match(text, at, end)
        if match is None:
            if not text[at].isspace():
                pieces.append((at, at + 1, "op"))
            at += 1
        else:
            word = match[0]
            pieces.append((*match.span(), "op" if word in ("->", "→") else kind))
            at = match.end()
    return pieces


def _names(text: str, start: int, end: int) -> Pieces:
    return _listed("name", text, start, end)


def _labels(text: str, start: int, end: int) -> Pieces:
    return _listed("label", text, start, end)


def _target(text: str, start: int, end: int) -> Pieces:
    """THEN and GOTO: a step, or a terminal with an agent or a reason."""
    word = _WORD.match(text, start, end)
    if word is None or word[0].upper() not in roles.TERMINALS:
        return [(start, end, "type" if text[start:end] in vocabulary.ON_FAIL_THEN else "label")]
    pieces: Pieces = [(*word.span(), "kind")]
    rest = word.end() + len(text[word.end() : end]) - len(text[word.end() : end].lstrip())
    if rest < end:
        pieces += [(rest, end, "label")] if word[0].upper() == "HANDOFF" else _template(text, rest, end)
    return pieces


def _on_fail(text: str, start: int, end: int) -> Pieces:
    word = _WORD.match(text, start, end)
    if word is None or text[start] in "\"'":
        return _template(text, start, end)
    if word[0] in (*vocabulary.ON_FAIL_ACTIONS, *vocabulary.ON_FAIL_TRANSITIONS):
        pieces: Pieces = [(*word.span(), "kind")]
        rest = end - len(text[word.end() : end].lstrip())
        if rest < end:
            pieces += _template(text, rest, end) if text[rest] in "\"'" else [(rest, end, "label")]
        return pieces
    return [(start, end, "label")] if word.end() == end else _template(text, start, end)


def _rule(text: str, start: int, end: int) -> Pieces:
    """``KIND condition BEFORE target WHEN gate``."""
    kind = _RULE.match(text, start, end)
    if kind is None or not kind[1].isupper():
        return _template(text, start, end)
    pieces: Pieces = [(*kind.span(), "kind")]
    checkpoint = False
    for first, last, piece in _expression(text, kind.end(), end):
        word = text[first:last]
        if word in vocabulary.RULE_CLAUSES:
            checkpoint = word == "BEFORE"
            pieces.append((first, last, "kind"))
        elif checkpoint and piece in ("name", "func"):
            pieces.append((first, last, "kind" if word in ("calling", "returning", "results") else "label"))
        else:
            pieces.append((first, last, piece))
    return pieces


def _call(text: str, start: int, end: int) -> Pieces:
    """``tool(arguments) AS name``."""
    pieces: Pieces = []
    for first, last, piece in _expression(text, start, end):
        kind = "label" if first == start else "word" if text[first:last] in ("AS", "WITH") else piece
        pieces.append((first, last, kind))
    return pieces


def _signature(text: str, start: int, end: int) -> Pieces:
    """A tool signature: the tool, parameters, types."""
    pieces: Pieces = []
    behind_colon = text.startswith(("->", "→"), start)
    first = not behind_colon
    for match in _TYPE_PIECE.finditer(text, start, end):
        word = match[0]
        if first:
            kind, first = "label", False
        elif word[0] in "\"'":
            kind = "string"
        elif word[0].isdigit() or word in _CONSTANTS:
            kind = "number"
        elif word[0].isalpha() or word[0] == "_":
            kind = "type" if behind_colon else "name"
        else:
            kind = "op"
            behind_colon = word in (":", "->", "→", "<") or (behind_colon and word not in ("{", ",", "("))
        pieces.append((*match.span(), kind))
    return pieces


_MODES: Final = {
    "expr": _expression,
    "text": _template,
    "enum": _enum,
    "names": _names,
    "labels": _labels,
    "target": _target,
    "on_fail": _on_fail,
    "rule": _rule,
    "call": _call,
    "signature": _signature,
    "validation": _validation,
}
