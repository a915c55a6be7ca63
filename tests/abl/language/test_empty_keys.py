"""A key without a value, where the declaration asks for one, is told once: no guard is lost (docs/spec 05 ABL116)."""

from __future__ import annotations

import pytest

from abl import check
from abl.language import PLACES, key_at, needs_value, takes_text
from tests.abl.language.frames import Frame, frames
from tests.every import each

FEW = 60
"""Keys that the quick suite tries."""
LAYOUT = {("hook", "CRITICAL"), ("hook", "SET"), ("call", "CALL")}
"""Keys whose texts have lines that belong below them once they are empty."""
BESIDES = {
    "ABL106": "the key is that of other entries",
    "ABL108": "the lines below the key stand too far in",
    "ABL115": "the text is no entry any more",
    "ABL401": "the kind of rule is in lower case",
    "ABL641": "the key is that of another entry",
    "ABL1064": "the template of a carousel needs a title",
    "ABL946": "the key goes with another kind of transfer",
}
"""Other problems that are no second word about the emptiness. May only shrink."""


def tried(empty: str) -> list[tuple[str, tuple[Frame, str]]]:
    """Every key that needs a value, without one."""
    return [
        (f"{place}.{key} {'yaml' if yaml else 'abl'}", (frame, empty))
        for (place, key, yaml), frame in sorted(frames().items())
        if needs_value(place, key) and (place, key) not in LAYOUT and (not empty or takes_text(place, key))
    ]


def errors_at(frame: Frame, value: str) -> set[str]:
    """The codes of the errors in the line of the key."""
    files = frame.with_value(value)
    text = files[frame.path]
    start = text.index(frame.written, frame.block.span.end if frame.beside else frame.block.key_span.start)
    end = text.find("\n", start) % (len(text) + 1)
    begin = text.rfind("\n", 0, start) + 1
    found = [problem for problem in check(dict(files)).errors if problem.path == frame.path]
    return {problem.code for problem in found if begin <= problem.span.start <= end}


def told_once(frame: Frame, empty: str) -> None:
    """It is one error that stands there."""
    found = errors_at(frame, empty)
    assert found
    assert len(found) == 1 or len(found - BESIDES.keys()) <= 1, found


def test_what_needs_a_value_is_known_from_its_type() -> None:
    assert needs_value("tool", "confirm")
    assert needs_value("entity", "sensitive")
    assert needs_value("policy_rules", "forbidden_when")
    assert needs_value("call", "WITH")
    assert not needs_value("identity", "persona")
    assert not needs_value("branch", "ELSE")
    assert not needs_value("tool", "no_such_key")


def test_only_switches_and_blocks_of_actions_stand_alone() -> None:
    alone = {key.name for place in PLACES.values() for key in place.listed if key.alone}
    assert alone == {"ELSE", "RESUME", "RETURN", "COMPLETE", "CLEAR_INTERACTION_LANGUAGE"}


@pytest.mark.parametrize("form", ["confirm:", 'confirm: ""', "confirm: ''", "confirm:   # always"])
def test_a_tool_without_a_word_for_confirm_is_refused(form: str) -> None:
    tool = f'TOOLS:\n  pay(n: number) -> {{ok: boolean}}\n    description: "Pay."\n    {form}\n'
    problems = check({"desk.agent.abl": f'AGENT: Desk\nGOAL: "Lend books"\n{tool}'}).errors
    assert [problem.code for problem in problems] == ["ABL116"]
    assert key_at("tool", "confirm") is not None


@pytest.mark.slow
@pytest.mark.parametrize("empty", ["", '""'])
def test_some_keys_without_a_value_are_one_error(empty: str) -> None:
    cases = tried(empty)
    each(cases[:: max(len(cases) // FEW, 1)], told_once)


@pytest.mark.thorough
@pytest.mark.parametrize("empty", ["", '""'])
def test_every_key_without_a_value_is_one_error(empty: str) -> None:
    cases = tried(empty)
    assert len(cases) > 600
    each(cases, told_once)
