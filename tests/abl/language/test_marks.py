"""What the declaration says of each key beside its values: what runs, where it is described, which code tells of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from abl import check, parse
from abl.analysis.conformance.not_executed import not_executed
from abl.analysis.conformance.value_walk import Stood, below, properties, within
from abl.analysis.registry import RULES
from abl.editing.hover import hover
from abl.language import PLACES, SECTIONS, Key, key_at, plain
from abl.language.document import AGENT, PROFILE
from abl.language.types import Closed, Flag, Number, parts
from abl.runtime.scenarios.player import run_scenario
from abl.syntax.vocabulary import canonical_key
from tests.abl.runtime.harness import load_cases, load_file
from tests.abl.syntax.test_corpus import cases
from tests.every import each

ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "docs/spec"
PATH = "desk.agent.abl"
UNTOLD = {"history.mode", "delegate_failure.type"}
"""One word only: nothing else is known that could be meant, so any word is taken."""
TOLD_AT_KEY = {"behavior.canRespondDirectly"}
"""What is told is that the key is old, whatever its value."""
HINTED = {"field.VALIDATE", "error_handler.SUBTYPE", "error_handler.SUBTYPES"}
"""The platform may know what we do not: a word that is not known is a hint. Any other is an error or a warning."""


def everything() -> Iterator[tuple[str, Key]]:
    """Every key with the name of its place."""
    for place in (AGENT, PROFILE, *PLACES.values()):
        yield from ((place.name, key) for key in place.listed)


def test_every_key_names_a_section_of_the_specification_that_is_there() -> None:
    headings = {
        f"{path.name[:2]} §{found[1].rstrip('.')}"
        for path in SPEC.glob("[0-9]*.md")
        for found in re.finditer(r"^#+ ([0-9.]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(place, key.name, key.spec) for place, key in everything() if key.spec not in headings} == set()


def test_every_code_is_that_of_a_rule() -> None:
    assert {(place, key.name, key.code) for place, key in everything() if key.code and key.code not in RULES} == set()


def closes(key: Key) -> bool:
    """True for a key that does not take every value."""
    return any(isinstance(one, Closed | Flag | Number) and not getattr(one, "open", False) for one in parts(key.type))


def name_of(stood: Stood) -> str:
    """Place and key as the declaration writes them."""
    key = key_at(stood.place, stood.block.key)
    return f"{stood.place}.{key.name}" if key is not None else ""


def in_corpus() -> Iterator[tuple[str, Stood]]:
    """The first property of each place and key of the corpus, with its text."""
    seen = set()
    for case in cases():
        source = str(case.values[0])
        document = parse(source, PATH)
        for whole in (*document.agents, *document.fragments):
            walks = [below(document.source, section.keyword, section.block) for section in whole.sections]
            walks += [within(document.source, "tool", tool.block) for tool in whole.tools]
            if whole.flow is not None:
                walks += [within(document.source, "step", step.block) for step in whole.flow.steps]
            for stood in (found for walk in walks for found in properties(walk)):
                at = stood.place, canonical_key(stood.block.key)
                if stood.listed and stood.block.value is not None and at not in seen:
                    seen.add(at)
                    yield source, stood


@pytest.mark.slow
def test_the_code_of_a_key_tells_of_a_value_that_it_does_not_take() -> None:
    def told(text: str, stood: Stood, code: str) -> None:
        assert stood.block.value is not None
        span = stood.block.value.inner
        at = stood.block.key_span.start if name_of(stood) in TOLD_AT_KEY else span.start
        changed = f"{text[: span.start]}zzqxw{text[span.end :]}"
        problems = check({PATH: changed}).diagnostics
        here = [problem for problem in problems if problem.span.start <= at <= problem.span.end]
        serious = ("hint",) if name_of(stood) in HINTED else ("error", "warning")
        assert code in {problem.code for problem in here if problem.severity in serious}

    found = [(text, stood, key_at(stood.place, stood.block.key)) for text, stood in in_corpus()]
    closed = {
        name_of(stood): (text, stood, key.reported_by) for text, stood, key in found if key is not None and closes(key)
    }
    assert len(closed) > 200
    each(((name, case) for name, case in closed.items() if name not in UNTOLD), told)


@pytest.mark.slow
def test_what_the_runtime_leaves_out_is_marked_so() -> None:
    """Whatever a run of the corpus tells of as not executed is no key that is marked executed everywhere."""
    marks: dict[str, set[str | None]] = {}
    for _, key in everything():
        marks.setdefault(plain(key.name), set()).add(key.runs)
    played = [*load_cases()]
    for path in sorted((ROOT / "tests/abl/runtime/spec").glob("*.yaml")):
        played += load_file(path)
    left = {
        plain(event["data"]["construct"].rpartition(".")[2])
        for _, files, scenario in played
        for event in run_scenario(scenario, files).events
        if event["kind"] == "not_executed"
    }
    assert len(left) > 5
    assert {word for word in left if marks.get(word) == {"executed"}} == set()


def test_hover_and_check_say_of_each_section_that_it_is_not_executed() -> None:
    def said(keyword: str) -> None:
        files = {PATH: f'AGENT: Desk\nGOAL: "Lend books"\n{keyword}:\n  x: y\n'}
        found = hover(files, PATH, 3, 2)
        assert found is not None
        assert f"not executed here (docs/spec {SECTIONS[keyword].spec})" in str(found)
        assert [left.key for left in not_executed(check(files).index)] == [keyword]

    told = [name for name, key in SECTIONS.items() if key.runs == "platform" and key.offered and " " not in name]
    assert len(told) >= 5
    each(((name, (name,)) for name in told if name not in ("USE_BEHAVIOR_PROFILE", "BEHAVIOR_PROFILE")), said)


def test_only_the_outermost_property_is_told() -> None:
    text = 'AGENT: Desk\nGOAL: "x"\nFLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    AWAIT_ATTACHMENT:\n'
    found = not_executed(check({PATH: f'{text}      PROMPT: "x"\n    THEN: COMPLETE\n'}).index)
    assert [(left.key, text[left.span.start : left.span.end]) for left in found] == [
        ("AWAIT_ATTACHMENT", "AWAIT_ATTACHMENT")
    ]


def test_the_reference_says_of_each_key_what_runs() -> None:
    page = (ROOT / "docs/reference/keys.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 1_200
    runs = r"\| (executed|simulated|for readers|\*\*not executed here\*\*) \| \d\d §[\d.]+ \|"
    assert [row for row in rows if re.search(runs, row) is None] == []
