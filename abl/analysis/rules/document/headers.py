"""1xx that need meaning: header, goal, version, names (docs/spec 05 §2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.names import rename_in_agent
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import is_runtime_name
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Related
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import RESERVED_NAMES, RUNTIME_ASSIGNED, VAGUE_NAMES

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)([-+][0-9A-Za-z.+-]+)?")
_TWO_PARTS = re.compile(r"\d+\.\d+")
_HEADERS = ("AGENT", "SUPERVISOR", "BEHAVIOR_PROFILE")
_DECLARING = frozenset({"session", "set", "as", "transform"})  # a field: ABL729


@rule("ABL101", "missing-header", "error", "Missing document header `AGENT:`", over=DocumentIndex)
def missing_header(document: DocumentIndex) -> Iterator[Found]:
    """
    What: The document starts with a section but says nowhere which agent it is.
    Why: Without `AGENT:` or `SUPERVISOR:` no project can load it.
    Bad:
        GOAL: "Lend books"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """
    tree = document.document
    if tree.fragments or tree.profiles or tree.tool_files or not tree.blocks:
        return
    if any(agent.section("AGENT") or agent.section("SUPERVISOR") for agent in tree.agents):
        return
    unknown = [section.written.upper() for agent in tree.agents for section in agent.sections if not section.keyword]
    if any(closest(written, _HEADERS) for written in unknown):  # a misspelt header is ABL103
        return
    at = tree.blocks[0].line_span
    if "PRIORITY" in unknown:  # which only profiles have
        words, profile = "Missing document header `BEHAVIOR_PROFILE:`", "BEHAVIOR_PROFILE: new_profile"
        yield found(at, fixes.insert(at.start, f"{profile}\n", f"Add `{profile}`"), wording=words)
        return
    yield found(at, fixes.insert(at.start, "AGENT: New_Agent\n", "Add `AGENT: New_Agent`"))


@rule("ABL102", "missing-goal", "error", "Missing `GOAL:`", over=AgentIndex)
def missing_goal(agent: AgentIndex) -> Iterator[Found]:
    """
    What: The agent has no goal, neither `GOAL:` nor `IDENTITY` with a role.
    Why: The goal is what a model works towards; platforms refuse an agent without one.
    Bad:
        AGENT: Desk
        PERSONA: "Friendly"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """
    header = agent.agent.section("AGENT") or agent.agent.section("SUPERVISOR")
    if (
        agent.fragment
        or header is None
        or agent.agent.goal is not None
        or agent.agent.section("GOAL")
        or _has_role(agent)
        or any(closest(section.written, ("GOAL",)) for section in agent.agent.sections if not section.keyword)
    ):  # a misspelt GOAL is ABL103
        return
    at = header.block.line_span if header.block else header.key_span
    yield found(at, fixes.insert_line_below(agent.source, at, 'GOAL: "…"', "Add `GOAL:`"))


def _has_role(agent: AgentIndex) -> bool:
    identity = agent.agent.section("IDENTITY")
    return bool(identity and identity.block and any(c.key.lower() == "role" for c in identity.block.children))


@rule("ABL118", "reserved-name", "warning", "`{n}` is reserved for the runtime", over=Placed, needs="writes")
def reserved_name(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A variable, field or target has a name that the runtime uses for itself.
    Why: The runtime overwrites it, or reads your value where it expects its own.
    Bad:
        MEMORY:
          session:
            - input
              TYPE: string
    Good:
        MEMORY:
          session:
            - last_question
              TYPE: string
    """
    for write in part.part.writes:
        if write.kind not in _DECLARING:
            continue
        if is_reserved(write.path, assigned=write.kind != "session"):
            name = write.root if write.root in RUNTIME_ASSIGNED else write.path
            yield found(part.at(write.span), *own_name(agent, name), n=write.path)


def is_reserved(path: str, *, assigned: bool = True) -> bool:
    """True for a name of the runtime (01 §4, 06 §5.3); ``now`` is ABL237."""
    reserved = path in RESERVED_NAMES or (assigned and path.partition(".")[0] in RUNTIME_ASSIGNED)
    return (reserved and path != "now") or is_runtime_name(path)


def own_name(agent: AgentIndex, name: str) -> tuple[Fix, ...]:
    """Another name for a value of the author, wherever it is used."""
    if name in ("input", "match") and name in agent.read_roots:
        return ()  # a condition that reads the words of the user goes on to mean those
    return tuple(rename_in_agent(agent, name, _own(name, name.strip("_").replace(".", "_"))))


