"""What is sensitive in the input of a turn is masked wherever the turn is shown, before and after it ran."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from constraints.conversations import services
from constraints.models import Conversation, Turn
from memory.facts.services import fact_put
from tests.factories import DocumentFactory, ProjectFactory

pytestmark = pytest.mark.django_db

AGENT = """AGENT: Vault
GOAL: "Keep a card"

MEMORY:
  session:
    - name: note
      type: string
  persistent:
    - path: user.card
      TYPE: string
      SENSITIVE: true
      SENSITIVE_DISPLAY: mask
    - path: user.profile
      TYPE: object
    - path: user.profile.ssn
      TYPE: string
      SENSITIVE: true

FLOW:
  entry_point: ask
  steps:
    - ask
    - hold
  ask:
    REASONING: false
    GATHER:
      - pin: required
        type: string
        prompt: "Your pin?"
        sensitive: true
    THEN: hold
  hold:
    REASONING: false
    RESPOND: "Your card?"
    ON_INPUT:
      - ELSE:
        SET: user.card = input
        RESPOND: "Kept {{user.card}}."
"""
CARD = "4111 1111 1111 1111"


@pytest.fixture
def project(db):
    found = ProjectFactory(name="Library", slug="library")
    DocumentFactory(project=found, path="vault.agent.abl", text=AGENT)
    return found


@pytest.fixture
def talk(project, owner):
    """A conversation whose agent asks for a pin."""
    found = services.conversation_start(project=project, started_by=owner, user="u-17")
    services.turn_run(turn_id=found.turns.get().pk)
    return found


@pytest.fixture
def client(owner):
    found = Client()
    found.force_login(owner)
    return found


def queue(talk, owner, kind, **data):
    return services.turn_post(conversation=talk, author=owner, kind=kind, data=data)[0]


def run(turn):
    services.turn_run(turn_id=turn.pk)
    turn.refresh_from_db()
    assert turn.status == "done", turn.error
    return turn


def everything_shown(client, talk):
    """What a member can read of a conversation, on every page and by every address."""
    number = talk.number
    names = [("conversation", []), ("export", []), ("panel", [])]
    for turn in talk.turns.all():
        names += [("turn-chat", [turn.index]), ("turn-events", [turn.index])]
    pages = [
        client.get(
            reverse(f"constraints:{n}", args=["library", *([number] if n != "panel" else []), *more]),
            {"number": number} if n == "panel" else {},
        )
        for n, more in names
    ]
    pages += [client.get(reverse(f"api-{n}", args=["library", number])) for n in ("turns", "events")]
    assert {page.status_code for page in pages} == {200}
    return "\n".join(page.content.decode() for page in pages)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("pin", "77-secret-77", "[REDACTED]"),
        ("user.card", CARD, "***************1111"),
        ("user.profile.ssn", "078-05-1120", "[REDACTED]"),
        ("user.profile", {"ssn": "078-05-1120", "city": "Graz"}, {"ssn": "[REDACTED]", "city": "Graz"}),
        ("note", "plain", "plain"),
        ("note", "x" * 3000, "x" * 3000),
    ],
)
def test_a_value_that_was_set_is_masked_as_its_name_is_declared(talk, owner, name, value, shown):
    assert run(queue(talk, owner, "set", name=name, value=value)).input == {"name": name, "value": shown}


@pytest.mark.parametrize("value", ["77-secret-77", {"text": "77-secret-77"}])
def test_a_click_whose_value_a_sensitive_field_took_is_masked(talk, owner, value):
    run(queue(talk, owner, "set", name="pin", value="77-secret-77"))
    masked = "[REDACTED]" if isinstance(value, str) else {"text": "[REDACTED]"}
    assert run(queue(talk, owner, "act", id="send", value=value)).input == {"id": "send", "value": masked}


def test_a_message_that_went_into_a_sensitive_fact_is_masked_in_the_turn_and_in_its_trace(talk, owner, client):
    run(queue(talk, owner, "say", text="my pin"))
    turn = run(queue(talk, owner, "say", text=CARD))
    assert turn.input == {"text": "***************1111"}
    assert turn.replies == ["Kept ***************1111."]
    assert CARD not in everything_shown(client, talk)


def test_while_it_waits_and_when_it_never_runs_no_page_and_no_address_tells_the_value(talk, owner, client):
    waiting = queue(talk, owner, "set", name="user.card", value=CARD)
    assert CARD not in everything_shown(client, talk)
    services.turn_cancel(turn=waiting)
    waiting.refresh_from_db()
    assert waiting.input["value"] == "***************1111"
    assert CARD not in everything_shown(client, talk)


def test_a_turn_that_failed_keeps_no_sensitive_value(talk, owner):
    def fails(task):
        raise ZeroDivisionError

    turn = queue(talk, owner, "set", name="pin", value="77-secret-77")
    assert services.turn_run(turn_id=turn.pk, runner=fails) == Turn.Status.FAILED
    turn.refresh_from_db()
    assert turn.input["value"] == "[REDACTED]"


def test_the_worker_still_gets_the_value(talk, owner):
    run(queue(talk, owner, "set", name="pin", value="77-secret-77"))
    snapshot = json.dumps(talk.turns.get(index=1).snapshot)
    assert "77-secret-77" in snapshot
    assert Conversation.objects.get().turns.count() == 2


STORED = [
    ("user.pin", "user.pin", "77-secret-77"),
    ("user.pin", "user.pin.first", "77-secret-77"),
    ("user.box.pin", "user.box", {"pin": "77-secret-77"}),
]
"""Path of a sensitive fact; name and value that are set."""


@pytest.mark.parametrize("case", STORED)
def test_a_value_of_a_fact_that_is_stored_sensitive_is_masked_while_it_waits(talk, owner, client, case):
    """No agent declares it; somebody said so when the fact was written."""
    stored, name, value = case
    fact_put(project=talk.project, scope="user", owner="u-17", path=stored, value="old", sensitive=True)
    waiting = queue(talk, owner, "set", name=name, value=value)
    assert "77-secret-77" not in everything_shown(client, talk)
    services.turn_cancel(turn=waiting)
    waiting.refresh_from_db()
    assert "77-secret-77" not in json.dumps(waiting.input)


def test_a_sensitive_fact_of_somebody_else_masks_nothing(talk, owner, client):
    fact_put(project=talk.project, scope="user", owner="other", path="user.pin", value="old", sensitive=True)
    queue(talk, owner, "set", name="user.pin", value="77-plain-77")
    assert "77-plain-77" in everything_shown(client, talk)
