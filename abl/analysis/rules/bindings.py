"""8xx about how tools are bound (docs/spec 08 §3, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.model import AgentIndex, value_of
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes
from abl.syntax.vocabulary import TOOL_BINDINGS

_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_REQUIRED: dict[str, tuple[tuple[str, ...], ...]] = {
    "http": (("ENDPOINT",), ("METHOD",)),
    "mcp": (("SERVER",),),
    "sandbox": (("RUNTIME",),),
    "lambda": (("FUNCTION",),),
    "async_webhook": (("ENDPOINT",), ("METHOD",)),
    "workflow": (("WORKFLOW_ID",),),
    "searchai": (("INDEX_ID",),),
    "table": (("TABLE", "TABLE_NAME"),),
}


@rule("ABL810", "unknown-tool-type", "error", "Unknown tool type `{x}`. Did you mean `{y}`?", over=nodes.Tool)
def unknown_tool_type(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `type` of a tool names no kind of binding.
    Why: How to call the tool is not known.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: htp
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
    """
    kind = value_of(tool, "TYPE")
    if kind is not None and kind.value.strip() not in TOOL_BINDINGS:
        best, renames = fixes.rename_to(kind.span, kind.value.strip(), TOOL_BINDINGS)
        yield found(kind.span, *renames, x=kind.value.strip(), y=best)


@rule("ABL811", "incomplete-binding", "error", "{type} tool needs `{prop}`", over=nodes.Tool)
def incomplete_binding(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool with a `type` lacks a property that this kind of binding needs.
    Why: The tool cannot be called.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
    """
    kind = value_of(tool, "TYPE")
    if kind is None or tool.prop("REQUEST_VARIANTS") is not None:
        return
    for names in _REQUIRED.get(kind.value.strip(), ()):
        if not any(tool.prop(name) for name in names):
            yield found(kind.span, type=kind.value.strip(), prop=names[0].lower())


@rule("ABL814", "unknown-method", "error", "Unsupported method `{m}`. Did you mean `{y}`?", over=nodes.Tool)
def unknown_method(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `method` of an http tool is no HTTP method that tools can use.
    Why: The request cannot be made.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: FETCH
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
    """
    method = value_of(tool, "METHOD")
    if method is not None and method.value.strip().upper() not in _METHODS:
        best, renames = fixes.rename_to(method.span, method.value.strip(), _METHODS)
        yield found(method.span, *renames, m=method.value.strip(), y=best)
