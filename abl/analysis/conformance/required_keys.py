"""Required keys of entries in sections without nodes of their own (docs/spec 07 §8, 09 §4-§7, §10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from abl.analysis.conformance import generic
from abl.analysis.conformance.closed_places import walked
from abl.analysis.conformance.properties import looks_given
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.diagnostics import Edit, Fix
from abl.language import PLACES, knows
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import HANDOFF_KEYS

_ENTRIES: Final[Mapping[str, str]] = {
    "trigger": "trigger",
    "member": "AGENTS",
    "grant": "memory_grants",
    "nlu_intent": "intents",
    "category": "categories",
    "nlu_entity": "entities",
}
"""Places of entries that lack what the declaration requires, and what messages call them."""
_DELEGATED: Final = ("PURPOSE", "INPUT", "RETURNS")
_ALSO: Final = {"PURPOSE": ("SUMMARY",), "INPUT": ("PASS",), "REF": ("AGENT",)}
_OF_SOURCE: Final[Mapping[str, tuple[str, ...]]] = {
    "inline": ("values", "map"),
    **dict.fromkeys(("collection", "mongodb"), ("table_name", "collection")),
    **dict.fromkeys(("api", "http"), ("endpoint",)),
}
"""What a lookup table needs by its source; one of several."""
_WORDS: Final = "{kind} entry needs {key}"


def lacking(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """Entries of a section without a key that they need (ABL921)."""
    for place, members in walked(agent.own_source, section).entries:
        if place in _ENTRIES:
            needed = [key.name for key in PLACES[place].listed if key.required and not key.judged]
            missing = [key for key in needed if not _has(place, members, key)]
            yield from _missing_keys(_ENTRIES[place], missing, members[0])
        elif place == "delegate" and _has_target(members) and section.keyword == "DELEGATE":
            yield from _delegation(members)
    if section.keyword == "LOOKUP_TABLES":
        yield from _tables(section, agent)


def _missing_keys(kind: str, missing: Iterable[str], first: Block) -> Iterator[Found]:
    keys = " and ".join(missing)
    if keys:
        yield found(first.key_span, kind=kind, key=keys, wording=_WORDS)


def _delegation(members: tuple[Block, ...]) -> Iterator[Found]:
    """What a delegation gives and takes (09 §6); what the model learns about the result is advice."""
    missing = [key for key in _DELEGATED if not _has("delegate", members, key)]
    if missing:
        words = ", ".join(missing[:-1]) + (" and " if missing[1:] else "") + missing[-1]
        yield found(members[0].key_span, severity="warning", kind="DELEGATE", key=words, wording=_WORDS)
    elif not _has("delegate", members, "USE_RESULT"):
        yield found(members[0].key_span, severity="hint", kind="DELEGATE", key="USE_RESULT", wording=_WORDS)


def _has_target(members: tuple[Block, ...]) -> bool:
    return _has("delegate", members, "AGENT") or _has("delegate", members, "TO")


def _has(place: str, members: tuple[Block, ...], key: str) -> bool:
    """True for a key that is there, under another of its names, or misspelt, which is reported as such."""
    known = {generic.plain(name) for name in (key, *_ALSO.get(key, ()))}
    return any(
        generic.plain(member.key) in known or (not knows(place, member.key) and closest(member.key.upper(), (key,)))
        for member in members
    )


def _tables(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    for table in generic.members(agent.own_source, section.block):
        members = generic.members(agent.own_source, table)
        keys = generic.by_key(agent.own_source, table)
        needed = _OF_SOURCE.get(generic.word(keys.get("source")).lower() or "inline", ())
        shorthand = not any(knows("lookup", member.key) for member in members)
        if needed and not shorthand and not any(_has("lookup", members, key) for key in needed):
            words = "Lookup table `{name}` needs {key}"
            yield found(table.key_span, kind="LOOKUP_TABLES", name=table.key, key=f"`{needed[0]}`", wording=words)


def without_target(node: nodes.Handoff | nodes.Section, agent: AgentIndex, others: list[str]) -> Iterator[Found]:
    """Entries of the sections HANDOFF and DELEGATE that name no agent (ABL408; 09 §5, §6)."""
    if isinstance(node, nodes.Section):
        for first in _untargeted(node, agent):
            words = "DELEGATE without target"
            yield found(first, *_with_target(agent, first, "AGENT", others), node=node.path, wording=words)
    elif node.to is None and node.props and node.prop("TO") is None and not looks_given(node, "TO", HANDOFF_KEYS):
        first = node.props[0].block.key_span
        yield found(first, *_with_target(agent, first, "TO", others), node=node.path)


def _untargeted(section: nodes.Section, agent: AgentIndex) -> Iterator[Span]:
    """The first keys of delegations that name no agent."""
    if section.keyword == "DELEGATE":
        for place, members in walked(agent.own_source, section).entries:
            if place == "delegate" and not _has_target(members):
                yield members[0].key_span


def _with_target(agent: AgentIndex, first: Span, key: str, others: list[str]) -> Iterator[Fix]:
    """The agents of the project as the target of an entry that begins with ``- `` in a line of its own."""
    position = agent.own_source.position(first.start)
    before = agent.own_source.text[first.start - position.column + 1 : first.start]
    if before.strip() != "-":
        return
    for name in others[:3]:
        line = f"{key}: {name}\n{' ' * (position.column - 1)}"
        yield Fix(f"Insert `{key}: {name}`", (Edit(Span(first.start, first.start), line),))
