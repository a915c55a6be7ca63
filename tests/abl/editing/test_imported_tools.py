"""Help with tools that are in a tool file or in a profile: what they take and give (docs/spec 08 §9, 09 §12)."""

from __future__ import annotations

import abl

AGENT = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  file: "library.tools.abl" [find_book]
USE BEHAVIOR_PROFILE: sale
FLOW:
  look:
    REASONING: false
    CALL: find_book(title: "Emma") AS book
    RESPOND: "{{book.shelf}}"
    THEN: sell
  sell:
    REASONING: false
    CALL: coupon
      WITH:
        percent: 3
    THEN: COMPLETE
"""
TOOLS = """\
TOOLS:
  find_book(title: string, branch?: string) -> {id: string, shelf: string}
    description: "Find a book."
    effect: read_only
"""
PROFILE = """\
BEHAVIOR_PROFILE: sale
PRIORITY: 10
WHEN: true
TOOLS:
  ADD:
    coupon(percent: number) -> {code: string}
      description: "Make a coupon."
      effect: side_effect
"""


def offered(written: str, instead: str) -> list[str]:
    """What is offered behind the new text that stands for the old one in the agent."""
    text = AGENT.replace(written, instead, 1)
    before = text[: text.index(instead) + len(instead)]
    files = {"desk.agent.abl": text, "library.tools.abl": TOOLS, "sale.behavior.abl": PROFILE}
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return [item["label"] for item in abl.complete(files, "desk.agent.abl", line, column)]


def test_fields_of_the_result_are_offered() -> None:
    assert offered("{{book.shelf", "{{book.") == ["book.id", "book.shelf"]


def test_parameters_are_offered() -> None:
    assert offered('(title: "Emma"', "(")[:2] == ["title", "branch"]
    assert offered("        percent: 3", "        ") == ["percent"]


def test_the_tools_are_offered() -> None:
    assert offered("CALL: coupon", "CALL: ")[:2] == ["coupon", "find_book"]


def test_the_signature_is_shown() -> None:
    files = {"desk.agent.abl": AGENT, "library.tools.abl": TOOLS, "sale.behavior.abl": PROFILE}
    titles = [(abl.hover(files, "desk.agent.abl", line, 13) or {})["title"] for line in (9, 14)]
    assert titles[0].startswith("find_book(title: string, branch?: string) -> {id:")
    assert titles[1].startswith("coupon(percent: number) -> {code:")
