"""8xx about call_transfer, the built-in tool that puts a call through (docs/spec 08 §3.3, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block

_URI = re.compile(r"sips?:[^\s{}@]+(?:@[^\s{}?]+)?(?:\?(?P<headers>\S*))?", re.IGNORECASE)
_HEADER = re.compile(r"(?P<name>[\w.!%*+'~-]+)=(?P<value>.*)", re.DOTALL)
_SIP_VALUE = re.compile(r"\{\{\s*sip\.(?P<source>[\w-]+)\s*\}\}")
_ROUTE = re.compile(r"\{\{\s*route\.(?:vdn|ip|port)\s*\}\}")
_AUTHORITY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?|\[[0-9A-Fa-f:]+\](?::\d{1,5})?")
_TRUSTED = ("config", "system")


def _destination(tool: nodes.Tool, agent: AgentIndex) -> dict[str, Block]:
    """What `parameters` of call_transfer says about sipTransferId."""
    prop = tool.prop("PARAMETERS") if tool.name.value == "call_transfer" else None
    if prop is None:
        return {}
    return generic.by_key(agent.source, generic.by_key(agent.source, prop.block).get("siptransferid"))


@rule("ABL842", "bad-transfer-destination", "error", "sipTransferId: {detail}", over=nodes.Tool)
def bad_transfer_destination(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The destination of `call_transfer` is no `sip:` or `sips:` address, takes more from the call than one
        header, or its computed form does not list the hosts it may lead to.
    Why: A caller could have the call put through to anywhere, so such a transfer is refused.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          call_transfer(sipTransferId: string) -> {ok: boolean}
            description: "Put the call through."
            confirm: never
            parameters:
              sipTransferId:
                default: "tel:+441234567"
                default_source: config
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          call_transfer(sipTransferId: string) -> {ok: boolean}
            description: "Put the call through."
            confirm: never
            parameters:
              sipTransferId:
                default: "sip:desk@library.example"
                default_source: config
    """
    keys = _destination(tool, agent)
    default, template, approved = keys.get("default"), keys.get("template"), keys.get("approvedauthorities")
    if default is not None:
        for span, detail in _bad_default(default):
            yield found(span, detail=detail)
    if template is None:
        return
    rest = _ROUTE.sub("", generic.word(template))
    if "{{" in rest:
        detail = "only `{{route.vdn}}`, `{{route.ip}}` and `{{route.port}}` are allowed"
        yield found(generic.span_of(template), detail=detail)
    elif not rest.lower().startswith(("sip:", "sips:")):
        yield found(generic.span_of(template), detail="the template is no `sip:` or `sips:` address")
    if approved is None:
        yield found(template.key_span, detail="a template needs `approved_authorities`")
    names = generic.names(agent.source, approved)
    if approved is not None and not names:
        yield found(approved.key_span, detail="`approved_authorities` is empty")
    for name in names:
        if not _AUTHORITY.fullmatch(name.value):
            yield found(name.span, detail=f"`{name.value}` is no literal host")


def _bad_default(default: Block) -> Iterator[tuple[Span, str]]:
    """What is wrong with a static destination: the address, or the headers behind its `?`."""
    value, where = generic.word(default), generic.span_of(default)
    address, _, headers = value.partition("?")
    if not _URI.fullmatch(address):
        yield where, f"`{value}` is no static `sip:` or `sips:` address"
        return
    for header in headers.split("&") if headers else ():
        match = _HEADER.fullmatch(header)
        placed = _SIP_VALUE.fullmatch(match["value"]) if match is not None else None
        if "{{" not in header:
            continue
        if match is None or placed is None:
            yield where, "`{{sip.…}}` must be the whole value of a header"
        elif not (_passes(match["name"]) and _passes(placed["source"])):
            yield where, "only `User-to-User` and `x-…` headers may be passed on"


def _passes(header: str) -> bool:
    return header.lower() == "user-to-user" or header.lower().startswith("x-")


@rule(
    "ABL843",
    "untrusted-transfer-default",
    "warning",
    "sipTransferId default is ignored without `default_source: config`",
    over=nodes.Tool,
)
def untrusted_transfer_default(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `call_transfer` has a default destination whose source is not the configuration or the system.
    Why: Only these are trusted; another default does not count.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          call_transfer(sipTransferId: string) -> {ok: boolean}
            description: "Put the call through."
            confirm: never
            parameters:
              sipTransferId:
                default: "sip:desk@library.example"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          call_transfer(sipTransferId: string) -> {ok: boolean}
            description: "Put the call through."
            confirm: never
            parameters:
              sipTransferId:
                default: "sip:desk@library.example"
                default_source: config
    """
    keys = _destination(tool, agent)
    default, source = keys.get("default"), generic.first_of(keys, ("defaultsource", "source"))
    if default is None or generic.value("parameter", "source", source) in _TRUSTED:
        return
    if source is not None and source.value is not None:
        yield found(
            default.key_span, fixes.replace(source.value.inner, "config", "Take it from config", preferred=False)
        )
        return
    line = agent.source.line_text(agent.source.position(default.span.start).line)
    indent = " " * (default.column - 1)
    text = f"{indent}default_source: config"
    own = line.startswith(indent + default.key)
    fix = (fixes.insert_line_below(agent.source, default.span, text, "Add `default_source: config`"),) if own else ()
    yield found(default.key_span, *fix)
