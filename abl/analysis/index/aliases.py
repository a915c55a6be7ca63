"""Second names of agents: what AGENTS of a supervisor calls them, for its own routing (docs/spec 09 §4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.analysis.index.model import AgentIndex
from abl.syntax.nodes import Content, Name
from abl.syntax.readers.content import content_of


class Alias(NamedTuple):
    """A second name, and the file or agent that it stands for; empty where that is not said."""

    name: Name
    stands_for: str


def aliases_of(agent: AgentIndex) -> dict[str, Alias]:
    """The second names that an agent declares; of two the first."""
    found: dict[str, Alias] = {}
    for section in agent.agent.sections:
        if section.keyword == "AGENTS" and section.block is not None:
            for alias in _aliases(content_of(section.block)):
                found.setdefault(alias.name.value, alias)
    return found


def _aliases(content: Content) -> Iterator[Alias]:
    for member in content.members:  # ``till: Cashier``
        yield Alias(Name(member.key, member.key_span), member.word("ref", "agent") or member.word_of())
    for item in content.items:
        text = item.text_of("alias")
        word = text.value.strip() if text is not None else ""
        if text is not None and word:
            at = text.value.find(word)
            yield Alias(Name(word, text.span_of(at, at + len(word))), item.word("ref"))
