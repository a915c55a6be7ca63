"""What changed between two texts, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3
MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class Line:
    """``sign`` is ``-``, ``+``, blank or ``…`` (a gap); ``number`` is 1-based, in the newer text where it is there."""

    sign: str
    number: int
    text: str


def changed_lines(before: str, after: str) -> list[Line]:
    """Removed and added lines with three lines around them. Very long texts are shown as replaced."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > MOST_LINES:
        return [Line("-", n, text) for n, text in enumerate(old, 1)] + [
            Line("+", n, text) for n, text in enumerate(new, 1)
        ]
    lines: list[Line] = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT):
        if lines:
            lines.append(Line("…", 0, ""))
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [Line(" ", c + n + 1, text) for n, text in enumerate(new[c:d])]
                continue
            lines += [Line("-", a + n + 1, text) for n, text in enumerate(old[a:b])]
            lines += [Line("+", c + n + 1, text) for n, text in enumerate(new[c:d])]
    return lines
