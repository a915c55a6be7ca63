"""Names that NLU, INTENTS and ENTITIES of an agent declare (docs/spec 09 §10)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis.conformance.properties import named
from abl.analysis.index.model import AgentIndex
from abl.syntax import nodes
from abl.syntax.nodes import Content, Name
from abl.syntax.recovery.suggest import closest

Entries = Iterator[tuple[Name, Content]]


def lists_of(section: nodes.Understanding) -> Iterator[tuple[str, Entries]]:
    """The lists of a section: what an entry is called, and the entries."""
    if section.keyword == "NLU":
        for kind, key in (("Intent", "intents"), ("Category", "categories"), ("Entity", "entities")):
            yield kind, named(section.content.get(key))
    else:
        yield ("Intent" if section.keyword == "INTENTS" else "Entity"), named(_declared(section))


def _declared(section: nodes.Understanding) -> Content:
    """The section without what is an option of INTENTS."""
    content = section.content
    members = tuple([m for m in content.members if not is_intent_option(m.key)])
    if section.keyword != "INTENTS" or len(members) == len(content.members):
        return content
    return Content(content.key, content.key_span, content.text, members, content.items, content.span, content.block)


def is_intent_option(key: str) -> bool:
    """True for LEXICAL_FALLBACK below INTENTS, also misspelt (ABL106), which is no intent (09 §10)."""
    return bool(closest(key, ("LEXICAL_FALLBACK",)))


def entities_of(section: nodes.Understanding) -> Entries:
    """The entities that NLU or ENTITIES declares."""
    for kind, entries in lists_of(section):
        if kind == "Entity":
            yield from entries


def flow_intents_known(agent: AgentIndex) -> frozenset[str] | None:
    """Names of the intents and categories of an agent; None when they are in another file."""
    found: set[str] = set()
    for section in agent.all(nodes.Understanding):
        if section.content.get("config_file") is not None:
            return None
        for kind, entries in lists_of(section):
            found.update(name.value for name, _ in entries if kind != "Entity")
    return frozenset(found)
