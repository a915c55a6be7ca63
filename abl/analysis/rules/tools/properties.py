"""8xx about the properties of tools and what binds them to the outside (docs/spec 08 §2-§3, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.fixes.entries import remove_property
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.syntax import nodes
from abl.syntax.nodes import Block, Text
from abl.syntax.recovery.suggest import IS_GIVEN
from abl.syntax.vocabulary import BINDING_KEYS, EVERY_TOOL_KEY, TOOL_BINDINGS, TOOL_KEYS, words

_NO_PROPERTY = "Unknown property `{p}` on a {type}tool"
_PATH_PARAMETER = re.compile(r"(?<![{$])\{([A-Za-z_]\w*)\}(?!\})")


def binding_of(tool: nodes.Tool) -> str:
    """The kind of binding as written; empty without one."""
    kind = value_of(tool, "TYPE")
    return tool.typed.value("TYPE") or (kind.value.strip().lower() if kind is not None else "")


@rule("ABL812", "unknown-tool-property", "error", f"{_NO_PROPERTY}. Did you mean `{{y}}`?", over=nodes.Tool)
def unknown_tool_property(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool has a property that no tool has, or none of its kind of binding.
    Why: It has no effect; perhaps another word or another `type` was meant.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: mcp
            server: library
            method: GET
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: mcp
            server: library
    """
    kind = binding_of(tool)
    if kind and kind not in TOOL_BINDINGS:
        return
    legal = TOOL_KEYS | words("NAME RETURNS PARAMS") | BINDING_KEYS[kind] if kind else EVERY_TOOL_KEY
    for prop in tool.props:
        if prop.key not in legal and prop.written.upper() not in legal:
            candidates = [key.lower() for key in sorted(legal)]
            given = {other.key for other in tool.props}
            best, there, renames = fixes.rename_key(prop.key_span, prop.written, candidates, given)
            said: dict[str, Any] = {"p": prop.written, "type": f"{kind} " if kind else "", "y": best}
            if there:
                said |= {"given": there, "wording": f"{_NO_PROPERTY}; {IS_GIVEN}"}
            yield found(prop.key_span, *renames, *remove_property(agent, prop), **said)


@rule(
    "ABL813",
    "unknown-path-parameter",
    "error",
    "Path parameter `{x}` is not a parameter of `{t}`. Did you mean `{y}`?",
    over=nodes.Tool,
)
def unknown_path_parameter(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The endpoint has a place for a value that the tool does not take.
    Why: The address can never be complete.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/branches/{branch}/books"
            method: GET
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/branches/{branch}/books"
            method: GET
    """
    variants = tool.prop("REQUEST_VARIANTS")
    entries = generic.entries(agent.source, variants.block) if variants is not None else ()
    written = (generic.by_key(agent.source, entry).get("endpoint") for entry in entries)
    for endpoint in (value_of(tool, "ENDPOINT"), *(block.value for block in written if block is not None)):
        if endpoint is not None and "{" in endpoint.value:
            yield from _unknown_in(endpoint, tool, agent)


def _unknown_in(endpoint: nodes.Text, tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    names = dict.fromkeys(parameter.name.value for parameter in tool.parameters)
    called = {ref.name.value for ref in agent.tool_refs if ref.call is not None}  # a new parameter would break them
    for match in _PATH_PARAMETER.finditer(endpoint.value):
        if match[1] not in names:
            best, renames = fixes.rename_to(endpoint.span_of(*match.span(1)), match[1], generic.some(names))
            spare = _spare_parameter(tool, endpoint.value)
            place = endpoint.span_of(*match.span(1))
            use = (fixes.replace(place, spare, preferred=False),) if spare and not renames else ()
            add = _add_parameter(tool, match[1], agent, preferred=not renames and tool.name.value not in called)
            yield found(place, *renames, *use, *add, x=match[1], t=tool.name.value, y=best)


def _spare_parameter(tool: nodes.Tool, endpoint: str) -> str:
    """The only required parameter of a tool, when nothing of the tool says where its value goes."""
    required = [parameter.name.value for parameter in tool.parameters if parameter.required]
    places = _PATH_PARAMETER.findall(endpoint)
    sent = any(prop.key in ("BODY", "QUERY", "QUERY_PARAMS", "HEADERS", "PARAMS") for prop in tool.props)
    return required[0] if len(required) == 1 and len(places) == 1 and not sent else ""


def _add_parameter(tool: nodes.Tool, name: str, agent: AgentIndex, *, preferred: bool) -> tuple[Fix, ...]:
    """Put a parameter into a signature that is written as one."""
    at = tool.parameters[-1].span.end if tool.parameters else tool.name.span.end + 1
    closes = agent.source.text[at:].lstrip()[:1] == ")" and (tool.parameters or agent.source.text[at - 1] == "(")
    text = f"{', ' if tool.parameters else ''}{name}: string"
    return (fixes.insert(at, text, f"Add parameter `{name}`", preferred=preferred),) if closes else ()


@rule("ABL830", "secret-outside-http", "error", "SECRET_ACCESS works on http tools only", over=nodes.Tool)
def secret_outside_http(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool that is not bound to http reads secrets.
    Why: Secrets are only put into headers and bodies of HTTP requests.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: mcp
            server: library
            SECRET_ACCESS:
              READ: [library_token]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: mcp
            server: library
    """
    access = tool.prop("SECRET_ACCESS")
    if access is not None and binding_of(tool) in TOOL_BINDINGS and binding_of(tool) != "http":
        yield found(access.key_span, *remove_property(agent, access, preferred=True))


@rule(
    "ABL836",
    "unused-property",
    "warning",
    "`{p}` is no longer used",
    over=(nodes.Tool, nodes.Call, nodes.Section),
    tags=("deprecated",),
)
def unused_property(node: nodes.Tool | nodes.Call | nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A property is there that newer versions do not read: `workflow_version` and `trigger_id` of workflow
        tools, `model` of `EXECUTION.pipeline`; or `call_with`, which is now written WITH.
    Why: It has no effect, or will have none.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          order_book(title: string) -> {id: string}
            description: "Order a book."
            type: workflow
            workflow_id: "order-book"
            workflow_version: 3
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          order_book(title: string) -> {id: string}
            description: "Order a book."
            type: workflow
            workflow_id: "order-book"
    """
    if isinstance(node, nodes.Tool):
        if binding_of(node) == "workflow":
            for key in ("WORKFLOW_VERSION", "TRIGGER_ID"):
                prop = node.prop(key)
                if prop is not None:
                    yield found(prop.key_span, *remove_property(agent, prop, preferred=True), p=prop.written)
    elif isinstance(node, nodes.Call):
        for prop in node.props:
            if prop.written.upper() == "CALL_WITH":
                yield found(prop.key_span, fixes.replace(prop.key_span, "WITH"), p=prop.written)
    elif node.keyword == "EXECUTION":
        model = generic.by_key(agent.source, generic.by_key(agent.source, node.block).get("pipeline")).get("model")
        if model is not None:
            own_line = (
                agent.source.line_text(agent.source.position(model.span.start).line).strip().startswith(model.key)
            )
            fix = (fixes.remove_lines(agent.source, model.span, "Remove `model`"),) if own_line else ()
            yield found(model.key_span, *fix, p="pipeline.model")


def texts_below(block: Block) -> Iterator[tuple[str, Text]]:
    """Every property with a value below one, with its key."""
    for child in block.walk():
        if child.value is not None and child.colon:
            yield child.key, child.value
