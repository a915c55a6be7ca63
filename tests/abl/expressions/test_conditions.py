"""Conditions in quotes (docs/spec 02 §1)."""

import pytest

from abl.expressions import read_condition


@pytest.mark.parametrize(
    ("raw", "kind", "text", "shift"),
    [
        ("a == b", "expression", "a == b", 0),
        ('  "a == b"  ', "expression", "a == b", 3),
        ("' a AND b'", "expression", "a AND b", 2),
        ('"flag"', "text", "flag", 1),
        ('"LENGTH(x)"', "expression", "LENGTH(x)", 1),
        ('"a" == "b"', "expression", '"a" == "b"', 0),
        ('"x contains y"', "expression", "x contains y", 1),
        ('"the user wants help"', "text", "the user wants help", 1),
        ('"x IS SET"', "expression", "x IS SET", 1),
        ('""', "text", "", 1),
        ("", "empty", "", 0),
        ("   ", "empty", "", 3),
        ("name", "expression", "name", 0),
    ],
)
def test_unwrapping(raw, kind, text, shift):
    condition = read_condition(raw)
    assert (condition.kind, condition.text, condition.shift) == (kind, text, shift)
    assert raw[condition.shift : condition.shift + len(condition.text)] == condition.text


def test_escapes_are_undone():
    condition = read_condition(r'"name == \"Ada\""')
    assert (condition.text, condition.escaped) == ('name == "Ada"', True)
    assert condition.compile().evaluate({"name": "Ada"}) is True


@pytest.mark.parametrize(
    ("raw", "natural"),
    [
        ('"the item is in stock"', True),
        ('"help me!"', True),
        ('"x in xs"', False),
        ('"the user wants help"', True),
        ('"user AND agent agree here"', False),
        ("the user wants help", False),
    ],
)
def test_natural_language(raw, natural):
    assert read_condition(raw).is_natural_language() is natural
