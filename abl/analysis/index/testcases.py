"""Test cases among the files of a project: tools that they expect to be called without a mock (docs/spec 08 §10)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from abl.yaml_reader import UnreadableYaml, load_yaml

SUFFIXES: Final = (".scenario.yaml", ".scenario.yml")


def is_test_case(path: str) -> bool:
    """True for a file that holds a test case, not a document."""
    return path.endswith(SUFFIXES)


@lru_cache(maxsize=256)
def unmocked_tools(text: str) -> frozenset[str]:
    """Names of tools that a test case expects to be called and has no answer for; none if it cannot be read."""
    try:
        data = load_yaml(text)
    except UnreadableYaml:
        return frozenset()
    if not isinstance(data, dict):
        return frozenset()
    mocks = data.get("tools")
    answered = {str(name) for name in mocks} if isinstance(mocks, dict) else set()
    turns = data.get("turns")
    steps = [data.get("start"), *(turns if isinstance(turns, list) else [])]
    return frozenset({name for step in steps for name in _expected(step)} - answered)


def _expected(step: Any) -> Iterator[str]:
    """The tools that one step of a test case expects to be called."""
    expect = step.get("expect") if isinstance(step, dict) else None
    calls = expect.get("calls") if isinstance(expect, dict) else None
    for call in calls if isinstance(calls, list) else ():
        name = call.get("tool") if isinstance(call, dict) else call
        if isinstance(name, str):
            yield name
