"""Messages of the language server protocol as bytes: headers and bodies, read as a strict client may write them.

Header names are read in any case, in any order; unknown headers and lines that are no header are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

MAX_MESSAGE: Final = 64 * 1024 * 1024
"""Bytes of one message that are read; of a longer one nothing is kept."""

_MAX_HEADER: Final = 64 * 1024
_PIECE: Final = 64 * 1024


class Stream:
    """Bytes that come in pieces of any size; ``read`` gives at most so many, and none at the end."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._held = bytearray()

    def line(self) -> bytes | None:
        """The next line with its end, or the longest piece of it that a header may have; None at the end."""
        while True:
            at = self._held.find(b"\n", 0, _MAX_HEADER)
            if at >= 0 or len(self._held) >= _MAX_HEADER:
                return self._cut(at + 1 if at >= 0 else _MAX_HEADER)
            if not self._more():
                return None

    def exactly(self, size: int) -> bytes | None:
        """So many bytes; None when the end comes before them."""
        while len(self._held) < size:
            if not self._more():
                return None
        return self._cut(size)

    def skip(self, size: int) -> bool:
        """Pass over so many bytes; False when the end comes before them."""
        while size > len(self._held):
            size -= len(self._held)
            self._held.clear()
            if not self._more():
                return False
        del self._held[:size]
        return True

    def _more(self) -> bool:
        piece = self._read(_PIECE)
        self._held += piece
        return bool(piece)

    def _cut(self, size: int) -> bytes:
        found = bytes(self._held[:size])
        del self._held[:size]
        return found


def bodies(read: Callable[[int], bytes]) -> Iterator[bytes | None]:
    """The body of each message until the end; None for one that is longer than ``MAX_MESSAGE``."""
    stream = Stream(read)
    size: int | None = None
    while (line := stream.line()) is not None:
        if line.strip():
            size = _length(line) if _length(line) is not None else size
            continue
        if size is None:
            continue
        if size > MAX_MESSAGE:
            if not stream.skip(size):
                return
            yield None
        else:
            body = stream.exactly(size)
            if body is None:
                return
            yield body
        size = None


def _length(line: bytes) -> int | None:
    """What a header says of the length; None when it is another one, or no number."""
    name, colon, value = line.partition(b":")
    number = value.strip()
    if not colon or name.strip().lower() != b"content-length" or not number.isdigit() or len(number) > 15:
        return None
    return int(number)
