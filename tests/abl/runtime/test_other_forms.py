"""The cases of the runtime in YAML form and in braces: what an agent does is the same however it is written."""

from pathlib import Path

import pytest

from abl import check
from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts
from abl.runtime.scenarios.player import run_scenario
from tests.abl.analysis.restyled import spellings
from tests.abl.runtime.harness import FOLDER, SPEC, assert_case, load_file, spec_cases
from tests.every import each

CASES = [case for path in sorted((*FOLDER.glob("*.yaml"), *SPEC.glob("*.yaml"))) for case in load_file(Path(path))]
DIFFERENT = {
    "routing: an alias, and the intents that a rule ignores",  # it names the file of a member
    "flow: CHECK with a message, with THEN, with a block and with branches",  # quotes tell a message from a step
}
"""Cases in which quotes, which are no more than those of YAML there, or the ending of a file matter."""
ONE_LINE = {
    "gather_outcomes: all blocks behind a CALL are its own, though a GATHER stands between",
    "gather_outcomes: a CALL in a branch; its failure goes to ON_ERROR",
}
"""Cases with a tool that has no signature, which the keyword form does not declare by braces."""


def written(files, form):
    """The documents that can be written so; the others as they are."""
    found = {}
    for name, text in files.items():
        other = dict(spellings(text)).get(form) if name.endswith(".agent.abl") else None
        ending = ".yaml" if other and form.startswith("yaml") else ".abl"
        found[name.removesuffix(".abl") + ending if other else name] = other or text
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", ["yaml", "braces", "yaml in braces"])
def test_what_agents_do_is_the_same_in_another_form(form):
    left = DIFFERENT | ONE_LINE if form == "braces" else DIFFERENT
    cases = [(name, (written(files, form), files, scenario)) for name, files, scenario in CASES if name not in left]
    changed = [(name, (there, scenario)) for name, (there, files, scenario) in cases if there != files]
    assert len(changed) >= 100
    each(changed, play)


@spec_cases("braces")
def test_an_entry_in_braces(files, scenario):
    assert_case(files, scenario)


@spec_cases("yaml_quotes")
def test_what_quotes_braces_and_comments_of_yaml_mean(files, scenario):
    assert_case(files, scenario)


def play(files, scenario):
    assert [str(failure) for failure in run_scenario(scenario, files).failures] == []


ESCAPED = r"""agent: Desk
goal: "Lend"
memory:
  persistent:
    - path: user.city
      scope: user
    - path: user.both
      scope: user
  remember:
    - when: "city IS SET"
      store: "\"in \" + city -> user.city"
    - when: "city IS SET"
      store: "{a: \"x -> y\", b: city} -> user.both"
flow:
  steps: [a]
  a:
    reasoning: false
    set:
      - "city = \"Oslo\""
      - "text = \"a = b\""
    set: "both = city + \", \" + text"
    respond: "{{both}}"
    then: "ESCALATE with REASON: \"Go to {{city}}\""
"""


def test_escapes_in_the_quotes_of_yaml_are_resolved_before_set_store_and_then_are_read():
    run = Session({"desk.agent.yaml": ESCAPED}, user="u", facts=(facts := MemoryFacts()))
    now = FixedClock().now()
    assert run.start().replies == ["Oslo, a = b", "Escalating to human agent. Reason: Go to Oslo"]
    assert facts.get("user", "u", "user.city", now).value == "in Oslo"
    assert facts.get("user", "u", "user.both", now).value == {"a": "x -> y", "b": "Oslo"}


def test_a_problem_behind_an_escape_stands_where_it_is_written():
    text = ESCAPED.replace(r"city + \", \" + text", r"\", \" + NOPE(1)")
    found = [d for d in check({"desk.agent.yaml": text}).diagnostics if d.code == "ABL207"]
    assert [text[d.span.start : d.span.end] for d in found] == ["NOPE"]


ELSE = """agent: Desk
goal: "Lend"
flow:
  steps: [a]
  a:
    reasoning: false
    on_input:
      - {{if: input == "x", respond: "X"}}
      - {{else: {nothing}, respond: "Else"}}
"""


@pytest.mark.parametrize("nothing", ["null", "~", "", '""'])
def test_else_may_hold_the_null_that_programs_write(nothing):
    run = Session({"desk.agent.yaml": ELSE.format(nothing=nothing)})
    run.start()
    assert run.say("y").replies == ["Else"]
    assert run.say("x").replies == ["X"]
