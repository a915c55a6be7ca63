"""What completion offers at the margin: what a document begins with, then its sections (docs/spec 01 §1, §6, 09 §1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.editing.completion.cursor import Cursor, Item
from abl.language import key_meaning
from abl.syntax import nodes, vocabulary

_BEGINNINGS: Final = ("AGENT", "SUPERVISOR", "BEHAVIOR_PROFILE", "TOOLS")
_BY_SUFFIX: Final = {".behavior_profile.": "BEHAVIOR_PROFILE", ".tools.": "TOOLS"}


def sections(cursor: Cursor) -> Iterator[Item]:
    """The sections that may stand at the cursor; in a text that is empty, what it may begin with comes first."""
    agent = cursor.agent.agent if cursor.agent is not None else None
    at = cursor.source.line_starts[cursor.line - 1]
    present = {s.keyword for s in agent.sections} if agent is not None and agent.span.start <= at else set()
    legal = vocabulary.SECTIONS - vocabulary.REMOVED_SECTIONS
    if agent is not None and agent.kind == "agent" and not isinstance(agent, nodes.Fragment):
        legal -= vocabulary.SUPERVISOR_SECTIONS
    first = _beginnings(cursor) if is_empty(cursor) else ()
    for section in (*first, *sorted(legal - set(first))):
        if section not in present or section in vocabulary.REPEATABLE_SECTIONS:
            tail = ": " if section in (*vocabulary.SCALAR_SECTIONS, "BEHAVIOR_PROFILE") else ":"
            written = section.lower() if _lower_case(cursor) else section
            yield Item(written, "section", key_meaning("agent", section), written + tail)


def begins_profile(cursor: Cursor) -> bool:
    """True below ``BEHAVIOR_PROFILE: name`` that nothing follows yet: what it is to be is not known before that."""
    agent = cursor.agent.agent if cursor.agent is not None else None
    return isinstance(agent, nodes.Fragment) and [s.keyword for s in agent.sections] == ["BEHAVIOR_PROFILE"]


def _beginnings(cursor: Cursor) -> tuple[str, ...]:
    intended = next((keyword for suffix, keyword in _BY_SUFFIX.items() if suffix in cursor.source.path), "AGENT")
    return tuple(sorted(_BEGINNINGS, key=lambda keyword: keyword != intended))


def _lower_case(cursor: Cursor) -> bool:
    """As the form of the text asks, or where there is none yet, the suffix of its file."""
    return cursor.yaml or (is_empty(cursor) and cursor.source.path.endswith((".yaml", ".yml")))


def is_empty(cursor: Cursor) -> bool:
    """True in a text that holds nothing but what is being typed."""
    return cursor.source.text.strip() == cursor.typed
