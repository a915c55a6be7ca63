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
    """Whatever is recorded inside is compared with its declaration: as it comes, and at the end, when it is complete.

    The first is where a wrong event comes from, the second what was added to it later.
    """
    recorded: list[Event] = []
    emit = Recorder.emit

    def checked(self: Recorder, kind: str, data: dict[str, Any], **more: Any) -> Event:
        problems = problems_of(kind, more.get("status", "ok"), data)
        assert not problems, problems
        recorded.append(emit(self, kind, data, **more))
        return recorded[-1]

    with patch.object(Recorder, "emit", checked):
        yield recorded
    problems = {
        problem
        for event in recorded
        for problem in problems_of(event["kind"], event["status"], event["data"], masked=True)
    }
    assert not problems, sorted(problems)
