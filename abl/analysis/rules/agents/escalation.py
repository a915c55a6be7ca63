"""9xx about where ESCALATE sends a conversation: routing, voice transfer, flow policies (docs/spec 09 §7, 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions.reading import read_condition_text
from abl.analysis.conformance import generic
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.language import is_word, offered_keys, words_at
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block

_KEYS = offered_keys("destination")
_RENAMED = {"skilltags": "skills", "priorityboost": "priority"}
_METHODS = words_at("transfer_voice", "transfer_method")
_TRANSFERS = words_at("transfer_voice", "call_transfer_type")
_MOST_TOOLS = 8
_MESSAGE: Final = "Voice transfer: {detail}. Did you mean `{y}`?"


def _escalate(section: nodes.Section, agent: AgentIndex) -> dict[str, Block]:
    return generic.by_key(agent.source, section.block) if section.keyword == "ESCALATE" else {}


def _destinations(section: nodes.Section, agent: AgentIndex) -> Iterator[Block]:
    """The entries of `routing`: those of a list, or the one that a map is."""
    yield from generic.entries(agent.source, _escalate(section, agent).get("routing"))


def _conditional(section: nodes.Section, agent: AgentIndex) -> list[tuple[Block, Block | None]]:
    """The entries of a list with their conditions; a map has none."""
    return [
        (entry, generic.by_key(agent.source, entry).get("when"))
        for entry in _destinations(section, agent)
        if entry.item
    ]


@rule("ABL926", "routing-sentence", "error", "Routing entry condition must be an expression", over=nodes.Section)
def routing_sentence(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `when` of a routing entry of ESCALATE is a sentence.
    Why: Where a conversation goes is decided without a model, so the sentence cannot be judged.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            - id: money
              when: "the reader wants to talk about money"
              queue: cashiers
            - id: others
              queue: desk
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            - id: money
              when: fines > 200
              queue: cashiers
            - id: others
              queue: desk
    """
    for _, when in _conditional(section, agent):
        text = when.value if when is not None else None
        if text is None or not text.value.strip() or is_word("destination", "when", text):
            continue
        reading = read_condition_text(text.value, text.style)
        if reading.literal or reading.sentence or reading.error is not None:
            yield found(text.span)


