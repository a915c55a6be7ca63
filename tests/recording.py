"""A recorder that refuses trace events that are not declared (``abl.runtime.events.kinds``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from abl.runtime.events.kinds import problems_of
from abl.runtime.events.recorder import Event, Recorder


@contextmanager
def declared_events() -> Iterator[list[Event]]:
    """Compare whatever is recorded inside with its declaration: at once, and again at the end, when it is complete.

    The first shows where a wrong event comes from. The second finds what was added to an event later, and fails also
    where the code under test survived the first: a worker ends such a turn as failed.
    """
    recorded: list[Event] = []
    refused: set[str] = set()
    emit = Recorder.emit

    def checked(self: Recorder, kind: str, data: dict[str, Any], **more: Any) -> Event:
        problems = problems_of(kind, more.get("status", "ok"), data)
        refused.update(problems)
        assert not problems, problems
        recorded.append(emit(self, kind, data, **more))
        return recorded[-1]

    with patch.object(Recorder, "emit", checked):
        yield recorded
    problems = refused.union(
        *(problems_of(event["kind"], event["status"], event["data"], masked=True) for event in recorded)
    )
    assert not problems, sorted(problems)
