"""8xx about declarations of tools (docs/spec 08 §1, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.properties import looks_given
from abl.analysis.fixes.calls import required_first
from abl.analysis.fixes.steps import free_name
from abl.analysis.index.imported_tools import places_of
from abl.analysis.index.imports import import_lines, tools_imported
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Related
from abl.syntax import nodes
from abl.syntax.vocabulary import EVERY_TOOL_KEY


@rule(
    "ABL807", "duplicate-tool", "error", "Tool `{t}` is declared twice", over=(nodes.Tool, nodes.Section), project=True
)
def duplicate_tool(tool: nodes.Tool | nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
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
    if isinstance(tool, nodes.Section):
        yield from _imported_twice(tool, agent, project)
        return
    first = agent.tools.get(tool.name.value)
    if first is not None and first is not tool:
        where = Related(agent.source.path, first.name.span, "first declaration")
        free = fixes.replace(tool.name.span, free_name(tool.name.value, agent.tools), preferred=False)
        yield found(tool.name.span, free, related=(where,), t=tool.name.value)
    elif _is_imported(tool.name.value, agent):
        free = fixes.replace(tool.name.span, free_name(tool.name.value, agent.tools), preferred=False)
        yield found(tool.name.span, free, t=tool.name.value, wording="Tool `{t}` clashes with an import")


def _imported_twice(section: nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """Tools of one name that come from two files (08 §1)."""
    if section.keyword != "TOOLS" or agent.fragment:
        return
    seen: dict[str, str] = {}
    for line, written in import_lines(agent.agent):
        path = next((p for p in places_of(agent.source.path, written.path) if p in project.tool_files), None)
        held = project.tool_files[path] if path is not None else frozenset()
        clash = sorted(name for name in held if (not written.names or name in written.names) and name in seen)
        span = line.value.span if line.value is not None else line.span
        for name in clash if path is not None else ():
            if seen[name] != path:
                data = {"t": name, "first": seen[name]}
                yield found(span, **data, wording="Tool `{t}` is imported from {first} already")  # type: ignore[arg-type]
        seen = {**{name: path or "" for name in held if not written.names or name in written.names}, **seen}


def _is_imported(name: str, agent: AgentIndex) -> bool:
    """True for a tool that the agent imports by name, or with all of a file; those of a profile may be other ones."""
    if agent.fragment or agent.agent.section("TOOLS") is None:
        return False
    if name in agent.derive(tools_imported):
        return True
    return name in agent.imported_tools and agent.agent.section("USE_BEHAVIOR_PROFILE") is None


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
    names = {parameter.name.value for parameter in tool.parameters}
    seen: set[str] = set()
    for parameter in tool.parameters:
        if parameter.name.value in seen:
            free = fixes.replace(parameter.name.span, free_name(parameter.name.value, names), preferred=False)
            yield found(parameter.name.span, free, p=parameter.name.value)
        seen.add(parameter.name.value)


@rule("ABL809", "required-after-optional", "hint", "Required `{p}` follows an optional parameter", over=nodes.Tool)
def required_after_optional(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A required parameter follows an optional one.
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
    late: list[nodes.Parameter] = []
    for parameter in tool.parameters:
        if parameter.required and optional and parameter.name.value not in seen:  # one given twice is ABL808
            late.append(parameter)
        optional = optional or not parameter.required
        seen.add(parameter.name.value)
    repairs = required_first(agent, tool) if late else ()
    for parameter in late:
        yield found(parameter.name.span, *repairs, p=parameter.name.value)


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
    if tool.description is None and not looks_given(tool, "description", EVERY_TOOL_KEY):
        indent = fixes.indent_of(agent.source, tool.name.span.start) + "  "
        text = f'{indent}description: "…"'
        end = tool.returns.span if tool.returns else tool.name.span
        yield found(
            tool.name.span, fixes.insert_line_below(agent.source, end, text, "Add `description`"), t=tool.name.value
        )
