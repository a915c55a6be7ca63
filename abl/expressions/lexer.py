"""Words, numbers, strings and operators of an expression (docs/spec 02 §3, §4), in one linear pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

WORD_OPERATORS: Final = {
    "contains": "contains",
    "matches": "matches",
    "startswith": "startsWith",
    "starts_with": "startsWith",
    "endswith": "endsWith",
    "ends_with": "endsWith",
}
"""Case-folded spelling -> operator; legal in any case."""

KEYWORDS: Final = frozenset(("AND", "OR", "NOT", "IN", "IS", "SET", "EMPTY", "IMPLIES", "in", "is_number"))
"""Reserved everywhere but after a dot."""

CONSTANTS: Final = {"true": True, "false": False, "null": None, "undefined": None}

WRONG_OPERATORS: Final = {"===": "==", "!==": "!=", "<>": "!=", "=<": "<=", "=>": ">=", "<<=": "<=", "=": "=="}
"""Spellings of other languages -> the one that is meant (ABL202)."""

_TOKEN = re.compile(
    r"""
      (?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    | (?P<name>@?[A-Za-z_][A-Za-z0-9_]*)
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+')
    | (?P<wrong>===|!==|<>|=<|=>|<<=|=(?!=))
    | (?P<op>==|!=|<=|>=|&&|\|\||[-+*/%!<>()\[\]{}.,:?])
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK: Final = " \t\r\n\f\v\u00a0"
_DIGITS = re.compile(r"[0-9]+")
_REGEX = re.compile(r"/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([A-Za-z]*)")
_SLOT = re.compile(r"(?<!\\)\{\{[^{}]*\}\}")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_SIMPLE_ESCAPES: Final = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


class Token(NamedTuple):
    """`kind` is number, name, word, constant, string, regex, wrong, op, bad or end; `text` is as written.

    A `word` is a reserved word or word operator, and `value` its canonical spelling; the `value` of a string is the
    text without quotes and escapes, that of a regex `(pattern, flags)`, that of `bad` the reason.
    """

    kind: str
    text: str
    start: int
    end: int
    value: object = None


_new_token: Final = cast(Callable[[type[Token], tuple[Any, ...]], Token], tuple.__new__)
"""A token from its fields; there are so many that their names cost time."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A coloured piece of an expression; see `scan`."""

    start: int
    end: int
    kind: str


def tokenize(text: str) -> list[Token]:
    """All tokens up to the first character that cannot be read, which gives a `bad` token; `end` closes the list."""
    tokens: list[Token] = []
    position, length = 0, len(text)
    token: Token | None = None
    while position < length:
        if text[position] in _BLANK:
            position += 1  # most blanks stand alone: a pattern that finds the end of them takes longer
            continue
        token = _next(text, position, token)
        position = token.end
        tokens.append(token)
        if token.kind == "bad":
            break
    tokens.append(Token("end", "", length, length))
    return tokens


def _next(text: str, position: int, previous: Token | None) -> Token:
    """The token that begins at a position, where no blank stands."""
    after_dot = previous is not None and previous.text == "." and previous.kind == "op"
    if after_dot and (digits := _DIGITS.match(text, position)):
        return Token("number", digits.group(), position, digits.end(), digits.group())
    if text[position] == "/" and previous is not None and previous.kind == "word" and previous.value == "matches":
        return _regex(text, position)
    found = _TOKEN.match(text, position)
    if found is None:
        return _unreadable(text, position)
    kind = found.lastgroup or ""
    word = found.group()
    value: object = word
    if kind == "string":
        value = unescape(word[1:-1])
    elif kind == "name" and not after_dot:
        kind, value = _name(word)
    return _new_token(Token, (kind, word, position, found.end(), value))


def _name(word: str) -> tuple[str, object]:
    """The kind and value of a word."""
    if word in KEYWORDS:
        return "word", word
    if (operator := WORD_OPERATORS.get(word.lower())) is not None:
        return "word", operator
    return ("constant", CONSTANTS[word]) if word in CONSTANTS else ("name", word)


def _regex(text: str, position: int) -> Token:
    found = _REGEX.match(text, position)
    if found is None:
        return Token("bad", text[position:], position, len(text), "the regular expression has no closing `/`")
    flags = found.group(2)
    if set(flags) - set("ims"):
        reason = f"the flags of a regular expression are i, m and s, not `{flags}`"
        return Token("bad", flags, found.start(2), found.end(2), reason)
    return Token("regex", found.group(), position, found.end(), (found.group(1).replace("\\/", "/"), flags))


def _unreadable(text: str, position: int) -> Token:
    character = text[position]
    if character in "\"'":
        return Token("bad", text[position:], position, len(text), "unterminated string")
    hints = {
        "&": "write `AND` or `&&`",
        "|": "write `OR` or `||`",
        "“": 'strings take straight quotes `"`',
        "”": 'strings take straight quotes `"`',
        "‘": "strings take straight quotes `'`",
        "’": "strings take straight quotes `'`",
        "^": "there is no operator `^`",
    }
    reason = hints.get(character, f"`{character}` means nothing in an expression")
    return Token("bad", character, position, position + 1, reason)


def unescape(body: str) -> str:
    r"""The text between quotes with `\" \' \\ \n \t \r \uXXXX` undone; other escapes stay (docs/spec 01 §5)."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_unescape_one, body)
    if any("\ud800" <= character <= "\udfff" for character in text):
        # Two \u escapes may spell one character beyond U+FFFF; half a pair is no character at all.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _unescape_one(found: re.Match[str]) -> str:
    code, character = found.groups()
    if code is not None:
        return chr(int(code, 16))
    return _SIMPLE_ESCAPES.get(character, found.group())


def scan(text: str) -> list[Highlight]:
    """The pieces of an expression to colour, blanks left out; never fails, also not on half an expression.

    Kinds: `word` (reserved words and constants), `op`, `name`, `string`, `slot` (`{{…}}` in a string), `number`,
    `func` (a name before `(`).
    """
    pieces: list[Highlight] = []
    position, length = 0, len(text)
    previous: Token | None = None
    while position < length:
        if text[position] in _BLANK:
            position += 1
            continue
        token = _next(text, position, previous)
        position = token.end
        previous = token
        pieces.extend(_highlight(text, token))
    return pieces


def _highlight(text: str, token: Token) -> list[Highlight]:
    if token.kind == "string" or (token.kind == "bad" and token.text[:1] in ('"', "'")):
        return _highlight_string(token)
    called = text[token.end : token.end + 1] == "("
    if token.kind == "name" or (token.kind == "word" and called and token.text not in ("NOT", "EMPTY", "AND", "OR")):
        kind = "func" if called else "name"
    else:
        kinds = {"word": "word", "constant": "word", "number": "number", "regex": "string"}
        kind = kinds.get(token.kind, "op")
    return [Highlight(token.start, token.end, kind)]


def _highlight_string(token: Token) -> list[Highlight]:
    pieces: list[Highlight] = []
    last = 0
    for slot in _SLOT.finditer(token.text):
        if slot.start() > last:
            pieces.append(Highlight(token.start + last, token.start + slot.start(), "string"))
        pieces.append(Highlight(token.start + slot.start(), token.start + slot.end(), "slot"))
        last = slot.end()
    if last < len(token.text):
        pieces.append(Highlight(token.start + last, token.end, "string"))
    return pieces
