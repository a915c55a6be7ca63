"""Scenario files and the commands over them (docs/spec 12 §2, §3)."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from abl.cli import main
from abl.runtime.scenarios.expect import missing_in_order, reply_matches
from abl.runtime.scenarios.files import ScenarioError, load_scenario, read_scenario
from abl.runtime.scenarios.player import run_scenario

SCENARIOS = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.scenario.yaml")), ids=lambda p: p.stem)
def test_the_scenario_files_pass(path):
    result = run_scenario(*load_scenario(path))
    assert [str(f) for f in result.failures] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("turn: []", "unknown key 'turn'; did you mean turns?"),
        ("turns: [{sya: hello}]", r"turns\[0\]: unknown key 'sya'; did you mean say?"),
        ("turns: [{say: x, expect: {replies: y}}]", r"turns\[0\]: expect: unknown key 'replies'; did you mean reply?"),
        ("turns: [{say: x, expect: {constraints: [{outcom: failed}]}}]", "did you mean outcome?"),
        ("turns: [{say: x, expect: {reply: {contain: y}}}]", "did you mean contains?"),
        ("turns: {say: x}", "turns: this is a mapping; a list is right"),
        ("turns: [hello]", r"turns\[0\]: this is a text; a mapping"),
        ("turns: [{advance: 2 hours}]", "advance is '2 hours'; a duration like 2h"),
        ("turns: [{say: x, act: {id: y}}]", "exclude each other"),
        ("turns: [{act: {value: y}}]", "act needs an id"),
        ("policy: strict", "policy is 'strict'"),
        ("now: yesterday", "now: 'yesterday' is no time"),
        ("facts: {everyone: {}}", "unknown key 'everyone'"),
        ("tools: {t: [{reslt: 1}]}", "did you mean result?"),
        ("tools: {t: [{delay_ms: 1}]}", "needs a result or an error"),
        ("model: [{say: x}]", "unknown key 'say'"),
        ("- a", "this is a list; a mapping"),
        ("a: [", "this is no YAML"),
        ("seed: many", "seed: 'many' is no whole number"),
    ],
)
def test_a_mistake_is_named_with_its_place(text, words):
    with pytest.raises(ScenarioError, match=words.replace("?", r"\?")):
        read_scenario(text, "x.scenario.yaml")


def test_python_objects_in_yaml_are_refused():
    with pytest.raises(ScenarioError, match="no YAML"):
        read_scenario("!!python/object/apply:os.system [ls]")


@pytest.mark.parametrize(
    ("expected", "replies", "fits"),
    [
        ("a", ["a"], True),
        ("a", ["a", "b"], False),
        (["a", {"contains": "b"}], ["a", "xbx"], True),
        (["a"], ["a", "b"], False),
        ({"contains": "a\nb"}, ["a", "b"], True),
        ({"matches": "^a"}, ["ba"], False),
        (None, [], True),
        (None, ["a"], False),
        ({"matches": "("}, ["a"], False),
        (5, ["5"], True),
    ],
)
def test_replies_are_compared_as_documented(expected, replies, fits):
    assert reply_matches(expected, replies) is fits


def test_records_are_found_in_order_with_others_between():
    def same(a, b):
        return a == b

    assert missing_in_order(["a", "c"], ["a", "b", "c"], same) is None
    assert missing_in_order(["c", "a"], ["a", "b", "c"], same) == "a"


def test_a_text_of_a_scripted_model_may_be_one_block():
    agent = 'AGENT: Hi\nGOAL: "Greet"\n'
    script = [{"reply": "{{#if input}}You said something.{{/if}}"}, {"reply": "{{input}}"}]
    turns = [
        {"say": "Hello", "expect": {"reply": "You said something."}},
        {"say": "And now?", "expect": {"reply": "And now?"}},
    ]
    result = run_scenario({"model": script, "turns": turns}, {"hi.agent.abl": agent})
    assert [str(f) for f in result.failures] == []


AGENT = """AGENT: Hi
GOAL: "Greet"
CONSTRAINTS:
  - REQUIRE who != "Bob"
    ON_FAIL: "Not Bob."
