"""Unreadable lines to the left of the block that they are in (docs/spec 01 §10).

By its column such a line would end that block, and the following lines would belong to nothing. So it is removed with
a diagnostic, and the lines below continue the block.
"""

from __future__ import annotations

import re
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.lines.scanner import CONTENT, Line, scan_line

_WORD: Final = re.compile(r"[A-Za-z_][\w-]*(?=\s|$)")
_NO_TEXT: Final = re.compile(r"""[\w"'\[{(\-→<$]""")
"""How a line begins that may be a name, a value, a signature or the type behind one."""
_SIGNATURE: Final = re.compile(r"[A-Za-z_]\w*\s*(?:\(|->|→|=)")
_END: Final = Line(CONTENT)
_KNOWN_WORDS: Final = vocabulary.SECTIONS | vocabulary.PROFILE_SECTIONS | vocabulary.STEP_DIRECTIVES | {"USE"}


def may_be_unattached(line: Line, raw: str) -> bool:
    """True for a line that is no key, entry, name or signature; in column 1 for every line that begins no section."""
    if line.item:
        return False
    if line.colon:
        has_value = line.column == 1 and line.value < line.end and not line.opens and raw[line.value] not in "|>"
        return has_value and vocabulary.canonical_key(line.key) not in _KNOWN_WORDS
    if _NO_TEXT.match(raw, line.content) is None:
        return True
    if line.column > 1 or _SIGNATURE.match(raw, line.content) is not None:
        return False
    word = _WORD.match(raw, line.content)
    return word is None or (word.end() < line.end and word[0].upper() not in _KNOWN_WORDS)


def is_no_text(line: Line, raw: str) -> bool:
    """True for a line that begins with what begins nothing."""
    return not line.colon and _NO_TEXT.match(raw, line.content) is None


def begins_nothing(text: str) -> bool:
    """The same for what stands on a line without a key."""
    return _NO_TEXT.match(text) is None


class LookAhead:
    """Finds the next attached line; each line is examined once."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.checked_to = -1
        self.line = _END

    def behind(self, at: int) -> Line:
        """The first such line from index ``at``; one in column 0 at the end of the text."""
        if at <= self.checked_to:
            return self.line
        while at < len(self.lines):
            line = scan_line(self.lines[at])
            if line.kind == CONTENT and not may_be_unattached(line, self.lines[at]):
                self.checked_to, self.line = at, line
                return line
            at += 1
        self.checked_to, self.line = len(self.lines), _END
        return _END
