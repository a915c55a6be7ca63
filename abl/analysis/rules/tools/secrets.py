"""8xx about secrets and addresses in tools (docs/spec 08 §2-§3, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.index.available_tools import known_tools
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.tools.properties import binding_of, texts_below
from abl.diagnostics import Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, Name, Text

_SECRET_KEY = re.compile(
    r"(?:.*[_-])?(?:secret|passw(?:or)?d|api[_-]?key|token|authorization|credentials?)", re.IGNORECASE
)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token)\s+(?=\S)", re.IGNORECASE)
_IN_BODY = re.compile(
    r"""["'](?P<key>[\w-]*(?:secret|passw(?:or)?d|api[_-]?key|token))["']\s*:\s*["'](?P<value>[^"'{}\s]{6,})["']""",
    re.IGNORECASE,
)
_SHORTEST_SECRET = 6
_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//(?:[^/@\s]*@)?(\[[^\]\s]*\]|[^:/?#\s]+)", re.IGNORECASE)
_CAPTURE = re.compile(r"(?P<path>\S+)\s*(?:->|→)\s*(?P<key>[\w.-]+)\s*(?:\((?P<options>.*)\))?", re.DOTALL)
_CONSUMERS = re.compile(r"consumers\s*:\s*\[(?P<names>[^\]]*)\]")


@rule("ABL815", "literal-secret", "error", "Do not write a secret here", over=(nodes.Tool, nodes.Section))
def literal_secret(node: nodes.Tool | nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A token, password or key is in a tool, or in what the tools of a file share, as it is.
    Why: Everybody who can read the project can read it; `{{config.NAME}}` takes it from the configuration.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            headers:
              Authorization: "Bearer 8f14e45fceea167a"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            headers:
              Authorization: "Bearer {{config.LIBRARY_TOKEN}}"
    """
    if isinstance(node, nodes.Section):
        shared = generic.by_key(agent.source, node.block) if node.keyword == "TOOLS" else {}
        for block in (shared.get("authconfig"), shared.get("headers")):
            yield from _literals(block, agent)
        return
    names = frozenset(parameter.name.value for parameter in node.parameters)
    for key in ("AUTH_CONFIG", "HEADERS", "QUERY_PARAMS"):
        prop = node.prop(key)
        yield from _literals(prop.block if prop is not None else None, agent, names)
    for key in ("BODY_TEMPLATE", "BODY"):
        body = value_of(node, key)
        for match in _IN_BODY.finditer(body.value) if body is not None else ():
            span = body.span_of(*match.span("value")) if body is not None else node.span
            yield found(
                span, fixes.replace(span, f"{{{{config.{_constant(match['key'])}}}}}", "Take it from the configuration")
            )


def _literals(block: Block | None, agent: AgentIndex, names: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The secrets in a map; bare names of parameters stand for their values."""
    for name, text in _pairs(block, agent):
        if _SECRET_KEY.fullmatch(name) and _is_literal(text) and text.value.strip() not in names:
            yield found(text.span, _from_config(name, text))


def _pairs(block: Block | None, agent: AgentIndex) -> Iterator[tuple[str, Text]]:
    if block is not None and block.value is not None:
        for member in generic.members(agent.source, block):
            if member.value is not None:
                yield member.key, member.value
    elif block is not None:
        yield from texts_below(block)


def _is_literal(text: Text) -> bool:
    value = _SCHEME.sub("", text.value.strip(), count=1)
    return (
        "{" not in value
        and "$" not in value
        and len(value) >= _SHORTEST_SECRET
        and value.lower() not in ("bearer", "api_key")
    )


def _from_config(name: str, text: Text) -> Fix:
    start = len(text.value) - len(text.value.lstrip())
    scheme = _SCHEME.match(text.value, start)
    span = text.span_of(scheme.end() if scheme else start, len(text.value.rstrip()))
    quote = '"' if text.style == "bare" else ""
    title = "Take it from the configuration"
    if quote:
        return fixes.replace(text.span, f'"{scheme[0] if scheme else ""}{{{{config.{_constant(name)}}}}}"', title)
    return fixes.replace(span, f"{{{{config.{_constant(name)}}}}}", title)


def _constant(name: str) -> str:
    return re.sub(r"\W+", "_", name).upper()


@rule(
    "ABL816", "private-address", "warning", "Endpoint is a private or local address", over=(nodes.Tool, nodes.Section)
)
def private_address(node: nodes.Tool | nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The address of a tool or destination lies in a private network or is this machine.
    Why: Calls to such addresses are refused.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "http://192.168.1.20/books"
            method: GET
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "https://library.example/books"
            method: GET
    """
    if isinstance(node, nodes.Tool):
        endpoint = value_of(node, "ENDPOINT")
        if endpoint is not None and _is_private(endpoint.value):
            yield found(endpoint.inner)
    elif node.keyword == "DESTINATIONS":
        for entry in generic.members(agent.source, node.block):
            url = generic.by_key(agent.source, entry).get("url")
            if url is not None and url.value is not None and _is_private(url.value.value):
                yield found(url.value.inner)


def _is_private(address: str) -> bool:
    match = _HOST.match(address.strip())
    host = match[1].strip("[]").lower() if match is not None else ""
    if host in ("", "localhost") or host.endswith(".localhost"):
        return bool(host)
    try:
        ip = ip_address(host)
    except ValueError:
        return False
    return ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_unspecified


@rule("ABL831", "uncaptured-secret", "warning", "{problem}. Did you mean `{y}`?", over=AgentIndex, project=True)
def uncaptured_secret(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A tool reads a secret that no tool captures, or one that was not captured for it.
    Why: The secret is not there when the request is made.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          log_in(card: string) -> {token: string}
            description: "Log in."
            RESULT_SECRETS:
              token -> library_token (consumers: [find_book])
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            SECRET_ACCESS:
              READ: [library_tokn]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          log_in(card: string) -> {token: string}
            description: "Log in."
            RESULT_SECRETS:
              token -> library_token (consumers: [find_book])
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            SECRET_ACCESS:
              READ: [library_token]
    """
    some_read = any(tool.prop("SECRET_ACCESS") is not None for tool in agent.first(nodes.Tool))
    if not some_read or agent.imported_tools or known_tools(agent, project) is None:
        return
    captured = dict(_captured(agent))
    for tool in agent.all(nodes.Tool):
        access = tool.prop("SECRET_ACCESS")
        if access is None or binding_of(tool) not in ("", "http"):
            continue
        for name in generic.names(agent.source, generic.by_key(agent.source, access.block).get("read")):
            if name.value not in captured:
                best, renames = fixes.rename_to(name.span, name.value, generic.some(captured))
                yield found(name.span, *renames, problem=f"No tool captures secret `{name.value}`", y=best)
            else:
                yield from _not_for(tool, name, captured[name.value], agent)


def _not_for(tool: nodes.Tool, name: Name, consumers: Span | None, agent: AgentIndex) -> Iterator[Found]:
    """A secret whose list of consumers lacks the tool."""
    own = tool.name.value
    listed = re.findall(r"[\w.-]+", agent.source.text[slice(*consumers)]) if consumers is not None else [own]
    if consumers is not None and own not in listed:
        fix = fixes.insert(consumers.end, f"{', ' if listed else ''}{own}", f"Add `{own}` to the consumers")
        yield found(name.span, fix, problem=f"`{own}` is not among the consumers of `{name.value}`")


def _captured(agent: AgentIndex) -> Iterator[tuple[str, Span | None]]:
    """The secrets that tools of the agent capture, each with the place of its list of consumers."""
    for tool in agent.all(nodes.Tool):
        secrets = tool.prop("RESULT_SECRETS")
        for line in _lines(secrets.block) if secrets is not None else ():
            match = _CAPTURE.match(agent.source.text, *line)
            if match is not None:
                consumers = _CONSUMERS.search(agent.source.text, match.start(), line.end)
                yield match["key"], Span(*consumers.span("names")) if consumers is not None else None


def _lines(block: Block) -> Iterator[Span]:
    if block.value is not None:
        yield block.value.inner
    for child in block.children:
        yield (
            Span(child.value.span.start, child.span.end) if child.value is not None and not child.colon else child.span
        )
