"""Whole agents as their authors write them: none has an error or a warning, and each does what its scenarios say.

Each folder here is a project with its project.yaml. Its scenarios say what its author expects by docs/spec.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from abl import check
from abl.files import text_of
from abl.runtime.scenarios.files import load_scenario
from abl.runtime.scenarios.player import run_scenario

HERE = Path(__file__).parent
PROJECTS = sorted(path.parent for path in HERE.glob("*/project.yaml"))
SCENARIOS = sorted(HERE.glob("*/*.scenario.yaml"))
OLD = "ABL943"
"""ROUTING runs, and check says each time that HANDOFF is newer."""


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda path: path.name)
def test_check_finds_neither_an_error_nor_a_warning(folder: Path) -> None:
    paths = [*sorted(folder.glob("*.abl")), folder / "project.yaml"]
    found = check({path.relative_to(HERE).as_posix(): text_of(path) for path in paths}).diagnostics
    serious = [problem for problem in found if problem.severity in ("error", "warning") and problem.code != OLD]
    assert [str(problem) for problem in serious] == []


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_it_does_what_its_scenarios_say(path: Path) -> None:
    scenario, files = load_scenario(path)
    result = run_scenario(scenario, files)
    assert [str(failure) for failure in result.failures] == []
    assert run_scenario(scenario, files, restore_between=True).failures == []


def test_every_project_has_scenarios_of_its_own() -> None:
    assert len(PROJECTS) == 30
    told = {folder.name: len(list(folder.glob("*.scenario.yaml"))) for folder in PROJECTS}
    assert {name: count for name, count in told.items() if count < 2} == {}
