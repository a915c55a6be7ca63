"""The editor tells the last value that a test conversation gave a name, and masks it as the open text asks for."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from constraints.traces.last_seen import last_value
from editor.ports import LastValue
from tests.factories import ProjectFactory, sign_in
from tests.talks import library, talked

pytestmark = pytest.mark.django_db

DESK = """AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - count
      INITIAL: 1
  persistent:
    - user.card
      SCOPE: user
FLOW:
  entry_point: ask
  steps: [ask]
  ask:
    REASONING: false
    RESPOND: "Yes?"
    ON_INPUT:
      - IF: input == "drop"
        CLEAR: [count]
        THEN: ask
      - ELSE:
        SET:
          count = count + 1
          user.card = input
        THEN: ask
"""
OTHER = 'AGENT: Other\nGOAL: "x"\nMEMORY:\n  session:\n    - count\n'


@pytest.fixture
def project(db):
    return library(desk=DESK, other=OTHER)


@pytest.fixture
def say(project, owner):
    """Messages of a new conversation that runs at once; gives its number."""

    def talk(*messages, entry="Desk"):
        return talked(project, owner, *messages, entry=entry).number

    return talk


def hovered(person, mark, text=DESK, path="desk.agent.abl"):
    """What the page is told about the place behind a mark."""
    before = text[: text.index(mark) + len(mark)]
    place = {"line": before.count("\n") + 1, "column": len(before) - before.rfind("\n")}
    address = reverse("editor:hover", kwargs={"slug": "library", "path": path})
    client = sign_in(Client(), person)
    answer = client.post(address, json.dumps({"text": text, **place}), content_type="application/json")
    return answer.json()["about"]["text"].split("\n")


def test_the_newest_conversation_tells(owner, say):
    assert not any("last seen" in line for line in hovered(owner, "    - cou"))
    say("4111 1111 1111 1111")
    number = say("a", "b", "c")
    assert hovered(owner, "    - cou")[-1] == f"last seen: 4 (conversation {number}, turn 3)"
    assert hovered(owner, "- user.ca")[-1] == f'last seen: "c" (conversation {number}, turn 3)'


def test_a_conversation_in_which_nothing_happened_to_a_name_leaves_it_to_the_one_before(owner, say, project):
    first = say("a")
    say(entry="Other")
    assert last_value(project.pk, "Desk", "count", False) == LastValue(2, first, 1)


def test_the_same_name_of_another_agent_is_another_variable(owner, say, project):
    say("a")
    assert last_value(project.pk, "Other", "count", False) is None
    assert "last seen" not in hovered(owner, "    - cou", OTHER, "other.agent.abl")[-1]


def test_a_value_that_was_taken_away_says_so(owner, say):
    number = say("a", "drop")
    assert hovered(owner, "    - cou")[-1] == f"last seen: no value (conversation {number}, turn 2)"


@pytest.mark.parametrize(
    ("display", "shown"),
    [
        ("", '"[REDACTED]"'),
        ("      SENSITIVE_DISPLAY: mask\n      MASK_CONFIG: {showLast: 4}\n", '"***************1111"'),
    ],
)
def test_what_the_open_text_declares_sensitive_is_masked_at_once(owner, say, display, shown):
    number = say("4111 1111 1111 1111")
    text = DESK.replace("SCOPE: user\n", f"SCOPE: user\n      SENSITIVE: true\n{display}")
    assert hovered(owner, "- user.ca", text)[-1] == f"last seen: {shown} (conversation {number}, turn 1)"


def test_a_long_value_is_cut(owner, say):
    say("x" * 1_000)
    assert len(hovered(owner, "- user.ca")[-1]) < 220


def test_nobody_hears_of_the_conversations_of_other_projects(project, owner, say):
    say("a")
    other = ProjectFactory(slug="elsewhere")
    assert last_value(other.pk, "Desk", "count", False) is None
