"""Using the page of a conversation with care and without: keys, the way back, two pages, long and empty texts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.constraints.conftest import AGENT
from tests.constraints.conversation import failed_step, say, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MAKE = """
from editor import services
from editor.models import Project, User
owner = User.objects.get(username="admin")
for name, text in TEXTS.items():
    if not Project.objects.filter(slug=name).exists():
        project = services.project_create(user=owner, name=name, slug=name, description="")
        services.document_create(project=project, user=owner, path="desk.agent.abl", text=text, message="")
"""
TEXTS = {
    "loans": AGENT,
    "wordy": AGENT.replace("You asked for {{requested}}.", "word " * 3000),
    "brief": AGENT.replace("    THEN: ask\n", "    THEN: COMPLETE\n"),
}


@pytest.fixture(scope="module")
def projects(live_workbench):
    """A project whose agent lends at most five books, and one whose agent says very much."""
    live_workbench.shell(f"TEXTS = {TEXTS!r}\n{MAKE}")
    return list(TEXTS)


def begin(page: Page, project: str) -> Page:
    page.goto(f"/p/{project}/test/")
    page.get_by_role("button", name="Start a conversation").click()
    settled(page)
    return page


@pytest.fixture
def talk(admin_page, projects):
    """A page with a conversation that has begun."""
    return begin(admin_page, "loans")


@pytest.fixture
def beside(talk, context):
    """A second page with the same conversation."""
    other = context.new_page()
    other.goto(talk.url)
    expect(other.locator("[data-connection][data-state=passed]")).to_be_attached()
    return other


def test_f8_passes_over_an_input_that_was_not_accepted(talk):
    say(talk, "none at all", 1)
    say(talk, "3", 2)
    failed = failed_step(talk)
    talk.locator("#trace-turn-1 > summary").click()
    talk.locator("#trace-turn-1 .event[data-state=warned]").filter(has_text="not accepted").click()
    expect(talk.locator("#step .badge").first).to_contain_text("not accepted")
    expect(talk).not_to_have_url(failed)
    talk.keyboard.press("F8")
    expect(talk).to_have_url(failed)
    talk.keyboard.press("Shift+F8")  # it is the only failure
    expect(talk).to_have_url(failed)


def test_a_turn_that_was_told_before_the_script_of_the_trace_began_is_shown(admin_page, projects):
    page, held = admin_page, []

    def hold(route):
        held.append(route)

    page.route(re.compile(r"/trace(\.\w+)?\.js"), hold)
    page.goto("/p/loans/test/")
    page.get_by_role("button", name="Start a conversation").click(no_wait_after=True)
    expect(page.locator("#chat-turn-0[data-status=done]")).to_be_attached()
    held[0].continue_()
    settled(page)


def test_a_turn_that_was_done_while_the_page_was_drawn_is_shown(talk):
    """The step was looked up before the turn was done, the trace after it."""
    address = talk.url.partition("events/")[0]

    def drawn_meanwhile(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'data-seq="\d+"', 'data-seq=""', answer.text()))

    talk.route(address, drawn_meanwhile)
    talk.goto(address)
    settled(talk)
    # Not only the frame: the step that was selected later than the page was drawn is told in full.
    expect(talk.locator("#stepper[data-seq]:not([data-seq=''])")).to_be_attached()
    expect(talk.locator("#trace .event[aria-current=step]")).to_be_visible()


def test_enter_in_the_fields_of_a_value_sets_it_and_moves_no_clock(admin_page, projects):
    page = admin_page
    page.goto("/p/loans/test/")
    page.locator("select[name=clock_mode]").select_option("fixed")
    page.get_by_role("button", name="Start a conversation").click()
    settled(page)
    page.get_by_text("Set a value").click()
    page.get_by_label("Variable name").fill("open_loans")
    page.get_by_label("Value, as JSON or text").fill("1")
    page.get_by_label("Value, as JSON or text").press("Enter")
    expect(page.locator("#chat-turn-1[data-status=done]")).to_contain_text("open_loans = 1")
    page.get_by_role("button", name="+1d").click()
    expect(page.locator("#chat-turn-2[data-status=done]")).to_contain_text("Time passed")


def test_the_way_back_does_not_lead_through_every_message(talk):
    say(talk, "3", 1)
    failed = failed_step(talk)
    say(talk, "1", 2)
    expect(talk).not_to_have_url(failed)
    talk.go_back()
    expect(talk).to_have_url(re.compile(r"/p/loans/test/$"))


def test_a_message_of_blanks_is_not_sent(talk):
    field = talk.get_by_label("Message as")
    field.fill("   ")
    field.press("Enter")
    say(talk, "1", 1)
    expect(talk.locator(".bubble--user")).to_have_text(["1"])


def test_a_message_that_is_too_long_is_refused_and_stays(talk):
    field = talk.get_by_label(re.compile("^Message as"))
    field.fill("1 " * 10_001)
    field.press("Enter")
    expect(talk.locator("[data-unsent-text]")).to_contain_text("20,001 characters; 20,000 are allowed")
    assert len(field.input_value()) == 20_002


def test_when_the_session_has_ended_the_way_on_is_another_conversation(admin_page, projects):
    page = begin(admin_page, "brief")
    say_last(page, "1")
    composer = page.locator("[data-composer]")
    expect(composer.get_by_role("link", name="Start a new one")).to_be_visible()
    expect(composer.get_by_role("button")).to_have_count(0)
    expect(composer.locator("textarea")).to_be_hidden()


def say_last(page: Page, text: str) -> None:
    """Say what ends the session."""
    field = page.get_by_label(re.compile("^Message as"))
    field.fill(text)
    field.press("Enter")


def test_a_conversation_that_somebody_deletes_says_so_and_takes_no_message(talk, beside, live_workbench):
    number = int(talk.url.split("/test/")[1].split("/")[0])
    with live_workbench.client() as client:
        assert client.delete(f"/api/v1/projects/loans/conversations/{number}/").status_code == 204
    for page in (talk, beside):
        expect(page.locator("[data-connection]")).to_contain_text("This conversation was deleted")
        expect(page.locator("#say")).to_be_disabled()


def test_a_turn_of_the_chat_leads_to_its_steps(talk):
    say(talk, "3", 1)
    failed = failed_step(talk)
    say(talk, "1", 2)
    expect(talk).not_to_have_url(failed)
    talk.get_by_role("link", name="Turn 1", exact=True).click()
    expect(talk).to_have_url(failed)
    expect(talk.locator("[data-turn-to='1']")).to_have_attribute("aria-current", "true")


def test_turns_of_two_pages_stand_in_their_order_on_both(talk, beside):
    for page, text in ((talk, "1"), (beside, "2")):
        page.get_by_label("Message as").fill(text)
    for page in (talk, beside):
        page.get_by_label("Message as").press("Enter")
    for page in (talk, beside):
        for turn in (1, 2):
            expect(page.locator(f"#trace-turn-{turn}[data-status=done]")).to_be_attached()
        turns = page.locator("#trace .turn")
        assert turns.evaluate_all("all => all.map(each => each.dataset.turn)") == ["0", "1", "2"]


def test_steps_that_another_page_adds_can_be_walked_to(talk, beside):
    talk.locator("#trace .event").last.click()
    expect(talk.get_by_role("button", name="Last step")).to_be_disabled()
    here = talk.url
    say(beside, "1", 1)
    expect(talk.locator("#stepper a[data-step=after]")).to_be_visible()
    expect(talk).to_have_url(here)
    talk.locator("#trace").press("j")
    expect(talk).not_to_have_url(here)


def test_a_link_in_the_step_that_is_followed_by_the_keyboard_keeps_the_focus_there(talk):
    say(talk, "3", 1)
    failed = failed_step(talk)
    link = talk.locator("#step [data-step-to]").first
    link.focus()
    talk.keyboard.press("Enter")
    expect(talk).not_to_have_url(failed)
    expect(talk.locator("#step .pane-body")).to_be_focused()


def test_a_long_reply_scrolls_in_a_box_of_its_own(admin_page, projects):
    page = begin(admin_page, "wordy")
    say(page, "1", 1)
    bubble = page.locator("#chat-turn-1[data-status=done] .bubble--agent.is-long")
    expect(bubble).to_be_visible()
    assert bubble.evaluate("node => node.clientHeight") < 400
    assert bubble.evaluate("node => node.scrollHeight") > 400


def test_a_message_is_shown_as_text_in_the_direction_of_its_script(talk):
    text = "مرحبا <b>1</b> 👩‍👩‍👧"
    say(talk, text, 1)
    bubble = talk.locator("#chat-turn-1 .bubble--user")
    expect(bubble).to_have_text(text)
    assert bubble.evaluate("node => getComputedStyle(node).direction") == "rtl"


def save(page: Page) -> None:
    """Save the text of the editor and wait until that is done."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith(".abl")) as saved:
        page.keyboard.press("Control+s")
    assert saved.value.ok, saved.value.text()
    expect(page.locator("#draft-state")).to_contain_text(f"Saved, revision {saved.value.json()['revision']}")


def test_a_start_that_was_refused_is_told_anew_after_the_text_was_mended(admin_page, projects):
    page = admin_page
    page.goto("/p/wordy/edit/desk.agent.abl")
    expect(page.locator("#test-panel form")).to_be_visible()
    code = page.locator(".cm-content")
    code.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nMEMORY:")
    expect(page.locator("#status-counts")).to_contain_text(re.compile(r"\d error"))
    save(page)
    page.get_by_label("User ID").fill("ines")
    page.get_by_role("button", name="Start a conversation").click()
    refused = page.locator("#refused")
    expect(refused.locator("code").first).to_have_text("MEMORY")
    code.focus()
    for _ in "\nMEMORY:":
        page.keyboard.press("Backspace")
    expect(page.locator("#status-counts")).not_to_contain_text(re.compile(r"\d error"))
    save(page)
    expect(refused).to_have_count(0)
    expect(page.get_by_label("User ID")).to_have_value("ines")
    page.get_by_role("button", name="Start a conversation").click()
    expect(page.locator("#chat-turn-0[data-status=done]")).to_be_attached()
