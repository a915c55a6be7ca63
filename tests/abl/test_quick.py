"""Frozen dataclasses that are made quickly are made as before (``abl.quick``)."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from abl.expressions import nodes as en
from abl.quick import make_quickly
from abl.syntax import nodes


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    column: int = 1
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Place):
    name: str


@dataclass(frozen=True, slots=True)
class Checked:
    line: int

    def __post_init__(self) -> None:
        if self.line < 1:
            raise ValueError("no such line")


make_quickly((Place, Named, Checked, "no class"))


def test_values_are_put_by_place_by_name_and_by_default() -> None:
    assert Place(3) == Place(line=3, column=1, notes=[])
    named = Named(3, 4, name="desk")
    assert (named.line, named.column, named.notes, named.name) == (3, 4, [], "desk")
    assert replace(named, column=5) == Named(3, 5, name="desk")


def test_each_one_has_what_a_factory_makes_to_itself() -> None:
    assert Place(1).notes is not Place(1).notes


def test_a_missing_or_unknown_value_is_refused_and_nothing_can_be_changed() -> None:
    with pytest.raises(TypeError, match=r"Place.__init__\(\) missing 1 required positional argument: 'line'"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword"):
        Place(1, row=2)  # type: ignore[call-arg]
    with pytest.raises(FrozenInstanceError):
        Place(1).line = 2  # type: ignore[misc]


def test_a_class_that_does_more_stays_as_it_is() -> None:
    with pytest.raises(ValueError, match="no such line"):
        Checked(0)


@pytest.mark.parametrize("kind", [nodes.Block, nodes.Step, nodes.Rule, en.Path, en.Test, en.Logical])
def test_the_parts_of_trees_take_what_their_fields_say(kind: type) -> None:
    taken = list(inspect.signature(kind).parameters.values())
    assert {each.name for each in taken} == {each.name for each in fields(kind)}  # type: ignore[arg-type]
    by_name = {each.name for each in fields(kind) if each.kw_only}  # type: ignore[arg-type]
    assert {each.name for each in taken if each.kind is inspect.Parameter.KEYWORD_ONLY} == by_name
