"""One case for each construct of the language that can loop or grow by itself."""

from __future__ import annotations

from typing import Final

from tests.attacks.costs.grammar import Case, Talk, desk, working

SPLITS = '{{LENGTH(SPLIT(REPEAT("a,", 50000), ","))}}'
COSTLY = 'LENGTH(SPLIT(REPEAT("a,", 50000), ","))'
ANSWER = {"list": {"rows": [{"id": n, "name": "n" * 20} for n in range(50)]}}


def numbered(n: int, line: str) -> str:
    """A line for each number below n, which it holds as ``{k}`` and the next one as ``{next}``."""
    return "".join(line.format(k=k, next=k + 1) for k in range(n))


def flow(body: str, *says: str, head: str = "") -> Talk:
    return desk(f"{head}FLOW:\n  entry_point: s0\n{body}", *says)


def session(*names: str) -> str:
    return "MEMORY:\n  session:\n" + "".join(f"    - {name}\n      TYPE: any\n" for name in names)


def remembered(n: int) -> str:
    entries = numbered(n, '    - WHEN: go IS SET\n      STORE: v -> user.v{k}\n      TTL: "30d"\n')
    return f"MEMORY:\n  remember:\n{entries}"


def appended(n: int) -> str:
    entry = "    - WHEN: go IS SET\n      STORE:\n        value: v\n        target: user.l\n        operation: append\n"
    return f"MEMORY:\n  remember:\n{entry * n}"


def rules(n: int) -> str:
    return "CONSTRAINTS:\n  always:\n" + numbered(n, '    - REQUIRE LENGTH(v) >= {k} - 100000\n      ON_FAIL: "x{k}"\n')


def costly_rules(n: int) -> str:
    rule = '    - REQUIRE LENGTH(SPLIT(REPEAT("a,", 50000), ",")) > {k}\n      ON_FAIL: "{k}"\n'
    return "CONSTRAINTS:\n  always:\n" + numbered(n, rule)


def digressions(n: int) -> Talk:
    entries = numbered(n, '    - INTENT: "word{k} other"\n      RESPOND: "x"\n      RESUME: true\n')
    ask = "  s0:\n    REASONING: false\n    GATHER:\n      - a: required\n        type: string\n    THEN: COMPLETE\n"
    return flow(f"  global_digressions:\n{entries}{ask}", "word " * 3_000, "word0 other")


def ping_pong(n: int) -> Talk:
    back = "HANDOFF:\n  - TO: {to}\n    WHEN: true\n    RETURN: true\n"
    return desk(back.format(to="Other"), *["go"] * min(n, 2_000), Other=back.format(to="Desk"))


def chain_of_agents(n: int) -> Talk:
    def to(name: str) -> str:
        return f"HANDOFF:\n  - TO: {name}\n    WHEN: true\n    RETURN: false\n"

    others = {f"A{k}": to(f"A{k + 1}") for k in range(n)} | {f"A{n}": ""}
    return desk(to("A0"), "go", **others)


def gathered(n: int) -> Talk:
    fields = numbered(n, '      - f{k}: required\n        type: number\n        prompt: "{{{{f{k}}}}}?"\n')
    return flow(f"  s0:\n    REASONING: false\n    GATHER:\n{fields}    THEN: COMPLETE\n", "1 2 3 4 5", "x" * 5_000)


def options(n: int) -> Talk:
    listed = ", ".join(f"option{k}" for k in range(n))
    return flow(
        "  s0:\n    REASONING: false\n    GATHER:\n      - f: required\n"
        f'        options: [{listed}]\n        prompt: "?"\n    THEN: COMPLETE\n',
        "optoin " * 2_000,
    )


def tools(n: int) -> str:
    return "TOOLS:\n" + numbered(n, '  t{k}(a: string) -> {{rows: array}}\n    description: "x"\n')


