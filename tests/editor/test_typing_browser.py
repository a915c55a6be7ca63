"""Typing an agent line by line: Enter goes to the column where the next line belongs, a dash to that of its list."""

from __future__ import annotations

import pytest

from tests.editor.test_browser import HEADERS, Desk, go_to_line, opened, text_of
from tests.workbench import eventually

pytestmark = pytest.mark.browser

BEGUN = 'AGENT: Desk\nGOAL: "Lend books"'
TYPED = [
    "MEMORY:", "session:", "- loans", "TYPE: number", "INITIAL: 0", "- title", "TYPE: string",
    "<CONSTRAINTS:", "- REQUIRE loans < 9", 'ON_FAIL: "Too many."', "- WARN loans < 5", 'ON_FAIL: "Many."',
    "<TOOLS:", "find(title: string) -> {id: string}", 'description: "Find a book."', "type: http",
    "<HANDOFF:", "- TO: Desk", "WHEN: loans > 9", "CONTEXT:", "pass: [loans]",
]  # fmt: skip
"""What is typed on each line; ``<`` goes back to the margin first."""
RESULT = """\
MEMORY:
  session:
    - loans
      TYPE: number
      INITIAL: 0
    - title
      TYPE: string
CONSTRAINTS:
  - REQUIRE loans < 9
    ON_FAIL: "Too many."
  - WARN loans < 5
    ON_FAIL: "Many."
TOOLS:
  find(title: string) -> {id: string}
    description: "Find a book."
    type: http
HANDOFF:
  - TO: Desk
    WHEN: loans > 9
    CONTEXT:
      pass: [loans]"""


@pytest.fixture
def desk(live_workbench, request):
    with live_workbench.client() as client:
        name = f"t{abs(hash(request.node.name)) % 10**8}"
        made = client.post("/api/v1/projects/", json={"name": name}, headers=HEADERS).json()
        body = {"name": "desk.agent.abl", "text": BEGUN}
        client.post(f"/api/v1/projects/{made['slug']}/agents/", json=body, headers=HEADERS)
        yield Desk(live_workbench, client, made["slug"], "desk.agent.abl")


def test_lines_go_where_they_belong(page, desk):
    opened(page, desk)
    page.keyboard.press("Control+End")
    for line in TYPED:
        page.keyboard.press("Enter")
        if line.startswith("<"):
            page.keyboard.press("Home")
            page.keyboard.press("Shift+End")
            page.keyboard.press("Delete")
            for _ in range(4):
                page.keyboard.press("Shift+Tab")
        for character in line.removeprefix("<"):
            page.keyboard.type(character)
        page.keyboard.press("Escape")
    assert eventually(lambda: text_of(page) == f"{BEGUN}\n{RESULT}"), text_of(page)


def test_the_next_problem_is_the_one_that_was_just_made(page, desk):
    text = f"{BEGUN}\n{RESULT.replace('loans > 9', 'loans > 9 AND title IS SET')}"
    desk.save(text, 1)
    opened(page, desk)
    go_to_line(page, 11)  # REQUIRE loans < 9
    for _ in range(len(" < 9")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    page.wait_for_selector("#problem-list >> text=ABL214")
    page.keyboard.press("F8")
    page.wait_for_selector(".cm-tip >> text=ABL214")
    page.keyboard.press("Control+.")
    assert eventually(lambda: "- REQUIRE loans < 9" in text_of(page))
