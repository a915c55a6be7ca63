"""The facts page in a browser: what comes and goes while it is open."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# The visitor's clock is an hour fast; what counts is the server's.
WRONG_CLOCK = """{
  const Right = Date;
  window.Date = class extends Right {
    constructor(...given) { given.length ? super(...given) : super(Right.now() + 3600e3); }
    static now() { return Right.now() + 3600e3; }
  };
}"""


@pytest.fixture(scope="module")
def slug(live_workbench):
    """A project of its own for these tests."""
    code = (
        "from editor.models import Project, User; from editor.services import project_create;"
        "print(project_create(user=User.objects.get(username='admin'), name='Facts in a browser').slug)"
    )
    return live_workbench.manage("shell", "-v0", "-c", code).stdout.split()[-1]


@pytest.fixture
def put(live_workbench, slug):
    """Write a fact over HTTP."""

    def write(path, value="gold", owner="ines", **more):
        body = {"scope": "user", "owner": owner, "path": path, "value": value, **more}
        with live_workbench.client() as client:
            response = client.put(f"/api/v1/projects/{slug}/facts/", json=body)
        assert response.status_code == 201, response.text
        return response.json()

    return write


@pytest.fixture
def facts_page(admin_page, slug):
    admin_page.add_init_script(WRONG_CLOCK)

    def open_page(query):
        admin_page.goto(f"/p/{slug}/facts/{query}")
        return admin_page

    return open_page


def test_a_new_fact_appears_and_becomes_expired_without_a_reload(facts_page, put):
    put("user.first", owner="live")
    page = facts_page("?scope=user&owner=live")
    row = page.locator("tr", has_text="user.soon")
    expect(row).to_have_count(0)
    put("user.soon", value="the secret", ttl="15s", owner="live")
    expect(row).to_have_attribute("data-state", "expiring")
    expect(row.locator(".countdown span")).to_have_text(re.compile(r"^([1-9]|1[0-5])s$"))
    expect(row).to_have_attribute("data-state", "expired", timeout=40_000)
    expect(row).not_to_contain_text("the secret")


def test_a_fact_opens_beside_the_list_and_is_deleted_after_a_question(facts_page, put):
    put("user.stays", owner="delete")
    put("user.goes", value={"amount": 170}, owner="delete")
    page = facts_page("?scope=user&owner=delete")
    page.get_by_role("link", name="user.goes", exact=True).last.click()
    expect(page.get_by_role("complementary", name="user.goes")).to_contain_text('"amount": 170')
    expect(page).to_have_url(re.compile(r"/facts/\d+/\?scope=user&owner=delete"))
    page.get_by_role("link", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("user.goes of delete, version 1")
    dialog.get_by_role("button", name="Delete 1 fact").click()
    expect(page.locator("#facts-list")).not_to_contain_text("user.goes")
    expect(page.locator("#facts-list")).to_contain_text("user.stays")


def test_choices_stay_while_the_list_is_refreshed(facts_page, put):
    put("user.a", owner="choose")
    put("user.b", owner="choose")
    page = facts_page("?scope=user&owner=choose")
    page.get_by_label("Select user.a").check()
    put("user.c", owner="choose")
    expect(page.get_by_label("Select user.c")).to_be_visible()
    expect(page.get_by_label("Select user.a")).to_be_checked()
    expect(page.get_by_role("button", name="Delete 1 selected")).to_be_visible()


def test_filters_change_the_address_and_back_returns(facts_page, put):
    put("user.short", ttl="9d", owner="filter")
    put("user.long", owner="filter")
    page = facts_page("?scope=user&owner=filter")
    page.get_by_role("button", name="No expiry").click()
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("state=forever"))
    page.go_back()
    expect(page.locator("#facts-list tbody tr")).to_have_count(2)
