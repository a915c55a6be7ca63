"""Variables with ``RESET: never``: what outlives a conversation, what never does, and what goes with a user (03 §2)."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from constraints.conversations import services
from constraints.models import ProcessValue, TraceEvent
from constraints.running.process_values import process_values_keep
from memory.erasure import services as erasure
from memory.facts.services import fact_put
from tests.factories import DocumentFactory, ProjectFactory

pytestmark = pytest.mark.django_db

KEEPER = """AGENT: Keeper
GOAL: "Keep"

MEMORY:
  session:
    - keep
      RESET: never
    - visits
      TYPE: number
      INITIAL: 0
      RESET: never
  persistent:
    - user.pin
      SCOPE: user
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.pin]

FLOW:
  entry_point: hold
  steps:
    - hold
  hold:
    REASONING: false
    RESPOND: "kept {{keep}}, {{visits}}"
    ON_INPUT:
      - IF: input == "pin"
        SET: keep = user.pin
        THEN: hold
      - IF: input == "part"
        SET: keep = {name: "pin", value: user.pin}
        THEN: hold
      - IF: input == "look"
        RESPOND: "It is {{user.pin}}."
      - IF: input == "count"
        SET: visits = visits + 1
        THEN: hold
      - IF: input == "forget"
        CLEAR: [keep]
        THEN: hold
      - IF: input startsWith "keep "
        SET: keep = SUBSTRING(input, 5)
        THEN: hold
      - ELSE:
        THEN: hold
"""
PIN = "zebra-SECRETPIN"


@pytest.fixture
def project(db):
    found = ProjectFactory(name="Library", slug="library", settings={"entry": "Keeper"})
    DocumentFactory(project=found, path="keeper.agent.abl", text=KEEPER)
    return found


@pytest.fixture
def pin(project):
    return fact_put(project=project, scope="user", owner="u-pin", path="user.pin", value=PIN, sensitive=True)


@pytest.fixture
def talk(project, owner):
    """A conversation of a user, a new one or one to continue with, in which these messages were said."""

    def run(*messages, user="u-pin", found=None):
        found = found or services.conversation_start(project=project, started_by=owner, user=user, entry="Keeper")
        for text in messages:
            services.turn_post(conversation=found, author=owner, kind="say", data={"text": text})
        for turn in found.turns.filter(status="queued").order_by("index"):
            assert services.turn_run(turn_id=turn.pk) == "done", turn.error
        return found

    return run


def said(conversation):
    return conversation.turns.order_by("index").last().replies


def told(conversation):
    events = TraceEvent.objects.filter(conversation=conversation).values_list("data", flat=True)
    return json.dumps([list(events), list(conversation.turns.values_list("replies", flat=True))], default=str)


def stored():
    return {kept.name: kept.value for kept in ProcessValue.objects.all()}


def test_a_value_that_is_not_sensitive_reaches_the_conversations_of_others(talk, pin):
    talk("keep hello")
    assert said(talk(user="other-user")) == ["kept hello, 0"]
    assert list(ProcessValue.objects.get(name="keep").sources.values_list("user", flat=True)) == ["u-pin"]


@pytest.mark.parametrize("message", ["pin", "part", f"keep it is {PIN}"])
def test_a_sensitive_one_reaches_nobody_and_the_trace_says_so(talk, pin, message):
    first = talk(message)
    assert PIN not in json.dumps(stored())
    assert PIN not in told(first)
    (note,) = TraceEvent.objects.filter(conversation=first, kind="not_executed")
    assert (note.data["construct"], note.data["name"], note.agent) == ("RESET", "keep", "Keeper")
    assert note.span is not None
    other = talk("x", user="other-user")
    assert said(other) == ["kept , 0"]
    assert PIN not in told(other)


def test_it_stays_in_its_own_conversation_which_says_so_once(talk, pin):
    found = talk("pin")
    talk("x", "y", found=found)
    assert found.turns.order_by("index").last().snapshot["state"]["threads"]["Keeper"]["variables"]["keep"] == PIN
    assert TraceEvent.objects.filter(conversation=found, kind="not_executed").count() == 1


def test_it_takes_the_place_of_what_was_kept_before(talk, pin):
    talk("keep hello")
    talk("pin")
    assert "keep" not in stored()


def test_a_value_that_turns_out_to_be_sensitive_later_goes(talk, project):
    found = talk(f"keep {PIN}")
    assert stored()["keep"] == PIN
    fact_put(project=project, scope="user", owner="u-pin", path="user.pin", value=PIN, sensitive=True)
    talk("look", found=found)
    assert "keep" not in stored()


def test_a_conversation_writes_only_what_it_changed(talk):
    old = talk("keep one", user="a")
    talk("keep two", user="b")
    talk("x", found=old)
    assert stored()["keep"] == "two"
    talk("forget", found=old)
    assert "keep" not in stored()


def test_with_a_user_goes_what_conversations_with_that_user_wrote(talk, project, owner):
    talk("keep mine", "count", user="ines")
    open_still = talk("x", user="noor")
    talk("count", user="noor")
    assert stored() == {"keep": "mine", "visits": 2}
    assert erasure.erasable(project=project, owner="ines")["process_values"] == 2
    receipt = erasure.erase_owner(project=project, owner="ines", actor=owner, reason="request 12")
    assert (receipt.finished_at is not None, receipt.counts["process_values"]) == (True, 2)
    assert ("kept variables", 2) in erasure.counted(receipt.counts)
    assert stored() == {}
    # A conversation that read them before does not bring them back.
    talk("y", found=open_still)
    assert stored() == {}
    assert said(talk(user="other-user")) == ["kept , 0"]


def test_what_others_wrote_alone_stays(talk, project, owner):
    talk("keep mine", user="noor")
    found = talk("x", user="ines")
    process_values_keep(conversation=found, values={"Keeper.extra": 1})
    assert stored() == {"keep": "mine", "extra": 1}
    erasure.erase_owner(project=project, owner="ines", actor=owner, reason="request 12")
    assert stored() == {"keep": "mine"}


def test_the_admin_names_the_writers_and_shows_no_value(talk, admin_client):
    talk("keep hello-from-ines", user="ines")
    kept = ProcessValue.objects.get(name="keep")
    pages = [
        reverse("admin:constraints_processvalue_change", args=[kept.pk]),
        reverse("admin:constraints_processvalue_changelist") + "?q=ines",
    ]
    for page in pages:
        body = admin_client.get(page).content.decode()
        assert "string, not shown" in body
        assert "hello-from-ines" not in body
    assert ">ines<" in admin_client.get(pages[0]).content.decode()
