"""Expressions and templates made from the grammar of docs/spec 02 §4, with values to evaluate them on.

Every function takes ``chance``, a ``random.Random`` or what hypothesis gives for one.
"""

from __future__ import annotations

import random
from typing import Any

NAMES = [
    "a",
    "b",
    "c",
    "d",
    "xs",
    "o",
    "user.tier",
    "user.profile.city",
    "match.1",
    "a.length",
    "missing",
    "o.k",
    "xs.0",
]
TEXTS = [
    "", "a", "abc", "5", " 7 ", "-2.5", "+5", "1e3", ".5", "0", "true", "false", "gold", "a-b-c", "é😀", "2026-03-01",
    "2026-03-01T10:00:00Z", "2026-03-01T01:30+01:00", "2026-02-30", "2026-03-01 10:00", "3 kg", "x,y", "A b",
]  # fmt: skip
NUMBERS = ["0", "1", "2", "3", "7", "10", "100", "0.1", "0.5", "2.5", "1e3", "12.75", "1.005", "1000000", "1e300"]
PATTERNS = ["a", "^a", "b+", "^(a)(b)?", "[0-9]+", "(", "(?=a)", "", "a|b", r"(\d+)-(\d+)", "(?P<low>[a-c])", "c$", "."]
RELATIONS = ["==", "!=", "<", ">", "<=", ">="]
WORD_OPERATORS = ["contains", "startsWith", "endsWith", "CONTAINS", "STARTS_WITH", "ENDS_WITH", "EndsWith"]
UNARY_CALLS = [
    "ABS", "UPPER", "LOWER", "TRIM", "ROUND", "ORDINAL", "IS_ARRAY", "IS_STRING", "IS_NUMBER", "TO_NUMBER",
    "TO_STRING", "LENGTH", "OBJECT_KEYS", "OBJECT_VALUES", "COALESCE", "FIRST_NON_EMPTY", "JOIN", "size", "has",
    "OBJECT_MERGE",
]  # fmt: skip
BINARY_CALLS = [
    "ADD", "SUB", "MUL", "DIV", "MIN", "MAX", "ROUND", "SPLIT", "JOIN", "SUBSTRING", "COALESCE", "FIRST_NON_EMPTY",
    "OBJECT_MERGE", "REPEAT", "PAD_START", "PAD_END", "MASK", "REGEX_EXTRACT",
]  # fmt: skip
TERNARY_CALLS = [
    "IF",
    "SUBSTRING",
    "REPLACE",
    "ARRAY_FIND",
    "ARRAY_FIND_INDEX",
    "MIN",
    "MAX",
    "PAD_START",
    "REGEX_REPLACE",
]
BROKEN = [
    "a ==", "a === b", "a = b", "a and b", "not a", "a < b < c", "(a", "a)", "a b", "[1, 2", "{k 1}", "a.", "a..b",
    "1.", "a IS", "a IN", "IN", "AND", "a ? b", "x <> y", "a => b", '"open', "a.b.", "NOT", "a NOT b", "f(a,", "a[",
    "a +", "5x", "a IS NOT", "a matches /x", "@", "a ~ b", "a & b", "a << b", "a is set", "a implies b", "/x/", "!",
    "a ! b", "f(a b)",
]  # fmt: skip


def expression(chance: random.Random, depth: int = 4) -> str:
    """A text that can be read, but for names of functions and numbers of arguments now and then."""
    if depth <= 0 or chance.random() < 0.12:
        return _leaf(chance)
    make = chance.choice(MAKERS)
    return make(chance, depth - 1)


def any_expression(chance: random.Random) -> str:
    """An expression, or now and then one that is broken by an edit or cannot be read."""
    text = expression(chance, chance.randrange(1, 5))
    roll = chance.random()
    if roll < 0.06:
        return chance.choice(BROKEN)
    if roll < 0.16:
        at = chance.randrange(len(text) + 1)
        return (
            text[:at] + chance.choice(["", " ", "(", ")", '"', "=", ".", " AND ", "!", "1", ",", "?"]) + text[at + 1 :]
        )
    return text


