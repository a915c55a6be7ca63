"""Words that an agent names, looked for in a message; what that takes counts toward the budget of the turn.

An agent may name as many words as fit into a file, and a message may be long: one times the other is more than a turn
may compute (docs/spec 02 §8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.expressions.budget import spends

SEARCH_STEPS = 100
"""Steps of a budget for a pattern that is compiled for one search."""
STEP_CHARACTERS = 64
"""Characters of a message that are searched in one step."""
FOLDED_CHARACTERS = 4_096
"""The same for a plain search in what :func:`folded` gives."""


def folded(text: str) -> str:
    """A text in which every word stands that a search without regard to case finds, folded in the same way.

    Such a search takes ``ı`` and ``İ`` for ``i``, which ``casefold`` does not.
    """
    return text.casefold().replace("\u0307", "").replace("ı", "i")


def may_hold(message: str, word: str) -> bool:
    """Whether a word can be in a message, both of them folded: far quicker than to look for where it stands."""
    spends(1 + len(message) // FOLDED_CHARACTERS)
    return folded(word) in message


def places_of(word: str, text: str, flags: int = re.IGNORECASE) -> Iterator[re.Match[str]]:
    """Where a word stands as such, from left to right."""
    return found_by(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags)


def found_by(pattern: str, text: str, flags: int = re.IGNORECASE) -> Iterator[re.Match[str]]:
    """Where a pattern of ours, with words of an agent in it, is found."""
    spends(SEARCH_STEPS + len(text) // STEP_CHARACTERS)
    return re.finditer(pattern, text, flags)
