"""Every place that holds an expression is looked at as the conditions of rules are (docs/spec 02 §1, §9).

The places: places.yaml. In each, HOLE is filled with an expression that is right, that calls what does not exist, that
cannot be read, and that reads a name which nothing declares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from abl.analysis import check
from abl.analysis.index.documents import forget_documents
from abl.analysis.symbols.kinds import occurrences, symbol_at
from abl.editing.completion.complete import complete
from tests.abl.edits import edits
from tests.every import every
from tests.reading import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "places.yaml")
KEYWORD = """AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - known
      INITIAL: [1]
  persistent:
    - user.known
      DEFAULT: 1
"""
YAML = """agent: Desk
goal: "Lend books"
memory:
  session:
    - {name: known, initial: [1]}
  persistent:
    - {path: user.known, default: 1}
"""
FORMS = [(case, form) for case in CASES for form in ("keyword", "yaml") if form in case]
in_every_place = every((f"{case['name']}, {form}", (case, form)) for case, form in FORMS)


def filled(case: dict[str, Any], form: str, expression: str) -> str:
    whole = case.get("wrap", "HOLE").replace("HOLE", expression)
    return (KEYWORD if form == "keyword" else YAML) + case[form].replace("HOLE", whole)


def told_at(text: str, word: str) -> set[str]:
    """The codes of what is told on the line where a word stands."""
    line = text[: text.index(word)].count("\n")
    diagnostics = check({"desk.agent.abl": text}).diagnostics
    return {d.code for d in diagnostics if text[: d.span.start].count("\n") == line}


@in_every_place
def test_a_good_expression_is_not_complained_about(case: dict[str, Any], form: str) -> None:
    told = check({"desk.agent.abl": filled(case, form, "LENGTH(known)")}).diagnostics
    assert [d for d in told if 200 <= int(d.code[3:]) < 300 and d.code != "ABL221"] == []


@in_every_place
def test_an_unknown_function_is_told(case: dict[str, Any], form: str) -> None:
    assert case.get("unknown", "ABL207") in told_at(filled(case, form, "FROBNICATE(known)"), "FROBNICATE")


@in_every_place
def test_what_cannot_be_read_is_told(case: dict[str, Any], form: str) -> None:
    assert case.get("unreadable", "ABL201") in told_at(filled(case, form, "known =="), "known ==")


@in_every_place
def test_a_name_that_nothing_declares_is_told(case: dict[str, Any], form: str) -> None:
    told = told_at(filled(case, form, "nobody_sets_it == 1"), "nobody_sets_it") & {"ABL214", "ABL253", "ABL514"}
    assert len(told) == (1 if case.get("names", True) else 0)


@pytest.mark.full
@in_every_place
def test_a_name_is_found_as_a_reference(case: dict[str, Any], form: str) -> None:
    text = filled(case, form, "LENGTH(known)")
    index = check({"desk.agent.abl": text}).index
    at = text.index("LENGTH(known)") + len("LENGTH(")
    symbol = symbol_at(index, "desk.agent.abl", at)
    assert symbol is not None
    assert (symbol.kind, symbol.name) == ("variable", "known")
    assert at in [place.span.start for place in occurrences(index, symbol)]


@in_every_place
def test_its_names_are_offered(case: dict[str, Any], form: str) -> None:
    text = filled(case, form, "LENGTH(known)")
    before = text[: text.index("LENGTH(known)") + len("LENGTH(kn")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    offered = complete({"desk.agent.abl": text}, "desk.agent.abl", line, column)
    assert "known" in [offer["label"] for offer in offered]


def recorded(files: dict[str, str]) -> tuple[object, ...]:
    report = check(files)
    agents = list(report.index.each())
    reads = [(read.path, read.span, read.certain) for agent in agents for read in agent.reads]
    writes = [(write.path, write.span, write.kind) for agent in agents for write in agent.writes]
    return report.diagnostics, reads, writes, [agent.mentions for agent in agents]


@pytest.mark.thorough
@in_every_place
def test_after_edits_it_is_recorded_as_in_a_new_text(case: dict[str, Any], form: str) -> None:
    text = filled(case, form, "LENGTH(known)")
    versions = [text, text.replace("Lend books", "Lend many books"), *edits(text, 1, 3)]
    forget_documents()
    warm = [recorded({"desk.agent.abl": version}) for version in versions]
    for version, known in zip(versions, warm, strict=True):
        forget_documents()
        assert known == recorded({"desk.agent.abl": version})
