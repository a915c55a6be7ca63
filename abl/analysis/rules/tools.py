"""8xx about declarations of tools (docs/spec 08 §1, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Related
from abl.syntax import nodes


@rule("ABL807", "duplicate-tool", "error", "Tool `{t}` is declared twice", over=nodes.Tool)
def duplicate_tool(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two tools of one agent have one name.
    Why: Only one of them can be called.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
          find_book(id: string) -> {id: string}
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
          get_book(id: string) -> {id: string}
            description: "Get a book."
    """
    first = agent.tools.get(tool.name.value)
    if first is not None and first is not tool:
        where = Related(agent.source.path, first.name.span, "first declaration")
        yield found(tool.name.span, related=(where,), t=tool.name.value)


@rule("ABL808", "duplicate-parameter", "error", "Parameter `{p}` appears twice", over=nodes.Tool)
def duplicate_parameter(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool has two parameters of one name.
    Why: One value cannot reach both.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, title: string) -> {id: string}
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
    """
    seen: set[str] = set()
    for parameter in tool.parameters:
        if parameter.name.value in seen:
            yield found(parameter.name.span, p=parameter.name.value)
        seen.add(parameter.name.value)


@rule("ABL809", "required-after-optional", "hint", "Required `{p}` follows an optional parameter", over=nodes.Tool)
def required_after_optional(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A required parameter stands behind an optional one.
    Why: A call with positional arguments cannot leave the optional one out.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(branch?: string, title: string) -> {id: string}
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch?: string) -> {id: string}
            description: "Find a book."
    """
    optional = False
    seen: set[str] = set()
    for parameter in tool.parameters:
        if parameter.required and optional and parameter.name.value not in seen:  # one given twice is ABL808
            yield found(parameter.name.span, p=parameter.name.value)
        optional = optional or not parameter.required
        seen.add(parameter.name.value)


@rule("ABL819", "undescribed-tool", "hint", "`{t}` has no description", over=nodes.Tool)
def undescribed_tool(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool has no description.
    Why: A model chooses tools by their descriptions.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            effect: read_only
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book by its title."
    """
    if tool.description is None:
        indent = fixes.indent_of(agent.source, tool.name.span.start) + "  "
        text = f'{indent}description: "…"'
        end = tool.returns.span if tool.returns else tool.name.span
        yield found(
            tool.name.span, fixes.insert_line_below(agent.source, end, text, "Add `description`"), t=tool.name.value
        )
