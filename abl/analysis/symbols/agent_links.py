"""Names that connect parts of a project: what profiles edit, tools provide, delegations exchange.

Expressions, templates, writes and references are records of their own (``abl.analysis.collect.records``). This module
collects the places that name a tool, step, variable or path by its bare word: docs/spec 06 §11, 07 §2, 08 §2 and §9, 09
§5, §6, §10 and §12.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from abl.analysis.collect.places import names_in
from abl.analysis.conformance.properties import named
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.vocabularies import entities_of
from abl.language.written import placed
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Content, Name, same_key
from abl.syntax.readers.content import content_of

LinkKind = Literal["tool", "step", "field", "path", "agent"]
_CONSUMERS: Final = re.compile(r"consumers\s*:\s*\[(?P<names>[^\]]*)\]")
_LIST: Final = re.compile(r"[^\[]*+(?P<list>\[[^\]]*+\])")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_HANDED: Final = re.compile(r".*:\s*HANDOFF\s+(?:to\s+)?(?P<agent>[A-Za-z]\w*)\s*", re.IGNORECASE | re.DOTALL)
_ROUTE_TO: Final = re.compile(r"\s*ROUTE_TO\s+(?P<agent>[A-Za-z]\w*)\s*")
_GRANTS: Final = ("memory_grants", "grant_memory")


class Link(NamedTuple):
    """A bare name of this agent, or of the agents that a profile edits; a field is a variable."""

    kind: LinkKind
    name: Name
    declares: bool = False


class Theirs(NamedTuple):
    """A variable of another agent, where this one gives it a value (``given``) or takes that.

    ``shared``: the same word names a variable here too. In a list nothing else can be written; ``{a}`` can be split
    into ``{a: b}`` (``split``).
    """

    agent: str
    name: Name
    given: bool
    shared: bool = False
    split: bool = False


def edited(profile: nodes.Profile) -> Iterator[Link]:
    """The tools, steps and fields that a behaviour profile changes; a text with commas is left alone."""
    tools, flow, gather = (profile.content.get(key) for key in ("tools", "flow", "gather"))
    yield from _all("tool", _words(tools.get("hide") if tools is not None else None))
    if flow is not None:
        yield from _all("step", _words(flow.get("skip")))
        yield from _all("step", _keys(flow.get("overrides")))
        inserted = flow.get("insertions")
        for item in inserted.items if inserted is not None else ():
            yield from _all("step", (name for key in ("before", "after") for name in _words(item.get(key))))
    yield from _all("field", _keys(gather.get("field_overrides") if gather is not None else None))


def links_of(agent: AgentIndex) -> tuple[Link, ...]:
    """Every such name that is in an agent or fragment."""
    return tuple(_links(agent))


def theirs_of(agent: AgentIndex) -> tuple[Theirs, ...]:
    """The names of other agents that an agent's handoffs and delegations use."""
    return tuple(_theirs(agent))


# Of this agent --------------------------------------------------------------------------------------------------


def _links(agent: AgentIndex) -> Iterator[Link]:
    for profile in agent.all(nodes.Profile):
        yield from edited(profile)
        flow = profile.content.get("flow")
        overrides = flow.get("overrides") if flow is not None else None
        for step in overrides.members if overrides is not None else ():
            yield from _all("step", _words(step.get("transition")))
    for tool in agent.all(nodes.Tool):
        yield from _of_tool(tool, agent)
    for section in agent.agent.sections:
        if section.keyword == "TOOLS" and section.block is not None:
            yield from _imported(section.block)
    for content in _givers(agent):
        yield from _granted(content)
    yield from _all("agent", _targets(agent))
    for section in agent.agent.sections:
        if section.keyword == "STATE" and section.block is not None:
            for namespace in _keys(content_of(section.block)):
                yield Link("field", namespace, declares=True)
    for understanding in agent.all(nodes.Understanding):
        yield from _entities(understanding)
    for field in agent.all(nodes.GatherField):
        reference = field.prop("ENTITY_REF")
        if reference is not None:
            yield from _all("field", _words(content_of(reference.block)))


def _targets(agent: AgentIndex) -> Iterator[Name]:
    """Agents to which routes lead, and those to which work is delegated, also in braces or as an action."""
    for entry in _delegations(agent):
        target = entry.get("agent", "to")
        yield from (name for name in _words(target or entry) if name.value.isidentifier())
    yield from routed_to(agent)
    for section in agent.agent.sections:
        if section.keyword == "ESCALATE" and section.block is not None:
            done = content_of(section.block).get("on_human_complete")
            for branch in done.items if done is not None else ():
                yield from _behind(_HANDED, branch)


def routed_to(agent: AgentIndex) -> Iterator[Name]:
    """The agents, or names for them, to which the routes of a supervisor lead (09 §4)."""
    for section in agent.agent.sections:
        if section.keyword == "ROUTING" and section.block is not None:
            for below in content_of(section.block).walk():
                yield from _words(below) if same_key(below.key) == "routeto" else _behind(_ROUTE_TO, below)


