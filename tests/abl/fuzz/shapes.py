"""Texts of one thing over and over, of any length: what they cost has to grow as they do."""

from __future__ import annotations

import re
from typing import Final

STEP = "FLOW:\n  s:\n    REASONING: false\n"
RECALL = "MEMORY:\n  recall:\n    - ON: session:start\n      ACTION: inject_context\n      PATHS:\n"
SHAPES: Final = {
    "variables": ("MEMORY:\n  session:\n", "    - v{n}\n"),
    "the same variable": ("MEMORY:\n  session:\n", "    - v\n"),
    "paths": ("MEMORY:\n  persistent:\n", "    - user.v{n}\n"),
    "triggers": ("MEMORY:\n  remember:\n", "    - WHEN: v{n}\n      STORE: v{n} -> user.v{n}\n"),
    "recalls": ("MEMORY:\n  recall:\n", "    - ON: session:start\n      PATHS: [user.v{n}]\n"),
    "rules about one number": ("CONSTRAINTS:\n  a:\n", "    - LIMIT a > {n}\n"),
    "rules about one text": ("CONSTRAINTS:\n  a:\n", '    - REQUIRE a == "x{n}"\n'),
    "gated rules": ("CONSTRAINTS:\n  a:\n", "    - REQUIRE b WHEN c > {n}\n"),
    "phases": ("CONSTRAINTS:\n", "  p{n}:\n    - REQUIRE b{n}\n"),
    "steps": ("FLOW:\n", "  s{n}:\n    REASONING: false\n    THEN: s{next}\n"),
    "the same step": ("FLOW:\n", "  s:\n    REASONING: false\n"),
    "assignments": (STEP, "    SET: a = a + {n}\n"),
    "branches": (f"{STEP}    ON_INPUT:\n", '      - IF: input == "{n}"\n        THEN: s\n'),
    "fields": ("GATHER:\n", '  f{n}:\n    prompt: "x"\n    type: string\n'),
    "tools": ("TOOLS:\n", '  t{n}(a: string) -> string\n    description: "x"\n'),
    "handoffs": ("HANDOFF:\n", '  - TO: A{n}\n    WHEN: intent.category == "x{n}"\n'),
    "completions": ("COMPLETE:\n", '  - WHEN: a == {n}\n    RESPOND: "x"\n'),
    "guardrails": ("GUARDRAILS:\n", '  g{n}:\n    kind: input\n    check: "a > {n}"\n'),
    "entities": ("ENTITIES:\n", "  e{n}:\n    type: enum\n    values: [a]\n"),
    "messages": ("MESSAGES:\n", '  m{n}: "x {{{{a}}}}"\n'),
    "unknown directives": (STEP, "    SETT{n}: x\n"),
    "tags in a text": ("AGENT: A\nGOAL: |\n", "  x {{{{v{n}}}}}\n"),
    "comments": ("AGENT: A\n", "# {n}\n"),
    "open brackets": ("", "k{n} [\n"),
    "lines that are nothing": ("AGENT: A\n", "foo{n} bar\n"),
    "triggers of one path": ("MEMORY:\n  remember:\n", "    - WHEN: a > {n}\n      STORE: a -> user.v\n"),
    "recalled paths that nothing declares": (RECALL, "        - user.v{n}\n"),
    "names that nothing declares": ("CONSTRAINTS:\n  a:\n", "    - REQUIRE v{n}\n"),
    "fields in a circle": ("GATHER:\n", "  f{n}:\n    depends_on: [f{next}]\n", "  f{end}:\n    depends_on: [f0]\n"),
    "fields that wait for the first": ("GATHER:\n  f:\n    depends_on: [f0]\n", "  f{n}:\n    depends_on: [f]\n"),
    "steps in a circle": (
        "FLOW:\n",
        "  s{n}:\n    REASONING: false\n    THEN: s{next}\n",
        "  s{end}:\n    REASONING: false\n    THEN: s0\n",
    ),
    "steps that lead back": ("FLOW:\n", "  s{next}:\n    REASONING: false\n    THEN: s{n}\n"),
    "steps with two ways": (
        "FLOW:\n",
        "  s{n}:\n    CHECK: a > {n}\n    ON_FAIL: s0\n    REASONING: false\n    THEN: s{next}\n",
    ),
    "rules without an end": ("", '- REQUIRE "\n'),
    "agents": ("", 'AGENT: A{n}\nGOAL: "x"\n'),
    "placeholders in one line": (f'{STEP}    RESPOND: "', "{{{{a}}}} ", '"\n'),
    "names in one line": (f'{STEP}    RESPOND: "', "{{{{a{n}}}}} ", '"\n'),
    "else if in one line": (f'{STEP}    RESPOND: "{{{{#if a}}}}', "{{{{else if b}}}}", '"\n'),
    "blocks that nobody knows": (f'{STEP}    RESPOND: "', "{{{{#x{n}}}}}{{{{/each}}}}", '"\n'),
    "spaces in a placeholder": (f'{STEP}    RESPOND: "{{{{add x', "  ", 'y}}}}"\n'),
}


def text_of(shape: str, lines: int) -> str:
    """About so many lines of a shape; of one that is a line, so many pieces of it."""
    head, entry, *tail = SHAPES[shape]
    count = lines // max(1, entry.count("\n"))
    whole = [entry.format(n=n, next=n + 1) for n in range(count)]
    return head + "".join(whole) + "".join(tail).format(end=count)


def place_in(text: str) -> tuple[int, int]:
    """Line and column of the last word of a text that could be a name."""
    last = [0, *(word.start() for word in re.finditer(r"(?<![\w.])[a-z]\w*", text))][-1]
    before = text[:last]
    return before.count("\n") + 1, last - before.rfind("\n")
