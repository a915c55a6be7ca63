"""``import abl`` gives the names of docs/spec 12 §1 and loads nothing before they are used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest

import abl

SPEC = Path(__file__).resolve().parents[2] / "docs/spec/12-interfaces.md"


def test_every_public_name_can_be_loaded():
    assert [name for name in abl.__all__ if getattr(abl, name, None) is None] == []


def specified_names():
    """Every ``abl.…`` of docs/spec 12 §1, and its modules that are named without it."""
    text = SPEC.read_text(encoding="utf-8").partition("## 2. ")[0]
    named = set(re.findall(r"`(?:with )?(abl(?:\.\w+)+)", text))
    named |= {f"abl.{name}" for row in re.findall(r"`abl\.((?:\w+ / )+\w+)", text) for name in row.split(" / ")}
    beside = re.search(r"implementations beside them \(([^)]+)\)", text)[1]
    return named | {f"abl.runtime.{name}" for name in re.findall(r"\w+", beside)}


@pytest.mark.parametrize("name", sorted(specified_names()))
def test_names_of_the_specification_stay_importable(name):
    assert resolve_name(name) is not None


def test_a_session_takes_the_ports_in_memory_of_the_specification():
    ports = {
        "facts": resolve_name("abl.runtime.memory_ports.MemoryFacts")(),
        "blocks": resolve_name("abl.runtime.memory_systems.MemoryBlocks")(),
    }
    turn = abl.runtime.Session(
        {"a.agent.abl": 'AGENT: A\nGOAL: "Lend"\nON_START:\n  RESPOND: "Hello"\n'}, **ports
    ).start()
    assert turn.replies == ["Hello"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        abl.nothing  # noqa: B018


def test_importing_abl_loads_no_submodule_and_no_framework():
    code = "import abl, sys; print([m for m in sys.modules if m.startswith(('abl.', 'django', 'rapidfuzz'))])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.slow
def test_parsing_needs_neither_django_nor_pygments_nor_rapidfuzz():
    unwanted = ("django", "pygments", "rapidfuzz")
    code = f"import abl, sys; abl.parse('AGENT: A'); print([m for m in {unwanted} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


def test_a_parsed_text_gives_its_tree_and_what_the_parser_noticed_in_words():
    text = 'AGENT: Desk\nGOAL: "Lend"\nMEMROY:\n  session:\n    - role\nbranch\n'
    document = abl.parse(text, "desk.agent.abl")
    assert [agent.name.value for agent in document.agents] == ["Desk"]
    assert (document.fragments, document.profiles, document.tool_files) == ((), (), ())
    assert document.source.text == text
    assert document.diagnostics == abl.check({"desk.agent.abl": text}).diagnostics
    assert [(d.code, document.source.position(d.span.start).line) for d in document.diagnostics] == [
        ("ABL103", 3),
        ("ABL125", 6),
    ]


def test_the_place_of_a_diagnostic_is_found_in_lines_and_columns():
    report = abl.check({"desk.agent.abl": 'AGENT: Desk\nGOAL: "Lend"\nMEMROY:\n  session:\n    - role\n'})
    (problem,) = report.diagnostics
    start, end = report.index.source(problem.path).range(problem.span)
    assert (start.line, start.column, end.line, end.column) == (3, 1, 3, 7)


def test_a_comment_that_switches_a_code_off_counts_for_a_parsed_text():
    assert abl.parse('AGENT: Desk\nGOAL: "Lend"\n# abl-ignore unknown-section\nMEMROY:\n  a: b\n').diagnostics == ()
