"""Ctrl+K on every page: one field that leads to pages, documents and what the page can do, by the keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NAMES
from tests.browser.looks import in_each_scheme

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def open_palette(page: Page) -> Locator:
    """The dialog, when documents and conversations have come."""
    with page.expect_response(re.compile(r"/api/v1/projects/(\?|$)")):
        page.keyboard.press("Control+k")
    dialog = page.locator("#palette")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("combobox")).to_be_focused()
    expect(dialog.get_by_role("option").first).to_be_visible()
    return dialog


def options(dialog: Locator) -> list[str]:
    """What is offered, without what is beside each."""
    return dialog.locator("[role=option] > span:first-of-type").all_inner_texts()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sign in"])
def test_it_opens_on_every_page_and_gives_the_focus_back(visitor, name):
    page = visitor.page
    visitor.go(name)
    button = page.locator("[data-palette]")
    button.focus()
    dialog = open_palette(page)
    assert "Projects" in options(dialog)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()


def test_without_signing_in_there_is_none(visitor):
    visitor.go("sign in")
    visitor.page.keyboard.press("Control+k")
    expect(visitor.page.locator("#palette")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "label", "leads_to"),
    [
        ("desk", "desk.agent.abl", r"/p/tour/edit/desk\.agent\.abl$"),
        ("sett", "Settings of Tour", r"/p/tour/settings/$"),
        ("conversation 1", "Conversation 1", r"/p/tour/test/1/"),
        ("detour", "Detour", r"/p/detour/$"),
        ("user.bra", "Facts whose path starts with user.bra", r"/p/tour/facts/\?prefix=user\.bra$"),
        ("change log", "Memory change log", r"/p/tour/facts/changes/$"),
        ("overview", "Memory overview", r"/p/tour/memory/$"),
        ("blocks", "Memory blocks", r"/p/tour/blocks/$"),
        ("memory st", "Memory stores", r"/p/tour/stores/$"),
        ("records", "Store records", r"/p/tour/records/$"),
        ("banks", "Memory banks", r"/p/tour/banks/$"),
        ("preview", "Prompt preview", r"/p/tour/memory/preview/$"),
        ("erase a", "Erase a user", r"/p/tour/erasures/$"),
    ],
)
def test_some_letters_and_enter_lead_there(visitor, typed, label, leads_to):
    visitor.go("project")
    dialog = open_palette(visitor.page)
    visitor.page.keyboard.type(typed)
    chosen = dialog.locator("[aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(chosen).to_contain_text(label)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page).to_have_url(re.compile(leads_to))


@pytest.mark.parametrize(
    ("typed", "label", "leads_to"),
    [
        ("ines", "Users, sessions, banks and stores that start with ines", r"/p/tour/memory/\?find=ines$"),
        ("erase ines", "Erase the user ines", r"/p/tour/erasures/new/\?owner=ines$"),
    ],
)
def test_a_name_leads_to_what_is_remembered_about_it_and_to_erasing_it(visitor, typed, label, leads_to):
    visitor.go("project")
    dialog = open_palette(visitor.page)
    visitor.page.keyboard.type(typed)
    dialog.get_by_role("option").filter(has_text=label).click()
    expect(visitor.page).to_have_url(re.compile(leads_to))


def test_arrows_move_the_choice_and_the_reader_hears_it(visitor):
    visitor.go("project")
    dialog = open_palette(visitor.page)
    field = dialog.get_by_role("combobox")
    expect(field).to_have_attribute("aria-activedescendant", "palette-0")
    visitor.page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "palette-1")
    expect(dialog.locator("#palette-1")).to_have_attribute("aria-selected", "true")
    visitor.page.keyboard.press("ArrowUp")
    visitor.page.keyboard.press("ArrowUp")
    last = len(options(dialog)) - 1
    expect(field).to_have_attribute("aria-activedescendant", f"palette-{last}")
    expect(dialog.locator(f"#palette-{last}")).to_be_in_viewport()


def test_nothing_found_is_said_and_enter_then_does_nothing(visitor):
    page = visitor.page
    visitor.go("projects")
    dialog = open_palette(page)
    page.keyboard.type("no such thing")
    expect(dialog.get_by_text("No matches")).to_be_visible()
    expect(dialog.get_by_role("status")).to_have_text("0 results")
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()


def test_the_buttons_of_a_page_are_its_actions(visitor):
    page = visitor.page
    visitor.go("facts")
    open_palette(page)
    page.keyboard.type("write")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=re.compile("Write"))).to_be_visible()


def test_a_number_leads_to_a_step_of_the_conversation(visitor):
    page = visitor.page
    visitor.go("conversation")
    dialog = open_palette(page)
    page.keyboard.type("3")
    dialog.get_by_role("option").filter(has_text="Step 3 of this conversation").click()
    expect(page).to_have_url(re.compile(r"/events/3/$"))


def test_it_opens_over_the_code_and_types_nothing_into_it(visitor):
    page = visitor.page
    visitor.go("editor")
    code = page.locator(".cm-content")
    before = code.inner_text()
    code.focus()
    dialog = open_palette(page)
    page.keyboard.type("sett")
    page.keyboard.press("Control+k")
    expect(dialog).to_be_hidden()
    assert code.inner_text() == before


def test_without_the_api_pages_and_actions_still_work(visitor):
    page = visitor.page
    visitor.go("project")
    page.route("**/api/v1/**", lambda route: route.fulfill(status=204, body=""))
    page.keyboard.press("Control+k")
    page.keyboard.type("sett")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/p/tour/settings/$"))


def test_the_help_names_it(visitor):
    page = visitor.page
    visitor.go("projects")
    page.keyboard.press("?")
    expect(page.locator("#help dl")).to_contain_text("Ctrl K")


def test_axe_finds_nothing(visitor):
    page = visitor.page
    page.emulate_media(reduced_motion="reduce")
    visitor.go("project")
    open_palette(page)
    assert in_each_scheme(page, "dialog[open]") == {}


@pytest.mark.parametrize("width", [1440, 390])
def test_it_fits_its_window(visitor, width):
    page = visitor.page
    page.set_viewport_size({"width": width, "height": 844})
    visitor.go("conversation")
    page.locator("[data-palette]").click()
    box = page.locator("#palette").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= 844
