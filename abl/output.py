"""Output of the command line, also to a closed pipe, a full disk, or a terminal with a small character set."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

from abl.files import UsageError


def say(text: str, *, data: bool = False) -> None:
    """Print a text and an end of line; ``data`` is for programs, which read UTF-8.

    Characters that the output has not are shown as escapes. When the reader has closed the pipe, the rest is not
    printed and the command continues, so that its exit code is that of its work. Raises UsageError when there is no
    room.
    """
    write(f"{text}\n", data=data)


def write(text: str, *, data: bool = False) -> None:
    """Print a text as it stands; see ``say``."""
    stream = sys.stdout
    if stream is None:  # closed by who started the command
        return
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8" if data else None, errors="backslashreplace")
    with _WriteErrors():
        stream.write(text)


def write_bytes(content: bytes) -> None:
    """Print bytes as they are; see ``say``."""
    if sys.stdout is None:
        return
    with _WriteErrors():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def complain(text: str) -> None:
    """Print a line to standard error."""
    if sys.stderr is None:
        return
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")
    with suppress(OSError):
        print(text, file=sys.stderr)


def finish() -> None:
    """Send what is still held back; raises UsageError when there is no room for it."""
    if sys.stdout is not None:
        with _WriteErrors():
            sys.stdout.flush()


class _WriteErrors:
    """Handles failed writes: after a closed pipe output is discarded, without room UsageError is raised."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, OSError):
            return False
        _to_nowhere()
        if isinstance(error, BrokenPipeError):
            return True
        raise UsageError(f"standard output: {error.strerror}") from error


def _to_nowhere() -> None:
    """What is held back, or comes later, would fail again when the process ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