FLOW:
  steps: [a]
  a:
    REASONING: false
    GATHER:
      - who: required
        prompt: "Name?"
    RESPOND: "Hello {{who}}."
    THEN: COMPLETE
"""
SCENARIO = """scenario: greets
start: {expect: {reply: "Name?"}}
turns:
  - {say: Ada, expect: {reply: "REPLY"}}
"""


def write_project(folder, reply="Hello Ada."):
    (folder / "hi.agent.abl").write_text(AGENT)
    (folder / "hi.scenario.yaml").write_text(SCENARIO.replace("REPLY", reply))


def test_abl_test_passes_and_shows_coverage(tmp_path, capsys):
    write_project(tmp_path)
    assert main(["test", str(tmp_path), "--coverage"]) == 0
    out = capsys.readouterr().out
    assert "1 passed, 0 failed" in out
    assert "steps 1/1" in out
    assert "rules seen on one side only: 0" in out


def test_abl_test_prints_the_first_divergence_and_writes_junit(tmp_path, capsys):
    write_project(tmp_path, reply="Hello Bob.")
    assert main(["test", str(tmp_path), "--junit", str(tmp_path / "out.xml")]) == 1
    assert "turns[0]: reply: expected 'Hello Bob.', found ['Hello Ada.']" in capsys.readouterr().out
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert suite.get("failures") == "1"
    assert "Hello Bob." in suite.find("testcase/failure").get("message")


def test_abl_test_update_writes_the_replies_that_were_found(tmp_path):
    write_project(tmp_path, reply="Hello Bob.")
    assert main(["test", str(tmp_path), "--update"]) == 0
    assert "Hello Ada." in (tmp_path / "hi.scenario.yaml").read_text()


def test_abl_test_update_writes_other_letters_as_they_are(tmp_path):
    write_project(tmp_path, reply="Hello Bob.")
    (tmp_path / "hi.agent.abl").write_text(AGENT.replace("Hello {{who}}.", "Grüß dich, {{who}}."), encoding="utf-8")
    assert main(["test", str(tmp_path), "--update"]) == 0
    assert "Grüß dich, Ada." in (tmp_path / "hi.scenario.yaml").read_text(encoding="utf-8")


def test_abl_test_without_scenarios_is_wrong_use(tmp_path):
    assert main(["test", str(tmp_path)]) == 2


def test_abl_test_names_a_broken_scenario_and_runs_the_others(tmp_path, capsys):
    write_project(tmp_path)
    (tmp_path / "broken.scenario.yaml").write_text("turn: []")
    assert main(["test", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "did you mean turns?" in out
    assert "1 passed, 1 failed" in out


def test_abl_run_talks_in_the_terminal_and_writes_the_trace(tmp_path, capsys, monkeypatch):
    write_project(tmp_path)
    lines = iter(["Ada"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    assert main(["run", str(tmp_path), "--trace", str(tmp_path / "t.jsonl")]) == 0
    assert capsys.readouterr().out.splitlines() == ["Name?", "Hello Ada."]
    events = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))


def test_abl_run_says_beside_the_talk_what_was_not_executed(tmp_path, capsys, monkeypatch):
    (tmp_path / "hi.agent.abl").write_text(
        AGENT.replace("    RESPOND:", "    AWAIT_ATTACHMENT:\n      NAME: letter\n    RESPOND:")
    )
    lines = iter(["Ada"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    assert main(["run", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["Name?", "Hello Ada."]
    assert "[not_executed] AWAIT_ATTACHMENT is not executed" in err


def test_abl_run_plays_a_scenario(tmp_path, capsys):
    write_project(tmp_path)
    assert main(["run", str(tmp_path), "--scenario", str(tmp_path / "hi.scenario.yaml")]) == 0
    assert "passed: greets" in capsys.readouterr().out


def test_abl_run_refuses_files_with_errors(tmp_path, capsys):
    (tmp_path / "a.agent.abl").write_text(AGENT.replace("GOAL:", "GAOL:"))
    assert main(["run", str(tmp_path)]) == 1
    assert "cannot run" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "none.abl")]) == 2
