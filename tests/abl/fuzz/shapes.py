"""Texts of one thing over and over, of any length: what they cost has to grow as they do."""

from __future__ import annotations

from typing import Final

STEP = "FLOW:\n  s:\n    REASONING: false\n"
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
}


def text_of(shape: str, lines: int) -> str:
    """About so many lines of a shape."""
    head, entry = SHAPES[shape]
    return head + "".join(entry.format(n=n, next=n + 1) for n in range(lines // entry.count("\n")))
