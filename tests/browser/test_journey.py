"""What a newcomer does in her first minutes, on the real web server, worker, beat and broker."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

VERDICT = re.compile(r"daily_used \+ amount <= daily_limit is false$")
DOCUMENT = "/p/transfer-desk/edit/transfer_desk.agent.abl"


def line_of(page: Page, path: str, text: str) -> int:
    """The line of a document on which a text stands, read from the plain textarea that the editor enhances."""
    page.goto(path)
    source = page.locator("textarea[name=text]").input_value()
    return source[: source.index(text)].count("\n") + 1


def say(page: Page, text: str, answer: str | re.Pattern[str]) -> None:
    """Send a message, and wait for the reply and until the next can be sent."""
    field = page.get_by_label(re.compile("^Message as"))
    done = page.locator("[data-chat] [data-turn][data-status=done]")
    turns = done.count()
    field.fill(text)
    page.get_by_role("button", name=re.compile("^Send")).click()
    expect(done).to_have_count(turns + 1)
    expect(page.locator(".bubble--agent").last).to_contain_text(answer)
    expect(field).to_have_value("")


def break_and_mend_a_line(page: Page) -> None:
    """She breaks a TTL, is told precisely, takes the fix, and saves with one more change."""
    line = line_of(page, DOCUMENT, 'TTL: "90d"')
    page.goto(f"{DOCUMENT}?line={line}&column=12")
    expect(page.locator("#status-took")).not_to_be_empty()
    expect(page.locator("#status-place")).to_have_text(f"Line {line}, column 12")
    page.locator(".cm-content").focus()
    page.keyboard.press("Shift+End")
    page.keyboard.type("90 days")
    problem = page.get_by_label("Problems").get_by_text("ABL346")
    expect(problem).to_be_visible()
    expect(page.locator(".cm-content .sq[data-state=error]")).to_have_text("90 days")
    expect(page.locator(".cm-content .t-section").first).to_have_text(re.compile("CONSTRAINTS:"))
    page.keyboard.press("Control+.")
    expect(problem).to_be_hidden()
    expect(page.locator(".cm-content").get_by_text('"90d"').first).to_be_visible()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n# Checked by the newcomer\n")
    page.keyboard.press("Control+s")
    expect(page.get_by_text(re.compile(r"Saved, revision \d"))).to_be_visible()


def talk_in_the_test_panel(page: Page) -> None:
    """She says hello, asks for too much, and reads why with every value."""
    page.get_by_role("button", name="Start a conversation").click()
    expect(page.locator(".bubble--agent").last).to_contain_text("How much would you like to send?")
    say(page, "hello", "How much would you like to send?")
    say(page, "I want to send 2000", "€1,200.00 of €3,000.00 is used, so €1,800.00 is left")


def follow_the_failed_limit(page: Page) -> None:
    """She opens the trace and the failed LIMIT, sees each part's value and its place, and steps back and forth."""
    page.get_by_role("link", name="Open the trace").click()
    page.locator(".event[data-state=failed]", has_text="LIMIT").last.click()
    step = page.locator("[data-pane=step]")
    ruler = step.locator(".ruler")
    expect(ruler).to_have_attribute("aria-label", VERDICT)
    for value in ("1200", "2000", "3200", "3000", "false"):
        expect(ruler.locator(".val", has_text=re.compile(rf"^\s*{value}\s*$")).first).to_be_visible()
    source = page.locator("[data-pane=source]")
    expect(source.locator("mark").first).to_contain_text("daily_used + amount <= daily_limit")
    here = page.url
    position = page.locator(".stepper output").inner_text()
    page.locator(".stepper").get_by_label(re.compile("^Previous step")).click()
    expect(page.locator(".stepper output")).not_to_have_text(position)
    expect(page).not_to_have_url(here)
    page.locator(".stepper").get_by_label(re.compile("^Next step")).click()
    expect(page.locator(".stepper output")).to_have_text(position)
    expect(ruler).to_have_attribute("aria-label", VERDICT)


def correct_the_amount(page: Page) -> None:
    """She asks for less, on the same page, and passes."""
    say(page, "1500", "Who receives it?")
    say(page, "Grace Hopper", "In which country?")
    say(page, "fr", "€1,500.00 to Grace Hopper in FR")


def watch_the_facts(page: Page) -> None:
    """What the run remembered is there, counts down, and one fact goes at zero without a reload. She follows it."""
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Memory").click()
    page.locator(".chip", has_text="Live").click()
    row = page.get_by_role("row").filter(has_text="user.last_request")
    countdown = row.locator(".countdown")
    expect(countdown).to_have_text(re.compile(r"\b\d+s\b"))
    before = countdown.inner_text()
    expect(countdown).not_to_have_text(before)
    row.get_by_role("link", name="user.last_request").click()
    detail = page.locator("[data-pane=detail]")
    expect(detail).to_contain_text('"amount": 1500')
    written_by = detail.get_by_role("link", name=re.compile(r"^remember.*line \d+")).first  # its history says it, too
    line = int(re.search(r"line=(\d+)", written_by.get_attribute("href") or "").group(1))
    page.evaluate("window.stayed = true")
    expect(row).to_have_count(0, timeout=60_000)
    expect(detail).not_to_contain_text('"amount": 1500')
    expect(detail).to_contain_text("Expired")
    assert page.evaluate("window.stayed"), "the page was reloaded"
    page.goto(f"{DOCUMENT}?line={line}")


def test_a_newcomer_breaks_mends_talks_follows_a_rule_and_watches_a_fact_go(admin_page: Page) -> None:
    page = admin_page
    break_and_mend_a_line(page)
    talk_in_the_test_panel(page)
    follow_the_failed_limit(page)
    correct_the_amount(page)
    watch_the_facts(page)
    expect(page.locator(".cm-activeLine")).to_contain_text(re.compile("WHEN: amount IS SET|user.last_request"))
