"""Files that documents name and that are no documents: looked for where somebody can tell whether they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from abl.analysis import check
from abl.cli import main
from abl.lsp.texts import Projects

SOURCE = """\
NLU:
  config_file: "nlu/intents.yaml"
  intents:
    - NAME: renew
      PATTERNS: ["renew"]
      EXAMPLES_FILE: examples/renew.txt
"""


def found(files: dict[str, str], there: frozenset[str] | None) -> list[str]:
    exists = None if there is None else lambda document, name: name in there
    problems = check(files, select=["ABL1027"], exists=exists).diagnostics
    return [problem.message for problem in problems]


def test_a_check_of_texts_alone_says_nothing_about_other_files() -> None:
    assert found({"a.agent.abl": SOURCE}, None) == []


def test_a_file_that_is_known_not_to_be_there_is_told_also_after_it_was_there() -> None:
    both = frozenset({"nlu/intents.yaml", "examples/renew.txt"})
    assert found({"a.agent.abl": SOURCE}, both) == []
    assert found({"a.agent.abl": SOURCE}, both - {"nlu/intents.yaml"}) == ["File `nlu/intents.yaml` not found"]
    assert found({"a.agent.abl": SOURCE}, frozenset()) == [
        "File `nlu/intents.yaml` not found",
        "File `examples/renew.txt` not found",
    ]
    assert found({"a.agent.abl": SOURCE}, both) == []


def test_a_document_of_the_project_is_there_whatever_is_on_disk() -> None:
    source = SOURCE.replace("nlu/intents.yaml", "nlu/rest.abl").replace("examples/renew.txt", "x.locale.yaml")
    assert found({"a.agent.abl": source, "nlu/rest.abl": ""}, frozenset({"x.locale.yaml"})) == []


def test_the_command_looks_beside_a_document_and_above_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = tmp_path / "agents"
    (agents / "examples").mkdir(parents=True)
    (agents / "a.agent.abl").write_text(f'AGENT: A\nGOAL: "Lend"\n{SOURCE}', encoding="utf-8")
    (agents / "examples/renew.txt").touch()
    main(["check", "--select", "ABL1027", str(agents)])
    assert "`nlu/intents.yaml` not found" in capsys.readouterr().out
    (tmp_path / "nlu").mkdir()
    (tmp_path / "nlu/intents.yaml").touch()
    main(["check", "--select", "ABL1027", str(agents)])
    assert capsys.readouterr().out == "No problems found.\n"


def test_the_language_server_looks_on_disk_for_documents_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "there.txt").touch()
    projects = Projects()
    document = str(tmp_path / "a.agent.abl")
    assert projects.exists(document, "there.txt")
    assert not projects.exists(document, "gone.txt")
    assert not projects.exists(document, "a\0b")
    assert projects.exists("untitled:Untitled-1", "gone.txt")
