"""Agents that sections without nodes of their own name: DELEGATE, ON_ERROR, ESCALATE (docs/spec 09 §6-§8, 10 §1.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abl.syntax.nodes import Block, Content, Name, Text
from abl.syntax.readers.content import content_of
from abl.syntax.readers.entries import item_properties

_HANDOFF = re.compile(r"\s*HANDOFF\s+(?:to\s+)?([A-Za-z]\w*)\s*", re.IGNORECASE)
_ENDING = re.compile(r".*:\s*HANDOFF\s+(?:to\s+)?([A-Za-z]\w*)\s*", re.IGNORECASE | re.DOTALL)


def targets_of(keyword: str, block: Block | None) -> Iterator[Name]:
    """The names of agents in a section, or in ON_ERROR of a step."""
    if block is None:
        return
    if keyword == "DELEGATE":
        for entry in block.children:
            properties = item_properties(entry) if entry.item and entry.colon else ()
            if properties and not is_remote(content_of(entry)):
                yield from _values(properties, ("AGENT", "TO"))
    elif keyword == "ON_ERROR":
        for handler in block.children:
            then = [child for child in handler.children if child.key.upper() == "THEN"]
            yield from _handed_to((handler, *then))
            yield from _values(handler.children, ("HANDOFF_TARGET",))
    elif keyword == "ESCALATE":
        for part in block.children:
            if part.key.lower() == "on_human_complete":
                for branch in part.children:
                    yield from _handed_to((branch, *branch.children))


def delegated_to(action: Content) -> Iterator[Name]:
    """The agent that DELEGATE as an action names: behind it, or as AGENT below it (06 §6.4, §7)."""
    text = action.text_of("agent", "to") or action.text
    if text is not None and text.value.strip().isidentifier() and not is_remote(action):
        yield Name(text.value.strip(), text.inner)


def is_remote(entry: Content) -> bool:
    """True for a handoff or delegation to an agent that runs elsewhere, and so need not be in the project (09 §5)."""
    remote = entry.get("remote")
    location = entry.word("location") or (remote.word("location") if remote is not None else "")
    if location:
        return location.lower() != "local"
    return remote is not None or entry.get("endpoint") is not None


def _values(blocks: Iterable[Block], keys: tuple[str, ...]) -> Iterator[Name]:
    for block in blocks:
        text = block.value if block.key.upper() in keys else None
        if text is not None and text.value.strip().isidentifier():
            yield Name(text.value.strip(), text.inner)


def _handed_to(blocks: Iterable[Block]) -> Iterator[Name]:
    """The agents of ``HANDOFF X``, alone or behind ``IF condition:``."""
    for block in blocks:
        name = _handoff(block.value) if block.value is not None else None
        if name is not None:
            yield name


def _handoff(text: Text) -> Name | None:
    match = _HANDOFF.fullmatch(text.value) or (_ENDING.fullmatch(text.value) if text.style == "bare" else None)
    return Name(match[1], text.span_of(*match.span(1))) if match is not None else None
