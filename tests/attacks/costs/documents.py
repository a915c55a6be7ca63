"""Documents that are hard to read: long, deep, entangled or broken, of any size."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

HEAD: Final = 'AGENT: Desk\nGOAL: "Help"\n'
STEP: Final = f"{HEAD}FLOW:\n  s:\n    REASONING: false\n"
WORDS: Final = (
    "AGENT:", "FLOW:", "- ", "  ", "GATHER:", "THEN:", '"', "'", "{{", "}}", "[", "]", "{", "}", "#", "|", ":",
    "ON_INPUT:", "IF:", "a.b", "==", "\n", "\n", "\n  ", "\n    ", "\t", "REQUIRE", "WHEN", "((", ")", "\\", "é", "0",
    "-",
)  # fmt: skip


def repeated(piece: str) -> Callable[[int], str]:
    """About so many characters of one piece."""
    return lambda size: piece * (size // len(piece))


def inside(head: str, piece: str, tail: str = '"\n') -> Callable[[int], str]:
    """About so many characters of one piece in a text."""
    return lambda size: head + piece * (size // len(piece)) + tail


def numbered(head: str, entry: str) -> Callable[[int], str]:
    """About so many characters of entries with their number ``{k}``; ``{next}`` follows it, ``{half}`` came before."""

    def text(size: int) -> str:
        count = max(1, size // (len(entry) + 4))
        return head + "".join(entry.format(k=k, next=k + 1, half=k // 2, count=count) for k in range(count))

    return text


def stairs(step: str) -> Callable[[int], str]:
    """Each line deeper than the one before."""

    def text(size: int) -> str:
        lines, total, depth = [], 0, 0
        while total < size:
            line = " " * (2 * (depth % 400)) + step + "\n"
            lines.append(line)
            total, depth = total + len(line), depth + 1
        return HEAD + "".join(lines)

    return text


def tangled(size: int) -> str:
    """Steps that lead to several others, anywhere."""
    count = max(2, size // 90)
    rng = random.Random(1)
    steps = []
    for k in range(count):
        one, two, three = (rng.randrange(count) for _ in range(3))
        steps.append(
            f"  s{k}:\n    REASONING: false\n    CHECK: a{one} > {two}\n    ON_FAIL: s{two}\n"
            f"    SET: a{k} = a{one} + a{two}\n    THEN: s{three}\n"
        )
    return f"{HEAD}FLOW:\n" + "".join(steps)


def noise(size: int) -> str:
    """Words of the language without order."""
    rng = random.Random(2)
    return "".join(rng.choices(WORDS, k=size // 4))


DOCUMENTS: Final[dict[str, Callable[[int], str]]] = {
    "one long line": repeated("a"),
    "blank lines": repeated("\n"),
    "spaces": repeated(" "),
    "tabs": repeated("\t"),
    "carriage returns": repeated("\r"),
    "line separators": repeated("\u2028"),
    "wide characters": repeated("\U0001f600"),
    "marks that combine": inside('AGENT: A\nGOAL: "', "e\u0301"),
    "right to left": inside('AGENT: A\nGOAL: "', "\u202eabc"),
    "quotes": repeated('"'),
    "quotes on lines": repeated('"\n'),
    "colons": repeated(":"),
    "dashes": repeated("- "),
    "comments behind each other": repeated("#"),
    "backslashes": inside(f'{STEP}    RESPOND: "', "\\"),
    "open tags": inside(f'{STEP}    RESPOND: "', "{{"),
    "open blocks": inside(f'{STEP}    RESPOND: "', "{{#if a}}"),
    "loops in a text": inside(f'{STEP}    RESPOND: "', "{{#each a}}{{b}}"),
    "closed blocks": inside(f'{STEP}    RESPOND: "', "{{/if}}"),
    "dollar braces": inside(f'{STEP}    RESPOND: "', "${a}"),
    "open brackets": inside(f"{STEP}    SET: a = ", "[", "\n"),
    "open parentheses": inside(f"{STEP}    CHECK: ", "(", "\n"),
    "negations": inside(f"{STEP}    CHECK: ", "NOT ", "a\n"),
    "a long chain": inside(f"{STEP}    CHECK: ", "a == b AND ", "a\n"),
    "a long path": inside(f"{STEP}    SET: a = ", "b.", "c\n"),
    "a long sum": inside(f"{STEP}    SET: a = ", "b + ", "c\n"),
    "a long list": inside(f"{STEP}    SET: a = [", "b, ", "c]\n"),
    "choices": inside(f"{STEP}    SET: a = ", "b ? c : ", "d\n"),
    "calls in calls": inside(f"{STEP}    SET: a = ", "UPPER(", "\n"),
    "unknown calls": inside(f"{STEP}    SET: a = ", "UPPR(b) + ", "c\n"),
    "one name misspelt": inside(f"{STEP}    AVAILABLE_TOOLS: [", "tool_a, ", "b]\n"),
    "types in types": inside(f"{HEAD}TOOLS:\n  t(a: ", "array<", "\n"),
    "a large type": inside(f"{HEAD}TOOLS:\n  t(a: {{", "b: string, ", "}) -> string\n"),
    "a long pattern": inside(f'{STEP}    CHECK: a matches "', "(a|b)*", '"\n'),
    "stairs": stairs("a:"),
    "stairs of lists": stairs("- a"),
    "stairs of conditions": stairs("- IF: a"),
    "tangled steps": tangled,
    "noise": noise,
    "names that differ a little": numbered(f"{HEAD}MEMORY:\n  session:\n", "    - customer_name_{k}\n"),
    "misspelt names": numbered(
        f"{HEAD}MEMORY:\n  session:\n    - customer_name\nCONSTRAINTS:\n  a:\n", "    - REQUIRE custmer_nme{k}\n"
    ),
    "paths below each other": numbered(f"{HEAD}MEMORY:\n  persistent:\n", "    - user.a{half}.b{k}\n"),
    "rules that contradict": numbered(
        f"{HEAD}CONSTRAINTS:\n  a:\n", "    - REQUIRE a{half} > {k}\n    - REQUIRE a{half} < {k}\n"
    ),
    "rules about everything": numbered(
        f"{HEAD}CONSTRAINTS:\n  a:\n", '    - REQUIRE a > {k} AND b < {k} OR c == "{k}"\n      ON_FAIL: GOTO s\n'
    ),
    "steps that call": numbered(
        f'{HEAD}TOOLS:\n  t(a: string) -> {{a: string}}\n    description: "x"\nFLOW:\n',
        "  s{k}:\n    REASONING: false\n    CALL: t(a = r{half}.a) AS r{k}\n    THEN: s{next}\n",
    ),
    "agents that hand over": numbered(
        "",
        'AGENT: A{k}\nGOAL: "x"\nHANDOFF:\n  - TO: A{next}\n    WHEN: a == {k}\n  - TO: A{half}\n    WHEN: b == {k}\n',
    ),
    "results behind each other": numbered(f"{STEP}", "    SET: r{next} = r{k}.a + r{half}.b\n"),
    "keys of a table": numbered(f"{HEAD}LOOKUP_TABLES:\n  t:\n    map:\n", "      key {k}: {k}\n"),
    "tables and fields": numbered(
        f"{HEAD}LOOKUP_TABLES:\n  t: {{a: 1}}\nGATHER:\n",
        '  f{k}:\n    prompt: "x"\n    semantics: {{lookup: t{half}}}\n    depends_on: [f{half}]\n',
    ),
    "policies": numbered(
        'SUPERVISOR: Desk\nGOAL: "x"\nPOLICIES:\n  - NAME: p\n    RULES:\n',
        "      - forbiddenWhen: ns.v{k} > {half}\n        triggerSignal: s{k}\n",
    ),
    "shared variables": numbered(
        'SUPERVISOR: Desk\nGOAL: "x"\nSTATE:\n  ns:\n', "    v{k}:\n      type: number\n      default: {k}\n"
    ),
    "namespaces": numbered('SUPERVISOR: Desk\nGOAL: "x"\nSTATE:\n', "  n{k}:\n    v:\n      type: number\n"),
    "routes by intent": numbered(
        'SUPERVISOR: Desk\nGOAL: "x"\nAGENTS:\n  - REF: A\n    ALIAS: a\nROUTING:\n',
        '  - NAME: r{k}\n    WHEN: intent.name == "i{k}"\n    PRIORITY: {half}\n    THEN: ROUTE_TO a{half}\n',
    ),
    "intents": numbered(
        f"{HEAD}NLU:\n  intents:\n", '    - NAME: i{k}\n      PATTERNS: ["go {half}"]\n      EXAMPLES: ["go {k}"]\n'
    ),
    "words of entities": numbered(
        f"{HEAD}ENTITIES:\n  e:\n    VALUES: [a]\n    SYNONYMS:\n", "      v{k}: [w{k}, w{half}]\n"
    ),
    "forms of messages": numbered(
        f"{HEAD}FLOW:\n",
        '  s{k}:\n    REASONING: false\n    RESPOND: "x"\n      FORMATS:\n        HTML: "{{{{a{half}}}}}"\n'
        "    THEN: s{next}\n",
    ),
    "profiles in a file": numbered(
        "", "BEHAVIOR_PROFILE: p{k}\nPRIORITY: {half}\nWHEN: a == {k}\nTOOLS:\n  HIDE: [t{half}]\n\n"
    ),
    "profiles of an agent": numbered(HEAD, "USE BEHAVIOR_PROFILE: profile_{k}\n"),
    "agents that call each other": numbered(
        "",
        'AGENT: A{k}\nGOAL: "x"\nDELEGATE:\n  - AGENT: A{next}\n    WHEN: true\n    PURPOSE: "x"\n'
        '    INPUT: {{a: b{half}}}\n    RETURNS: {{c: b{k}}}\n    USE_RESULT: "x"\n',
    ),
    "guardrails": numbered(
        f"{HEAD}GUARDRAILS:\n", "  g{k}:\n    kind: both\n    check: abl.word_count(content) < {k}\n    action: warn\n"
    ),
    "templates that name each other": numbered(f"{HEAD}TEMPLATES:\n", '  t{k}: "{{{{TEMPLATE(t{half})}}}}"\n'),
    "misspelt keys": numbered(f"{HEAD}FLOW:\n", "  s{k}:\n    REASNING: false\n    RESPONDD: x\n    THEEN: s{half}\n"),
    "misspelt sections": numbered(HEAD, "GATHR{k}:\n  f{k}:\n    type: string\n"),
    "items in braces": numbered(
        f"{HEAD}CONSTRAINTS:\n  a:\n", '    - {{REQUIRE: a > {k}, ON_FAIL: "x{half}", SEVERITY: error}}\n'
    ),
    "braces in braces": inside(f"{HEAD}CONSTRAINTS:\n  a:\n    - ", "{REQUIRE: ", "\n"),
    "a long item in braces": inside(f"{HEAD}CONSTRAINTS:\n  a:\n    - {{", "SET: a = 1, ", "}}\n"),
    "sections again": numbered(HEAD, "GATHER:\n  f{k}:\n    type: string\n"),
}