@rule("ABL927", "default-route", "error", "Only one default routing entry, and it must be last", over=nodes.Section)
def default_route(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A routing entry without a condition is above others, or there are two of them.
    Why: The first entry that matches is taken, so those below are never looked at.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            - id: others
              queue: desk
            - id: money
              when: fines > 200
              queue: cashiers
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            - id: money
              when: fines > 200
              queue: cashiers
            - id: others
              queue: desk
    """
    listed = _conditional(section, agent)
    defaults = [entry for entry, when in listed if when is None or is_word("destination", "when", when.value)]
    for number, entry in enumerate(defaults):
        if number:
            yield found(entry.line_span)
        elif len(defaults) == 1 and entry is not listed[-1][0]:
            yield found(entry.line_span, *_moved_behind(entry, listed[-1][0], agent))


def _moved_behind(entry: Block, last: Block, agent: AgentIndex) -> tuple[Fix, ...]:
    source = agent.source
    if entry.comments or not (has_own_lines(source, entry.span) and has_own_lines(source, last.span)):
        return ()
    lines = fixes.whole_lines(source, entry.span)
    text = source.text[lines.start : lines.end].rstrip("\n")
    end = source.line_span(source.position(last.span.end - 1).line).end
    return (Fix("Move it to the end", (Edit(lines, ""), Edit(Span(end, end), f"\n{text}")), True),)


@rule("ABL946", "bad-voice-transfer", "error", _MESSAGE, over=nodes.Section)
def bad_voice_transfer(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The `voice` part of a destination has an unknown method or kind, tools that do not go with its kind, an
        address without SIP, or two headers of one name.
    Why: The call cannot be put through. `custom` needs 1 to 8 different tools and no connection.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            voice:
              call_transfer_type: pstn
              sip_transfer_id: "sip:desk@library.example"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            voice:
              call_transfer_type: sip
              sip_transfer_id: "sip:desk@library.example"
    """
    for entry in _destinations(section, agent):
        keys = generic.by_key(agent.source, entry)
        voice = generic.by_key(agent.source, keys.get("voice"))
        for key, legal in (("transfermethod", _METHODS), ("calltransfertype", _TRANSFERS)):
            block = voice.get(key)
            if block is not None and "{" not in generic.word(block):
                detail = f"`{block.key}` must be one of {', '.join(legal)}"
                yield from unfit(block.value, "transfer_voice", key, detail=detail)
        for where, detail in (*_wrong_tools(keys, voice, agent), *_same_headers((keys, voice), agent)):
            yield found(where, detail=detail)


def _wrong_tools(
    keys: Mapping[str, Block], voice: Mapping[str, Block], agent: AgentIndex
) -> Iterator[tuple[Span, str]]:
    kind_block = voice.get("calltransfertype")
    kind = generic.value("transfer_voice", "call_transfer_type", kind_block)
    tools = voice.get("customtools")
    address = voice.get("siptransferid")
    if address is not None and kind in ("pstn", "custom"):
        yield address.key_span, "`sip_transfer_id` only goes with `sip`"
    if kind == "custom":
        names = [name.value for name in generic.names(agent.source, tools)]
        if kind_block is not None and not names:
            yield kind_block.key_span, "`custom` needs `custom_tools`"
        if tools is not None and len(names) > _MOST_TOOLS:
            yield tools.key_span, f"{len(names)} tools are more than {_MOST_TOOLS}"
        if tools is not None and len(set(names)) != len(names):
            yield tools.key_span, "a tool is listed twice"
        if "connection" in keys:
            yield keys["connection"].key_span, "`custom` excludes a connection"
    elif tools is not None and kind in ("sip", "pstn"):
        yield tools.key_span, "`custom_tools` only go with `custom`"


def _same_headers(places: tuple[Mapping[str, Block], ...], agent: AgentIndex) -> Iterator[tuple[Span, str]]:
    """Headers of one destination whose names differ only in case."""
    for keys in places:
        for key in ("genesyssipheaders", "sipheaders"):
            seen: set[str] = set()
            for header in generic.members(agent.source, keys.get(key)):
                if header.key.lower() in seen:
                    yield header.key_span, f"header `{header.key}` is there twice"
                seen.add(header.key.lower())


@rule(
    "ABL947", "ignored-routing-key", "warning", "`{k}` is ignored in routing. Did you mean `{y}`?", over=nodes.Section
)
def ignored_routing_key(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A destination of ESCALATE has a property that nothing reads, such as `skill_tags`.
    Why: The conversation is routed without it.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            skill_tags: [money]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            skills: [money]
    """
    known = {generic.plain(key) for key in _KEYS}
    for entry in _destinations(section, agent):
        for member in generic.members(agent.source, entry):
            plain = generic.plain(member.key)
            if plain in known:
                continue
            slip = _RENAMED.get(plain)
            best, renames = (
                (slip, fixes.rename_fixes(member.key_span, [slip]))
                if slip
                else fixes.rename_to(member.key_span, member.key, _KEYS)
            )
            yield found(member.key_span, *renames, k=member.key, y=best)


@rule(
    "ABL948",
    "unknown-flow-policy",
    "error",
    "Flow policy `{p}` is not declared. Did you mean `{y}`?",
    over=nodes.Section,
)
def unknown_flow_policy(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A destination refers to a policy that TRANSFER_FLOW_POLICIES does not declare.
    Why: The transfer has no rules to follow and fails.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            flow_policy_ref: nigth_desk
        TRANSFER_FLOW_POLICIES:
          night_desk:
            queue: night
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        ESCALATE:
          triggers:
            - WHEN: fines > 100
          routing:
            queue: desk
            flow_policy_ref: night_desk
        TRANSFER_FLOW_POLICIES:
          night_desk:
            queue: night
    """
    declared = dict.fromkeys(_policies(agent)) if section.keyword == "ESCALATE" else {}
    for entry in _destinations(section, agent):
        ref = generic.by_key(agent.source, entry).get("flowpolicyref")
        name = generic.word(ref)
        if ref is None or not name or "{" in name:
            continue
        if name not in declared:
            best, renames = fixes.rename_to(generic.span_of(ref), name, generic.some(declared))
            yield found(generic.span_of(ref), *renames, p=name, y=best)


def _policies(agent: AgentIndex) -> Iterator[str]:
    """Names of policies: of a map its keys, of a list what its entries say under `id` or `name`."""
    for section in generic.sections(agent, "TRANSFER_FLOW_POLICIES"):
        for entry in section.block.children if section.block is not None else ():
            if entry.item:
                keys = generic.by_key(agent.source, entry)
                yield generic.word(generic.first_of(keys, ("id", "name")))
            elif entry.colon:
                yield entry.key
