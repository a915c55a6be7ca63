"""Every name of a project gets a fresh one: `check` says the same as before, and the old word is gone from the code.

The projects are the examples with their scenarios, and those of the diagnostics' good examples and cases: a sample of
a fixed seed, or all of them with FUZZ=1.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import abl
from abl.analysis import check
from abl.analysis.index.project import Index, index_of
from abl.analysis.index.shared_names import Symbol, homes_of
from abl.analysis.registry import RULES
from abl.analysis.symbols.kinds import symbols_of
from abl.editing.leftovers import left_alone
from abl.runtime import run_scenario
from abl.runtime.scenarios.files import read_scenario
from tests.abl.analysis.test_analysis_rules import CODES, files_of, load_cases
from tests.abl.editing.test_rename import carried_out
from tests.abl.edits import ROOT

FRESH = {"agent": "Zq_New", "path": "{root}.zq_new"}
KINDS_OF_FILES = (".abl", ".scenario.yaml")
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())
EVERYTHING = os.environ.get("FUZZ") == "1"
BY_ITS_NAME = {
    "ABL820",
    "ABL652",
    "ABL1062",
    "ABL656",
    "ABL113",
    "ABL117",
    "ABL126",
    "ABL254",
    "ABL329",
    "ABL331",
    "ABL361",
    "ABL373",
    "ABL444",
    "ABL449",
}
"""Diagnostics that say something about a name as a word: another word may have them or not."""
MISSPELT = {"ABL417", "ABL508", "ABL646"}
"""Words that were perhaps meant for a name, which then counts as used: another name is further from the word."""
WRONG = {"ABL303", "ABL450", "ABL631", "ABL729", "ABL805", "ABL807", "ABL938"}
"""Cases in which one name is two things, which a rename parts."""


def example(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.iterdir()) if path.name.endswith(KINDS_OF_FILES)]
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def small_projects() -> Iterator[tuple[str, dict[str, str]]]:
    for code, rule in RULES.items():
        yield f"{code} good", {"doc.agent.abl": rule.page.good}
    for code in CODES:
        for number, case in enumerate(load_cases(code)):
            files = files_of(case)
            if sum(map(len, files.values())) < 3_000 and code not in BY_ITS_NAME | WRONG:
                yield f"{code} #{number}", files


def symbols(index: Index) -> Iterator[Symbol]:
    """Every symbol once."""
    seen = set()
    for agent in index.each():
        for symbol in symbols_of(agent, index):
            key = (symbol.kind, symbol.name, frozenset(id(home) for home in homes_of(index, symbol)))
            if symbol.kind != "function" and key not in seen:
                seen.add(key)
                yield symbol


def said(files: dict[str, str]) -> list[tuple[str, str, int]]:
    report = check(files)
    sources = report.index.sources
    return sorted((d.path, d.code, sources[d.path].position(d.span.start).line) for d in report.diagnostics)


def renamed(files: dict[str, str], index: Index, symbol: Symbol) -> tuple[dict[str, Any], dict[str, str]]:
    """The answer to a rename, and the files after it; the same files when it is refused."""
    path = symbol.agent.source.path
    fresh = FRESH.get(symbol.kind, "zq_new").format(root=symbol.name.partition(".")[0])
    answer = abl.rename(files, path, *index.source(path).position(symbol.span.start), fresh)
    assert answer["refused"] is None or answer["edits"] == {}
    return answer, {p: carried_out(text, answer["edits"].get(p, [])) for p, text in files.items()}


def differences(label: str, files: dict[str, str], chance: random.Random | None, most: int) -> list[Any]:
    """What is wrong after renaming every symbol of a project, or, with ``chance``, ``most`` of them."""
    index = index_of(files)
    found = list(symbols(index))
    before = said(files)
    wrong: list[Any] = []
    for symbol in chance.sample(found, min(most, len(found))) if chance is not None else found:
        answer, after = renamed(files, index, symbol)
        if answer["refused"] is not None:
            continue
        told = {(place["path"], place["range"]["start"]["line"]) for place in answer["left"]}
        changed = set(before) ^ set(said(after))
        by_name = any(code in BY_ITS_NAME for _, code, _ in changed) or any(
            code in MISSPELT | WRONG for _, code, _ in before
        )
        # A call of an unknown tool may mean a declared one, which then counts as used: no longer under another name.
        only = {code for _, code, _ in changed} == {"ABL824"}
        meant = symbol.kind == "tool" and only and any(code == "ABL507" for _, code, _ in before)
        in_texts = symbol.kind == "action" and told  # an id in JSON of a format: told there, missed at its handler
        if not by_name and not in_texts and not meant and not {(path, line) for path, _, line in changed} <= told:
            wrong.append((label, symbol.kind, symbol.name, sorted(changed)))
        wrong += [(label, symbol.kind, symbol.name, place) for place in silent(symbol, after, told)]
    return wrong


def silent(symbol: Symbol, after: dict[str, str], told: set[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Lines of the agents of a symbol where its old name still is in code, and of which nobody was told."""
    index = index_of(after)
    homes = [agent for agent in index.each() if agent.source.path == symbol.agent.source.path]
    for place in left_alone(index, symbol, homes, {}):
        here = (place["path"], place["range"]["start"]["line"])
        if here not in told:
            yield here


@pytest.mark.slow
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_names_of_an_example(folder: Path) -> None:
    chance = None if EVERYTHING else random.Random(folder.name)
    assert differences(folder.name, example(folder), chance, 8) == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_the_scenarios_of_an_example_pass_whatever_was_renamed(folder: Path) -> None:
    files = example(folder)
    index = index_of(files)
    cases = [path for path in files if path.endswith(".scenario.yaml")]
    found = list(symbols(index))
    for symbol in found if EVERYTHING else random.Random(folder.name).sample(found, min(8, len(found))):
        after = renamed(files, index, symbol)[1]
        agents = {path: text for path, text in after.items() if path not in cases}
        for case in cases if after != files else ():
            scenario = read_scenario(after[case])
            run = {path: agents[path] for path in scenario.agents} if scenario.agents else agents
            result = run_scenario(scenario, run)
            assert result.passed, (symbol.kind, symbol.name, case, [str(each) for each in result.failures])


@pytest.mark.slow
def test_names_of_small_projects() -> None:
    chance = random.Random(20_261)
    projects = list(small_projects())
    sample = projects if EVERYTHING else chance.sample(projects, 150)
    assert [
        each for label, files in sample for each in differences(label, files, None if EVERYTHING else chance, 3)
    ] == []
