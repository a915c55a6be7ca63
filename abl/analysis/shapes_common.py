"""What many places of ``abl.analysis.shapes`` share: presentation, actions, calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

Shape = Mapping[str, str]
FLAG: Final = "true|false"


def any_of(values: Iterable[str]) -> str:
    """A value that is one of these words."""
    return "|".join(values)


def place_of(keys: frozenset[str], special: Shape) -> dict[str, str]:
    """A place of the vocabulary: its keys, and what is said of some of them."""
    written = sorted(key.replace("VOICE_", "VOICE ") for key in keys)
    others = {"*": special["*"]} if "*" in special else {}
    return {key: special.get(key, "") for key in written} | others


PRESENTED: Final = {
    "FORMATS": "formats", "RICH_CONTENT": "formats", "CAROUSEL": "[card] carousel", "VOICE": "voice",
    "VOICE INSTRUCTIONS": "", "BARGE_IN": "allow|disallow", "STREAMING": FLAG, "ACTIONS": "[element] actions",
}  # fmt: skip
RESPONSE: Final = {**PRESENTED, "MESSAGE_KEY": "", "MODEL_CONTEXT": ""}
CALLS: Final = {"CALL": "call <tools>", "WITH": "with", "CALL_WITH": "with", "AS": "<result>"}
RESULTS: Final = dict.fromkeys(("ON_SUCCESS", "ON_FAILURE", "ON_RESULT"), "[branch] branch <steps>")
CHANGES: Final = {"SET": "set [set] <assignment>", "CLEAR": "<names>", "TRANSFORM": "transform", "LOG": "log"}
ACTS: Final = {**CHANGES, **CALLS, "RESPOND": "respond <template>", "SAY": "respond <template>"}
MOVES: Final = {
    "HANDOFF": "<agents>", "DELEGATE": "<agents>", "RETURN": FLAG, "COMPLETE": FLAG, "RESUME": FLAG,
    "DO": "[deed]", "ON_RETURN": "on_return <returns>",
}  # fmt: skip
