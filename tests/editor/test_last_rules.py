"""How each rule went in the last test conversation is told for the lines of the open text."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import DocumentFactory, ProjectFactory, sign_in
from tests.talks import library, talked

pytestmark = pytest.mark.django_db

DESK = """AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - wanted
      TYPE: number
      INITIAL: 1
CONSTRAINTS:
  lending:
    - LIMIT wanted <= 3
      ON_FAIL: "At most three."
    - REQUIRE wanted > 0
      WHEN: wanted > 100
      ON_FAIL: "At least one."
  talking:
    - WARN wanted < 2
      ON_FAIL: "Many."
FLOW:
  entry_point: ask
  steps: [ask]
  ask:
    REASONING: false
    RESPOND: "How many?"
    ON_INPUT:
      - IF: input != ""
        SET: wanted = TO_NUMBER(input)
        THEN: ask
"""
OTHER = 'AGENT: Other\nGOAL: "x"\nCONSTRAINTS:\n  lending:\n    - LIMIT wanted <= 3\n      ON_FAIL: "No."\n'


@pytest.fixture
def project(db):
    return library(desk=DESK, other=OTHER)


@pytest.fixture
def say(project, owner):
    """Messages of a new conversation with Desk that runs at once; gives its number."""

    def talk(*messages):
        return talked(project, owner, *messages, entry="Desk").number

    return talk


def told(person, text=DESK, path="desk.agent.abl"):
    address = reverse("editor:rules", args=["library", path])
    answer = sign_in(Client(), person).post(address, json.dumps({"text": text}), content_type="application/json")
    assert answer.status_code == 200, answer.content
    return answer.json()["rules"]


def worded(*arguments):
    return [(rule["line"], rule["state"], rule["text"]) for rule in told(*arguments)]


def test_before_any_run_nothing_is_told(owner, project):
    assert told(owner) == []


def test_each_rule_has_its_outcomes_worst_first(owner, project, say):
    say("2", "5")
    words = {line: (state, text) for line, state, text in worded(owner)}
    assert words[10][0] == "failed"
    assert words[10][1].startswith("1 failed, ")
    assert words[12][0] == "gated"
    assert words[12][1].startswith("2 gated")
    assert words[16][0] == "warned"


def test_words_lead_to_the_step_that_failed(owner, project, say):
    number = say("5", "1")
    rule = next(rule for rule in told(owner) if rule["line"] == 10)
    assert rule["address"].startswith(f"/p/library/test/{number}/events/")
    page = sign_in(Client(), owner).get(rule["address"])
    assert page.status_code == 200
    assert "At most three." in page.content.decode()


def test_a_rule_is_found_by_what_it_says_and_not_by_its_line(owner, project, say):
    say("2")
    moved = DESK.replace("CONSTRAINTS:\n", "# Rules\n\nCONSTRAINTS:\n")
    assert [line for line, _, _ in worded(owner, moved)] == [line + 2 for line, _, _ in worded(owner)]
    changed = DESK.replace("wanted <= 3", "wanted <= 4").replace("WHEN: wanted > 100", "WHEN: wanted > 99")
    assert [line for line, _, _ in worded(owner, changed)] == [16]


def test_only_the_newest_run_counts(owner, project, say):
    say("5")
    say("1")
    assert worded(owner)[0][1:] == ("passed", worded(owner)[0][2])


def test_another_agent_and_another_project_are_not_meant(owner, project, say):
    say("2")
    assert told(owner, OTHER, "other.agent.abl") == []
    other = ProjectFactory(name="Elsewhere", slug="elsewhere")
    DocumentFactory(project=other, path="desk.agent.abl", text=DESK)
    answer = sign_in(Client(), owner).post(
        reverse("editor:rules", args=["elsewhere", "desk.agent.abl"]),
        json.dumps({"text": DESK}),
        content_type="application/json",
    )
    assert answer.status_code == 404 or answer.json()["rules"] == []


@pytest.mark.parametrize("text", ["", "AGENT", DESK[:200], DESK.replace("CONSTRAINTS:", "CONSTRAINTS: ["), "{" * 500])
def test_any_text_is_answered(owner, project, say, text):
    say("2")
    assert isinstance(told(owner, text), list)


def test_a_scenario_has_no_rules(owner, project, say):
    say("2")
    DocumentFactory(project=project, path="a.scenario.yaml", text="scenario: a\n", kind="scenario")
    assert told(owner, DESK, "a.scenario.yaml") == []
