"""Many small cases as one test: a test of its own costs more than most cases do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

Case = tuple[Any, ...]
Test = Callable[..., None]


def each(cases: Iterable[tuple[str, Case]], test: Test) -> None:
    """Call a test with every case. Those that fail come together as an group, each with its name."""
    failed: list[BaseException] = []
    tried = 0
    for name, case in cases:
        tried += 1
        try:
            test(*case)
        except (Exception, pytest.fail.Exception) as error:  # whatever one case raises, the others are tried
            error.add_note(f"Case: {name}")
            failed.append(error)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {tried} cases failed", failed)


def every(cases: Iterable[tuple[str, Case]]) -> Callable[[Test], Callable[[], None]]:
    """Make one test of all cases, each with its name; none at all is a failure."""
    known = list(cases)
    assert known

    def made(test: Test) -> Callable[[], None]:
        def all_of_them() -> None:
            each(known, test)

        all_of_them.__name__ = test.__name__
        all_of_them.__doc__ = test.__doc__
        all_of_them.__module__ = test.__module__
        all_of_them.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        return all_of_them

    return made
