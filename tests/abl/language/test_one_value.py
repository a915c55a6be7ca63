"""A list, braces or lines below where one word, switch, number, time or condition is due: one error, where it stands.

Made from the declaration (docs/spec 01 §3.1): what is read by nobody is refused, so that no guard is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from abl import check
from abl.language import takes_no_text, takes_one, takes_text
from abl.language.types import Number, parts
from tests.abl.language.frames import Frame, frames
from tests.abl.language.spellings import LINES, spelled
from tests.every import each

FEW = 40
"""Values that the quick suite tries."""
ELSEWHERE = {
    ("rule", "REQUIRE"): "the rule itself, of which ABL402 misses the condition",
    ("rule", "LIMIT"): "the same",
    ("rule", "RESTRICT"): "the same",
    ("rule", "WARN"): "the same",
    ("store", "value"): "ABL343 says it of STORE as a whole",
}
"""Keys of which another problem tells it. May only shrink."""


def value_of(frame: Frame) -> str:
    """A value that the key takes."""
    numbers = any(isinstance(one, Number) for one in parts(frame.key.type))
    words = [one.canonical for one in spelled(frame.key.type) if not numbers or one.canonical[0].isdigit()]
    return words[0] if words else "x == 1"


def forms(frame: Frame) -> Iterator[str]:
    """The value as a list and in lines below."""
    value = value_of(frame)
    if takes_one(frame.place, frame.key.name):
        yield f"[{value}]"
        yield f"{{a: {value}}}"
    yield LINES + value


def tried() -> list[tuple[str, tuple[Frame, str]]]:
    """Every key that takes one value, in each form that it does not take."""
    found = []
    for (place, key, yaml), frame in sorted(frames().items()):
        if takes_text(place, key) and (place, key) not in ELSEWHERE:
            name = f"{place}.{key} {'yaml' if yaml else 'abl'}"
            found += [(f"{name}: {form!r}", (frame, form)) for form in forms(frame)]
    return found


def codes_there(frame: Frame, value: str) -> set[str]:
    """The codes of the errors where the key stands with a value."""
    files = frame.with_value(value)
    start = frame.block.span.end if frame.beside else frame.block.key_span.start
    end = (0 if frame.beside else frame.block.span.end) + len(files[frame.path]) - len(frame.text)
    end += start if frame.beside else 0
    found = [problem for problem in check(dict(files)).errors if problem.path == frame.path]
    return {problem.code for problem in found if start <= problem.span.start < max(end, start + 1)}


def one_error(frame: Frame, form: str) -> None:
    """What stands there is one error, which the value alone has not."""
    found = codes_there(frame, form)
    assert found
    assert len(found) == 1 or len(found - codes_there(frame, value_of(frame))) == 1


def test_what_takes_one_value_is_known_from_its_type() -> None:
    assert takes_one("field", "sensitive")
    assert not takes_one("field", "options")
    assert not takes_one("complete", "WHEN")
    assert takes_text("complete", "WHEN")


@pytest.mark.slow
def test_some_values_in_another_form_are_one_error() -> None:
    cases = tried()
    each(cases[:: max(len(cases) // FEW, 1)], one_error)


@pytest.mark.thorough
def test_every_value_in_another_form_is_one_error() -> None:
    cases = tried()
    assert len(cases) > 1_200
    each(cases, one_error)


def test_what_takes_no_text_is_known_from_its_type() -> None:
    assert takes_no_text("tool", "confirmation")
    assert takes_no_text("policy", "RULES")
    assert not takes_no_text("step", "LOG")
    assert not takes_no_text("tool", "confirm")


@pytest.mark.thorough
def test_a_text_where_properties_are_due_is_told_by_one_rule_alone() -> None:
    told = 0
    for (place, key, _), frame in frames().items():
        if takes_no_text(place, key) and frame.key.runs == "executed":
            codes = codes_there(frame, "x")
            told += codes == {"ABL125"}
    assert told >= 60
