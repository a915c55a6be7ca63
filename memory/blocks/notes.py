"""Lines that a program keeps in an archival block: one for each name, the newest last (docs/spec 11 §1)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.blocks.texts import CHARACTERS, entries, is_over, lasting
from memory.models import Block

LONGEST_VALUE = 300


@dataclass(frozen=True, slots=True)
class Note:
    """The value of a name and when it expires; None: never."""

    name: str
    value: Any
    until: datetime | None = None

    @property
    def start(self) -> str:
        """How its line begins."""
        return f"- {self.name}: "

    def line(self) -> str:
        """The note on one line: texts as they are, all else as JSON, long values cut."""
        text = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        text = " ".join(text.split())
        shown = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        return self.start + shown + (f" {lasting(self.until)}" if self.until is not None else "")


def noted(content: str, notes: Iterable[Note], now: datetime, gone: Iterable[str] = ()) -> tuple[str, int]:
    """The text of an archival block with these notes in it, and how many lines were dropped to make it fit.

    A note takes the place of the line about its name; lines about names that are ``gone`` and expired lines are
    removed. If the text is still too long, the oldest lines, which come first, are removed too.
    """
    listed = list({note.name: note for note in notes}.values())
    starts = tuple(note.start for note in (*listed, *(Note(name, None) for name in gone)))
    kept = [line for _, line in entries(content) if not is_over(line, now) and not (starts and line.startswith(starts))]
    lines = [*kept, *(note.line() for note in listed)]
    dropped, size = 0, sum(len(line) + 1 for line in lines) - 1
    while size > CHARACTERS[Block.Type.ARCHIVAL]:
        size -= len(lines[dropped]) + 1
        dropped += 1
    return "\n".join(lines[dropped:]), dropped
