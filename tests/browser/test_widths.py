"""Every page at the widths of desk, tablets and phone, in wide and narrow letters, without an error in the console."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NAMES
from tests.browser.looks import DESKS, PHONES, WIDTHS, beyond_the_edge, widen
from tests.constraints.conversation import settled
from tests.workbench import running

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("widths", [DESKS, PHONES], ids=["desk", "phone"])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_its_window_and_its_controls_are_in_reach(visitor, name, widths):
    page = visitor.page
    widen(page, widths[0])
    stop = visitor.go(name)
    for width in widths:
        widen(page, width)
        assert beyond_the_edge(page) == []
        for control in stop.controls:
            in_reach(page, control, width)
        expect(page.locator("#page, main").first).to_be_visible()


def in_reach(page: Page, control: str, width: int) -> None:
    """Fail unless a control can be seen and is not cut off."""
    found = page.locator(control).first
    expect(found).to_be_visible()
    box = found.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + min(box["width"], 40) <= width, f"{control} is cut off at {width}"


@pytest.mark.parametrize("width", [1000, 768, 390])
@pytest.mark.parametrize(
    ("name", "panes"),
    [
        ("editor", {"Outline": "outline", "Test": "side"}),
        ("conversation", {"Chat": "chat", "Trace": "trace"}),
    ],
)
def test_what_does_not_fit_beside_the_rest_is_one_choice_away(visitor, name, panes, width):
    page = visitor.page
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    visitor.go(name)
    switch = page.locator(".page-bar .switch")
    for label, pane in panes.items():
        chip = switch.locator(f".chip[data-show={pane}]")
        expect(chip).to_contain_text(label)
        if chip.is_visible():
            chip.click()
        expect(page.locator(f"[data-pane={pane}]").first).to_be_visible()
        assert beyond_the_edge(page) == []


def test_on_a_phone_a_message_is_sent_and_answered(visitor):
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.go("conversations")
    page.get_by_role("button", name="Start a conversation").click()
    settled(page)
    page.locator(".switch .chip[data-show=chat]").click()
    expect(page.locator("#chat-turn-0[data-status=done]")).to_be_visible()
    field = page.get_by_label(re.compile("^Message as"))
    field.fill("1")
    page.get_by_role("button", name=re.compile("^Send")).click()
    expect(page.locator("#chat-turn-1[data-status=done] .bubble--agent").first).to_contain_text("You asked for 1")
    assert beyond_the_edge(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_moving_about_by_clicks_leaves_the_console_empty(visitor, scheme):
    """The parts that htmx swaps in and the scripts of the pages keep to the policy for content too."""
    page = visitor.page
    page.emulate_media(color_scheme=scheme)
    visitor.go("facts")
    page.locator("main").get_by_role("link", name="user.address", exact=True).last.click()
    expect(page.get_by_role("complementary", name="user.address")).to_contain_text("Graz")
    page.locator("#facts-prefix").press_sequentially("user.b")
    expect(page.locator("#facts-list")).not_to_contain_text("user.card")
    page.locator("main").get_by_role("link", name="Write a fact").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    visitor.go("conversation")
    page.keyboard.press("j")
    expect(page).not_to_have_url(re.compile(re.escape(visitor.tour.stops["conversation"].path) + "$"))
    page.go_back()
    expect(page.locator("#step .badge[data-state=failed]").first).to_be_visible()
    visitor.go("editor")
    page.locator("#t-history").click()
    expect(page.locator("#p-history")).to_contain_text("second")
    page.locator("[data-do=theme]").click()
    page.locator("[data-open=help]").click()
    expect(page.locator("#help")).to_be_visible()


@pytest.mark.parametrize("path", ["/api/docs/", "/admin/", "/admin/editor/project/"])
def test_pages_of_others_keep_to_the_policy_too(visitor, path):
    visitor.go("projects")
    visitor.page.goto(path)
    visitor.page.wait_for_load_state("networkidle")
    expect(visitor.page.locator("#swagger-ui .info h1, #content h1").first).to_be_visible()


def test_the_whole_product_works_below_a_path(browser, tmp_path):
    with running(tmp_path, {"ABL_PATH_PREFIX": "/abl"}) as workbench:
        wrong: list[str] = []
        context = browser.new_context(base_url=workbench.url)
        page = context.new_page()
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.on("response", lambda r: wrong.append(f"{r.status} {r.url}") if r.status >= 400 else None)
        page.goto(f"{workbench.url.removesuffix('/abl')}/abl/")
        page.locator("#id_username").fill("admin")
        page.locator("#id_password").fill("correct horse battery")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Transfer desk").click()
        expect(page).to_have_url(re.compile("/abl/p/transfer-desk/"))
        page.keyboard.press("Control+k")
        page.keyboard.type("transfer_desk.agent")
        expect(page.locator("#palette [aria-selected=true]")).to_contain_text("transfer_desk.agent.abl")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/abl/p/transfer-desk/edit/"))
        expect(page.locator(".cm-line .t-section").first).to_be_visible()
        page.get_by_role("link", name="Test", exact=True).click()
        page.get_by_role("button", name="Start a conversation").click()
        expect(page.locator("#chat-turn-0[data-status=done]")).to_be_visible()
        context.close()
        assert wrong == []
