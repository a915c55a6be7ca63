"""Beside the rules in the editor stands how the last conversation judged them; lists of places keep to the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looks import SCHEMES, violations
from tests.workbench import eventually

pytestmark = pytest.mark.browser

HEADERS = {"Accept": "application/json"}
LONG = " AND ".join(["wanted > 0"] * 20)
AGENT = f"""\
AGENT: Desk
VERSION: "1.0.0"
GOAL: "Lend books"
MEMORY:
  session:
    - wanted
      TYPE: number
      INITIAL: 1
CONSTRAINTS:
  lending:
    - LIMIT wanted <= 3
      ON_FAIL: "At most three."
    - REQUIRE {LONG}
      ON_FAIL: "At least one."
FLOW:
  entry_point: ask
  steps: [ask]
  ask:
    REASONING: false
    RESPOND: "How many?"
    ON_INPUT:
      - IF: input != ""
        SET: wanted = TO_NUMBER(input)
        THEN: ask
"""


@pytest.fixture
def desk(live_workbench, request):
    """A project of its own: its address in the editor, and how something is said in a conversation."""
    with live_workbench.client() as client:
        name = f"r{abs(hash(request.node.name)) % 10**8}"
        made = client.post("/api/v1/projects/", json={"name": name}, headers=HEADERS).json()
        base = f"/api/v1/projects/{made['slug']}/"
        client.post(base + "agents/", json={"name": "desk.agent.abl", "text": AGENT}, headers=HEADERS)

        def say(text):
            begun = client.post(base + "conversations/", json={"user": "ada"}, headers=HEADERS).json()
            talk = f"{base}conversations/{begun['number']}/"
            sent = client.post(talk + "turns/", json={"kind": "say", "text": text}, headers=HEADERS)
            assert sent.status_code == 202, sent.text

            def judged():
                events = client.get(talk + "events/", params={"page_size": 200}, headers=HEADERS).json()["results"]
                return [event for event in events if event["kind"] == "constraint" and event["status"] == "failed"]

            eventually(judged, 90, "a rule failed")

        yield f"{live_workbench.url}/p/{made['slug']}/edit/desk.agent.abl", say


def opened(page, address):
    page.goto(address)
    page.wait_for_selector("#status-took:not(:empty)", state="attached")
    page.locator(".cm-content").focus()


def test_the_last_run_stands_beside_its_rules_until_they_change(admin_page, desk):
    address, say = desk
    opened(admin_page, address)
    expect(admin_page.locator(".cm-content .inlay")).to_have_count(0)
    say("5")
    opened(admin_page, address)
    words = admin_page.locator(".cm-content .inlay")
    expect(words).to_have_count(2)
    expect(words.first).to_have_attribute("data-state", "failed")
    expect(words.first).to_contain_text("1 failed")
    admin_page.keyboard.press("Control+Home")
    admin_page.keyboard.type("# moved\n")
    expect(words).to_have_count(2)
    lines = admin_page.locator(".cm-line", has=admin_page.locator(".inlay"))
    expect(lines.first).to_contain_text("LIMIT wanted <= 3")
    for _ in range(10):
        admin_page.keyboard.press("ArrowDown")
    admin_page.keyboard.press("End")
    admin_page.keyboard.type("0")
    expect(words).to_have_count(1)
    admin_page.keyboard.press("Backspace")
    opened(admin_page, address)
    admin_page.locator(".cm-content .inlay").first.click()
    expect(admin_page).to_have_url(re.compile(r"/test/\d+/events/\d+/$"))


def test_words_beside_rules_are_legible_in_both_colours(admin_page, desk):
    address, say = desk
    say("5")
    opened(admin_page, address)
    expect(admin_page.locator(".cm-content .inlay")).to_have_count(2)
    for scheme in SCHEMES:
        admin_page.emulate_media(color_scheme=scheme)
        assert violations(admin_page, ".cm-editor") == []


@pytest.mark.parametrize("width", [1440, 390])
def test_the_ring_of_a_place_with_a_long_line_is_whole(admin_page, desk, width):
    address, _ = desk
    admin_page.set_viewport_size({"width": width, "height": 844})
    opened(admin_page, address)
    admin_page.keyboard.press("Control+Home")
    for _ in range(5):
        admin_page.keyboard.press("ArrowDown")
    admin_page.keyboard.press("End")
    admin_page.keyboard.press("Shift+F12")
    rows = admin_page.locator(".names-list .row")
    expect(rows.first).to_be_focused()
    panel = admin_page.locator(".names-panel").bounding_box()
    for row in rows.all():
        box = row.bounding_box()
        assert panel["x"] <= box["x"]
        assert box["x"] + box["width"] <= panel["x"] + panel["width"]
