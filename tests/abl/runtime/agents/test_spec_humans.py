"""Escalations that end, and what a project says for its scenarios (docs/spec 09 §7, 12 §3)."""

import pytest

from abl.runtime import load_scenario, run_scenario
from abl.runtime.scenarios.files import ScenarioError
from abl.runtime.scenarios.scripted import ScriptedModel
from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("humans")
def test_a_sentence_on_humans(files, scenario):
    assert_case(files, scenario)


def test_the_human_cannot_finish_what_none_has():
    run = session('FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    RESPOND: "Hi."\n')
    run.start()
    with pytest.raises(ValueError, match="no human has the conversation"):
        run.human_done({"resolved": True})


def test_a_scenario_that_expects_a_human_where_there_is_none_fails():
    files = {"d.agent.abl": 'AGENT: Desk\nGOAL: "g"\n'}
    result = run_scenario({"scenario": "s", "turns": [{"human": {"resolved": True}}]}, files)
    assert [failure.what for failure in result.failures] == ["human"]


TO_HUMAN = """GUARDRAILS:
  data:
    kind: input
    check: abl.contains_pii(input)
    action: redact
ESCALATE:
  triggers:
    - WHEN: input == "human"
      REASON: "asked for"
  on_human_complete:
    - CONTINUE
"""


def test_a_message_to_the_human_is_kept_and_shown():
    model = Steps("Welcome back.")
    run = session(TO_HUMAN, model=model)
    run.start()
    run.say("human")
    turn = run.say("my mail is ada@example.org")
    assert turn.replies == []
    assert [told["text"] for told in events_of(turn, "human.message")] == ["my mail is [REDACTED]"]
    assert events_of(turn, "not_executed") == []
    run.act("human.done", {"resolved": True})
    run.say("thanks")
    assert "my mail is [REDACTED]" in [said["text"] for said in model.requests[0]["messages"]]


AGENT = """AGENT: {name}
GOAL: "Lend"
TOOLS:
  find(n: number) -> {{m: number}}
    description: "Finds"
  price(n: number) -> {{m: number}}
    description: "Prices"
FLOW:
  entry_point: a
  a:
    REASONING: false
    CALL: find(n=1)
      AS: f
    CALL: price(n=1)
      AS: p
    RESPOND: "{name} {{{{f.m}}}} {{{{p.m}}}}"
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.yaml").write_text(
        "entry: Two\ntools:\n  find: [{result: {m: 1}}]\n  price: [{result: {m: 2}}]\n"
    )
    below = tmp_path / "agents"
    below.mkdir()
    for name in ("One", "Two"):
        (below / f"{name.lower()}.agent.abl").write_text(AGENT.format(name=name))
    return below


def replies(project, text):
    (project / "s.scenario.yaml").write_text(text)
    scenario, files = load_scenario(project / "s.scenario.yaml")
    return run_scenario(scenario, files).turns[0].replies


def test_a_project_gives_its_scenarios_an_entry_and_mocks(project):
    assert replies(project, "scenario: s\n") == ["Two 1 2"]
    assert replies(project, "scenario: s\nentry: One\ntools: {price: [{result: {m: 9}}]}\n") == ["One 1 9"]
    assert replies(project, "scenario: s\nagents: [one.agent.abl]\n") == ["One 1 2"]


def test_a_mistake_in_the_project_names_its_place(project):
    (project.parent / "project.yaml").write_text("tools:\n  find: [{resul: 1}]\n")
    (project / "s.scenario.yaml").write_text("scenario: s\n")
    with pytest.raises(
        ScenarioError, match=r"project\.yaml:2:11: Unknown key `resul` in tools\.find\[0\]\. Did you mean `result`\?$"
    ):
        load_scenario(project / "s.scenario.yaml")


def test_a_dotted_name_of_a_scripted_model_is_the_path_as_written():
    model = ScriptedModel([{"reply": "{{variables.user.tier}} {{variables.user.address.city}} {{variables.n}}"}])
    variables = {"user.tier": "gold", "user": {"tier": "old", "address": {"city": "Ulm"}}, "n": 1}
    assert model.next({"variables": variables}, {}).reply == "gold Ulm 1"


def test_the_package_of_the_human_stands_in_the_event_as_it_may_be_shown():
    agent = """MEMORY:
  persistent:
    - user.card
      SCOPE: user
      SENSITIVE: true
      DEFAULT: "1234"
ESCALATE:
  triggers:
    - WHEN: input == "angry"
      REASON: "anger"
      PRIORITY: high
      TAGS: [mood, vip]
  context_for_human:
    - channel
    - NAME: note
      TEMPLATE: "He said {{input}}"
    - NAME: data
      INCLUDE: [turn_count, user.card]
"""
    run = session(agent, user="ada")
    run.start()
    event = events_of(run.say("angry"), "escalate")[0]
    assert (event["priority"], event["tags"]) == ("high", ["mood", "vip"])
    shown = {"channel": "web", "note": "He said angry", "turn_count": 1, "user.card": "[REDACTED]"}
    assert event["context"] == shown
