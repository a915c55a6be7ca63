"""Every session of these tests records declared events only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.recording import declared_events


@pytest.fixture(autouse=True)
def only_declared_events() -> Iterator[None]:
    with declared_events():
        yield
