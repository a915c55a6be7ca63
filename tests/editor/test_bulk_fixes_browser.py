"""Fix all, as a person does it: open, look, apply, take back; with the keyboard alone, in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.workbench import eventually

pytestmark = pytest.mark.browser

AGENT = """\
AGENT: Desk
GOAL: "Help"
MEMORY:
  session:
    - amount
      INITIAL: 0
      TYPE: number
  persistent:
    - user.last
      SCOPE: user
  remember:
    - WHEN: amount > limit
      STORE: amount -> user.last
      TTL: 90 days
    - WHEN: amount > ceiling
      STORE: amount -> user.last
      TTL: 1w
"""
HEADERS = {"Accept": "application/json"}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
NAMES = "Declare all undeclared names as session variables"


@pytest.fixture
def page(live_workbench, admin_page, request):
    """The editing page of a document of its own."""
    with live_workbench.client() as client:
        name = f"p{abs(hash(request.node.name)) % 10**8}"
        made = client.post("/api/v1/projects/", json={"name": name}, headers=HEADERS).json()
        address = f"/api/v1/projects/{made['slug']}/agents/"
        client.post(address, json={"name": "desk.agent.abl", "text": AGENT}, headers=HEADERS)
    wrong = []
    admin_page.on("pageerror", lambda error: wrong.append(str(error)))
    admin_page.goto(f"{live_workbench.url}/p/{made['slug']}/edit/desk.agent.abl")
    admin_page.wait_for_selector("#status-took:not(:empty)")
    yield admin_page
    assert wrong == []


def text_of(page):
    return page.evaluate("[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')")


def test_a_fix_is_looked_at_applied_and_taken_back(page):
    expect(page.locator("#safe-count")).to_have_text("2")
    page.get_by_role("button", name="Fix all").click()
    panel = page.locator(".names-panel")
    row = panel.get_by_role("button", name=NAMES)
    expect(row).to_contain_text("2 places")
    expect(panel.get_by_role("button", name="Fix all 2 of ABL346 (bad-ttl)")).to_be_visible()
    expect(panel.get_by_role("button", name="Put properties in order")).to_contain_text("1 place")
    row.click()
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(panel.locator(".plus:visible")).to_have_text([r"8    - limit", r"9    - ceiling"])
    assert text_of(page) == AGENT
    panel.get_by_role("button", name="Apply to 2 places").click()
    expect(panel).to_have_count(0)
    assert eventually(lambda: "      TYPE: number\n    - limit\n    - ceiling\n  persistent:" in text_of(page))
    expect(page.locator("#problem-list")).not_to_contain_text("ABL214")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+z")
    assert eventually(lambda: text_of(page) == AGENT)


def test_the_keyboard_is_enough(page):
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Shift+.")
    panel = page.locator(".names-panel")
    first = panel.locator(".fixes-list button").first
    expect(first).to_be_focused()
    page.keyboard.press("Tab")
    times = panel.get_by_role("button", name="Fix all 2 of ABL346 (bad-ttl)")
    expect(times).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.locator(".minus:visible").first).to_contain_text("TTL: 90 days")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Apply to 2 places")).to_be_focused()
    page.keyboard.press("Enter")
    assert eventually(lambda: 'TTL: "90d"' in text_of(page) and 'TTL: "7d"' in text_of(page))
    page.keyboard.press("Control+Shift+.")
    expect(first).to_be_focused()
    expect(times).to_have_count(0)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()


def test_what_was_looked_at_is_not_applied_to_another_text(page):
    page.get_by_role("button", name="Fix all").click()
    page.locator(".names-panel").get_by_role("button", name=NAMES).click()
    page.locator(".cm-line").first.click()
    page.keyboard.type("# note\n")
    page.get_by_role("button", name="Apply to 2 places").click()
    expect(page.locator(".names-panel")).to_contain_text("The text has changed")
    assert "- limit" not in text_of(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_panel(page, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.get_by_role("button", name="Fix all").click()
    page.locator(".fixes-list button").first.click()
    expect(page.locator(".fix-preview:visible .diff")).to_be_visible()
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
    found = Axe().run(page, options=options).response["violations"]
    assert [(rule["id"], node["html"][:160]) for rule in found for node in rule["nodes"]] == []
