"""What hover says about a name, also of another agent, a profile or a tool file."""

from __future__ import annotations

import pytest

from abl.editing.hover import hover
from tests.abl.editing.test_rename import at

DESK = """\
AGENT: Desk
GOAL: "Lend {{user.branch}}"
TOOLS:
  file: "lib.tools.abl" [find]
  log(text: string) -> {ok: boolean}
    description: "Writes it down."
MEMORY:
  session:
    - loans
      TYPE: number
      INITIAL: 0
CONSTRAINTS:
  lending:
    - REQUIRE loans < 5
      ON_FAIL: "x"
    - REQUIRE loans > 0
      ON_FAIL: "y"
TEMPLATES:
  hello: "Hi {{loans}}"
GATHER:
  copies:
    prompt: "How many?"
    type: number
    default: 1
    required: false
FLOW:
  ask:
    REASONING: false
    RESPOND: TEMPLATE(hello)
    CALL: find(copies)
    CALL: nothing(loans)
    CALL: log("x")
    THEN: COMPLETE
HANDOFF:
  - TO: Cashier
    WHEN: loans > 3
  - TO: Nobody
    WHEN: loans > 4
USE BEHAVIOR_PROFILE: late
USE BEHAVIOR_PROFILE: early
ENTITIES:
  genre:
    TYPE: string
"""
FILES = {
    "desk.agent.abl": DESK,
    "cashier.agent.abl": 'AGENT: Cashier\nGOAL: "Bill"\nMEMORY:\n  persistent:\n    - user.branch\n      TYPE: string\n'
    '      DEFAULT: "central"\n',
    "late.behavior_profile.abl": "BEHAVIOR_PROFILE: late\nPRIORITY: 5\nWHEN: loans > 1\nTOOLS:\n  HIDE: [log]\n",
    "lib.tools.abl": 'TOOLS:\n  find(n: number) -> {id: string}\n    description: "Finds it."\n',
}


@pytest.mark.parametrize(
    ("path", "mark", "title", "lines"),
    [
        (
            "desk.agent.abl",
            "{{user.bra|nch",
            "user.branch: string",
            [
                "persistent path",
                "scope user",
                "access readwrite",
                "default 'central'",
                "declared: cashier.agent.abl:5",
                "read: desk.agent.abl:2",
            ],
        ),
        (
            "desk.agent.abl",
            "  cop|ies:",
            "copies: number",
            [
                "gather field",
                "default 1",
                "required false",
                "asked as: How many?",
                "declared: desk.agent.abl:21",
                "read: desk.agent.abl:30",
            ],
        ),
        (
            "late.behavior_profile.abl",
            "loa|ns > 1",
            "loans: number",
            [
                "session variable",
                "initial 0",
                "reset per_session",
                "declared: desk.agent.abl:9",
                "read: desk.agent.abl:14, desk.agent.abl:16, desk.agent.abl:19, desk.agent.abl:31, desk.agent.abl:36"
                " and 2 more",
            ],
        ),
        (
            "late.behavior_profile.abl",
            "HIDE: [lo|g]",
            "log(text: string) -> {ok: boolean}",
            ["Writes it down.", "declared: desk.agent.abl:5", "used: desk.agent.abl:32, late.behavior_profile.abl:5"],
        ),
        (
            "desk.agent.abl",
            "CALL: fi|nd",
            "find(n: number) -> {id: string}",
            ["Finds it.", "declared: lib.tools.abl:2", "used: desk.agent.abl:4, desk.agent.abl:30"],
        ),
        (
            "desk.agent.abl",
            "CALL: noth|ing",
            "tool nothing",
            ["not declared in this project", "used: desk.agent.abl:31"],
        ),
        (
            "desk.agent.abl",
            "TEMPLATE(hel|lo",
            "template hello",
            ["Hi {{loans}}", "declared: desk.agent.abl:19", "used: desk.agent.abl:29"],
        ),
        ("desk.agent.abl", "  lend|ing:", "phase lending", ["2 rules", "declared: desk.agent.abl:13"]),
        (
            "desk.agent.abl",
            "PROFILE: la|te",
            "profile late",
            [
                "priority 5",
                "when loans > 1",
                "declared: late.behavior_profile.abl:1",
                "used: desk.agent.abl:39",
            ],
        ),
        ("desk.agent.abl", "PROFILE: ear|ly", "profile early", ["not in this project", "used: desk.agent.abl:40"]),
        (
            "desk.agent.abl",
            "TO: Cash|ier",
            "agent Cashier",
            ["Bill", "declared: cashier.agent.abl:1", "used: desk.agent.abl:35"],
        ),
        ("desk.agent.abl", "TO: No|body", "agent Nobody", ["not in this project", "used: desk.agent.abl:37"]),
        ("desk.agent.abl", "  gen|re:", "genre", ["entity", "declared: desk.agent.abl:42", "never read"]),
        ("desk.agent.abl", "  as|k:", "step ask", ["declared: desk.agent.abl:27"]),
    ],
)
def test_a_name_is_explained(path: str, mark: str, title: str, lines: list[str]) -> None:
    about = hover(FILES, *at(path, mark, FILES))
    assert about is not None
    assert (about["title"], about["text"].split("\n")) == (title, lines)
