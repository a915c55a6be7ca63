"""The command `abl` (docs/spec 12 §2): what it prints and with which code it ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abl.cli import main

GOOD = 'AGENT: Desk\nGOAL: "Lend books"\n'
BAD = """\
MEMORY:
  persistent:
    - user.branch
  remember:
    - WHEN: branch_choice IS SET
      STORE: branch_choice -> user.branch
      TTL: "90 days"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "good.agent.abl").write_text(GOOD, encoding="utf-8")
    return tmp_path


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "abl.cli", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60, check=False)


def feed(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))


# check -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_clean_folder_ends_with_0(project: Path) -> None:
    done = run("check", str(project))
    assert (done.returncode, done.stdout, done.stderr) == (0, "No problems found.\n", "")


@pytest.mark.full
def test_an_error_in_a_file_ends_with_1_and_names_the_place() -> None:
    done = run("check", "-", stdin=BAD)
    assert done.returncode == 1
    assert (
        '<stdin>:7:12: error ABL346 bad-ttl: TTL `90 days` is not a duration like "90d" (units s m h d)' in done.stdout
    )


def test_warnings_alone_end_with_0(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = 'CONSTRAINTS:\n  - REQUIRE 1 == 1\n    ON_FAIL: "No."\n'
    (project / "warned.agent.abl").write_text((GOOD + rule).replace("Desk", "Other"), encoding="utf-8")
    assert main(["check", str(project)]) == 0
    assert "ABL435" in capsys.readouterr().out


def test_json_has_the_shape_that_is_promised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, BAD.encode())
    assert main(["check", "-", "--format", "json", "--select", "ABL346"]) == 1
    report = json.loads(capsys.readouterr().out)
    place = {"start": {"line": 7, "column": 12}, "end": {"line": 7, "column": 21}}
    assert report == {
        "version": 1,
        "diagnostics": [
            {
                "path": "<stdin>",
                "code": "ABL346",
                "name": "bad-ttl",
                "severity": "error",
                "message": 'TTL `90 days` is not a duration like "90d" (units s m h d)',
                "range": place,
                "node": "memory.remember[0].TTL",
                "fixes": [{"title": "Write 90d", "preferred": True, "edits": [{"range": place, "text": '"90d"'}]}],
            }
        ],
        "summary": {"error": 1, "warning": 0, "info": 0, "hint": 0},
    }


def test_sarif_names_rule_level_and_region(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, BAD.encode())
    assert main(["check", "-", "--format", "sarif", "--select", "ABL346"]) == 1
    log: dict[str, Any] = json.loads(capsys.readouterr().out)
    [run_] = log["runs"]
    [result] = run_["results"]
    assert log["version"] == "2.1.0"
    assert run_["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "ABL346"
    assert result["level"] == "error"
    region = {"startLine": 7, "startColumn": 12, "endLine": 7, "endColumn": 21}
    assert result["locations"][0]["physicalLocation"]["region"] == region


def test_github_commands_escape_what_would_end_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "odd,name.agent.abl"
    file.write_text(BAD, encoding="utf-8")
    assert main(["check", str(file), "--format", "github", "--select", "ABL346"]) == 1
    line = capsys.readouterr().out.strip()
    assert line.startswith("::error file=")
    assert "odd%2Cname.agent.abl,line=7,col=12,endLine=7,endColumn=21,title=ABL346 bad-ttl::TTL `90 days`" in line


def test_select_takes_names_and_families_and_ignore_takes_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, BAD.encode())
    assert main(["check", "-", "--select", "bad-ttl"]) == 1
    feed(monkeypatch, BAD.encode())
    assert main(["check", "-", "--select", "ABL3xx", "--ignore", "ABL346"]) == 0
    capsys.readouterr()


def test_a_folder_is_one_project_and_named_files_are_one_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = project / "other.agent.abl"
    other.write_text(GOOD, encoding="utf-8")
    assert main(["check", str(project), "--select", "ABL121"]) == 1
    assert main(["check", str(project / "good.agent.abl"), str(other), "--select", "ABL121"]) == 1
    assert main(["check", str(other), "--select", "ABL121"]) == 0
    capsys.readouterr()