# What extraction looks for, and messages of 20,000 characters that nearly hold it.
NEARLY: Final = {
    "an e-mail address": ("email", "a" * 20_000),
    "e-mail addresses": ("email", "a@" * 10_000),
    "a number": ("phone", "1" * 20_000),
    "versions": ("email", "1.1." * 5_000),
    "a phone number": ("phone", "+1" * 10_000),
    "dates": ("date", "1/2/26 " * 2_800),
    "dates in words": ("datetime", "in two days from next monday " * 690),
}


def asked(n: int, kind: str, message: str) -> Talk:
    """Fields of one type, and a message that is looked through for each of them."""
    fields = numbered(n, f'      - f{{k}}: required\n        type: {kind}\n        prompt: "?"\n')
    return flow(f"  s0:\n    REASONING: false\n    GATHER:\n{fields}    THEN: COMPLETE\n", message)


def of_a_message(kind: str, message: str) -> Case:
    return lambda n: asked(min(n, 64), kind, message)


CONSTRUCTS: Final[dict[str, Case]] = {
    "a loop over a list": lambda n: working(
        f'SET: items = SPLIT(REPEAT("a,", {min(n, 50_000)}), ",")',
        f"RESPOND: '{{{{#each items}}}}{SPLITS}{{{{/each}}}}'",
    ),
    "loops in each other": lambda n: working(
        f'SET: items = SPLIT(REPEAT("a,", {n}), ",")',
        "RESPOND: '" + "{{#each items}}" * 8 + "{{#if a == b}}x{{/if}}" + "{{/each}}" * 8 + "'",
    ),
    "empty loops in each other": lambda n: working(
        f'SET: items = SPLIT(REPEAT("a,", {min(n, 50_000)}), ",")',
        "RESPOND: '" + "{{#each items}}" * 40 + "{{/each}}" * 40 + "'",
    ),
    "many tags": lambda n: working("RESPOND: '" + SPLITS * min(n, 2_000) + "'"),
    "many messages": lambda n: working(*["RESPOND: '{{REPEAT(\"x\", 100000)}}'"] * min(n, 40)),
    "many assignments": lambda n: working(*['SET: a = LENGTH(SPLIT(REPEAT("a,", 50000), ","))'] * n),
    "many variables": lambda n: working(*[f'SET: a{k} = REPEAT("x", 100000)' for k in range(min(n, 2_000))]),
    "variables that hold each other": lambda n: working(
        "SET: a0 = [1]", *[f"SET: a{k + 1} = [a{k}, a{k}]" for k in range(min(n, 500))]
    ),
    "a path that nests": lambda n: working(f"SET: {'.'.join(['a'] * min(n, 5_000))} = 1", "RESPOND: '{{a}}'"),
    "large numbers": lambda n: working(
        "SET: a = 9", *["SET: a = a * a"] * min(n, 400), f"SET: b = ROUND(1.5, {n})", "RESPOND: '{{a}}'"
    ),
    "a step that goes to itself": lambda n: flow(
        "  s0:\n    REASONING: false\n"
        f"    SET: a = LENGTH(SPLIT(REPEAT(\"a,\", {min(n, 50_000)}), \",\"))\n    THEN: s0\n"
    ),
    "steps in a circle": lambda n: flow(
        numbered(n, "  s{k}:\n    REASONING: false\n    SET: a = 1\n    THEN: s{next}\n")
        + f"  s{n}:\n    REASONING: false\n    THEN: s0\n"
    ),
    "a check that tries again": lambda n: flow(
        f"  s0:\n    REASONING: false\n    SET: a = LENGTH(SPLIT(REPEAT(\"a,\", {min(n, 50_000)}), \",\"))\n"
        "    CHECK: a == 0\n    ON_FAIL:\n      RETRY: true\n"
    ),
    "branches": lambda n: flow(
        "  s0:\n    REASONING: false\n    ON_INPUT:\n"
        + numbered(n, '      - IF: input matches "(a+a+)+{k}"\n        THEN: COMPLETE\n'),
        "a" * 5_000,
    ),
    "rules": lambda n: working('SET: v = SPLIT(REPEAT("a,", 1000), ",")', head=rules(n)),
    "costly rules": lambda n: working("SET: v = 1", head=costly_rules(min(n, 2_000))),
    "a rule that collects and tries again": lambda n: working(
        "CALL: t0(a = go)",
        head=tools(1) + "CONSTRAINTS:\n  always:\n"
        + numbered(n, '    - REQUIRE x{k} == 1\n      ON_FAIL:\n        GOTO: work\n'),
        tools=ANSWER,
    ),
    "values remembered": lambda n: working('SET: v = REPEAT("x", 60000)', head=remembered(min(n, 2_000))),
    "values remembered that nest": lambda n: working(
        "SET: v = [1]", *["SET: v = [v, v]"] * min(n, 40), head=remembered(1)
    ),
    "a list that is appended to": lambda n: working('SET: v = REPEAT("x", 60000)', head=appended(min(n, 2_000))),
    "digressions": digressions,
    "agents that hand over to each other": ping_pong,
    "a chain of agents": lambda n: chain_of_agents(min(n, 300)),
    "fields": lambda n: gathered(min(n, 2_000)),
    "options of a field": lambda n: options(min(n, 20_000)),
    "a long message": lambda n: Talk(gathered(20).files, ("1a " * min(n, 6_600),)),
    "many turns": lambda n: flow(
        "  s0:\n    REASONING: false\n    SET: a = COALESCE(a, \"\") + REPEAT(\"x\", 20000)\n"
        "    GATHER:\n      - f: required\n        type: string\n    CLEAR: [f]\n    THEN: s0\n",
        *["hello"] * min(n, 60),
    ),
    "calls": lambda n: working(*[f"CALL: t{k}(a = go) AS r{k}" for k in range(min(n, 500))], head=tools(min(n, 500)),
                               tools={f"t{k}": {"rows": [1] * 1_000} for k in range(min(n, 500))}),
    "a call with a large argument": lambda n: working(
        "SET: v = [1]", *["SET: v = [v, v]"] * min(n, 60), "CALL: t0(a = v)", head=tools(1), tools={"t0": {"rows": []}}
    ),
    "a large result": lambda n: working(
        "CALL: t0(a = go) AS r", "TRANSFORM: r.rows AS i INTO w\n      FILTER: i.id > 3\n      SORT_BY: i.name desc",
        "RESPOND: '{{#each w}}{{#each r.rows}}{{id}}{{/each}}{{/each}}'",
        head=tools(1), tools={"t0": {"rows": [{"id": k, "name": str(k)} for k in range(n)]}},
    ),
    "sorting": lambda n: working(
        f'SET: v = SPLIT(REPEAT("b,a,", {min(n, 25_000)}), ",")',
        *["TRANSFORM: v AS i INTO v\n      MAP:\n        a: i\n        b: v\n      SORT_BY: a desc"] * 3,
    ),
    "a pattern": lambda n: working(
        f"SET: v = REPEAT(\"a\", 100000) matches \"{'(a?)' * min(n, 2_000)}{'a' * min(n, 1_000)}$\"",
        f"SET: w = REPEAT(\"a\", 100000) matches \"(((a{{1,30}}){{1,30}}){{1,{min(n, 30)}}})b\"",
    ),
    "masked variables": lambda n: working(
        *[f'SET: m{k} = REPEAT("s{k}", 500)' for k in range(min(n, 300))],
        "RESPOND: '{{REPEAT(\"s1 s2 s3 \", 10000)}}'",
        head="MEMORY:\n  session:\n" + numbered(min(n, 300), "    - m{k}\n      TYPE: string\n      sensitive: true\n"),
    ),
    **{f"{kind} fields and a message like {name}": of_a_message(kind, text) for name, (kind, text) in NEARLY.items()},
}  # fmt: skip
