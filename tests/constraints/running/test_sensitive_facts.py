"""Facts that are sensitive by their row, not by the agent that runs: no conversation tells what they hold (03 §3)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from constraints.conversations import services
from constraints.models import Conversation, TraceEvent
from memory.blocks.selectors import block_find
from memory.blocks.services import block_put
from memory.facts.services import fact_delete, fact_put
from memory.lists.paging import fact_page
from memory.lists.query import FactQuery
from memory.models import Fact, FactChange
from tests.factories import DocumentFactory, ProjectFactory

pytestmark = pytest.mark.django_db

PEEK = """AGENT: Peek
GOAL: "Look"

MEMORY:
  session:
    - word
  persistent:
    - user.pin
      SCOPE: user
    - user.card
      SCOPE: user
    - user.copy
      SCOPE: user
    - user.trip
      SCOPE: user
      DOMAIN: travel
  remember:
    - WHEN: user.pin IS SET
      STORE: "pin " + user.pin -> user.copy
    - WHEN: word IS SET
      STORE: word -> user.note
    - WHEN: word IS SET
      STORE: word -> user.trip
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.pin, user.card]

FLOW:
  entry_point: hold
  steps:
    - hold
  hold:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - IF: input startsWith "card "
        SET: user.card = SUBSTRING(input, 5)
        RESPOND: "Kept."
      - IF: input startsWith "pin "
        SET: user.pin = SUBSTRING(input, 4)
        RESPOND: "Kept."
      - ELSE:
        SET: word = input
        RESPOND: "{{user.pin}} and {{user.copy}}"
"""
VAULT = """AGENT: Vault
GOAL: "Keep"

MEMORY:
  persistent:
    - user.card
      SENSITIVE: true
"""
PIN, CARD = "PIN-7391", "4222 2222 2222 2222"


@pytest.fixture
def project(db):
    found = ProjectFactory(name="Library", slug="library", settings={"entry": "Peek"})
    DocumentFactory(project=found, path="peek.agent.abl", text=PEEK)
    DocumentFactory(project=found, path="vault.agent.abl", text=VAULT)
    return found


@pytest.fixture
def talk(project, owner):
    """A conversation of the user u-17 with Peek, in which these messages were said."""

    def run(*messages):
        found = services.conversation_start(project=project, started_by=owner, user="u-17", entry="Peek")
        for text in messages:
            services.turn_post(conversation=found, author=owner, kind="say", data={"text": text})
        for turn in found.turns.filter(status="queued").order_by("index"):
            assert services.turn_run(turn_id=turn.pk) == "done", turn.error
        return found

    return run


@pytest.fixture
def pin(project):
    """A fact that a person wrote and said to be sensitive."""
    return fact_put(project=project, scope="user", owner="u-17", path="user.pin", value=PIN, sensitive=True)


def told(conversation):
    """All that is kept of a conversation for its readers."""
    events = TraceEvent.objects.filter(conversation=conversation).values_list("data", flat=True)
    turns = conversation.turns.values_list("input", "replies")
    return json.dumps([list(events), list(turns)], default=str)


def fact(path):
    return Fact.objects.get(path=path)


def test_a_fact_that_a_person_made_sensitive_is_in_clear_in_no_event_and_no_reply(talk, pin):
    found = told(talk("hello"))
    assert PIN not in found
    assert "7391" not in found
    assert "[REDACTED]" in found


def test_a_copy_of_it_is_stored_sensitive_and_stays_masked_without_its_origin(talk, pin, project):
    talk("hello")
    assert fact("user.copy").value == f"pin {PIN}"
    assert fact("user.copy").sensitive
    assert PIN not in FactChange.objects.get(path="user.copy", kind="write").value
    fact_delete(project=project, pk=pin.pk)
    assert "7391" not in told(talk("hello"))


def test_a_new_value_that_a_conversation_gives_it_is_masked_and_sensitive(talk, pin):
    found = talk("pin 88-new-88")
    assert "88-new-88" not in told(found)
    assert (fact("user.pin").value, fact("user.pin").sensitive) == ("88-new-88", True)
    assert "88-new-88" not in FactChange.objects.filter(path="user.pin").order_by("-seq")[0].value


def test_a_path_that_another_agent_of_the_project_declares_sensitive_is_masked(talk):
    assert CARD not in told(talk(f"card {CARD}"))
    assert fact("user.card").sensitive
    assert CARD not in told(talk("hello"))


def test_a_value_with_a_secret_in_it_is_stored_sensitive_and_sleeps_nowhere(talk, pin, project):
    block_put(
        project=project, owner="u-17", block_type="archival", content="- user.note: old\n- likes tea", expected=None
    )
    found = talk(f"it is {PIN}, please")
    assert PIN not in told(found)
    assert fact("user.note").sensitive
    Conversation.objects.filter(pk=found.pk).update(unsettled_since=timezone.now() - timedelta(hours=1))
    assert services.conversations_settle() == 1
    assert block_find(project=project, owner="u-17", block_type="archival").content == "- likes tea"


def test_a_value_without_one_is_not(talk, pin):
    talk("tea")
    assert not fact("user.note").sensitive


def test_the_domain_of_a_declaration_finds_its_facts(talk, project):
    talk("Graz")
    assert fact("user.trip").tag == "travel"
    assert fact("user.note").tag == ""
    page = fact_page(project=project, query=FactQuery.read({"domain": "travel"}), now=timezone.now())
    assert [found.path for found in page.facts] == ["user.trip"]
