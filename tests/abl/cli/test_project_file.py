"""project.yaml on the command line: what the commands take from it, and how they refuse it (docs/spec 12 §3.1)."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from abl.cli import main
from tests.abl.cli.test_configuration import STUCK

AGENT = """\
AGENT: {name}
GOAL: "g"
TOOLS:
  find(a: string) -> {{b: string}}
    description: "x"
MEMORY:
  session:
    - missing
  persistent:
    - PATH: project.limit
      SCOPE: project
      ACCESS: read
FLOW:
  steps: [s, amount]
  s:
    REASONING: false
    CALL: find("q")
    AS: r
    RESPOND: "{name} {{{{r.b}}}} {{{{NOW()}}}} {{{{session.channel}}}} {{{{project.limit}}}}"
    THEN: amount
  amount:
    REASONING: false
    GATHER:
      - sum: required
        prompt: "How much?"
        type: number
    RESPOND: "Sum {{{{sum}}}}"
    THEN: COMPLETE
"""
FILE = """\
entry: Shelf
language: de
now: 2026-05-01
tools:
  find: [{result: {b: mocked}}]
facts: {project: {project.limit: 3}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    for name in ("Desk", "Shelf"):
        (folder / f"{name.lower()}.agent.abl").write_text(AGENT.format(name=name), encoding="utf-8")
    (folder / "project.yaml").write_text(FILE, encoding="utf-8")
    return folder


def scenario(folder: Path, text: str) -> str:
    path = folder / "s.scenario.yaml"
    path.write_text(f"scenario: s\n{text}", encoding="utf-8")
    return str(path)


def run(capsys, monkeypatch, *arguments: str, said: str = "") -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    code = main(["run", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


# run -----------------------------------------------------------------------------------------------------------------


def test_run_takes_entry_mocks_clock_facts_and_language(project, capsys, monkeypatch):
    code, out, _ = run(capsys, monkeypatch, str(project), said="1.500,5\n")
    assert code == 0
    assert "Shelf mocked 2026-05-01T00:00:00.000Z" in out
    assert out.splitlines()[0].endswith(" 3")
    assert "Sum 1500.5" in out  # as a German number


def test_the_command_line_wins_over_the_file(project, capsys, monkeypatch):
    assert "Desk mocked" in run(capsys, monkeypatch, str(project), "--entry", "Desk")[1]


def test_one_agent_of_the_project_runs_with_its_mocks_though_another_is_the_entry(project, capsys, monkeypatch):
    assert "Desk mocked" in run(capsys, monkeypatch, str(project / "desk.agent.abl"))[1]


def test_run_names_an_entry_agent_that_is_not_there(project, capsys, monkeypatch):
    (project / "project.yaml").write_text("entry: Shlf\n")
    code, _, err = run(capsys, monkeypatch, str(project))
    assert code == 2
    assert "project.yaml:1:8: entry: there is no agent Shlf; did you mean Shelf?" in err


def test_run_leaves_projects_below_a_folder_to_themselves(project, capsys, monkeypatch):
    inner = project / "inner"
    inner.mkdir()
    (inner / "project.yaml").write_text("")
    (inner / "desk.agent.abl").write_text(AGENT.format(name="Desk"), encoding="utf-8")
    assert "Shelf mocked" in run(capsys, monkeypatch, str(project))[1]


def test_run_of_a_folder_with_projects_alone_names_them(project, capsys, monkeypatch):
    code, _, err = run(capsys, monkeypatch, str(project.parent))
    assert code == 2
    assert f"no agents but in projects of their own; name one of them: {project}" in err


def test_run_takes_the_scripted_model_and_the_bank(tmp_path, capsys, monkeypatch):
    (tmp_path / "keeper.agent.abl").write_text('AGENT: Keeper\nGOAL: "Keep"\n', encoding="utf-8")
    lines = 'model: [{call: memory_read}, {reply: "Read {{result}}"}]\nbank: notes\n'
    (tmp_path / "project.yaml").write_text(f'{lines}banks: {{notes: {{texts: {{Keeper: "0|1"}}}}}}\n')
    code, out, _ = run(capsys, monkeypatch, str(tmp_path), said="go\n")
    assert code == 0
    assert "Read 0|1" in out


@pytest.mark.parametrize("policy", ["evaluate", "skip_unset"])
def test_run_takes_the_policy_before_that_of_pyproject(tmp_path, capsys, monkeypatch, policy):
    (tmp_path / "desk.agent.abl").write_text(STUCK, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text('[tool.abl]\nunset-policy = "skip_unset"\n')
    (tmp_path / "project.yaml").write_text(f"policy: {policy}\n")
    out = run(capsys, monkeypatch, str(tmp_path), said="hello\n")[1]
    assert ("You have to be verified." in out) is (policy == "evaluate")


def test_the_older_place_of_the_keys_is_read(project, capsys, monkeypatch):
    older = "settings:\n  entry: Shelf\n  mocks: {find: [{result: {b: older}}]}\n  run: {now: 2026-06-01}\n"
    (project / "project.yaml").write_text(older)
    assert "Shelf older 2026-06-01" in run(capsys, monkeypatch, str(project))[1]


# test ----------------------------------------------------------------------------------------------------------------


def test_scenarios_take_what_they_do_not_say(project, capsys):
    turns = 'turns: [{say: "1.500,5", expect: {session: {sum: 1500.5}}}]\n'
    path = scenario(project, f'start: {{expect: {{reply: {{matches: "^Shelf mocked 2026-05-01"}}}}}}\n{turns}')
    assert main(["test", path]) == 0, capsys.readouterr().out


def test_what_a_scenario_says_wins(project, capsys):
    own = "entry: Desk\nnow: 2026-01-01\nlanguage: en\ntools: {find: [{result: {b: own}}]}\n"
    turns = 'turns: [{say: "1,500.5", expect: {session: {sum: 1500.5}}}]\n'
    path = scenario(project, f'{own}start: {{expect: {{reply: {{matches: "^Desk own 2026-01-01"}}}}}}\n{turns}')
    assert main(["test", path]) == 0, capsys.readouterr().out


def test_a_scenario_with_a_language_that_is_none_is_named(project, capsys):
    assert main(["test", scenario(project, "language: German\n")]) == 1
    assert "language is 'German'; a language tag such as en or de-CH is right" in capsys.readouterr().out


def test_a_scenario_that_needs_an_entry_agent_that_is_not_there_does_not_run(project, capsys):
    (project / "project.yaml").write_text("language: de\nentry: Shlf\n")
    assert main(["test", scenario(project, "")]) == 1
    assert "project.yaml:2:8: entry: there is no agent Shlf; did you mean Shelf?" in capsys.readouterr().out
    assert main(["test", scenario(project, "entry: Desk\n")]) == 0, capsys.readouterr().out


def test_a_scenario_of_other_agents_passes_over_the_entry_of_the_project(project, capsys):
    tests = project / "tests"
    tests.mkdir()
    path = scenario(tests, "agents: [../desk.agent.abl]\nstart: {expect: {reply: {contains: Desk mocked}}}\n")
    assert main(["test", path]) == 0, capsys.readouterr().out


def test_the_project_is_the_nearest_marked_folder(project, capsys):
    inner = project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("")
    (inner / "desk.agent.abl").write_text(AGENT.format(name="Desk"), encoding="utf-8")
    path = scenario(inner, 'start: {expect: {reply: {matches: "^Desk <b> 2026-03-01"}}}\n')
    assert main(["test", path]) == 0, capsys.readouterr().out


# check ---------------------------------------------------------------------------------------------------------------


def test_check_tells_of_the_file_at_its_place(project, capsys):
    (project / "project.yaml").write_text("entry: Shlf\ntools:\n  fnd: [{result: 1}]\npolicy: skip\n")
    assert main(["check", str(project)]) == 1
    out = capsys.readouterr().out
    assert "project.yaml:1:8: error ABL1085" in out
    assert "project.yaml:3:3: warning ABL1085" in out
    assert "project.yaml:4:9: error ABL1084" in out


def test_check_of_the_file_alone_knows_no_names(project, capsys):
    assert main(["check", str(project / "project.yaml")]) == 0
    assert "ABL1085" not in capsys.readouterr().out


def test_a_file_of_another_name_is_none(project, capsys):
    (project / "old-project.yaml").write_text("what: ever\n")
    assert main(["check", str(project)]) == 0, capsys.readouterr().out


def test_check_takes_the_policy(tmp_path, capsys):
    (tmp_path / "desk.agent.abl").write_text(STUCK, encoding="utf-8")
    main(["check", str(tmp_path)])
    assert "ABL448" in capsys.readouterr().out
    (tmp_path / "project.yaml").write_text("policy: skip_unset\n")
    main(["check", str(tmp_path)])
    assert "ABL448" not in capsys.readouterr().out


def test_a_tool_that_the_project_mocks_has_an_answer_for_every_test_case(project, capsys):
    scenario(project, "turns: [{say: hi, expect: {calls: [{tool: find}]}}]\n")
    main(["check", str(project), "--select", "ABL844"])
    assert "ABL844" not in capsys.readouterr().out
    (project / "project.yaml").write_text("entry: Shelf\n")
    main(["check", str(project), "--select", "ABL844"])
    assert "ABL844" in capsys.readouterr().out


# hostile files -------------------------------------------------------------------------------------------------------

LEVELS = [f"    k{n}: &k{n} [{', '.join([f'*k{n - 1}' if n else '1'] * 9)}]\n" for n in range(8)]
ALIASES = f"facts:\n  user:\n{''.join(LEVELS)}"
STORES = b"stores:\n  - {technical_name: a b, name: A, access: user, retention: session, schema: {}}\n"
HOSTILE = {
    "a key twice": (b"entry: Desk\nentry: Shelf\n", "project.yaml:2:1: `entry` is given twice in project.yaml"),
    "a list": (b"- entry: Desk\n", "project.yaml:1:1: The project file is a list; keys such as entry: Desk are right"),
    "a text": (b"Desk\n", "project.yaml:1:1: The project file is `Desk`; keys such as entry: Desk are right"),
    "no YAML": (b"tools: {find: [\n", "The project file is not valid YAML (line 2, column 1)"),
    "a tab": (b"tools:\n\tfind: 1\n", "is not valid YAML (line 2, column 1)"),
    "bytes": (b"entry: \xff\xfe\n", "project.yaml: not UTF-8 text (byte 7)"),
    "a control character": (b"entry: \x07\n", "The project file is not valid YAML"),
    "10 MB": (b"#" * 10_000_000, "The project file has 10,000,000 characters; at most 200,000 are read"),
    "an alias inside of itself": (b"tools: &a {find: *a}\n", "an alias stands inside of what it names"),
    "aliases of aliases": (ALIASES.encode(), "its aliases repeat more than 10,000 values"),
    "too deep": (b"facts: {user: {a: " + b"[" * 200 + b"]" * 200 + b"}}", "nested deeper than 100 levels"),
    "another type": (b"tools: [find]\n", "`tools` is a list; tools with their cases, such as find: [{result"),
    "a case that is none": (b"tools: {find: [1]}\n", "`tools.find[0]` is `1`; a case such as {result"),
    "not a number": (b"tools: {find: [{result: .nan}]}\n", "`tools.find[0].result` is `.nan`; a text, a finite number"),
    "a key that is no text": (b"? [a]\n: 1\n", "`a key of project.yaml` is a list; a text is right"),
    "an object of Python": (b"facts: {user: {a: !!python/object:os.system x}}\n", "`facts.user.a` is `x`; a text"),
    "no identifier": (STORES, "`stores[0].technical_name` is `a b`; an identifier such as user_prefs is right"),
    "an empty name": (b"entry: ''\n", "`entry` is ``; the name of an agent is right"),
    "no moment": (b"now: 2026-13-40\n", "`now` is `2026-13-40`; a moment such as 2026-03-01T09:00:00Z is right"),
    "a moment without room": (b"now: 9999-12-31\n", "`now` is `9999-12-31`; a moment such as"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_cannot_be_used_is_named_with_what_would_be_right(project, capsys, monkeypatch, name):
    content, told = HOSTILE[name]
    (project / "project.yaml").write_bytes(content)
    code, _, err = run(capsys, monkeypatch, str(project))
    assert (code, told in err) == (2, True), err
    path = scenario(project, "entry: Desk\n")
    code = main(["test", path])
    out = capsys.readouterr().out
    assert (code, told in out) == (1, True), out
    code = main(["check", str(project)])
    out, err = capsys.readouterr()
    message = (
        told.partition(": ")[2] if told.startswith("project.yaml:1") or told.startswith("project.yaml:2") else told
    )
    assert (code, message in out + err) == (2 if name == "bytes" else 1, True), out + err


def test_a_pipe_and_a_folder_of_that_name_are_no_project_files(tmp_path, capsys, monkeypatch):
    (tmp_path / "desk.agent.abl").write_text(AGENT.format(name="Desk"), encoding="utf-8")
    os.mkfifo(tmp_path / "project.yaml")
    assert run(capsys, monkeypatch, str(tmp_path))[0] == 0
    (tmp_path / "project.yaml").unlink()
    (tmp_path / "project.yaml").mkdir()
    assert run(capsys, monkeypatch, str(tmp_path))[0] == 0


# another name --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [True, False])
def test_a_file_of_nearly_the_same_name_is_not_passed_over_in_silence(project, capsys, monkeypatch, beside):
    named = project / "project.yml"
    named.write_text("entry: Desk\n", encoding="utf-8")
    if not beside:
        (project / "project.yaml").unlink()
    said = f"abl: {named} is not read; rename it to project.yaml, or delete it beside one"
    main(["check", str(project)])
    assert capsys.readouterr().err.splitlines().count(said) == 1
    assert said in run(capsys, monkeypatch, str(project), "--entry", "Desk")[2]
    path = scenario(project, "entry: Desk\nturns: []\n")
    main(["test", path])
    assert said in capsys.readouterr().err
    named.unlink()
    main(["check", str(project)])
    assert "project.yml" not in capsys.readouterr().err
