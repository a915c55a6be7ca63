"""Both forms of the language, and flow style in YAML form, give one tree for every section (docs/spec 01 §1, §9)."""

from __future__ import annotations

import time
from functools import cache

import pytest

from abl.analysis import check
from abl.syntax import nodes, parse
from abl.syntax.incremental.reparse import reparse
from tests.abl.syntax.dump import dump_document
from tests.abl.syntax.test_corpus import CORPUS
from tests.every import every

FORMS = ("keyword form", "YAML form", "flow style")
ONE_FORM = ("ABL123",)
"""Lower-case keys are told in keyword form only (01 §3, §9)."""


def sections() -> dict[str, dict[str, str]]:
    """For each section its texts by form."""
    found: dict[str, dict[str, str]] = {}
    texts = [path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("forms*.txt"))]
    for case in (case for text in texts for case in text.split("=== ")[1:]):
        title, _, rest = case.partition("\n")
        section, _, form = title.rpartition(" in ")
        found.setdefault(section, {})[form] = rest.partition("\n---\n")[0] + "\n"
    return found


SECTIONS = sections()
TWINS = [(section, form) for section, texts in SECTIONS.items() for form in texts if form != FORMS[0]]
in_every_other_form = every((f"{section} in {form}", (section, form)) for section, form in TWINS)
in_every_section = every((section, (section,)) for section in SECTIONS)


@in_every_other_form
def test_a_section_gives_the_tree_of_its_keyword_form(section: str, form: str) -> None:
    texts = SECTIONS[section]
    document = parse(texts[form])
    assert document.yaml
    assert dump_document(document).lower() == dump_document(parse(texts[FORMS[0]])).lower()  # keys differ in case


@pytest.mark.full
@in_every_other_form
def test_a_section_gives_the_problems_of_its_keyword_form(section: str, form: str) -> None:
    codes = [codes_of(SECTIONS[section][name]) for name in (FORMS[0], form)]
    assert codes[0] == codes[1]


@cache
def codes_of(text: str) -> list[str]:
    """Codes and messages in alphabetical order: objects in lines and in brackets are read in other orders."""
    diagnostics = check({"desk.agent.abl": text}).diagnostics
    return sorted(f"{d.code} {d.message.lower()}" for d in diagnostics if d.code not in ONE_FORM)


@in_every_section
def test_places_in_flow_style_are_those_of_the_words(section: str) -> None:
    text = SECTIONS[section].get("flow style", "")
    for agent in parse(text).agents:
        for step in agent.flow.steps if agent.flow is not None else ():
            assert text[slice(*step.name.span)] == step.name.value
        for handoff in agent.handoffs:
            assert handoff.to is not None
            assert text[slice(*handoff.to.span)] == handoff.to.value
        for field in agent.gather.fields if agent.gather is not None else ():
            assert text[slice(*field.name.span)] == field.name.value


@pytest.mark.slow
@in_every_section
def test_an_edit_in_yaml_form_gives_what_a_new_reading_gives(section: str) -> None:
    for form, text in SECTIONS[section].items():
        document = parse(text)
        for changed in (
            text.replace("Desk", "Help_Desk"),
            text.replace("title", "name_of"),
            text[: len(text) // 2],
            text,
        ):
            document = reparse(document, changed)
            assert document == parse(changed), form


def test_quotes_of_yaml_do_not_make_a_literal_of_a_default() -> None:
    (agent,) = parse('agent: A\ngather:\n  n: {prompt: "How many?", default: "5", type: number}\n').agents
    assert agent.gather is not None
    default = agent.gather.fields[0].default
    assert default is not None
    assert default.value == "5"


def test_assignments_may_be_a_list_in_brackets() -> None:
    text = 'agent: A\nflow:\n  s: {reasoning: false, set: ["a = 1", \'b = "x"\'], then: COMPLETE}\n'
    (agent,) = parse(text).agents
    assert agent.flow is not None
    (sets,) = (d for d in agent.flow.steps[0].directives if isinstance(d, nodes.SetVariables))
    assert [(a.target.value, a.value.value) for a in sets.assignments if a.target and a.value] == [
        ("a", "1"),
        ("b", '"x"'),
    ]


def test_an_unclosed_bracket_in_yaml_form_is_one_problem() -> None:
    document = parse('agent: A\ngoal: "g"\nhandoff:\n  - {to: B, when: "a == 1"\n')
    assert [finding.code for finding in document.findings] == ["ABL112"]


def test_brackets_deeper_than_the_limit_are_read_in_a_moment_and_kept_as_text() -> None:
    deep = "{a: " * 3000 + "1" + "}" * 3000
    started = time.process_time()
    (agent,) = parse(f"agent: A\nmemory:\n  session:\n    - {{name: n, initial: {deep}}}\nflow:\n  s: {deep}\n").agents
    assert time.process_time() - started < 2
    assert agent.section("FLOW") is not None


def test_empty_brackets_are_no_entries() -> None:
    (agent,) = parse("agent: A\nhandoff: []\nmessages: {}\nflow: {steps: [], s: {reasoning: true}}\n").agents
    assert (agent.handoffs, agent.messages) == ((), ())
    assert agent.flow is not None
    assert [step.name.value for step in agent.flow.steps] == ["s"]