def _term(chance: random.Random, depth: int) -> str:
    """An operand, in brackets unless it stands for itself or the dice say that it has to be read as it comes."""
    text = expression(chance, depth)
    plain = text.replace("_", "").replace(".", "").isalnum()
    return text if plain or chance.random() < 0.25 else f"({text})"


def _leaf(chance: random.Random) -> str:
    roll = chance.random()
    if roll < 0.45:
        return chance.choice(NAMES)
    if roll < 0.65:
        return chance.choice(NUMBERS)
    if roll < 0.85:
        return quoted(chance, chance.choice(TEXTS))
    if roll < 0.9:
        return quoted(chance, template(chance, 1))
    return chance.choice(["true", "false", "null", "undefined", "now", "[]", "{}"])


def quoted(chance: random.Random, text: str) -> str:
    """The text as a literal in either kind of quotes."""
    quote = chance.choice('""\'')
    return quote + text.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote


def _logical(chance: random.Random, depth: int) -> str:
    operator = chance.choice(["AND", "AND", "OR", "OR", "&&", "||", "IMPLIES"])
    return f" {operator} ".join(_term(chance, depth) for _ in range(chance.choice((2, 2, 3))))


def _comparison(chance: random.Random, depth: int) -> str:
    return f"{_term(chance, depth)} {chance.choice(RELATIONS)} {_term(chance, depth)}"


def _membership(chance: random.Random, depth: int) -> str:
    right = chance.choice([_collection(chance, depth), chance.choice(NAMES), _term(chance, depth)])
    return f"{_term(chance, depth)} {chance.choice(['IN', 'NOT IN', 'in'])} {right}"


def _words(chance: random.Random, depth: int) -> str:
    return f"{_term(chance, depth)} {chance.choice(WORD_OPERATORS)} {_term(chance, depth)}"


def _matching(chance: random.Random, depth: int) -> str:
    pattern = chance.choice(PATTERNS)
    if pattern and chance.random() < 0.5:
        right = f"/{pattern}/{chance.choice(['', '', 'i', 's', 'im'])}"
    else:
        right = quoted(chance, pattern)
    text = f"{_term(chance, depth)} {chance.choice(['matches', 'MATCHES'])} {right}"
    return f"{text} AND match.{chance.choice(['0', '1', 'low'])} == {_leaf(chance)}" if chance.random() < 0.3 else text


def _test(chance: random.Random, depth: int) -> str:
    tail = chance.choice(["IS SET", "IS NOT SET", "IS EMPTY", "IS NOT EMPTY", "is_number", ""])
    return f"{_term(chance, depth)} {tail}" if tail else f"EMPTY {_term(chance, depth)}"


def _arithmetic(chance: random.Random, depth: int) -> str:
    text = _term(chance, depth)
    for _ in range(chance.choice((1, 1, 2))):
        text += f" {chance.choice('+-*/%+-')} {_term(chance, depth)}"
    return text


def _unary(chance: random.Random, depth: int) -> str:
    return chance.choice(["-", "!", "NOT ", "!!"]) + _term(chance, depth)


def _ternary(chance: random.Random, depth: int) -> str:
    return f"{_term(chance, depth)} ? {_term(chance, depth)} : {_term(chance, depth)}"


def _call(chance: random.Random, depth: int) -> str:
    count = chance.choice((1, 1, 2, 2, 3))
    name = chance.choice((UNARY_CALLS, BINARY_CALLS, TERNARY_CALLS)[count - 1])
    if chance.random() < 0.04:
        name = chance.choice(["NOPE", "upper", "CONTAINS", "abl.nope", "Round"])
    elif chance.random() < 0.03:
        count = chance.randrange(5)
    elif chance.random() < 0.2 and name.isupper():
        name = f"abl.{name.lower()}"
    if name == "has":
        return f"has({chance.choice(NAMES)})"
    return f"{name}({', '.join(expression(chance, depth - 1) for _ in range(count))})"


