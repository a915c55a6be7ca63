"""The pages of memory blocks in a browser: finding, editing beside somebody else, deleting, without scripts too."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looks import at_each_width, widen
from tests.memory.browsing import new_project, writer

pytestmark = pytest.mark.browser

WRITE = """
from memory.blocks.selectors import block_find
from memory.blocks.services import block_put
key = {{"project": project, "owner": {owner!r}, "block_type": {kind!r}, "agent_id": {agent!r}}}
found = block_find(**key)
print(block_put(**key, content={content!r}, expected=found.updated_at if found else None)[0].pk)
"""


@pytest.fixture(scope="module")
def slug(live_workbench):
    return new_project(live_workbench, "Blocks in a browser")


@pytest.fixture(scope="module")
def put(live_workbench, slug):
    """Write a block behind the back of the page; gives its number."""
    run = writer(live_workbench, slug)

    def write(owner, content="- Prefers short answers", kind="core", agent=""):
        return int(run(WRITE.format(owner=owner, content=content, kind=kind, agent=agent)))

    return write


def test_a_block_is_found_by_a_word_in_it_and_by_whose_it_is(admin_page, slug, put):
    put("ana", "- Lives in Lisbon")
    put("ana", "Acme renewal in May", kind="archival", agent="Desk")
    put("bo", "- Lives in Graz")
    page = admin_page
    page.goto(f"/p/{slug}/blocks/")
    rows = page.locator("tbody tr")
    page.get_by_label("Find in the texts").fill("lisbon")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("ana")
    page.get_by_label("Find in the texts").fill("")
    page.get_by_label("User", exact=True).fill("ana")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(2)
    page.get_by_label("Type").select_option("archival")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Desk/archival")
    expect(page.get_by_label("User", exact=True)).to_have_value("ana")
    page.get_by_label("Agent", exact=True).fill("nobody")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="No memory blocks here")).to_be_visible()


def test_a_block_is_edited_and_its_history_says_what_changed(admin_page, slug, put):
    page = admin_page
    page.goto(f"/p/{slug}/blocks/{put('edit')}/")
    page.get_by_label("Text, one entry per line").fill("- Prefers long answers\n- Likes tea")
    page.get_by_label("Reason (recorded in the log)").fill("asked by phone")
    page.get_by_role("button", name="Save as version 2").click()
    history = page.locator(".history li").first
    expect(history).to_contain_text("Version 2")
    expect(history).to_contain_text("asked by phone")
    expect(history.locator(".plus")).to_have_text([re.compile("Prefers long answers"), re.compile("Likes tea")])
    expect(page.locator(".pane-head").first).to_contain_text("2 entries")


def test_a_text_over_the_limit_is_refused_beside_what_was_typed(admin_page, slug, put):
    page = admin_page
    page.goto(f"/p/{slug}/blocks/{put('limit')}/")
    field = page.get_by_label("Text, one entry per line")
    field.fill("x" * 4001)
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_role("alert")).to_contain_text("has 4,001 characters; a block of type core holds 4,000")
    expect(field).to_have_value("x" * 4001)
    field.fill("- Short")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 2")


def test_who_was_slower_sees_what_is_there_and_decides(admin_page, slug, put):
    page = admin_page
    page.goto(f"/p/{slug}/blocks/{put('race')}/")
    field = page.get_by_label("Text, one entry per line")
    field.fill("- Mine")
    put("race", "- Of somebody else")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.get_by_role("alert")).to_contain_text("The block was changed")
    expect(page.get_by_label("Current content")).to_have_value("- Of somebody else")
    expect(field).to_have_value("- Mine")
    page.get_by_role("button", name="Save as version 2").click()
    expect(page.locator(".pane-head").first).to_contain_text("version 3")
    expect(field).to_have_value("- Mine")


def test_deleting_names_what_goes_and_stops_where_it_changed(admin_page, slug, put):
    page = admin_page
    number = put("delete", "one\ntwo")
    page.goto(f"/p/{slug}/blocks/{number}/")
    put("delete", "one\ntwo\nthree")
    page.get_by_role("button", name="Delete 1 block with 2 entries").click()
    expect(page.get_by_role("alert")).to_contain_text("The block was changed")
    expect(page.get_by_label("Current content")).to_have_value("one\ntwo\nthree")
    page.get_by_role("button", name="Delete 1 block with 2 entries").press("Enter")
    expect(page).to_have_url(re.compile("/blocks/$"))
    page.goto(f"/p/{slug}/blocks/?owner=delete")
    expect(page.get_by_role("heading", name="No memory blocks here")).to_be_visible()


def test_without_scripts_a_refused_text_is_not_lost(plain_page, slug, put):
    page = plain_page
    page.goto(f"/p/{slug}/blocks/{put('plain')}/")
    field = page.get_by_label("Text, one entry per line")
    field.fill("- Mine")
    page.get_by_label("Reason (recorded in the log)").fill("ticket 7")
    put("plain", "- Of somebody else")
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_role("alert")).to_contain_text("The block was changed")
    expect(page.get_by_label("Current content")).to_have_value("- Of somebody else")
    expect(field).to_have_value("- Mine")
    expect(page.get_by_label("Reason (recorded in the log)")).to_have_value("ticket 7")
    page.get_by_role("button", name="Save as version 3").click()
    expect(page.locator(".history li").first).to_contain_text("ticket 7")
    expect(field).to_have_value("- Mine")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_the_page_fits(admin_page, slug, put, width):
    page = admin_page
    widen(page, width)
    page.emulate_media(reduced_motion="reduce")
    number = put("axe", "- A line that is longer than a phone is wide, " * 4)
    for address in ("blocks/", f"blocks/{number}/"):
        page.goto(f"/p/{slug}/{address}")
        assert at_each_width(page, [width]) == {}
    page.get_by_label("Text, one entry per line").fill("- Mine")
    put("axe", "- Of somebody else")
    page.get_by_role("button", name=re.compile("^Save")).click()
    expect(page.get_by_label("Current content")).to_be_visible()
    assert at_each_width(page, [width]) == {}
