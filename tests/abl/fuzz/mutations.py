"""Small harm to a text: lines, tokens, indentation, strange characters, brackets, length, depth."""

from __future__ import annotations

import random
import re

PIECES = [
    "\x00", "\t", "\r", "\r\n", "\u2028", "\u00a0", "\ufeff", "\ud800", "é", "😀", "e\u0301", "\u200b", "\x0b", "\x0c",
    "\x85", '"', "'", "\\", "`", "{{", "}}", "{", "}", "[", "]", "(", ")", "|", "#", " # ", "//", "->", ":", ": ", "- ",
    ",", "$", "${", "AND", "NOT", "==", "=", "TYPE:", "AGENT: X\n", "FLOW:\n", "- REQUIRE ", "|\n", "\n\n", "1e999",
    "0" * 40, "%", "*", "&a", "!!",
]  # fmt: skip
LONG = [
    "x", "[", "(", "{a: ", "a AND ", "{{", "NOT ", "- ", " ", "\\", '"', "a.", ", ", "{{#if a}}", "#", "->",
]  # fmt: skip
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def mutated(text: str, chance: random.Random, most: int = 4) -> str:
    """The text after one or several of the mutations below."""
    for _ in range(chance.randrange(1, most + 1)):
        text = chance.choice(MUTATIONS)(text, chance)
    return text


def _delete_lines(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    del rows[at : at + chance.randrange(1, 4)]
    return "\n".join(rows)


def _repeat_lines(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    source, target = chance.randrange(len(rows)), chance.randrange(len(rows) + 1)
    rows[target:target] = rows[source : source + chance.randrange(1, 5)] * chance.choice((1, 1, 2))
    return "\n".join(rows)


def _swap_lines(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    one, two = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[one], rows[two] = rows[two], rows[one]
    return "\n".join(rows)


def _indent(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    for row in range(at, min(len(rows), at + chance.choice((1, 1, 3)))):
        rows[row] = chance.choice(
            [rows[row].lstrip(), f" {rows[row]}", f"\t{rows[row]}", f"   {rows[row]}", rows[row][1:]]
        )
    return "\n".join(rows)


def _tokens(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    window = TOKEN.findall(text[at : at + 200]) or [""]
    one, two = chance.randrange(len(window)), chance.randrange(len(window))
    match chance.randrange(3):
        case 0:
            del window[one]
        case 1:
            window[one], window[two] = window[two], window[one]
        case _:
            window.insert(two, window[one])
    return text[:at] + "".join(window) + text[at + 200 :]


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at + chance.choice((0, 0, 1)) :]


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] if chance.random() < 0.5 else text[at:]


def _case(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at : at + 12].swapcase() + text[at + 12 :]


def _line_ends(text: str, chance: random.Random) -> str:
    return text.replace("\n", chance.choice(["\r\n", "\r", "\n\n"]), chance.choice((-1, 1, 3)))


def _long(text: str, chance: random.Random) -> str:
    """A piece over and over: a line that is long, or brackets that are deep."""
    if chance.random() < 0.7:
        return text
    at = chance.randrange(len(text) + 1)
    piece = chance.choice(LONG)
    return text[:at] + piece * chance.choice((30, 200, 2_000)) + text[at:]


def _deep(text: str, chance: random.Random) -> str:
    if chance.random() < 0.8:
        return text
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    key = chance.choice(["k:", "- a", "SET:", "- IF: a", "ON_FAIL:", "s:"])
    first = len(rows[at]) - len(rows[at].lstrip())
    rows[at + 1 : at + 1] = [" " * (first + depth) + key for depth in range(1, chance.choice((20, 130)))]
    return "\n".join(rows)


MUTATIONS = [
    _delete_lines, _repeat_lines, _swap_lines, _indent, _indent, _tokens, _tokens, _insert, _insert, _insert, _cut,
    _case, _line_ends, _long, _deep,
]  # fmt: skip