def _behind(pattern: re.Pattern[str], content: Content) -> Iterator[Name]:
    """The agent in a text such as ``ROUTE_TO Cashier``."""
    text = content.text
    match = pattern.fullmatch(text.value) if text is not None else None
    if text is not None and match is not None:
        yield Name(match["agent"], text.span_of(*match.span("agent")))


def _of_tool(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Link]:
    """The fields that a tool provides, and the tools that may use its secrets."""
    provides, secrets = tool.prop("PROVIDES"), tool.prop("RESULT_SECRETS")
    if provides is not None:
        yield from _all("field", names_in(content_of(provides.block), keys=False))
    if secrets is not None:
        for match in _CONSUMERS.finditer(agent.source.text, *secrets.block.span):
            yield from _all("tool", _in_text(agent.source.text, *match.span("names")))


def _imported(tools: nodes.Block) -> Iterator[Link]:
    """The tools that ``file: "..." [a, b]`` takes from a file."""
    for child in tools.children:
        text = child.value if child.colon and child.key.lower() == "file" else None
        listed = _LIST.match(text.raw) if text is not None else None
        if text is not None and listed is not None:
            for word in _WORD.finditer(text.raw, *listed.span("list")):
                yield Link("tool", Name(word[0], Span(text.span.start + word.start(), text.span.start + word.end())))


def _granted(entry: Content) -> Iterator[Link]:
    """The paths of memory_grants, also below CONTEXT."""
    context = entry.get("context")
    for content in (entry, *((context,) if context is not None else ())):
        for key in _GRANTS:
            grants = content.get(key)
            if grants is not None:
                yield from _all("path", names_in(grants, keys=False))
                for grant in grants.items:
                    yield from _all("path", _words(grant.get("path")))


def _entities(section: nodes.Understanding) -> Iterator[Link]:
    """Entities, which give the variables of their names a value, and the intents that list them."""
    for name, _ in entities_of(section):
        yield Link("field", name, declares=True)
    if section.keyword == "NLU":
        for _, intent in named(section.content.get("intents")):
            yield from _all("field", _words(intent.get("entities")))


# Of others ------------------------------------------------------------------------------------------------------


def _theirs(agent: AgentIndex) -> Iterator[Theirs]:
    for handoff in agent.all(nodes.Handoff):
        if handoff.to is None:
            continue
        to = handoff.to.value
        for assignment in handoff.sets:
            if assignment.target is not None:
                same = assignment.value is not None and assignment.value.inner == assignment.target.span
                yield Theirs(to, assignment.target, True, same, same)
        for name in handoff.passes:
            yield Theirs(to, name, True, True)
        if handoff.on_return is not None:
            yield from _taken(to, content_of(handoff.on_return))
    for entry in _delegations(agent):
        to = entry.word("agent", "to") or entry.word_of()
        if to:
            yield from _exchanged(to, entry.get("input", "pass"), True)
            yield from _exchanged(to, entry.get("returns"), False)
            yield from _taken(to, entry.get("on_return"))


def _taken(to: str, on_return: Content | None) -> Iterator[Theirs]:
    return _exchanged(to, on_return.get("map") if on_return is not None else None, False)


def _exchanged(to: str, content: Content | None, given: bool) -> Iterator[Theirs]:
    """``theirs: ours``, ``{a}``, or a list of names that are the same on both sides."""
    for member in content.members if content is not None else ():
        same = member.text is not None and member.text.inner == member.key_span
        yield Theirs(to, Name(member.key, member.key_span), given, same, same)
    for name in names_in(content, keys=False) if content is not None else ():
        yield Theirs(to, name, given, True)


def _delegations(agent: AgentIndex) -> Iterator[Content]:
    """The entries of DELEGATE, and DELEGATE as an action."""
    for section in agent.agent.sections:
        if section.keyword == "DELEGATE" and section.block is not None:
            whole = content_of(section.block)
            yield from whole.items or (whole,)
    for setting in agent.all(nodes.Setting):
        if setting.keyword == "DELEGATE" and setting.block is not None:
            yield content_of(setting.block)


def _givers(agent: AgentIndex) -> Iterator[Content]:
    """What may grant memory: handoffs and delegations."""
    yield from (content_of(handoff.block) for handoff in agent.all(nodes.Handoff) if handoff.block is not None)
    yield from _delegations(agent)


# Reading --------------------------------------------------------------------------------------------------------


def _all(kind: LinkKind, names: Iterable[Name]) -> Iterator[Link]:
    return (Link(kind, name) for name in names)


def _words(content: Content | None) -> Iterator[Name]:
    """The words of a list in any form."""
    for text in content.texts() if content is not None else ():
        yield from (Name(word, text.span_of(at, at + len(word))) for at, word in placed(text))


def _keys(content: Content | None) -> Iterator[Name]:
    return (Name(m.key, m.key_span) for m in content.members) if content is not None else iter(())


def _in_text(text: str, start: int, end: int) -> Iterator[Name]:
    return (Name(word[0], Span(*word.span())) for word in _WORD.finditer(text, start, end))
