"""The human's part of an escalation on the pages of a conversation: who may end it, when, and how often."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from constraints.conversations import services
from constraints.models import Turn
from tests.constraints.conftest import ROLES
from tests.factories import DocumentFactory, ProjectFactory, members_of

pytestmark = pytest.mark.django_db

AGENT = """AGENT: Desk
GOAL: "Lend books"
ESCALATE:
  triggers:
    - WHEN: input == "help"
  on_human_complete:
    - IF: human.resolved
      RESPOND: "Solved: {{human.note}}"
      THEN: COMPLETE
    - ELSE:
      RESPOND: "Not solved."
FLOW:
  ask:
    REASONING: false
    ON_INPUT:
      - IF: input == "thanks"
        RESPOND: "You are welcome."
"""
OFFER = "Handed to a human agent"
BUTTON = "Mark as resolved"


@pytest.fixture
def project():
    found = ProjectFactory(slug="humans")
    DocumentFactory(project=found, path="desk.agent.abl", text=AGENT)
    return found


@pytest.fixture
def people(project):
    return members_of(project, ROLES)


@pytest.fixture
def talk(project, people):
    """A conversation in which a reader has asked for help."""
    found = services.conversation_start(project=project, started_by=people["owner"], user="u-17")
    services.turn_run(turn_id=found.turns.get().pk)
    said(found, people, "help")
    return found


def ran(turn):
    services.turn_run(turn_id=turn.pk)
    turn.refresh_from_db()
    return turn


def said(talk, people, text):
    turn, _ = services.turn_post(conversation=talk, author=people["owner"], kind="say", data={"text": text})
    return ran(turn)


def ended(talk, person, **form):
    """The form of the page, sent by a person: the answer of the server."""
    client = Client()
    client.force_login(person)
    address = reverse("constraints:turn-create", args=["humans", talk.number])
    return client.post(address, {"kind": "act", "id": "human.done", **form}, headers={"Accept": "application/json"})


def shown(talk, person):
    """The last turn as a person sees it."""
    client = Client()
    client.force_login(person)
    last = talk.turns.order_by("index").last()
    return client.get(reverse("constraints:turn-chat", args=["humans", talk.number, last.index])).content.decode()


def test_who_may_test_has_the_buttons_and_a_viewer_only_reads(talk, people):
    for role in ("owner", "editor", "reviewer"):
        assert BUTTON in shown(talk, people[role])
    page = shown(talk, people["viewer"])
    assert OFFER in page
    assert BUTTON not in page


def test_a_viewer_cannot_end_the_part_of_the_human(talk, people):
    assert ended(talk, people["viewer"], resolved="true").status_code == 403
    assert talk.turns.count() == 2


def test_each_escalation_has_its_own_end(talk, people):
    assert ended(talk, people["reviewer"], resolved="false").status_code == 202
    assert ran(talk.turns.order_by("index").last()).replies == ["Not solved."]
    assert OFFER not in shown(talk, people["owner"])
    said(talk, people, "thanks")
    said(talk, people, "help")
    assert BUTTON in shown(talk, people["owner"])
    ended(talk, people["owner"], resolved="true", note=" by phone ")
    last = ran(talk.turns.order_by("index").last())
    assert last.replies == ["Solved: by phone"]
    assert last.ended
    assert OFFER not in shown(talk, people["owner"])
    assert ended(talk, people["owner"], resolved="true").status_code == 409


def test_what_is_said_set_or_waited_for_meanwhile_leaves_it_with_the_human(talk, people):
    assert said(talk, people, "are you there").replies == []
    for kind, data in (("set", {"name": "x", "value": 1}), ("act", {"id": "b", "value": "c"})):
        turn, _ = services.turn_post(conversation=talk, author=people["owner"], kind=kind, data=data)
        assert ran(turn).waiting == "human"
    assert BUTTON in shown(talk, people["owner"])


def test_a_second_end_of_one_escalation_fails_and_says_why(talk, people):
    ended(talk, people["owner"], resolved="false")
    ran(talk.turns.order_by("index").last())
    ended(talk, people["owner"], resolved="false")
    last = ran(talk.turns.order_by("index").last())
    assert last.status == Turn.Status.FAILED
    assert last.error["message"] == "no human has the conversation"


def test_a_value_that_is_no_object_is_refused(talk, people):
    data = {"id": "human.done", "value": "yes"}
    turn, _ = services.turn_post(conversation=talk, author=people["owner"], kind="act", data=data)
    assert ran(turn).error["message"].startswith("human.done: the value is an object")
