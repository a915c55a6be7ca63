"""What each key, closed word, operator and runtime name means, in a line; for hover and completion.

Keys are told by their place (``abl.analysis.shapes``): the same word may mean different things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.analysis.shapes import knows
from abl.editing.meanings.common import Texts
from abl.editing.meanings.coordination import COORDINATION
from abl.editing.meanings.execution import EXECUTION
from abl.editing.meanings.expressions import operator_meaning, runtime_meaning
from abl.editing.meanings.flow import FLOW
from abl.editing.meanings.gather import GATHERED
from abl.editing.meanings.sections import PROFILES, SECTIONS, UNDERSTANDING
from abl.editing.meanings.shown import SHOWN
from abl.editing.meanings.state import STATE
from abl.editing.meanings.tools import TOOLS
from abl.editing.meanings.words import WORDS
from abl.syntax import vocabulary

PLACES: Final[Mapping[str, Texts]] = {
    **FLOW, **STATE, **GATHERED, **TOOLS, **COORDINATION, **UNDERSTANDING, **EXECUTION, **SHOWN, **PROFILES,
}  # fmt: skip
"""Meanings by place and canonical key."""
_PROCESS: Final = ("before_call", "after_call")

__all__ = ["PLACES", "SECTIONS", "WORDS", "key_meaning", "operator_meaning", "runtime_meaning", "word_meaning"]


def key_meaning(place: str, key: str) -> str:
    """What a key means at a place; an empty text when it is none of the place's."""
    canonical = vocabulary.canonical_key(key)
    if place == "agent":
        section = vocabulary.section_keyword(key) or canonical
        return SECTIONS.get(section) or PLACES["step"].get(canonical, "")  # a list of directives
    found = PLACES.get(place, {})
    meaning = found.get(canonical) or found.get(key.upper(), "")
    if not meaning and place in ("tool", "tools"):
        return PLACES["tool"].get(canonical) or PLACES["binding"].get(canonical, "")
    return meaning


def word_meaning(place: str, key: str, word: str) -> str:
    """What a closed word means behind a key of a place; an empty text when nothing is known of it."""
    canonical = vocabulary.canonical_key(key)
    if canonical == "SUBTYPES":
        canonical = "SUBTYPE"
    if place == "severity_actions":
        canonical = "ACTION"
    homes = {"entity": ("entity", "field"), "nlu_entity": ("field",)}.get(place, (place,))
    homes = ("process",) if place in _PROCESS else homes
    if place == "tool" and not knows("tool", key):
        homes = ("binding",)
    keys = [*(f"{home}.{canonical}.{word}" for home in homes), f"{canonical}.{word}"]
    return next((WORDS[each] for each in keys if each in WORDS), "")
