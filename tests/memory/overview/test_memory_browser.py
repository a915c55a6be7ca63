"""The page of all memory in a browser: one person through every system, found by name and by value."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.looks import DESKS, PHONES, at_each_width, widen
from tests.memory.browsing import new_project, writer

pytestmark = pytest.mark.browser

FILL = """
from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.facts.services import fact_put
from memory.stores import services
from memory.stores.selectors import Subject
for owner in ("ines", "noor"):
    fact_put(project=project, scope="user", owner=owner, path="user.crm.tier", value="gold")
    block_put(project=project, owner=owner, block_type="core", content=f"Likes tea, says {owner}", expected=None)
fact_put(project=project, scope="user", owner="ines", path="user.card", value="4111 1111", sensitive=True)
services.store_create(project=project, name="Tastes", technical_name="tastes", schema={"type": "object"},
                      access="user", retention="1_week")
services.session_begin(project=project, session="desk-7", user="ines", metadata={"channel": "web"})
services.content_set(project=project, name="tastes", content={"language": "de"}, subject=Subject("ines"))
bank_put(project=project, name="notes", max_lines=None)
bank_write(project=project, name="notes", agent="Desk", content="Lisbon in May")
"""


@pytest.fixture(scope="module")
def slug(live_workbench):
    slug = new_project(live_workbench, "All memory in a browser")
    writer(live_workbench, slug)(FILL)
    return slug


@pytest.fixture
def memory_page(admin_page, slug):
    def open_page(query=""):
        admin_page.goto(f"/p/{slug}/memory/{query}")
        return admin_page

    return open_page


def tables(page):
    """Headings of what is shown."""
    return page.locator("#memory-list h2")


def test_a_user_is_chosen_in_the_tree_and_everything_of_hers_is_shown(memory_page, slug):
    page = memory_page()
    expect(tables(page)).to_have_text(["Facts", "Blocks", "Records", "Sessions", "Bank texts"])
    tree = page.locator("#memory-tree")
    tree.get_by_role("link", name=re.compile("^User")).click()
    tree.get_by_role("link", name=re.compile("^ines")).click()
    expect(tables(page)).to_have_text(["Facts", "Blocks", "Records", "Sessions"])
    expect(page.locator("#memory-list")).not_to_contain_text("4111")
    expect(page.locator("#memory-list")).not_to_contain_text("says noor")
    expect(page).to_have_url(re.compile(r"/memory/\?scope=user&owner=ines$"))
    page.get_by_role("button", name=re.compile("^Blocks")).click()
    expect(tables(page)).to_have_text(["Blocks"])
    page.go_back()
    expect(tables(page)).to_have_text(["Facts", "Blocks", "Records", "Sessions"])
    page.locator("#memory-list").get_by_role("link", name="tastes").click()
    expect(page.get_by_label("Content, as JSON")).to_have_value(re.compile('"language": "de"'))


def test_a_path_of_the_tree_leads_to_the_flat_list_at_and_below_it(memory_page):
    page = memory_page("?scope=user&owner=ines")
    page.locator("#memory-tree").get_by_role("link", name=re.compile(r"^user\.crm")).click()
    expect(page).to_have_url(re.compile(r"/facts/\?scope=user&owner=ines&below=user\.crm$"))
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    page.go_back()
    page.get_by_role("link", name="All facts").click()
    expect(page.locator("#facts-list tbody tr")).to_have_count(2)


def test_a_name_is_found_whatever_it_names(memory_page):
    page = memory_page()
    field = page.get_by_label(re.compile("^Find a user, session"))
    tree = page.locator("#memory-tree")
    field.press_sequentially("no")
    expect(tree.get_by_role("link", name=re.compile("^noor"))).to_be_visible()
    expect(tree.get_by_role("link", name=re.compile("^notes"))).to_be_visible()
    expect(tree.get_by_role("link", name=re.compile("^ines"))).to_have_count(0)
    expect(field).to_be_focused()
    field.fill("des")
    expect(tree.get_by_role("link", name=re.compile("^desk-7"))).to_be_visible()
    field.fill("Des")
    tree.get_by_role("link", name=re.compile("^Desk in notes")).click()
    expect(page.get_by_role("heading", name="Desk")).to_be_visible()


def test_values_are_searched_in_every_system_at_once(memory_page):
    page = memory_page()
    page.get_by_label("Search in values that are not sensitive").fill("LISBON")
    expect(tables(page)).to_have_text(["Bank texts"])
    page.get_by_label("Search in values that are not sensitive").fill("4111")
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()
    page.get_by_role("link", name="Show everything").click()
    expect(tables(page)).to_have_count(5)
    expect(page.get_by_label("Search in values that are not sensitive")).to_have_value("")
    page.get_by_label("Time left").select_option("expiring")
    expect(page.get_by_role("heading", name="No matches")).to_be_visible()


def test_what_runs_out_is_not_readable_without_a_reload(memory_page, live_workbench, slug):
    write = (
        "from memory.facts.services import fact_put\n"
        "fact_put(project=project, scope='user', owner='soon', path='user.code', value='the secret', ttl='12s')"
    )
    writer(live_workbench, slug)(write)
    page = memory_page("?scope=user&owner=soon")
    row = page.locator("#memory-list tbody tr")
    expect(row).to_contain_text("user.code")
    expect(row).to_have_attribute("data-state", "expired")
    expect(row).not_to_contain_text("the secret")


def test_it_works_without_scripts(plain_page, slug):
    page = plain_page
    page.goto(f"/p/{slug}/memory/")
    page.locator("#memory-tree").get_by_role("link", name=re.compile("^User")).click()
    page.locator("#memory-tree").get_by_role("link", name=re.compile("^ines")).click()
    expect(tables(page)).to_have_text(["Facts", "Blocks", "Records", "Sessions"])
    page.get_by_label("Search in values that are not sensitive").fill("tea")
    page.get_by_role("button", name="Show").click()
    expect(tables(page)).to_have_text(["Blocks"])
    expect(page.locator("#memory-list tbody tr")).to_have_count(1)
    page.get_by_label(re.compile("^Find a user, session")).fill("noo")
    page.keyboard.press("Enter")
    expect(page.locator("#memory-tree").get_by_role("link", name=re.compile("^noor"))).to_be_visible()


def test_the_keyboard_goes_from_the_tree_to_the_rows(memory_page):
    page = memory_page("?scope=user&owner=ines")
    link = page.locator("#memory-tree").get_by_role("link", name=re.compile("^noor"))
    link.focus()
    page.keyboard.press("Enter")
    expect(tables(page)).to_have_text(["Facts", "Blocks"])
    expect(page.locator("#memory-tree [aria-current=true]")).to_be_focused()


@pytest.mark.parametrize("widths", [DESKS, PHONES], ids=["desk", "phone"])
@pytest.mark.parametrize("query", ["", "?scope=user&owner=ines", "?search=nowhere"])
def test_axe_finds_nothing_and_the_page_fits(admin_page, memory_page, query, widths):
    widen(admin_page, widths[0])
    admin_page.emulate_media(reduced_motion="reduce")
    page = memory_page(query)
    assert at_each_width(page, widths) == {}
    chip = page.locator(".chip[data-show=tree]")
    if chip.is_visible():
        chip.click()
        expect(page.locator("#memory-tree")).to_be_visible()
        assert at_each_width(page, widths) == {}
