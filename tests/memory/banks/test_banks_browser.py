"""The pages of memory banks in a browser: seeding, searching, editing beside an agent, deleting; without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looks import at_each_width, widen
from tests.memory.browsing import new_project, writer

pytestmark = pytest.mark.browser

WRITE = """
from memory.banks.services import bank_put, bank_write
bank_put(project=project, name={bank!r}, max_lines=None)
print(bank_write(project=project, name={bank!r}, agent={agent!r}, content={content!r}).pk)
"""


@pytest.fixture(scope="module")
def slug(live_workbench):
    return new_project(live_workbench, "Banks in a browser")


@pytest.fixture(scope="module")
def put(live_workbench, slug):
    """Write a text behind the back of the page; gives its number."""
    run = writer(live_workbench, slug)
    return lambda agent, content, bank="notes": int(run(WRITE.format(bank=bank, agent=agent, content=content)))


def test_an_agent_is_given_its_first_text(admin_page, slug):
    page = admin_page
    page.goto(f"/p/{slug}/banks/seed/")
    page.get_by_label("Bank (a new name creates a bank)").fill("no spaces")
    page.get_by_label("Agent", exact=True).fill("Fib")
    page.get_by_label(re.compile(r"^Text \(up to")).fill("a\nb\n21|34")
    page.get_by_label(re.compile("^Maximum lines")).fill("2")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("'no spaces' is not a valid name")
    expect(page.get_by_label(re.compile(r"^Text \(up to"))).to_have_value("a\nb\n21|34")
    page.get_by_label("Bank (a new name creates a bank)").fill("fib")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Fib")).to_be_visible()
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("b\n21|34")
    expect(page.locator(".pane-head").first).to_contain_text("2 lines, at most 2 are kept")


def test_a_text_is_found_by_its_bank_its_agent_and_a_word_in_it(admin_page, slug, put):
    put("Finder", "Acme renewal in May\nLisbon")
    put("Other", "nothing of it", bank="elsewhere")
    page = admin_page
    page.goto(f"/p/{slug}/banks/")
    rows = page.locator("tbody tr")
    page.get_by_label("Find in the texts").fill("LISBON")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Finder")
    page.get_by_role("combobox", name="Bank", exact=True).select_option("elsewhere")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="No texts here")).to_be_visible()
    page.get_by_label("Find in the texts").fill("")
    page.get_by_role("textbox", name="Agent", exact=True).fill("Other")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    page.get_by_role("link", name="Other").click()
    expect(page.get_by_role("heading", name="Other")).to_be_visible()


def test_a_text_is_edited_and_an_agent_that_was_faster_is_not_overwritten(admin_page, slug, put):
    number = put("Counter", "1|2")
    page = admin_page
    page.goto(f"/p/{slug}/banks/texts/{number}/")
    field = page.get_by_role("textbox", name="Text", exact=True)
    field.fill("2|3")
    page.get_by_label("Reason (recorded in the log)").fill("by hand")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".history li").first).to_contain_text("by hand")
    field.fill("3|5")
    put("Counter", "5|8")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.get_by_role("alert")).to_contain_text("has version 3")
    expect(page.get_by_label("Current content")).to_have_value("5|8")
    expect(field).to_have_value("3|5")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 4")
    expect(field).to_have_value("3|5")


def test_a_text_is_deleted_with_what_the_log_kept_of_it(admin_page, slug, put):
    number = put("Goes", "the secret\nanother line")
    page = admin_page
    page.goto(f"/p/{slug}/banks/texts/{number}/")
    page.get_by_label("Reason for deleting it").fill("ticket 7")
    page.get_by_role("button", name="Delete 1 text of 2 lines").click()
    expect(page).to_have_url(re.compile("/banks/$"))
    expect(page.get_by_role("link", name="Goes")).to_have_count(0)
    page.goto(f"/p/{slug}/facts/changes/")
    expect(page.locator("tbody")).to_contain_text("ticket 7")
    expect(page.locator("tbody")).not_to_contain_text("the secret")


def test_without_scripts_nothing_that_was_typed_is_lost(plain_page, slug, put):
    page = plain_page
    page.goto(f"/p/{slug}/banks/seed/")
    page.get_by_label("Bank (a new name creates a bank)").fill("plain")
    page.get_by_label("Agent", exact=True).fill("Plain")
    page.get_by_label(re.compile(r"^Text \(up to")).fill("one\ntwo")
    page.get_by_label(re.compile("^Maximum lines")).fill("none")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("'none' is not a number of lines")
    expect(page.get_by_label(re.compile(r"^Text \(up to"))).to_have_value("one\ntwo")
    page.get_by_label(re.compile("^Maximum lines")).fill("")
    page.get_by_role("button", name="Save").click()
    field = page.get_by_role("textbox", name="Text", exact=True)
    expect(field).to_have_value("one\ntwo")
    field.fill("mine")
    put("Plain", "theirs", bank="plain")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_label("Current content")).to_have_value("theirs")
    expect(field).to_have_value("mine")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 3")
    expect(field).to_have_value("mine")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_the_pages_fit(admin_page, slug, put, width):
    page = admin_page
    widen(page, width)
    page.emulate_media(reduced_motion="reduce")
    number = put("Axe", "A line that is longer than a phone is wide, " * 5)
    for address in ("banks/", "banks/seed/", f"banks/texts/{number}/"):
        page.goto(f"/p/{slug}/{address}")
        assert at_each_width(page, [width]) == {}
