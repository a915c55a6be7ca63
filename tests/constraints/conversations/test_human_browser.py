"""The tester ends the human's part of an escalation, with the worker of the product."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.constraints.conversation import say, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AGENT = """AGENT: Desk
GOAL: "Lend books"
ESCALATE:
  triggers:
    - WHEN: input == "help"
      REASON: "The reader asks"
  on_human_complete:
    - IF: human.resolved
      RESPOND: "Solved: {{human.note}}"
    - ELSE:
      RESPOND: "Not solved."
FLOW:
  ask:
    REASONING: false
    RESPOND: "How can I help?"
    ON_INPUT:
      - IF: input == "thanks"
        RESPOND: "You are welcome."
"""
MAKE = """
from editor import services
from editor.models import Project, User
owner = User.objects.get(username="admin")
if not Project.objects.filter(slug="humans").exists():
    project = services.project_create(user=owner, name="Humans", slug="humans", description="")
    services.document_create(project=project, user=owner, path="desk.agent.abl", text=TEXT, message="")
"""


@pytest.fixture(scope="module")
def humans(live_workbench):
    """A project whose agent hands over to a human."""
    live_workbench.shell(f"TEXT = {AGENT!r}\n{MAKE}")
    return "humans"


@pytest.fixture
def talk(admin_page, humans):
    """A page with a conversation that has begun."""
    admin_page.goto(f"/p/{humans}/test/")
    admin_page.get_by_role("button", name="Start a conversation").click()
    settled(admin_page)
    return admin_page


@pytest.mark.parametrize(
    ("button", "note", "reply"),
    [("Mark as resolved", "by phone", "Solved: by phone"), ("Mark as unresolved", "", "Not solved.")],
)
def test_the_tester_ends_the_part_of_the_human(talk, button, note, reply):
    expect(talk.locator("[data-human]")).to_have_count(0)
    say(talk, "help", 1)
    human = talk.locator("#chat-turn-1 [data-human]")
    expect(human).to_contain_text("Handed to a human agent")
    human.get_by_label("Note").fill(note)
    human.get_by_role("button", name=button, exact=True).click()
    expect(talk.locator("#chat-turn-2[data-status=done]")).to_be_attached()
    expect(talk.locator("#chat-turn-2")).to_contain_text("Returned by the human agent")
    expect(talk.locator("#chat-turn-2")).to_contain_text(reply)
    expect(talk.locator("#chat-turn-1 [data-human]")).to_be_hidden()
    expect(talk.locator("#chat-turn-2 [data-human]")).to_have_count(0)
    settled(talk)
    say(talk, "thanks", 3)
    expect(talk.locator("#chat-turn-3")).to_contain_text("You are welcome.")


ADD = """status => {
  const turn = document.querySelector("#chat-turn-1").cloneNode(false);
  turn.id = "added"; turn.dataset.status = status;
  document.querySelector("#chat-turn-1").after(turn);
}"""


@pytest.mark.parametrize(("status", "offered"), [("failed", True), ("cancelled", True), ("done", False)])
def test_the_last_turn_that_counts_offers_the_end(talk, status, offered):
    say(talk, "help", 1)
    human = talk.locator("#chat-turn-1 [data-human]")
    expect(human).to_be_visible()
    talk.evaluate(ADD, status)
    expect(human).to_be_visible(visible=offered)
