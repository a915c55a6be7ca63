"""Inside an entry of STEP_CONSTRAINTS everything is offered, shown, coloured and laid out as in CONSTRAINTS (04 §7)."""

from __future__ import annotations

import textwrap
from typing import Any, Final

import pytest

from abl.editing.completion.complete import complete
from abl.editing.format import format_source
from abl.editing.hover import hover
from abl.editing.tokens import tokens
from tests.every import every

PATH: Final = "desk.agent.abl"
KEYWORD: Final = """AGENT: Desk
GOAL: "Sell"
TOOLS:
  pay(amount: number) -> object
MEMORY:
  session:
    - amount
      TYPE: number
CONSTRAINTS:
{own}FLOW:
  steps: [talk]
  talk:
    REASONING: true
    STEP_CONSTRAINTS:
{of_step}    EXIT_WHEN: input == "end"
    THEN: COMPLETE
"""
YAML: Final = """agent: Desk
goal: "Sell"
tools:
  - {{name: pay, parameters: [{{name: amount, type: number}}]}}
memory:
  session:
    - {{name: amount, type: number}}
constraints:
{own}flow:
  steps: [talk]
  talk:
    reasoning: true
    step_constraints:
{of_step}    exit_when: 'input == "end"'
    then: COMPLETE
"""
OTHER: Final = {KEYWORD: "- REQUIRE amount > 0\n  ON_FAIL: No\n", YAML: '- {require: "amount > 0", on_fail: "No"}\n'}
CURSORS: Final = {
    KEYWORD: (
        "- |",
        "|",
        "- REQ|",
        "- REQUIRE |",
        "- REQUIRE am|",
        "- REQUIRE amount |",
        "- REQUIRE amo|unt < 5",
        "- REQUIRE amount < 5 BEFORE |",
        "- REQUIRE amount < 5 BEFORE calling |",
        "- REQUIRE: |",
        "- REQUIRE amount < 5\n  |",
        "- REQUIRE amount < 5\n  BEFORE: |",
        "- REQUIRE amount < 5\n  WHEN: |",
        "- REQUIRE amount < 5\n  severity: |",
        "- REQUIRE amount < 5\n  ON_FAIL: |",
        "- REQUIRE amount < 5\n  ON_FAIL:\n    |",
        "- REQUIRE amount < 5\n  ON_FAIL:\n    GOTO: |",
        "- REQUIRE amount < 5\n  ON_FAIL:\n    COLLECT: [|]",
        "- REQUIRE amount < 5\n  ON_FAIL:\n    THEN: |",
        '- REQUIRE amount < 5\n  ON_FAIL: "No {{|}}"',
        '- REQUIRE amount < 5\n  ON_FAIL: "No {{am|ount}}"',
    ),
    YAML: (
        "- |",
        "- require: |",
        '- require: "am|"',
        '- {require: "am|"}',
        '- {require: "amount < 5", |}',
        "- {|}",
        '- require: "amo|unt < 5"',
        '- require: "amount < 5"\n  |',
        '- require: "amount < 5"\n  on_fail: |',
        '- require: "amount < 5"\n  on_fail:\n    |',
        '- require: "amount < 5"\n  on_fail:\n    goto: |',
        '- require: "amount < 5"\n  before: calling |',
        '- {require: "amount < 5", before: |}',
        '- require: "amount < 5"\n  severity: |',
        "- REQUIRE |",
    ),
}
TWICE: Final = [(f"{entry!r}", (form, entry)) for form, entries in CURSORS.items() for entry in entries]


def written(form: str, entry: str, *, in_step: bool) -> tuple[str, int]:
    """The agent with the entry in one of the two lists, and where the cursor in it is."""
    lists = (OTHER[form], f"{entry}\n") if in_step else (f"{entry}\n", OTHER[form])
    text = form.format(own=textwrap.indent(lists[0], "  "), of_step=textwrap.indent(lists[1], "      "))
    at = text.index("|")
    return text[:at] + text[at + 1 :], at


def offered(text: str, at: int) -> list[dict[str, str]]:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    items = complete({PATH: text}, PATH, line, column)
    return [{key: " ".join(str(value).split()) for key, value in item.items()} for item in items]


def shown(text: str, at: int) -> Any:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    found = hover({PATH: text}, PATH, line, max(column - 1, 1))
    return None if found is None else (found["title"], found["text"].split("\n")[0])


def lines_of(text: str, in_step: bool) -> tuple[int, int]:
    """Where the lines of one of the two lists stand."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.strip().lower() == ("step_" * in_step) + "constraints:")
    width = len(lines[first]) - len(lines[first].lstrip())
    last = first + 1
    while not lines[last].strip() or len(lines[last]) - len(lines[last].lstrip()) > width:
        last += 1
    return len("\n".join(lines[: first + 1])) + 1, len("\n".join(lines[:last]))


@pytest.mark.full
@every(TWICE)
def test_the_same_is_offered_and_shown(form: str, entry: str) -> None:
    own, of_step = (written(form, entry, in_step=in_step) for in_step in (False, True))
    assert offered(*of_step) == offered(*own)
    assert offered(*own) or not entry.endswith("|")
    assert shown(*of_step) == shown(*own)


@every(TWICE)
def test_the_same_is_coloured_and_laid_out_alike(form: str, entry: str) -> None:
    found = []
    for in_step in (False, True):
        text, _ = written(form, entry.replace("- ", "-   ", 1), in_step=in_step)
        start, end = lines_of(text, in_step)
        pieces = [(kind, text[a:b]) for a, b, kind in tokens(text) if start <= a < end and kind != "text"]
        laid_out = format_source(text)
        found.append((pieces, textwrap.dedent(laid_out[slice(*lines_of(laid_out, in_step))]).rstrip()))
    assert found[0] == found[1]