def _method(chance: random.Random, depth: int) -> str:
    name = chance.choice(["contains", "startsWith", "endsWith", "contains", "matches", "nope"])
    argument = quoted(chance, chance.choice(PATTERNS)) if name == "matches" else expression(chance, depth - 1)
    return f"{chance.choice([chance.choice(NAMES), f'({expression(chance, depth - 1)})'])}.{name}({argument})"


def _postfix(chance: random.Random, depth: int) -> str:
    base = chance.choice(["xs", "o", "a", f"({expression(chance, depth - 1)})", '"abc"', '[1, "a", [2]]', "xs[0]"])
    return base + chance.choice([".length", "[0]", '["k"]', ".0", ".k", "[1].k", f"[{expression(chance, depth - 1)}]"])


def _brackets(chance: random.Random, depth: int) -> str:
    return f"({expression(chance, depth)})"


def _collection(chance: random.Random, depth: int) -> str:
    items = [expression(chance, depth - 1) for _ in range(chance.randrange(4))]
    if chance.random() < 0.7:
        return f"[{', '.join(items)}]"
    keys = ["k", "a", '"x y"', "length"]
    return "{" + ", ".join(f"{chance.choice(keys)}: {item}" for item in items) + "}"


MAKERS = [
    _logical, _logical, _comparison, _comparison, _comparison, _membership, _words, _test, _arithmetic, _arithmetic,
    _unary, _ternary, _call, _call, _method, _postfix, _brackets, _collection, _matching,
]  # fmt: skip


def template(chance: random.Random, depth: int = 2) -> str:
    """A message with tags: values, blocks, the older form, and now and then a stray piece."""
    parts = []
    for _ in range(chance.randrange(1, 4)):
        roll = chance.random()
        inner = expression(chance, depth).replace("}}", "} }") if depth else chance.choice(NAMES)
        if roll < 0.35:
            parts.append("{{" + inner + "}}")
        elif roll < 0.45 and depth:
            parts.append("{{#if " + inner + "}}" + template(chance, depth - 1) + "{{else}}no{{/if}}")
        elif roll < 0.55 and depth:
            parts.append("{{#each xs}}" + chance.choice(["{{this}},", "{{@index}}", "{{k}}{{@last}}"]) + "{{/each}}")
        else:
            parts.append(
                chance.choice(["Hi ", " ", "${a}", "${{a}}", "{a}", "{{", "}}", "{{/if}}", "\n", "x", "{{else}}"])
            )
    return "".join(parts)


def value(chance: random.Random, depth: int = 2) -> Any:
    """A value of any type of docs/spec 02 §2."""
    roll = chance.random()
    if depth and roll < 0.12:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if depth and roll < 0.24:
        return {
            chance.choice(["k", "a", "length", "1", "city"]): value(chance, depth - 1)
            for _ in range(chance.randrange(3))
        }
    if roll < 0.35:
        return None
    if roll < 0.45:
        return chance.random() < 0.5
    if roll < 0.75:
        return chance.choice([0, 1, 2, 3, -1, -7, 5, 10, 0.5, 2.5, -0.25, 1e21, 2**53, 100, 1e-7, 0.1])
    return chance.choice(TEXTS)


def context(chance: random.Random) -> dict[str, Any]:
    """Values for some of NAMES; exact keys with dots among them."""
    found = {name: value(chance) for name in ("a", "b", "c", "d") if chance.random() < 0.85}
    if chance.random() < 0.8:
        found["xs"] = [value(chance, 1) for _ in range(chance.randrange(4))]
    if chance.random() < 0.8:
        found["o"] = {"k": value(chance, 1), "length": value(chance, 0)}
    if chance.random() < 0.5:
        found["user"] = {"tier": value(chance, 0), "profile": {"city": value(chance, 0)}}
    if chance.random() < 0.4:
        found[chance.choice(["user.tier", "user.profile"])] = value(chance, 1)
    if chance.random() < 0.2:
        found["match"] = {"0": "old", "1": value(chance, 0)}
    if chance.random() < 0.1:
        found["now"] = value(chance, 0)
    return found
