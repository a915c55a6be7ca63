"""5xx about tools and other agents (docs/spec 05 §8, 10 §1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.model import AgentIndex, Read
from abl.analysis.names import BUILT_IN_TOOLS
from abl.analysis.project import Index
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes


@rule(
    "ABL507", "unknown-tool", "error", "Tool `{t}` is not declared. Did you mean `{y}`?", over=AgentIndex, project=True
)
def unknown_tool(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A CALL names a tool that the agent does not declare. Without TOOLS, where those of the project count, a
    warning.
    Why: The call fails.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_bok(title)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book(title)
            THEN: COMPLETE
    """
    for ref in agent.tool_refs:
        name = ref.name.value
        if ref.call is None or name in agent.tools or name in BUILT_IN_TOOLS or project.imports_tools(agent):
            continue
        best, renames = fixes.rename_to(ref.name.span, name, agent.tools)
        severity = None if agent.agent.section("TOOLS") else "warning"
        yield found(ref.name.span, *renames, severity=severity, t=name, y=best)  # type: ignore[arg-type]


@rule("ABL508", "unknown-agent", "error", "Agent `{a}` not found. Did you mean `{y}`?", over=AgentIndex, project=True)
def unknown_agent(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A handoff names an agent that the project does not have. In a project of one agent this is a warning.
    Why: The handoff fails.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Libarian
            WHEN: needs_help == true

        AGENT: Librarian
        GOAL: "Help"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true

        AGENT: Librarian
        GOAL: "Help"
    """
    for ref in agent.agent_refs:
        name = ref.name.value
        if isinstance(ref.owner, nodes.OnFail) or not name or name in project.agents or "{{" in name:
            continue
        others = [other for other in project.agents if other != agent.name]
        best, renames = fixes.rename_to(ref.name.span, name, others)
        if not best and project.renamed:
            continue  # an agent with the name of another is meant, and told there: ABL121
        yield found(ref.name.span, *renames, severity="warning" if project.alone else None, a=name, y=best)


def is_handed_on(read: Read) -> bool:
    """True for a name in INPUT of DELEGATE or in context_for_human, which other agents or people get."""
    if not isinstance(read.owner, nodes.Section):
        return False
    keyword, use = read.owner.keyword, read.use
    return use is None if keyword == "ESCALATE" else keyword == "DELEGATE" and use is not None and use.place == "INPUT"


@rule(
    "ABL514",
    "unset-pass",
    "warning",
    "`CONTEXT.pass` field `{n}` is not set in this agent",
    over=(nodes.Handoff, nodes.Section),
    project=True,
)
def unset_pass(holder: nodes.Handoff | nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A handoff, a delegation or an escalation passes a name that nothing in the agent sets.
    Why: The other agent gets nothing under that name.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              pass: [shelf_mark]

        AGENT: Librarian
        GOAL: "Help"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - shelf_mark
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            CONTEXT:
              pass: [shelf_mark]

        AGENT: Librarian
        GOAL: "Help"
    """
    if isinstance(holder, nodes.Section):
        for read in project.undeclared(agent) if holder.keyword in ("DELEGATE", "ESCALATE") else ():
            if read.owner.path == holder.path and is_handed_on(read):
                _, renames = fixes.rename_to(read.span, read.path, agent.written_roots)
                words = "`INPUT` field `{n}` is not set in this agent"
                if holder.keyword == "ESCALATE":
                    words = "`context_for_human` field `{n}` is not set in this agent"
                yield found(read.span, *renames, n=read.path, wording=words)
        return
    known = project.known_names(agent)
    for name in holder.passes:
        if name.value not in known:
            _, renames = fixes.rename_to(name.span, name.value, agent.written_roots)
            yield found(name.span, *renames, n=name.value)
