"""The facts page in a browser: what comes and goes while it is open."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from playwright.sync_api import expect

from tests.browser.looks import in_each_scheme

pytestmark = pytest.mark.browser

# The visitor's clock is an hour fast; what counts is the server's.
WRONG_CLOCK = """{
  const Right = Date;
  window.Date = class extends Right {
    constructor(...given) { given.length ? super(...given) : super(Right.now() + 3600e3); }
    static now() { return Right.now() + 3600e3; }
  };
}"""


@pytest.fixture
def slug(live_workbench):
    """A project of its own for each test."""
    with live_workbench.client() as client:
        body = {"name": f"Facts {uuid.uuid4().hex[:8]}"}
        return client.post("/api/v1/projects/", json=body).raise_for_status().json()["slug"]


@pytest.fixture
def put(live_workbench, slug):
    """Write a fact over HTTP."""

    def write(path, value="gold", owner="ines", **more):
        body = {"scope": "user", "owner": owner, "path": path, "value": value, **more}
        with live_workbench.client() as client:
            response = client.put(f"/api/v1/projects/{slug}/facts/", json=body)
        assert response.status_code == (200 if "expected_version" in more else 201), response.text
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


def opened(facts_page, fact):
    """The page with one fact open, narrowed to its owner."""
    page = facts_page(f"{fact['id']}/?scope=user&owner={fact['owner']}")
    expect(page.get_by_role("complementary", name=fact["path"])).to_be_visible()
    return page


def test_a_time_to_live_is_extended_in_a_dialog_that_gives_the_focus_back(facts_page, put):
    page = opened(facts_page, put("user.visit", ttl="30m", owner="ttl"))
    page.get_by_role("link", name="Time to live").click()
    dialog = page.get_by_role("dialog", name="Time to live of user.visit")
    field = dialog.get_by_label("Time to live from now, such as 90d")
    field.fill("a while")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("'a while' is not a time to live")
    field.fill("90d")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#facts-detail .countdown span").first).to_have_text(re.compile("^(90d 0h|89d 23h)$"))
    expect(page.locator("#fact-ttl")).to_be_focused()
    page.keyboard.press("Enter")
    dialog.get_by_label("Never (remove the time to live)").check()
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator("#facts-list tbody tr")).to_contain_text("No expiry")


def test_a_reveal_and_an_end_leave_the_keyboard_in_the_details(facts_page, put):
    page = opened(facts_page, put("user.card", value="4111 1111", sensitive=True, ttl="1d", owner="reveal"))
    page.get_by_label("Reason (logged with your name)").fill("ticket 7")
    page.keyboard.press("Enter")
    detail = page.get_by_role("complementary", name="user.card")
    expect(detail.get_by_role("group", name="Value")).to_contain_text("4111 1111")
    expect(detail.get_by_label("Fact", exact=True)).to_be_focused()
    detail.get_by_role("button", name="Expire now").press("Enter")
    expect(detail).to_contain_text("The value was removed")
    expect(detail.get_by_label("Fact", exact=True)).to_be_focused()


def test_a_masked_row_leads_to_the_reason_that_a_look_needs(facts_page, put):
    put("user.card", value="4111 1111", sensitive=True, owner="row")
    page = facts_page("?scope=user&owner=row")
    page.get_by_role("link", name="Reveal user.card").click()
    reason = page.get_by_label("Reason (logged with your name)")
    expect(reason).to_be_focused()
    expect(page.locator("#facts-list")).not_to_contain_text("4111")
    page.keyboard.type("ticket 7")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Value")).to_contain_text("4111 1111")


def test_a_form_on_a_page_of_its_own_goes_on_to_what_it_changed(facts_page, put, slug):
    page = facts_page("write/")
    page.get_by_label("Owner (user or tree ID").fill("alone")
    page.get_by_label("Path").fill("user.tier")
    page.get_by_label("Value, as JSON").fill("gold")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Put text in double quotes")
    page.get_by_label("Value, as JSON").fill('"gold"')
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(r"/facts/\d+/$"))
    expect(page.locator("#toasts")).to_contain_text("user.tier saved as version 1.")
    expect(page.get_by_role("alert")).to_have_count(0)
    fact = re.search(r"/(\d+)/$", page.url)[1]
    page.goto(f"/p/{slug}/facts/ttl/?fact={fact}:1")
    page.get_by_label("Time to live from now, such as 90d").fill("90d")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("1 fact changed.")
    page.goto(f"/p/{slug}/facts/delete-found/?scope=user&owner=alone")
    put("user.name", owner="alone")
    page.get_by_role("button", name="Delete 1 fact").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was deleted")
    page.get_by_role("button", name="Delete 2 facts").click()
    expect(page.locator("#toasts")).to_contain_text("2 facts deleted.")
    expect(page).to_have_url(re.compile("/facts/$"))


def test_the_details_follow_a_fact_to_its_end(facts_page, put, live_workbench):
    page = opened(facts_page, put("user.code", value="the secret", ttl="4s", owner="ends"))
    detail = page.get_by_role("complementary", name="user.code")
    expect(detail.locator(".countdown").first).to_have_attribute("data-state", "expired")
    expect(detail).not_to_contain_text("the secret")
    live_workbench.shell("from memory.facts.purge import purge_expired; purge_expired()")
    expect(detail).to_contain_text("The value was removed")
    expect(detail.locator(".history li").first).to_contain_text("Expired")
    expect(page.locator("#facts-list tbody tr")).to_contain_text("Purged, tombstone kept")


def test_the_details_wait_for_who_types_into_them(facts_page, put):
    page = opened(facts_page, put("user.card", value="4111", sensitive=True, owner="types"))
    detail = page.get_by_role("complementary", name="user.card")
    field = detail.get_by_label("Reason (logged with your name)")
    field.fill("ticket")
    put("user.card", value="4112", sensitive=True, owner="types", expected_version=1)
    expect(page.locator("#facts-list [data-choose]").first).to_have_value(re.compile(":2$"))
    for path in ("user.next", "user.other"):
        put(path, owner="types")
        expect(page.get_by_label(f"Select {path}")).to_be_visible()
    expect(detail).to_contain_text("version 1")
    expect(field).to_have_value("ticket")
    field.fill("")
    page.get_by_label("Select user.next").focus()
    expect(detail).to_contain_text("version 2")


def test_the_page_says_whether_the_server_answers(facts_page, put):
    put("user.first", owner="connected")
    page = facts_page("?scope=user&owner=connected")
    connection = page.locator(".statusbar [data-connection]")
    expect(connection).to_have_text("Connected")
    page.context.set_offline(True)
    expect(connection).to_have_text("Not connected")
    page.context.set_offline(False)
    expect(connection).to_have_text("Connected")


def test_an_earlier_value_comes_back(facts_page, put):
    put("user.plan", value="house", owner="restore")
    page = opened(facts_page, put("user.plan", value="hotel", owner="restore", expected_version=1))
    page.get_by_role("button", name="Restore the value of version 1").click()
    detail = page.get_by_role("complementary", name="user.plan")
    expect(detail).to_contain_text("version 3")
    expect(detail.get_by_role("group", name="Value")).to_contain_text('"house"')


def test_everything_below_a_node_goes_after_the_right_number_was_named(facts_page, put):
    for path in ("user.crm.tier", "user.crm.name", "user.stays"):
        fact = put(path, owner="subtree")
    page = opened(facts_page, fact)
    page.locator("#facts-tree").get_by_role("link", name=re.compile("^user.crm")).click()
    expect(page.locator("#facts-list")).not_to_contain_text("user.stays")
    page.get_by_role("link", name="Delete all matching").click()
    dialog = page.get_by_role("dialog", name="Delete user.crm and everything below it")
    expect(dialog).to_contain_text("2 facts")
    put("user.crm.since", owner="subtree")
    dialog.get_by_role("button", name="Delete 2 facts").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing was deleted")
    dialog.get_by_role("button", name="Delete 3 facts").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#facts-list")).to_contain_text("No matching facts")
    expect(page.locator("#toasts")).to_contain_text("3 facts deleted")
    page.get_by_role("link", name="Show all facts").click()
    expect(page.locator("#facts-list")).to_contain_text("user.stays")


def test_after_deleting_the_open_fact_the_keyboard_goes_on_in_the_list(facts_page, put):
    put("user.stays", owner="focus")
    page = opened(facts_page, put("user.goes", owner="focus"))
    page.locator("#fact-delete").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Delete 1 fact").press("Enter")
    expect(page.get_by_role("complementary", name="Details")).to_contain_text("No fact selected")
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    expect(page.get_by_label("Fact list")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/facts/\?scope=user&owner=focus$"))


def test_what_is_searched_for_is_kept_as_a_view_and_opened_again(facts_page, put):
    put("user.city", value="Graz", owner="views")
    put("user.street", value="Hauptplatz", owner="views")
    page = facts_page("?scope=user&owner=views")
    page.get_by_label("Search in values").fill("graz")
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"/facts/\?(?=.*search=graz)(?!.*prefix=).*$"))
    page.get_by_label("Name of the view").fill("In Graz")
    page.get_by_role("button", name="Save view").click()
    link = page.get_by_role("link", name="In Graz")
    expect(link).to_be_visible()
    expect(page.get_by_label("Name of the view")).to_be_focused()
    page.locator("#facts-tree").get_by_role("link", name=re.compile("^User")).click()
    expect(page.get_by_label("Search in values")).to_have_value("graz")
    page.goto(page.url.split("?")[0])
    link.click()
    expect(page.get_by_label("Search in values")).to_have_value("graz")
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Delete the view In Graz").click()
    expect(link).to_have_count(0)


def test_what_is_found_and_what_is_chosen_are_files(facts_page, put):
    put("user.a", owner="files")
    put("user.b", owner="files")
    page = facts_page("?scope=user&owner=files")
    with page.expect_download() as found:
        page.locator("#found-csv").click()
    assert found.value.path().read_text().count("\n") == 3
    page.get_by_label("Select user.b").check()
    expect(page.locator("#found-csv")).to_be_hidden()
    with page.expect_download() as chosen:
        page.locator("#chosen-json").click()
    assert [fact["path"] for fact in json.loads(chosen.value.path().read_text())["facts"]] == ["user.b"]


def test_the_chain_of_the_log_is_verified_to_its_end(facts_page, put, slug):
    put("user.last", owner="chain")
    page = facts_page("changes/")
    page.get_by_role("button", name=re.compile("^Continue verification")).click()
    expect(page.locator("#chain")).to_contain_text("Verified up to entry")
    expect(page.locator("#chain-verify")).to_be_focused()


def test_axe_finds_nothing_in_dialogs_and_open_filters(facts_page, put):
    fact = put("user.visit", ttl="30m", owner="axe")
    page = opened(facts_page, fact)
    page.emulate_media(reduced_motion="reduce")
    page.get_by_label("Name of the view").fill("Axe")
    page.get_by_role("button", name="Save view").click()
    page.get_by_text("More filters").click()
    page.get_by_label("Written by agent").focus()
    expect(page.locator("#facts-saved li")).to_have_count(1)
    expect(page.locator("#facts-detail .htmx-request")).to_have_count(0)
    assert in_each_scheme(page) == {}
    for opener in ("#fact-ttl", "#found-delete", "#fact-delete"):
        page.locator(opener).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert in_each_scheme(page, "dialog[open]") == {}
        page.keyboard.press("Escape")
        expect(page.locator(opener)).to_be_focused()
    page.get_by_role("button", name="Delete the view Axe").click()
    expect(page.locator("#facts-saved li")).to_have_count(0)
    for address in ("changes/", "changes/?kind=reveal", f"ttl/?fact={fact['id']}:1", f"{fact['id']}/readers/"):
        facts_page(address)
        assert in_each_scheme(page) == {}


def test_everything_works_without_scripts(plain_page, put, slug):
    page = plain_page
    put("user.plan", value="house", owner="plain")
    fact = put("user.plan", value="hotel", owner="plain", expected_version=1)
    put("user.name", value="Ines", owner="plain")
    page.goto(f"/p/{slug}/facts/{fact['id']}/?scope=user&owner=plain")
    page.get_by_role("button", name="Restore the value of version 1").click()
    expect(page.locator("#facts-detail")).to_contain_text("version 3")
    page.get_by_role("link", name="Time to live").click()
    page.get_by_label("Time to live from now, such as 90d").fill("90d")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("1 fact changed.")
    page.get_by_role("link", name="Places in the agents").click()
    expect(page.get_by_label("Places in the agents")).to_contain_text("No saved agent")

    page.goto(f"/p/{slug}/facts/?scope=user&owner=plain")
    page.get_by_label("Search in values").fill("INES")
    page.get_by_text("More filters").click()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    page.get_by_label("Name of the view").fill("Without scripts")
    page.get_by_role("button", name="Save view").click()
    expect(page.get_by_role("link", name="Without scripts")).to_have_attribute(
        "href", re.compile("owner=plain&search=INES")
    )
    expect(page.locator("#facts-list tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Delete the view Without scripts").click()
    page.get_by_label("Select user.name").check()
    with page.expect_download() as chosen:
        page.locator("#chosen-csv").click()
    assert chosen.value.path().read_text().count("\n") == 2
    page.locator("#chosen-delete").click()
    page.get_by_role("button", name="Delete 1 fact").click()
    expect(page.locator("#toasts")).to_contain_text("1 fact deleted.")
    page.goto(f"/p/{slug}/facts/?scope=user&owner=plain")
    page.get_by_role("link", name="Delete all matching").click()
    page.get_by_role("button", name="Delete 1 fact").click()
    expect(page.locator("#toasts")).to_contain_text("1 fact deleted.")
    page.goto(f"/p/{slug}/facts/changes/")
    page.get_by_role("button", name=re.compile("^Continue verification")).click()
    expect(page.locator("#chain")).to_contain_text(", the newest")
