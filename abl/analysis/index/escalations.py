"""The reason of ``ESCALATE with REASON: "…"``, and what is nearly that (docs/spec 06 §8, 09 §8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.registry import Found, found
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_NEARLY: Final = re.compile(r"""(?:\w+\s+)?(\w+)\s*:?\s*("[^"]*"|'[^']*')""")
KEYWORD: Final = "ESCALATE"
FORM: Final = '`with REASON: "…"`'


def misread_reason(action: nodes.Transition | nodes.OnFail) -> Iterator[Found]:
    """ABL621 for words before the text of a reason that are nearly ``with REASON:``, and so are taken for its text."""
    reason = action.reason
    if reason is None or reason.style != "bare":
        return
    nearly = _NEARLY.fullmatch(reason.value.strip())
    if nearly is not None and closest(nearly[1].upper(), ("REASON",)):
        repair = fixes.replace(reason.inner, f"with REASON: {nearly[2]}")
        yield found(reason.inner, repair, node=action.path, kw=KEYWORD, type=FORM)
