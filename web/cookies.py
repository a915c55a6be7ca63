"""Quoted cookies are read in one pass.

Python before 3.11.10 and 3.12.6 took time that grows with the square of a cookie's backslashes (CVE-2024-7592): seconds
for a header of 40 kB, which anybody can send. Django reads cookies with this function of the standard library.
"""

from __future__ import annotations

import re
from http import cookies

_ESCAPED = re.compile(r"\\(?:([0-3][0-7][0-7])|(.))")


def unquoted(text: str | None) -> str | None:
    """The value of a cookie without quotes around it and escapes in it; any other as it is."""
    if text is None or len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)) if found[1] else found[2], text[1:-1])


def mend() -> None:
    """Read cookies so in this process."""
    cookies._unquote = unquoted  # type: ignore[assignment]