def _own(name: str, plain: str) -> str:
    """A name for the author's own value instead of a reserved one; a plain word would be reserved as well."""
    return plain if plain != name and plain not in RESERVED_NAMES else f"own_{plain}"


@rule("ABL120", "tests-section", "info", "`TESTS:` is parsed but has no effect", over=nodes.Section)
def tests_section(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The section `TESTS:` is reserved and not executed.
    Why: Tests belong into `*.scenario.yaml` files, which `abl test` runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TESTS:
          - greets
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """
    if section.keyword == "TESTS":
        yield found(section.key_span)


@rule("ABL121", "duplicate-agent", "error", "Agent name `{n}` already used in {file}", over=AgentIndex, project=True)
def duplicate_agent(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Two agents of the project, or two profiles, have one name.
    Why: A handoff to that name could mean either, and of two profiles only the first is attached.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"

        AGENT: Desk
        GOAL: "Lend films"
    Good:
        AGENT: Book_Desk
        GOAL: "Lend books"

        AGENT: Film_Desk
        GOAL: "Lend films"
    """
    if agent.fragment:
        yield from _profile_twice(agent, project)
    first = project.agents.get(agent.name)
    if agent.fragment or first is None or first is agent or agent.agent.name is None or first.agent.name is None:
        return
    elsewhere = Related(first.source.path, first.agent.name.span, "first agent of that name")
    yield found(agent.agent.name.span, related=(elsewhere,), n=agent.name, file=first.source.path)


def _profile_twice(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """A profile document with the name of another, which is the one that agents attach (09 §12)."""
    profile = agent.agent.profile if isinstance(agent.agent, nodes.Fragment) else None
    if profile is None or profile.name is None or not profile.name.value:
        return
    home, first = project.profiles.get(profile.name.value, (agent, profile))
    if home is not agent and first.name is not None:
        elsewhere = Related(home.source.path, first.name.span, "first profile of that name")
        words = "Profile name `{n}` already used in {file}"
        data = {"n": profile.name.value, "file": home.source.path}
        yield found(profile.name.span, related=(elsewhere,), **data, wording=words)  # type: ignore[arg-type]


@rule("ABL122", "bad-version", "error", 'VERSION must look like "1.2.3"', off=True, over=nodes.Section)
def bad_version(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The version is not a quoted `major.minor.patch`; two parts (`"2.0"`) are only a hint.
    Why: Versions are compared part by part.
    Bad:
        AGENT: Desk
        VERSION: "one"
        GOAL: "Lend books"
    Good:
        AGENT: Desk
        VERSION: "1.0.0"
        GOAL: "Lend books"
    """
    if section.keyword != "VERSION" or section.value is None:
        return
    value, span = section.value.value.strip(), section.value.span
    straight = value.strip("“”„‘’")
    if straight != value and _VERSION.fullmatch(straight):
        yield found(span, fixes.replace(span, f'"{straight}"'))
    elif _VERSION.fullmatch(value):
        if section.value.style == "bare":
            yield found(span, fixes.replace(span, f'"{value}"'), severity="hint")
    elif _TWO_PARTS.fullmatch(value):
        yield found(span, fixes.replace(span, f'"{value}.0"'), severity="hint")
    elif value.isdigit():
        yield found(span, fixes.replace(span, f'"{value}.0.0"'))
    else:
        yield found(span)


@rule("ABL126", "vague-name", "hint", "Vague variable name `{n}`", over=nodes.SessionVariable, project=True)
def vague_name(variable: nodes.SessionVariable, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A session variable has a name that says nothing, such as `data`, `temp` or `var1`.
    Why: Conditions and messages are read far from the declaration; the name is all a reader has.
    Bad:
        MEMORY:
          session:
            - temp
    Good:
        MEMORY:
          session:
            - open_loans
    """
    if variable.name.value.lower() in VAGUE_NAMES:
        name = variable.name.value
        shared = name in project.received(agent) or name in project.returned(agent)  # then others must follow
        renamed = () if shared else rename_in_agent(agent, name, f"{name}_of_what")
        yield found(variable.name.span, *renamed, n=name)


def header_span(agent: AgentIndex) -> Span:
    """Where problems of a whole agent are shown: its header line, or the start of a fragment."""
    section = agent.agent.section("AGENT") or agent.agent.section("SUPERVISOR")
    if section is not None:
        return section.block.line_span if section.block else section.key_span
    return Span(agent.agent.span.start, agent.agent.span.start)
