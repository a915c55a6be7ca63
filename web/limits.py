"""Bounds that hold for every request, whatever it asks for."""

from __future__ import annotations

from web.errors import TooLarge

MAX_BODY = 25_000_000
"""Bytes of a body: two million characters, which JSON may write as twelve bytes each (an escaped surrogate pair), and
some room."""
MAX_DEPTH = 100
"""Levels of nesting that JSON may have: far more than anything that is stored, far less than Python can walk."""
MAX_DIGITS = 308
"""Digits of a whole number: with more it is beyond every number with a fraction, and no sum can hold both."""


def too_large(size: int, most: int = MAX_BODY) -> TooLarge:
    """The error for a body above a bound, in bytes."""
    return TooLarge(fields={"body": f"has {size:,} bytes; the limit is {most:,}."})
