"""Agents that try to be expensive: every construct that can loop or grow, of any size.

A case is a function of a size ``n`` that gives a :class:`Talk`. The cases are written out where a construct is one of
its kind, and generated where constructs combine: what makes a large value, times what reads it, times where it stands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final


@dataclass(frozen=True)
class Talk:
    """Files, what the user says, and the answers of the tools (docs/spec 12 §3)."""

    files: dict[str, str]
    says: tuple[str, ...] = ()
    tools: dict[str, Any] = field(default_factory=dict)


Case = Callable[[int], Talk]
HEAD: Final = 'AGENT: Desk\nGOAL: "Help"\n'


def desk(body: str, *says: str, tools: dict[str, Any] | None = None, **others: str) -> Talk:
    """One agent whose text is ``body``, beside others by name."""
    more = {f"{name.lower()}.agent.abl": f'AGENT: {name}\nGOAL: "Help"\n{text}' for name, text in others.items()}
    return Talk({"desk.agent.abl": HEAD + body, **more}, says, tools or {})


def step(*lines: str, head: str = "") -> str:
    """A flow that does these lines on the first message, which begins a new turn: ``go``."""
    inner = "".join(f"    {line}\n" for line in lines)
    return (
        f"{head}FLOW:\n  entry_point: ask\n  steps: [ask, work]\n"
        f"  ask:\n    REASONING: false\n    GATHER:\n      - go: required\n        type: string\n    THEN: work\n"
        f"  work:\n    REASONING: false\n{inner}    THEN: COMPLETE\n"
    )


def working(*lines: str, head: str = "", **more: Any) -> Talk:
    """A conversation in which the first message leads to a step with these lines."""
    return desk(step(*lines, head=head), "go", **more)


# What makes a value ``v`` of about n parts, as lines of a step ------------------------------------------------------

GROWERS: Final[dict[str, Callable[[int], list[str]]]] = {
    "a list of texts": lambda n: [f'SET: v = SPLIT(REPEAT("a,", {n}), ",")'],
    "a long text": lambda n: [f'SET: v = REPEAT("ab ", {n})'],
    "a literal": lambda n: [f"SET: v = [{', '.join(map(str, range(min(n, 20_000))))}]"],
    "a list doubled by name": lambda n: ["SET: v = [1]", *["SET: v = [v, v]"] * n.bit_length()],
    "a list doubled once too often": lambda n: ["SET: v = [1]", *["SET: v = [v, v]"] * min(n, 2_000)],
    "a nest": lambda n: ["SET: v = 1", *["SET: v = [v]"] * min(n, 5_000)],
    "an object in objects": lambda n: ["SET: v = 1", *["SET: v = {a: v, b: v}"] * min(n, 200)],
    "a text doubled": lambda n: ['SET: v = "ab"', *["SET: v = v + v"] * min(n, 500)],
    "a text doubled by a template": lambda n: ['SET: v = "ab"', *['SET: v = "{{v}}{{v}}"'] * min(n, 500)],
    "a text that holds itself": lambda n: ['SET: v = "ab"', *["SET: v = TO_STRING([v, v])"] * min(n, 500)],
    "an object with many keys": lambda n: [f"SET: o.k{k} = {k}" for k in range(min(n, 2_000))] + ["SET: v = o"],
    "objects merged": lambda n: [
        "SET: v = {a: 1}",
        *[f"SET: v = OBJECT_MERGE(v, {{k{k}: v}})" for k in range(min(n, 60))],
    ],
    "a list mapped to itself": lambda n: [
        'SET: v = SPLIT(REPEAT("a,", 8), ",")',
        *["TRANSFORM: v AS i INTO v\n      MAP:\n        a: v\n        b: v"] * min(n, 12),
    ],
}

# What reads ``v``, as an expression ----------------------------------------------------------------------------------

READERS: Final[dict[str, str]] = {
    "length": "LENGTH(v)",
    "split": 'LENGTH(SPLIT(TO_STRING(v), ""))',
    "joined": 'LENGTH(JOIN(v, ","))',
    "text": "LENGTH(TO_STRING(v))",
    "equal": "v == COALESCE(v)",
    "equal to another": "v == [v, v]",
    "in": '"zz" IN v',
    "contains": 'v contains "zz"',
    "contains itself": "v contains v",
    "order": "v < 3",
    "regex": 'TO_STRING(v) matches "(x+x+)+y"',
    "regex with repetition": 'TO_STRING(v) matches "((a?){30}){30}b"',
    "replaced": 'LENGTH(REGEX_REPLACE(TO_STRING(v), "", "xxxxxxxxxx"))',
    "replaced text": 'LENGTH(REPLACE(TO_STRING(v), "a", "xxxxxxxxxx"))',
    "extracted": 'REGEX_EXTRACT(TO_STRING(v), "(.*)(.*)(.*)b$")',
    "found": 'ARRAY_FIND(v, "a", v)',
    "index": 'ARRAY_FIND_INDEX(v, "a", "zz")',
    "keys": "LENGTH(OBJECT_KEYS(v))",
    "values": "LENGTH(OBJECT_VALUES(v))",
    "merged": "OBJECT_MERGE(v, {a: 1}, v)",
    "score": 'MATCH_SCORE(TO_STRING(v), "ab ab ab")',
    "masked": 'LENGTH(MASK(TO_STRING(v), "last4"))',
    "padded": "LENGTH(PAD_START(TO_STRING(v), 100000, TO_STRING(v)))",
    "repeated": "LENGTH(REPEAT(TO_STRING(v), 1000000000))",
    "upper": "LENGTH(UPPER(LOWER(TRIM(TO_STRING(v)))))",
    "date": 'FORMAT_DATE(v, REPEAT("MMMM", 20000))',
    "currency": 'FORMAT_CURRENCY(LENGTH(TO_STRING(v)), "EUR", "de-DE")',
    "number": "TO_NUMBER(TO_STRING(v))",
    "conditions": " AND ".join(["v == v"] * 200),
    "branches": "true ? " * 60 + "v" + " : v" * 60,
    "concatenated": " + ".join(["TO_STRING(v)"] * 90),
    "unique": "UNIQUE_ID(1000)",
    "minimum": "MIN(1, LENGTH(v), 2)",
}

# Where an expression ``{e}`` may stand, as lines of a step; n is the size ---------------------------------------------

PLACES: Final[dict[str, Callable[[str, int], list[str]]]] = {
    "a message": lambda e, n: [f"RESPOND: '{{{{{e}}}}}'"],
    "a variable": lambda e, n: [f"SET: w = {e}"],
    "a check": lambda e, n: [f"CHECK: ({e}) IS SET"],
    "a loop": lambda e, n: [f"RESPOND: '{{{{#each v}}}}{{{{{e}}}}}{{{{/each}}}}'"],
    "a loop in a loop": lambda e, n: [
        f"RESPOND: '{{{{#each v}}}}{{{{#each v}}}}{{{{{e}}}}}{{{{/each}}}}{{{{/each}}}}'"
    ],
    "a filter": lambda e, n: [f"TRANSFORM: v AS i INTO w\n      FILTER: ({e}) IS SET"],
    "a map": lambda e, n: [f"TRANSFORM: v AS i INTO w\n      MAP:\n        a: {e}\n        b: i"],
    "a log": lambda e, n: [f"LOG: '{{{{{e}}}}}'"],
    "a branch": lambda e, n: [f"ON_INPUT:\n      - IF: ({e}) IS SET\n        SET: w = 1\n        THEN: COMPLETE"],
}


def generated(*, seed: int, number: int) -> Iterator[tuple[str, Case]]:
    """So many different combinations of a grower, a reader and a place; each grower, reader and place at least once."""
    rng = random.Random(seed)
    whole = list(product(GROWERS, READERS, PLACES))
    chosen: list[tuple[str, str, str]] = []
    for position, names in enumerate((GROWERS, READERS, PLACES)):
        chosen += [rng.choice([each for each in whole if each[position] == name]) for name in names]
    chosen += rng.sample(whole, max(0, number - len(chosen)))
    for grower, reader, place in dict.fromkeys(chosen):
        yield f"{grower}, {reader}, in {place}", combined(grower, reader, place)


def combined(grower: str, reader: str, place: str) -> Case:
    """A case of three parts."""
    return lambda n: working(*GROWERS[grower](n), *PLACES[place](READERS[reader], n))
