"""5xx about tools and other agents (docs/spec 05 §8, 10 §1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename, dirname, relpath

from abl.analysis import fixes
from abl.analysis.collect.targets import is_remote
from abl.analysis.conformance import generic
from abl.analysis.fixes.create import create_agent, declare_tool
from abl.analysis.index.aliases import aliases_of
from abl.analysis.index.available_tools import RUNTIME_TOOLS, lists_tools, unknown_tools
from abl.analysis.index.model import AgentIndex, Read
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.symbols.agent_links import routed_to
from abl.diagnostics import Severity
from abl.syntax import nodes
from abl.syntax.nodes import Name
from abl.syntax.readers.content import content_of


@rule(
    "ABL507", "unknown-tool", "error", "Tool `{t}` is not declared. Did you mean `{y}`?", over=AgentIndex, project=True
)
def unknown_tool(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A CALL, AVAILABLE_TOOLS or SECURE_INPUT names a tool that the agent does not have: it declares none of that
    name, imports none, and no profile adds one. Without TOOLS, where those of the project count, a warning.
    Why: The call fails, and a model cannot use what is not there.
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
    refs = [ref for ref in agent.tool_refs if ref.key != "BEFORE"] if not agent.fragment else []
    if not refs:
        return
    unknown, known = unknown_tools((ref.name.value for ref in refs), agent, project)
    candidates = (*generic.some(sorted(known)), *RUNTIME_TOOLS) if unknown else ()
    for ref in refs if unknown else ():
        name = ref.name.value
        if name not in unknown or (ref.call is None and not lists_tools(agent) and name in project.called_tools):
            continue
        best, renames = fixes.rename_to(ref.name.span, name, candidates)
        declared = declare_tool(agent, ref.call) if ref.call is not None else ()
        severity: Severity | None = None if lists_tools(agent) else "warning"
        yield found(ref.name.span, *renames, *declared, severity=severity, t=name, y=best)


@rule("ABL508", "unknown-agent", "error", "Agent `{a}` not found. Did you mean `{y}`?", over=AgentIndex, project=True)
def unknown_agent(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A handoff, a delegation, ROUTING or AGENTS names an agent that the project does not have; one that runs
    elsewhere (`REMOTE`) need not be there. In a project of one agent this is a warning.
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
    yield from _unknown_members(agent, project)
    refs = (ref for ref in agent.agent_refs if not isinstance(ref.owner, nodes.OnFail))
    here = (ref.name for ref in refs if not _runs_elsewhere(ref.owner))
    aliases = agent.derive(aliases_of)
    for name in (*here, *(name for name in routed_to(agent) if name.value not in aliases)):
        word = name.value
        if not word or word in project.agents or "{{" in word or word in project.almost_agents:
            continue
        best, renames = fixes.rename_to(name.span, word, _others(agent, project))
        if not best and project.renamed:
            continue  # an agent with the name of another is meant: ABL121
        severity: Severity | None = "warning" if project.alone else None
        yield found(name.span, *renames, *create_agent(agent, word), severity=severity, a=word, y=best)


def _others(agent: AgentIndex, project: Index) -> list[str]:
    return [other for other in project.agents if other != agent.name]


def _runs_elsewhere(owner: nodes.Node) -> bool:
    return isinstance(owner, nodes.Handoff) and owner.block is not None and is_remote(content_of(owner.block))


def _listed(agent: AgentIndex) -> Iterator[Name]:
    """What AGENTS of a supervisor names: agents, or their files (09 §4)."""
    for section in generic.sections(agent, "AGENTS"):
        listed = content_of(section.block) if section.block is not None else None
        for entry in (*listed.members, *listed.items) if listed is not None else ():
            text = entry.text_of("ref", "agent") or entry.text
            if text is not None and text.value.strip():
                yield Name(text.value.strip(), text.inner)


def _unknown_members(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """ABL508 for entries of AGENTS. A file is looked for by its name: its folder may count from elsewhere."""
    unknown = [member for member in _listed(agent) if not _is_here(member.value, project)]
    others, files = (_others(agent, project), _files(agent, project)) if unknown else ((), ())
    for member in unknown:
        is_path = not member.value.isidentifier()
        best, renames = fixes.rename_to(member.span, member.value, files if is_path else others)
        severity: Severity | None = "warning" if is_path or project.alone else None
        yield found(member.span, *renames, severity=severity, a=member.value, y=best)


def _is_here(word: str, project: Index) -> bool:
    """True for an agent or file of the project, and for a file that may be elsewhere."""
    stem = basename(word).partition(".")[0].lower()
    if word in project.agents or stem in project.stems or word in project.almost_agents:
        return True
    return not word.isidentifier() and (project.alone or stem in map(str.lower, project.agents))


def _files(agent: AgentIndex, project: Index) -> tuple[str, ...]:
    """The documents of the project as an agent may name them."""
    folder, paths = dirname(agent.source.path) or ".", generic.some(project.documents)
    return (*(relpath(path, folder) for path in paths), *map(basename, paths))


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
def unset_pass(node: nodes.Handoff | nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
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
    if isinstance(node, nodes.Section):
        for read in project.undeclared(agent) if node.keyword in ("DELEGATE", "ESCALATE") else ():
            if read.owner.path == node.path and is_handed_on(read):
                _, renames = fixes.rename_to(read.span, read.path, agent.written_roots)
                words = "`INPUT` field `{n}` is not set in this agent"
                if node.keyword == "ESCALATE":
                    words = "`context_for_human` field `{n}` is not set in this agent"
                yield found(read.span, *renames, n=read.path, wording=words)
        return
    known = project.known_names(agent)
    for name in node.passes:
        if name.value not in known:
            _, renames = fixes.rename_to(name.span, name.value, agent.written_roots)
            yield found(name.span, *renames, n=name.value)
