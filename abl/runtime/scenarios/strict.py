"""Strict reading of the data of a scenario: a message says what is wrong, where, and what would be right (12 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any


class ScenarioError(ValueError):
    """A scenario file that cannot be used; the message names the place and what would be right."""


def mapping(value: Any, place: str) -> dict[str, Any]:
    """A mapping, else ScenarioError."""
    if not isinstance(value, Mapping):
        raise ScenarioError(f"{place}: this is {kind_of(value)}; a mapping of keys and values is right")
    return dict(value)


def listed(value: Any, place: str) -> list[Any]:
    """A list, else ScenarioError."""
    if not isinstance(value, list | tuple):
        raise ScenarioError(f"{place}: this is {kind_of(value)}; a list is right")
    return list(value)


def kind_of(value: Any) -> str:
    """The type of a value in words, with its article."""
    return {"NoneType": "empty", "str": "a text", "dict": "a mapping", "list": "a list"}.get(
        type(value).__name__, f"a {type(value).__name__}"
    )


def check_keys(data: Mapping[Any, Any], allowed: Iterable[str], place: str) -> None:
    """ScenarioError with a suggestion for a key that is none of those allowed."""
    names = list(allowed)
    for key in data:
        if key not in names:
            near = get_close_matches(str(key), names, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"
            raise ScenarioError(f"{place}: unknown key {key!r}{hint}")
