"""8xx about how tools are bound (docs/spec 08 §3, 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.conformance.values import misfit
from abl.analysis.fixes.calls import add_binding
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.tools.properties import binding_of
from abl.diagnostics import Fix
from abl.language import type_at, words_at
from abl.language.tools import BINDING_NEEDS
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Property
from abl.syntax.vocabulary import WEBHOOK_METHODS

_METHODS = words_at("binding", "METHOD")
_OPERATIONS = words_at("binding", "OPERATIONS")
_TABLE_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_MAX_JOINS = 8


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
    problem = misfit(type_at("tool", "TYPE"), kind.value.strip(), kind.span) if kind is not None else None
    if kind is not None and problem is not None:
        refused = problem.severity is None
        completed = tuple(_completed(fix, tool, agent) for fix in problem.fixes) if refused else problem.fixes
        yield found(kind.span, *completed, severity=problem.severity, x=kind.value.strip(), y=problem.intended)


def _completed(rename: Fix, tool: nodes.Tool, agent: AgentIndex) -> Fix:
    """The right type with what a tool of this type needs, to be written or chosen (ABL811)."""
    missing = [
        n[0].lower() for n in BINDING_NEEDS.get(rename.edits[0].text, ()) if not any(tool.prop(name) for name in n)
    ]
    if tool.prop("REQUEST_VARIANTS") is not None:
        return rename
    additions = [next(iter(add_binding(agent, tool, name)), None) for name in missing]
    edits = [edit for fix in additions if fix is not None for edit in fix.edits]
    return Fix(rename.title, (*rename.edits, *edits), rename.preferred)


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
    for names in BINDING_NEEDS.get(binding_of(tool), ()):
        if not any(tool.prop(name) for name in names):
            additions = add_binding(agent, tool, names[0].lower())
            yield found(kind.span, *additions, type=binding_of(tool), prop=names[0].lower())


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
    known = WEBHOOK_METHODS if binding_of(tool) == "async_webhook" else _METHODS
    variants = tool.prop("REQUEST_VARIANTS")
    lists = generic.entries(agent.source, variants.block) if variants is not None else ()
    written = [value_of(tool, "METHOD"), *(generic.by_key(agent.source, entry).get("method") for entry in lists)]
    for each in written:
        method = each.value if isinstance(each, nodes.Block) else each
        if method is not None and "{" not in method.value and method.value.strip().upper() not in known:
            best, renames = fixes.rename_to(method.span, method.value.strip(), known)
            yield found(method.span, *renames, m=method.value.strip(), y=best)


@rule("ABL833", "no-default-variant", "warning", "No request variant applies by default", over=nodes.Tool)
def no_default_variant(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Every request variant of a tool has a condition.
    Why: When none of them holds, no request can be made.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, isbn?: string) -> {id: string}
            description: "Find a book."
            type: http
            request_variants:
              - name: by_isbn
                when: isbn IS SET
                endpoint: "/isbn/{isbn}"
                method: GET
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, isbn?: string) -> {id: string}
            description: "Find a book."
            type: http
            request_variants:
              - name: by_isbn
                when: isbn IS SET
                endpoint: "/isbn/{isbn}"
                method: GET
              - name: by_title
                default: true
                endpoint: "/books"
                method: GET
    """
    variants = tool.prop("REQUEST_VARIANTS")
    if variants is None or tool.prop("ENDPOINT") is not None:
        return
    listed = [generic.members(agent.source, entry) for entry in generic.entries(agent.source, variants.block)]
    defaults = [
        generic.by_key(agent.source, entry).get("default") for entry in generic.entries(agent.source, variants.block)
    ]
    if not listed or not all(listed) or any(generic.value("variant", "default", default) for default in defaults):
        return
    free = next((keys for keys in listed if all(key.key.lower() != "when" for key in keys)), listed[-1])
    fix = _below(free[0], "default: true", agent) if not free[0].children else ()
    yield found(variants.key_span, *fix)


def _below(block: nodes.Block, text: str, agent: AgentIndex) -> tuple[Fix, ...]:
    """A property below another one, which begins a line or a list entry."""
    line = agent.source.line_text(agent.source.position(block.span.start).line)
    if line[: block.column - 1].strip() not in ("", "-"):
        return ()
    indent = " " * (block.column - 1)
    return (fixes.insert_line_below(agent.source, block.span, f"{indent}{text}", f"Add `{text}`", preferred=False),)


@rule("ABL834", "saml-auth", "warning", "`saml` has no effect", over=nodes.Tool)
def saml_auth(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `auth` of a tool is `saml`.
    Why: The word is read, but requests are sent without credentials; a profile of the project can hold them.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            auth: saml
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            type: http
            endpoint: "/books"
            method: GET
            auth_profile: library_sso
    """
    auth = tool.prop("AUTH")
    if auth is not None and auth.value is not None and tool.typed.value("AUTH") == "saml":
        whole = Span(auth.key_span.start, auth.value.span.end)
        fix = fixes.replace(whole, 'auth_profile: "…"', "Name an `auth_profile`", preferred=False)
        yield found(auth.value.span, fix)


@rule("ABL835", "bad-table-binding", "error", "Table binding: {detail}. Did you mean `{y}`?", over=nodes.Tool)
def bad_table_binding(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A table tool has a bad table name, an unknown operation, or too many joined tables.
    Why: The table cannot be asked. Names are small letters, digits and `_`; at most 8 tables can be joined.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_loan(member: string) -> {id: string}
            description: "Find a loan."
            type: table
            table: loans
            operations: [get, qurey]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_loan(member: string) -> {id: string}
            description: "Find a loan."
            type: table
            table: loans
            operations: [get, query]
    """
    if binding_of(tool) != "table":
        return
    for prop in (tool.prop("TABLE"), tool.prop("TABLE_NAME")):
        text = prop.value if prop is not None else None
        if text is not None and "{{" not in text.value and not _TABLE_NAME.fullmatch(text.value.strip()):
            yield found(text.span, detail=f"`{text.value.strip()}` is no table name")
    operations = tool.prop("OPERATIONS")
    for name in generic.names(agent.source, operations.block if operations is not None else None):
        if name.value not in _OPERATIONS:
            best, renames = fixes.rename_to(name.span, name.value, _OPERATIONS)
            yield found(name.span, *renames, detail=f"`{name.value}` is no operation", y=best)
    joined = _joined(tool, agent)
    if joined is not None:
        yield found(joined.key_span, detail=f"more than {_MAX_JOINS} tables are joined")


def _joined(tool: nodes.Tool, agent: AgentIndex) -> Property | None:
    tables = tool.prop("TABLES")
    listed = list(generic.entries(agent.source, tables.block)) if tables is not None else []
    return tables if len(listed) > _MAX_JOINS else None
