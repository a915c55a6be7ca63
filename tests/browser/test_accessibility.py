"""Every page for people who cannot see it well, use no pointer, or both: WCAG 2.2 AA by axe, and the keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NAMES
from tests.browser.looks import in_each_scheme

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(visitor, name):
    visitor.page.emulate_media(reduced_motion="reduce")
    visitor.go(name)
    assert in_each_scheme(visitor.page) == {}


def test_axe_finds_nothing_in_dialogs(visitor):
    page = visitor.page
    page.emulate_media(reduced_motion="reduce")
    visitor.go("projects")
    for opener in ("help", "account"):
        page.locator(f"[data-open={opener}]").click()
        expect(page.locator(f"dialog#{opener}")).to_be_visible()
        assert in_each_scheme(page, f"dialog#{opener}") == {}
        page.keyboard.press("Escape")
    visitor.go("facts")
    page.locator("main").get_by_role("link", name="Write a fact").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert in_each_scheme(page, "dialog[open]") == {}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sign in"])
def test_the_first_tab_offers_to_skip_to_the_page(visitor, name):
    page = visitor.page
    visitor.go(name)
    start_at_the_top(page)
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def start_at_the_top(page: Page) -> None:
    """Let the next Tab begin at the top; some pages put the focus into their first field."""
    page.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")


def focus_path(page: Page, most: int = 250) -> list[str]:
    """What the Tab key leads to, from the top of the page: ids, or names. Leaves the code as the help says."""
    start_at_the_top(page)
    seen: list[str] = []
    for _ in range(most):
        if page.evaluate("!!document.activeElement.closest('.cm-editor')"):
            page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        label = page.evaluate(
            """() => {
              const e = document.activeElement;
              return e === document.body ? '' : e.id || e.ariaLabel || e.textContent.trim() || e.tagName;
            }"""
        )
        if not label or (seen and label == seen[0]):
            return seen
        seen.append(label)
    raise AssertionError(f"the Tab key does not come round: {seen[-10:]}")


@pytest.mark.parametrize(
    ("name", "in_order"),
    [
        ("sign in", ["id_username", "id_password", "Sign in"]),
        ("projects", ["Projects", "New project", "Tour"]),
        ("project", ["Edit", "Test", "Memory", "Settings", "New document", "desk.agent.abl"]),
        ("editor", ["save", "outline-filter", "Problem list", "t-test"]),
        ("conversation", ["say", "trace"]),
        ("facts", ["facts-prefix"]),
    ],
)
def test_the_tab_key_reaches_the_main_controls_in_the_order_of_the_page(visitor, name, in_order):
    visitor.go(name)
    path = focus_path(visitor.page)
    missing = [label for label in in_order if not any(label in each for each in path)]
    assert missing == [], path
    places = [next(n for n, each in enumerate(path) if label in each) for label in in_order]
    assert places == sorted(places), path


@pytest.mark.parametrize("opener", ["help", "account"])
def test_escape_closes_a_dialog_and_gives_the_focus_back(visitor, opener):
    page = visitor.page
    visitor.go("projects")
    button = page.locator(f"[data-open={opener}]")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.locator(f"dialog#{opener}")
    expect(dialog).to_be_visible()
    assert page.evaluate("document.querySelector('dialog[open]').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
