"""Random edits of agents, for tests that compare what is done after an edit with what is done from scratch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("examples/*/*.abl"))]

_LINES = [
    "MEMORY:", "session:", "- a", "# note", "// x", "FLOW:", "  s:", "    THEN: b", "  - REQUIRE a > 1", "[", "(", "{",
    '"', "|", "a # b", "", ":", "-", "  ", "x", "  LIMITATIONS:", 'ON_FAIL: "x"', "        deeper", "- x: [a,", "]",
    "GOAL: |", "\r", "😀", "# abl-ignore ABL214", "\tTYPE: number", "AGENT: Other", "goal: lower",
]  # fmt: skip
_CHARACTERS = ["x", "1", " ", '"', "#", "[", ":", "a b", "{{a}}", "\\", "."]


def edits(text: str, seed: int, count: int) -> Iterator[str]:
    """The text after one random edit, after another one, and so on."""
    chance = random.Random(seed)
    for _ in range(count):
        text = _edited(text, chance)
        yield text


def _edited(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    line = lines[at]
    column = chance.randrange(len(line) + 1)
    match chance.choices(("type", "delete", "remove", "insert", "indent", "copy"), (6, 4, 2, 3, 2, 2))[0]:
        case "type":
            lines[at] = line[:column] + chance.choice(_CHARACTERS) + line[column:]
        case "delete":
            lines[at] = line[:column] + line[column + 1 :]
        case "remove":
            del lines[at]
        case "insert":
            lines.insert(at, " " * chance.randrange(8) + chance.choice(_LINES))
        case "indent":
            lines[at] = line[1:] if chance.random() < 0.5 else f"  {line}"
        case "copy":
            source = chance.randrange(len(lines))
            lines[at:at] = lines[source : source + chance.randrange(6)]
    return "\n".join(lines)


def generated(steps: int) -> str:
    """An agent in which every section repeats its entries, some of them with problems."""
    parts = [
        'AGENT: Desk\nGOAL: "Lend books"\n\nTOOLS:\n  find(title: string) -> {price: number}\n\nMEMORY:\n  session:\n'
    ]
    parts += [f"    - days_{n}  # days late\n      TYPE: number\n      INITIAL: {n}\n" for n in range(steps)]
    parts.append("  remember:\n    - WHEN: days_0 > 1\n      STORE: days_0 -> user.days\n\nCONSTRAINTS:\n  lending:\n")
    parts += [
        f'    - REQUIRE days_{n} < {n + 9} AND dys_{n} > 1\n      ON_FAIL: "No {{{{days_{n}}}}}"\n'
        for n in range(steps)
    ]
    parts.append("\nFLOW:\n  entry_point: step_0\n")
    for n in range(steps):
        parts.append(
            f"  # step {n}\n  step_{n}:\n    REASONING: false\n    GATHER:\n      - title_{n}: required\n"
            f"    CALL: find(title_{n})\n"
            f"    SET:\n      - total = days_{n} * 2\n    CHECK: total < {n}\n    ON_FAIL: step_0\n    RESPOND: |\n"
            f"      Number {n},\n      {{{{total}}}} days.\n    THEN: step_{n + 1}\n"
        )
        parts.append(
            f"  talk_{n}:\n    REASONING: true\n    STEP_CONSTRAINTS:\n      - LIMIT days_{n} < {n + 5}\n"
            f"        ON_FAIL:\n          GOTO: step_{n}\n      - REQUIRE dys_{n} IS SET BEFORE calling find\n"
            f'      - "Be brief"\n    THEN: step_{n}\n'
        )
    return "".join(parts)


SHOWN = """\
AGENT: Desk
GOAL: "Lend books"
USE BEHAVIOR_PROFILE: phone
GUARDRAILS:
  no_links:
    kind: inputs
    check: abl.contains_url(response)
    action: block
  polite: {kind: output, llm_check: "Polite?", action: fix}
NLU:
  intents:
    - NAME: renew
      PATTERNS: ["renew", "keep it"]
      ENTITIES: [brnach]
    - NAME: reserve
      PATTERNS: ["keep it"]
  entities:
    - NAME: branch
      VALUES: [central, harbour]
ENTITIES:
  shelf:
    TYPE: enum
TEMPLATES:
  hello:
    HTML: "<b>Hello</b>"
    CAROUSEL:
      - title: "A"
      - subtitle: "B"
  bye:
    DEFAULT: "Bye"
    SLACK: |
      {"a": [1, 2,]}
    VOICE:
      SSML: "<speak>Bye</speek>"
ACTIONS:
  - BUTTON: "Lend" -> lend
  - BUTTON: "Back" -> lend
  - {id: a, type: select, label: "A", url: "x"}
ATTACHMENTS:
  photo:
    prompt: "A photo"
    category: picture
FLOW:
  steps: [a]
  a:
    REASONING: false
    RESPOND: TEMPLATE(bye)
      FORMATS:
        MARKDWN: "*a*"
      ACTIONS:
        - BUTTON: "A" -> x
        - BUTTON: "B" -> x
    DIGRESSIONS:
      - INTENT: hours
        RESPOND: "At nine."
    THEN: COMPLETE
BEHAVIOR_PROFILE: late
  PRIORITY: 5
  WHEN: hour > 21
  RESPONSE:
    max_buttons: 1

BEHAVIOR_PROFILE: phone
PRIORITY: 5
WHEN: chanel == "sms"
RESPONSE:
  max_buttons: 1
FLOW:
  SKIP: [b]
TOOLS:
  HIDE: [find]
"""
"""How messages look, what guards them, and profiles, each with problems."""
