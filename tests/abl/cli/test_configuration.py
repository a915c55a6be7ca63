"""The table ``[tool.abl]`` of pyproject.toml: who reads it, which one counts, and what is wrong with a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.cli import main
from abl.configuration import Configuration, ConfigurationError, configuration_for

# A rule over a name that only the work behind it sets: ABL448, and with it a hint about the name's type.
STUCK = """\
AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - verified
CONSTRAINTS:
  - REQUIRE verified == true
    ON_FAIL: "You have to be verified."
FLOW:
  ask:
    REASONING: false
    GATHER:
      - code: required
        prompt: "Your code?"
    THEN: verify
  verify:
    REASONING: false
    RESPOND: "Welcome."
    SET: verified = true
    THEN: COMPLETE
"""
SCENARIO = """\
scenario: who is not verified
turns:
  - say: hello
    expect: {reply: "You have to be verified."}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "agents" / "desk"
    folder.mkdir(parents=True)
    (folder / "desk.agent.abl").write_text(STUCK, encoding="utf-8")
    return folder


def configure(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")


def codes(capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    main(["check", *arguments])
    return {word for word in capsys.readouterr().out.split() if word.startswith("ABL")}


def test_without_a_table_everything_is_as_ever(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert configuration_for(project) == Configuration()
    assert "ABL448" in codes(capsys, str(project))


def test_the_nearest_table_above_a_file_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(project.parent.parent, '[tool.abl]\nselect = ["ABL1xx"]\n')
    assert codes(capsys, str(project)) == set()
    configure(project.parent, "[tool.other]\nselect = 1\n")
    assert codes(capsys, str(project)) == set()
    configure(project, '[tool.abl]\nselect = ["blocks-until-set"]\n')
    assert codes(capsys, str(project / "desk.agent.abl")) == {"ABL448"}


def test_what_is_ignored_is_not_reported(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everything = codes(capsys, str(project))
    configure(project, '[tool.abl]\nignore = ["ABL448"]\n')
    assert codes(capsys, str(project)) == everything - {"ABL448"}


def test_the_command_line_wins(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(project, '[tool.abl]\nselect = ["ABL101"]\nignore = ["ABL448"]\n')
    assert codes(capsys, "--select", "ABL448", "--ignore", "ABL101", str(project)) == {"ABL448"}


def test_a_rule_that_is_skipped_while_its_name_is_unset_blocks_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(project, '[tool.abl]\nunset-policy = "skip_unset"\n')
    assert "ABL448" not in codes(capsys, str(project))
    assert "ABL448" not in codes(capsys, "--ignore", "ABL101", str(project))


@pytest.mark.parametrize(
    ("table", "of_scenario", "passed"),
    [("", "", True), ("skip_unset", "", False), ("skip_unset", "policy: evaluate\n", True), ("evaluate", "", True)],
)
def test_a_scenario_that_names_no_policy_takes_that_of_the_table(
    project: Path, capsys: pytest.CaptureFixture[str], table: str, of_scenario: str, passed: bool
) -> None:
    if table:
        configure(project, f'[tool.abl]\nunset-policy = "{table}"\n')
    (project / "first.scenario.yaml").write_text(of_scenario + SCENARIO, encoding="utf-8")
    assert main(["test", str(project)]) == (0 if passed else 1)
    assert main(["run", str(project), "--scenario", str(project / "first.scenario.yaml")]) == (0 if passed else 1)
    assert ("passed" if passed else "Welcome.") in capsys.readouterr().out


def test_a_conversation_in_the_terminal_has_the_policy_of_the_table(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = iter(["hello"])
    monkeypatch.setattr("builtins.input", lambda _: next(said, None) or (_ for _ in ()).throw(EOFError))
    configure(project, '[tool.abl]\nunset-policy = "skip_unset"\n')
    assert main(["run", str(project)]) == 0
    assert "Welcome." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tool.abl\n", "not TOML"),
        ("[tool]\nabl = 3\n", "tool.abl is 3; write a table"),
        ("[tool.abl]\nselects = []\n", "unknown key 'selects'; did you mean select?"),
        ("tool = 1\n", "tool is 1; write tables, such as [tool.abl]"),
        ("[tool.abl]\nzzz = []\n", "unknown key 'zzz'; it may have select, ignore, unset-policy"),
        ("[tool.abl]\nselect = []\n", "select is empty, so nothing would be reported"),
        ("[tool.abl]\nselect = 'ABL1xx'\n", "select is 'ABL1xx'; write a list of codes"),
        ("[tool.abl]\nignore = ['ABL9999']\n", "ignore: `ABL9999` is no diagnostic code or name"),
        ("[tool.abl]\nunset-policy = 'skip'\n", "unset-policy is 'skip'; it is evaluate or skip_unset"),
    ],
)
def test_a_table_that_cannot_be_used_says_what_would_be_right(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    configure(project, text)
    if not told:
        assert configuration_for(project) == Configuration()
        return
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml"):
        configuration_for(project)
    assert main(["check", str(project)]) == 2
    assert told in capsys.readouterr().err
    (project / "first.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    assert main(["test", str(project)]) == 1
    assert told in capsys.readouterr().out


def test_bytes_that_are_no_text_are_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").write_bytes(b"\xff[tool.abl]")
    assert main(["check", str(project)]) == 2
    assert "cannot be read" in capsys.readouterr().err
