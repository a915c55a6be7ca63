"""Make a text that fails as short as it gets while it continues failing in the same place."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable


def failure(prove: Callable[[str], None], text: str) -> str | None:
    """The kind and the place of what goes wrong for a text, or None."""
    try:
        prove(text)
    except Exception as error:
        return place(error)
    return None


def place(error: Exception) -> str:
    """The kind of an error and where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename}:{frame.lineno}"


def reduced(prove: Callable[[str], None], text: str, seconds: float = 20.0) -> str:
    """The text without the lines, and then without the characters, that the failure does not need."""
    wanted = failure(prove, text)
    end = time.monotonic() + seconds
    for split, join in ((str.splitlines, "\n"), (list, "")):
        parts = split(text)
        size = max(len(parts) // 2, 1)
        while size and time.monotonic() < end:
            at, smaller = 0, False
            while at < len(parts) and time.monotonic() < end:
                fewer = parts[:at] + parts[at + size :]
                if failure(prove, join.join(fewer)) == wanted:
                    parts, smaller = fewer, True
                else:
                    at += size
            size = size if smaller and size == 1 else size // 2
        if failure(prove, join.join(parts)) == wanted:
            text = join.join(parts)
    return text