def test_test_cases_beside_the_agents_are_looked_at_and_are_no_documents(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = 'TOOLS:\n  find_book(title: string) -> {id: string}\n    description: "d"\n    effect: read_only\n'
    (project / "good.agent.abl").write_text(GOOD + tools, encoding="utf-8")
    case = 'scenario: one\nturns:\n  - say: "Emma"\n    expect: {calls: [{tool: find_book}]}\n'
    (project / "one.scenario.yaml").write_text(case, encoding="utf-8")
    assert main(["check", str(project)]) == 0
    assert "info ABL844 tool-without-mock: `find_book` has no mock" in capsys.readouterr().out
    (project / "one.scenario.yaml").write_text(case + "tools: {find_book: [{result: {id: a}}]}\n", encoding="utf-8")
    assert main(["check", str(project)]) == 0
    assert capsys.readouterr().out == "No problems found.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nowhere.abl"], "nowhere.abl: there is no such file or folder"),
        (["check", "-", "--select", "ABL3466"], "`ABL3466` is no diagnostic code or name. Did you mean ABL346"),
        (["explain", "bad-tll"], "`bad-tll` is no diagnostic code or name. Did you mean bad-ttl"),
        (["eval", "1", "--now", "noon"], "--now noon: write a moment like 2026-03-01T09:00:00Z"),
        (["eval", "1", "--context", "nowhere.json"], "nowhere.json: there is no such file or folder"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_would_be_right(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"")
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_folder_without_documents_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert "no documents here" in capsys.readouterr().err


def test_text_that_is_not_utf_8_is_wrong_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"AGENT: \xff\n")
    assert main(["check", "-"]) == 2
    assert "standard input: not UTF-8 text (byte 7)" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_does_not_hide_what_the_others_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bytes.agent.abl").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "desk.agent.abl").write_text('AGENT: Desk\nGOAL: "Lend books\n', encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "desk.agent.abl:2:7: error ABL111" in told.out
    assert "bytes.agent.abl: not UTF-8 text (byte 0)" in told.err


@pytest.mark.slow
def test_no_command_and_an_unknown_option_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert run("check", "--nonsense").returncode == 2
    capsys.readouterr()


# eval ------------------------------------------------------------------------------------------------------------


def test_eval_prints_value_type_and_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    context = tmp_path / "state.json"
    context.write_text('{"loans": 2}', encoding="utf-8")
    assert main(["eval", "loans + 1", "--context", str(context)]) == 0
    assert json.loads(capsys.readouterr().out) == {"value": 3, "type": "number", "truthy": True, "error": None}


def test_eval_takes_the_time_that_it_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "NOW()", "--now", "2026-03-01T09:00:00Z"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "2026-03-01T09:00:00.000Z"


def test_eval_of_text_that_is_no_expression_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "loans <"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "ABL201"


def test_eval_of_a_division_by_zero_ends_with_1_and_gives_null(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "1 / 0"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["value"] is None
    assert result["error"]["message"]


def test_eval_explains_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "1 < 2 OR x", "--explain"]) == 0
    tree = json.loads(capsys.readouterr().out)["tree"]
    assert tree["kind"] == "logical"
    assert [child["value"] for child in tree["children"]] == [True, None]


def test_eval_renders_templates(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, b'{"name": "Ada"}')
    assert main(["eval", "Hello {{name}}", "--template", "--context", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "Hello Ada"


def test_a_context_must_be_an_object(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, b"[1]")
    assert main(["eval", "1", "--context", "-"]) == 2
    assert "a JSON object is needed, not list" in capsys.readouterr().err


# explain ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["ABL346", "abl346", "bad-ttl"])
def test_explain_shows_the_page_by_code_or_name(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", word]) == 0
    page = capsys.readouterr().out
    assert page.startswith("ABL346 bad-ttl (error)")
    assert 'TTL: "90 days"' in page.partition("Bad:")[2].partition("Good:")[0]
    assert 'TTL: "90d"' in page.partition("Good:")[2]


def test_explain_lists_what_is_off_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--off"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"ABL122", "ABL337", "ABL374", "ABL651", "ABL823"} <= set(listed)
    assert main(["explain"]) == 2


def test_a_code_that_is_off_is_reported_when_it_is_selected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = tmp_path / "desk.agent.abl"
    agent.write_text('AGENT: Desk\nGOAL: "Lend"\nTOOLS:\n  find_book(title: string) -> {id: string}\n')
    main(["check", str(agent)])
    assert "ABL823" not in capsys.readouterr().out
    main(["check", "--select", "ABL823", str(agent)])
    assert "ABL823" in capsys.readouterr().out


@pytest.mark.parametrize("more", [[], ["--template"], ["--explain"]])
def test_eval_of_what_takes_too_much_ends_with_1_and_names_what_ran_out(
    more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    part = 'LENGTH(SPLIT(REPEAT("x,", 40000), ","))'
    text = f"{{{{{part}}}}}" * 400 if "--template" in more else f"[{', '.join([part] * 400)}]"
    assert main(["eval", text, *more]) == 1
    result = json.loads(capsys.readouterr().out)
    assert (result["value"], result["error"]["name"]) == (None, "budget-exceeded")
    assert result["error"]["what"] in {"operations", "characters", "elements"}


def test_a_failed_scenario_says_what_was_not_executed_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = 'AGENT: Desk\nGOAL: "Lend"\nCONVERSATION:\n  speaking:\n    pace: slow\n'
    (tmp_path / "desk.agent.abl").write_text(agent, encoding="utf-8")
    scenario = 'scenario: greets\nturns:\n  - {say: "hi", expect: {reply: "Hello."}}\n'
    (tmp_path / "greets.scenario.yaml").write_text(scenario, encoding="utf-8")
    assert main(["test", str(tmp_path)]) == 1
    assert "not executed in it: CONVERSATION, reasoning" in capsys.readouterr().out
