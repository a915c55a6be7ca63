"""A list item in braces is the lines that it stands for, in both forms: by its problems, and by what runs."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from abl.analysis import check
from abl.runtime import Session
from abl.runtime.events.reading import without_durations
from abl.runtime.memory.in_memory import FixedClock
from tests.abl.runtime.harness import HEAD

Pairs = tuple[tuple[str, str], ...]
FLOW = """FLOW:
  entry_point: ask
  ask:
    REASONING: false
    RESPOND: "Say."
    {key}:
{items}{rest}"""
YAML_FLOW = """flow:
  entry_point: ask
  ask:
    reasoning: false
    respond: "Say."
    {key}:
{items}{rest}"""


ASKED = """    GATHER:
      - card: required
        prompt: "Card?"
    THEN: COMPLETE
"""


class Listed(NamedTuple):
    """A list of a section: its text in keyword form and in YAML, how deep its items stand, one that has a slip, and
    one that runs."""

    lines: str
    yaml: str
    depth: int
    wrong: Pairs
    right: Pairs


def _section(name: str, wrong: Pairs, right: Pairs, above: str = "", depth: int = 2) -> Listed:
    """A list at ``depth`` below a section, or below ``above`` in it."""
    head = f"{name}:\n" + (f"  {above}:\n" if above else "")
    return Listed(head + "{items}", head.lower() + "{items}", depth, wrong, right)


def _flow(key: str, wrong: Pairs, right: Pairs, rest: str = "") -> Listed:
    return Listed(
        FLOW.replace("{key}", key).replace("{rest}", rest),
        YAML_FLOW.replace("{key}", key.lower()).replace(
            "{rest}", rest.lower().replace("complete", "COMPLETE").replace("card?", "Card?")
        ),
        6,
        wrong,
        right,
    )


LISTS = {
    "HANDOFF": _section(
        "HANDOFF", (("TO", "Nobody"), ("WHEN", 'input == "x"')), (("TO", "Other"), ("WHEN", 'input == "over"'))
    ),
    "DELEGATE": _section(
        "DELEGATE",
        (("AGENT", "Nobody"), ("WHEN", 'input == "x"'), ("PURPOSE", '"Ask"')),
        (("AGENT", "Other"), ("WHEN", 'input == "over"'), ("PURPOSE", '"Ask"'), ("INPUT", "[input]")),
    ),
    "COMPLETE": _section(
        "COMPLETE",
        (("WHEN", 'unknown == "x"'), ("RESPOND", '"No."')),
        (("WHEN", 'input == "over"'), ("RESPOND", '"Done."')),
    ),
    "CONSTRAINTS": _section(
        "CONSTRAINTS",
        (("REQUIRE", "unknown != 3"), ("ON_FIAL", '"Not three."')),
        (("REQUIRE", 'input != "over"'), ("ON_FAIL", '"Not over."')),
    ),
    "phase": _section(
        "CONSTRAINTS",
        (("RESTRICT", "unknown != 3"), ("WHEN", 'input = "x"'), ("ON_FAIL", '"Not three."')),
        (("LIMIT", 'input != "over"'), ("WHEN", 'input != "x"'), ("ON_FAIL", "{respond: No, retry: true}")),
        above="always",
        depth=4,
    ),
    "ESCALATE": _section(
        "ESCALATE",
        (("WHEN", "unknown > 3"), ("REASON", '"No"'), ("PRIORITY", "hihg")),
        (("WHEN", 'input == "over"'), ("REASON", '"Over"'), ("PRIORITY", "high")),
        above="triggers",
        depth=4,
    ),
    "on_human_complete": _section(
        "ESCALATE",
        (("IF", "unknown > 3"), ("THEN", "HANDOFF Nobody")),
        (("IF", 'input == "over"'), ("THEN", "HANDOFF Other")),
        above="on_human_complete",
        depth=4,
    ),
    "TOOLS": _section(
        "TOOLS",
        (("name", "pay"), ("description", '"Pays"'), ("confirm", "alwasy")),
        (("name", "ask"), ("description", '"Asks"'), ("parameters", "[{name: sum, type: number}]")),
    ),
    "GATHER": _section(
        "GATHER", (("note", "required"), ("tpye", "string")), (("card", "required"), ("prompt", '"Card?"'))
    ),
    "session": _section(
        "MEMORY", (("NAME", "kind"), ("TYPE", "nubmer")), (("NAME", "visits"), ("INITIAL", "1")), "session", 4
    ),
    "ON_INPUT": _flow(
        "ON_INPUT",
        (("IF", 'input == "x"'), ("RESPOND", '"X."'), ("THEN", "nowhere")),
        (("IF", 'input == "over"'), ("SET", "done = true"), ("RESPOND", '"Over."'), ("THEN", "ask")),
    ),
    "DIGRESSIONS": _flow(
        "DIGRESSIONS",
        (("INTENT", '"x"'), ("KEYWORDS", "[x]"), ("RESPOND", '"X."'), ("GOTO", "nowhere")),
        (("INTENT", '"over"'), ("KEYWORDS", "[over]"), ("RESPOND", '"Help."'), ("RESUME", "true")),
        rest=ASKED,
    ),
    "SUB_INTENTS": _flow(
        "SUB_INTENTS",
        (("INTENT", '"x"'), ("KEYWORDS", "[x]"), ("RESPOND", '"{{banana"')),
        (("INTENT", '"over"'), ("KEYWORDS", "[over]"), ("RESPOND", '"Help."'), ("SET", "done = true")),
        rest=ASKED,
    ),
}
OTHER = {"other.agent.abl": 'AGENT: Other\nGOAL: "Help"\nON_START:\n  RESPOND: "Here."\n'}


def _lines(depth: int, pairs: Pairs) -> str:
    indent = " " * depth
    return "".join(
        f"{indent}{'  ' if at else '- '}{key}: {value}".rstrip() + "\n" for at, (key, value) in enumerate(pairs)
    )


def _braces(depth: int, pairs: Pairs, *, yaml: bool = False) -> str:
    inside = ", ".join(f"{key.lower() if yaml else key}: {value}".rstrip() for key, value in pairs)
    return f"{' ' * depth}- {{{inside}}}\n"


def _written(name: str, *items: Pairs) -> dict[str, dict[str, str]]:
    """The same agent with its items in lines, in braces, and in braces of the YAML form."""
    one = LISTS[name]
    lines, braces = ("".join(form(one.depth, pairs) for pairs in items) for form in (_lines, _braces))
    lower = "".join(_braces(one.depth, pairs, yaml=True) for pairs in items)
    return {
        "lines": {"desk.agent.abl": HEAD + one.lines.replace("{items}", lines)},
        "braces": {"desk.agent.abl": HEAD + one.lines.replace("{items}", braces)},
        "yaml": {"desk.agent.yaml": 'agent: Desk\ngoal: "Lend items"\n' + one.yaml.replace("{items}", lower)},
    }


def _told(files: dict[str, str]) -> list[tuple[str, str, str]]:
    found = check({**files, **OTHER}).diagnostics
    return sorted((problem.code, problem.severity, problem.message.lower()) for problem in found)


def _played(files: dict[str, str]) -> str:
    desk = Session({**files, **OTHER}, entry="Desk", clock=FixedClock())
    turns = [desk.start(), desk.say("over")]
    events = without_durations([event for turn in turns for event in turn.events])
    return json.dumps([_placeless(event) for event in events], default=str, sort_keys=True)


_PLACES = ("span", "revision", "digest", "file", "line", "column", "start", "end")


def _placeless(found: object) -> object:
    if isinstance(found, dict):
        return {key: _placeless(value) for key, value in found.items() if key not in _PLACES}
    return [_placeless(each) for each in found] if isinstance(found, list) else found


@pytest.mark.parametrize("form", ["braces", "yaml"])
@pytest.mark.parametrize("name", LISTS)
def test_problems_are_those_of_the_lines(name: str, form: str) -> None:
    written = _written(name, LISTS[name].wrong, LISTS[name].right)
    assert _told(written["lines"]) != _told(_written(name, LISTS[name].right)["lines"])
    assert _told(written[form]) == _told(written["lines"])


@pytest.mark.parametrize("form", ["braces", "yaml"])
@pytest.mark.parametrize("name", LISTS)
def test_it_runs_as_the_lines_do(name: str, form: str) -> None:
    written = _written(name, LISTS[name].right)
    assert _played(written[form]) == _played(written["lines"])
