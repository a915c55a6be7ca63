"""The index over all documents of a project: agents, symbols by kind, names and references (02 §7, 05, 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from posixpath import basename
from types import MappingProxyType
from typing import Any, Final

from abl.analysis.collect.records import STORING
from abl.analysis.conditions.types import canonical_type
from abl.analysis.flow import cross_agent_queries
from abl.analysis.incremental.parts import Part
from abl.analysis.index.available_tools import lists_tools, unknown_tools
from abl.analysis.index.catalogues import Catalogues, catalogues_of, is_catalogue
from abl.analysis.index.delegating import given_by, taken_by
from abl.analysis.index.documents import DocumentIndex, document_index
from abl.analysis.index.imported_tools import profiles_used, with_imported_tools
from abl.analysis.index.imports import imported_files, set_by_tools
from abl.analysis.index.model import AgentIndex, Read
from abl.analysis.index.testcases import is_test_case, unmocked_tools
from abl.analysis.index.visible_names import Paths, known_to, not_known, paths_of, results_read
from abl.analysis.project_file.reading import is_project_file, read_project_file
from abl.analysis.results.latest import found_in_results
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.readers.context import Corrections
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import HEADERS, SECTIONS

NO_CORRECTIONS: Final[Mapping[str, Corrections]] = MappingProxyType({})
Exists = Callable[[str, str], bool]
"""Whether the file of that name is there, which the document at the path names."""


class Index:
    """All documents of one check, by path, and what can only be answered across them."""

    def __init__(
        self,
        documents: Mapping[str, DocumentIndex],
        cases: Mapping[str, str] | None = None,
        catalogues: Catalogues = (),
        exists: Exists | None = None,
    ) -> None:
        self.documents = dict(documents)
        self.cases = dict(cases or {})  # texts of test cases by path
        self.catalogues = catalogues
        self.locales: dict[str, str] = {}  # texts of the catalogues by path
        self.project_files: dict[str, str] = {}  # texts of project.yaml by path
        self.kept: dict[Any, Any] = {}  # what other modules work out once for this index
        self._exists = exists

    @property
    def sources(self) -> dict[str, Source]:
        """Source of each document, and of project.yaml, by path."""
        files = {path: Source(text, path) for path, text in self.project_files.items()}
        return {path: document.source for path, document in self.documents.items()} | files

    def source(self, path: str) -> Source:
        """Source of a document, test case, catalogue or project.yaml."""
        if path in self.documents:
            return self.documents[path].source
        return Source({**self.locales, **self.project_files, **self.cases}[path], path)

    @property
    def naming_files(self) -> dict[str, str]:
        """Texts, by path, of the files that name agents and tools and are no documents: test cases, project.yaml."""
        return {**self.cases, **self.project_files}

    def lacks_file(self, document: str, name: str) -> bool:
        """Whether a file of another kind, which a document names, is known not to be there."""
        return self._exists is not None and not self._exists(document, name)

    def each(self) -> Iterator[AgentIndex]:
        """Every agent and fragment, in order of path and position."""
        for document in self.documents.values():
            yield from document.agents

    @cached_property
    def agents(self) -> dict[str, AgentIndex]:
        """Agents by name; of two with one name the first."""
        named: dict[str, AgentIndex] = {}
        for agent in self.each():
            if agent.name and not agent.fragment:
                named.setdefault(agent.name, agent)
        return named

    @cached_property
    def almost_agents(self) -> frozenset[str]:
        """The names behind a misspelt AGENT or SUPERVISOR, which is reported there (ABL103)."""
        blocks = (block for document in self.documents.values() for block in document.document.blocks)
        named = [block for block in blocks if block.value is not None and block.key.upper() not in SECTIONS]
        return frozenset([b.value.value.strip() for b in named if b.value and closest(b.key.upper(), tuple(HEADERS))])

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of the documents without folders and suffixes, in lower case."""
        return frozenset([basename(path).partition(".")[0].lower() for path in self.documents])

    @cached_property
    def repeated(self) -> tuple[str, ...]:
        """Names that more than one agent has (ABL121); references may already use the intended name of the second."""
        counts = Counter(agent.name for agent in self.each() if agent.name and not agent.fragment)
        return tuple([name for name, count in counts.items() if count > 1])

    @cached_property
    def renamed(self) -> bool:
        """Whether the agents that have a name twice (ABL121) may be all those that are named and not there."""
        if not self.repeated:
            return False
        spare = sum(1 for agent in self.each() if agent.name and not agent.fragment) - len(self.agents)
        named = frozenset().union(*[agent.union(_agents_named) for agent in self.each()])
        missing = [name for name in named if name not in self.agents and not closest(name, self.agents)]
        return len(missing) <= spare

    @cached_property
    def alone(self) -> bool:
        """True for a project of one agent, which cannot know its others (docs/spec 05 §1)."""
        return sum(1 for agent in self.each() if not agent.fragment) <= 1

    @cached_property
    def called_tools(self) -> frozenset[str]:
        """Tools that some CALL of the project names."""
        return frozenset().union(*[agent.union(_called_tools) for agent in self.each()])

    @cached_property
    def unmocked_tools(self) -> frozenset[str]:
        """Tools that some test case expects to be called, and neither it nor project.yaml has an answer for."""
        mocked = [read_project_file(text).value("tools") or {} for text in self.project_files.values()]
        return frozenset().union(*map(unmocked_tools, self.cases.values())) - frozenset().union(*mocked)

    @cached_property
    def tool_files(self) -> dict[str, frozenset[str]]:
        """The names of the tools in each tool file, by its path."""
        held = {path: document for path, document in self.documents.items() if document.document.tool_files}
        return {path: frozenset().union(*[agent.tools for agent in held[path].agents]) for path in held}

    @cached_property
    def shared_tools(self) -> frozenset[str]:
        """The tools of all tool files, which an agent without TOOLS may call by their names (docs/spec 08 §2)."""
        return frozenset().union(*self.tool_files.values())

    @cached_property
    def declared_paths(self) -> dict[str, list[tuple[AgentIndex, nodes.PersistentPath]]]:
        """Persistent declarations of the whole project by path."""
        found: dict[str, list[tuple[AgentIndex, nodes.PersistentPath]]] = {}
        for agent in self.each():
            for path in agent.derive(_declared):
                found.setdefault(path.name.value, []).append((agent, path))
        return found

    @cached_property
    def declared_kinds(self) -> dict[str, list[tuple[AgentIndex, nodes.PersistentPath]]]:
        """By path, in each agent, the first declaration of each scope and kind of type."""
        found: dict[str, list[tuple[AgentIndex, nodes.PersistentPath]]] = {}
        for name, declarations in self.declared_paths.items():
            first: dict[tuple[int, str, str | None], tuple[AgentIndex, nodes.PersistentPath]] = {}
            for agent, path in declarations:
                scope = path.typed.given("SCOPE") or ""
                type_ = canonical_type(path.type.value) if path.type is not None else None
                first.setdefault((id(agent), scope, type_), (agent, path))
            found[name] = list(first.values())
        return found

    @cached_property
    def profiles(self) -> dict[str, tuple[AgentIndex, nodes.Profile]]:
        """Profile documents by name, with what they hold; of two with one name the first."""
        found: dict[str, tuple[AgentIndex, nodes.Profile]] = {}
        for agent in self.each():
            profile = agent.agent.profile if isinstance(agent.agent, nodes.Fragment) else None
            if profile is not None and profile.name is not None:
                found.setdefault(profile.name.value, (agent, profile))
        return found

    @cached_property
    def profile_users(self) -> dict[str, tuple[AgentIndex, ...]]:
        """The agents that attach a profile, by its name."""
        found: dict[str, tuple[AgentIndex, ...]] = {}
        for agent in self.each():
            for name in agent.derive(profiles_used):
                found[name] = (*found.get(name, ()), agent)
        return found

    @cached_property
    def mentioned(self) -> dict[str, int]:
        """In how many agents each word stands that may read or set anything."""
        return cross_agent_queries.mentioned(self.each())

    @cached_property
    def words(self) -> dict[str, int]:
        """In how many documents each word stands."""
        return Counter(
            word for path in self.documents for word in cross_agent_queries.words_in(self.documents[path].source.text)
        )

    @cached_property
    def result_fields(self) -> frozenset[str]:
        """The declared fields of the results of all tools."""
        return cross_agent_queries.result_fields(self.each())

    @cached_property
    def starts(self) -> dict[str, int]:
        """For each agent by name those that lead to it, itself included, as bits."""
        return cross_agent_queries.starts(self.each())

    @cached_property
    def writers(self) -> dict[str, tuple[AgentIndex, ...]]:
        """The agents in which a remember trigger or SET writes a path, by path."""
        found: dict[str, list[AgentIndex]] = {}
        for agent in self.each():
            for path in agent.union(_stored):
                found.setdefault(path, []).append(agent)
        return {path: tuple(agents) for path, agents in found.items()}

    @cached_property
    def written_paths(self) -> frozenset[str]:
        """Paths that a remember trigger or SET of any agent writes."""
        return frozenset().union(*[agent.union(_stored) for agent in self.each()])

    @cached_property
    def stored_paths(self) -> Paths:
        """What can put a value under a path: remember triggers, SET, and CONTEXT.set of handoffs."""
        return paths_of(self.written_paths.union(*[agent.union(_handed) for agent in self.each()]))

    @cached_property
    def _set_by_tools(self) -> dict[str, frozenset[str]]:
        holding = {path: document for path, document in self.documents.items() if document.document.tool_files}
        return set_by_tools({path: document.agents for path, document in holding.items()})

    @cached_property
    def _received(self) -> dict[str, set[str]]:
        return self._by_agent(_passed, given_by)

    @cached_property
    def _returned(self) -> dict[str, set[str]]:
        return self._by_agent(taken_by)

    def _by_agent(self, *functions: Callable[[AgentIndex], list[tuple[str, frozenset[str]]]]) -> dict[str, set[str]]:
        """The names of all agents that functions give for an agent."""
        found: dict[str, set[str]] = {}
        for agent in self.each():
            for function in functions:
                for to, names in agent.derive(function):
                    found.setdefault(to, set()).update(names)
        for to in [to for to in found if to not in self.agents]:  # misspelt (ABL508), or of a second name (ABL121)
            for intended in closest(to, self.agents) or self.repeated:
                found.setdefault(intended, set()).update(found[to])
        return found

    def received(self, agent: AgentIndex) -> frozenset[str]:
        """Names that come from elsewhere: CONTEXT of a handoff, INPUT of DELEGATE, tools that are imported.

        What the profiles of the agent write is among them.
        """
        handed = frozenset(self._received.get(agent.name, ()))
        homes = [self.profiles[name][0] for name in agent.derive(profiles_used) if name in self.profiles]
        handed = handed.union(*[home.written_roots for home in homes if home is not agent])
        if not self._set_by_tools:
            return handed
        return handed.union(*[self._set_by_tools.get(file, ()) for file in agent.derive(imported_files)])

    def returned(self, agent: AgentIndex) -> frozenset[str]:
        """Names of this agent that others take from it when it is done: RETURNS, ``map`` of ON_RETURN."""
        return frozenset(self._returned.get(agent.name, ()))

    def used_by_profiles(self, agent: AgentIndex) -> frozenset[str] | None:
        """Names that the profiles of an agent read or set; None while one of them is not in the project."""
        found: set[str] = set()
        for name in agent.derive(profiles_used):
            if name not in self.profiles:
                return None
            home, _ = self.profiles[name]
            found |= home.read_roots | home.written_roots | home.mentions
        return frozenset(found)

    def undeclared(self, agent: AgentIndex) -> tuple[Read, ...]:
        """Reads of names that nothing in the agent, the runtime, a result or another agent provides."""
        return self._not_provided(agent)[0]

    def found_in_results(self, agent: AgentIndex) -> tuple[Read, ...]:
        """Reads of names that nothing provides but the result of an earlier CALL, as one of its declared fields."""
        return self._not_provided(agent)[1]

    def _not_provided(self, agent: AgentIndex) -> tuple[tuple[Read, ...], tuple[Read, ...]]:
        known, no_tools = self.known_names(agent), self._without_tool(agent)
        kept: tuple[object, tuple[tuple[Read, ...], tuple[Read, ...]]] | None = agent.kept.get("undeclared")
        if kept is None or kept[0] != (known, no_tools):
            missing = tuple(not_known(agent, known, no_tools))
            fields = found_in_results(missing, agent) if missing and not agent.fragment else ()
            undeclared = tuple([read for read in missing if read not in fields])
            kept = agent.kept["undeclared"] = ((known, no_tools), (undeclared, fields))
        return kept[1]

    def _without_tool(self, agent: AgentIndex) -> frozenset[str]:
        """Those of the names ``last_<tool>_result`` that are read where an agent certainly has no such tool."""
        read = agent.derive(results_read)
        if not read or agent.fragment or not lists_tools(agent):
            return frozenset()
        unknown, _ = unknown_tools(read.values(), agent, self)
        return frozenset([root for root, tool in read.items() if tool in unknown - self.called_tools])

    def known_names(self, agent: AgentIndex) -> Paths:
        """Every name that can have a value in this agent (docs/spec 02 §7, 09 §17)."""
        others = (self.called_tools, self.received(agent))
        kept: tuple[object, Paths] | None = agent.kept.get("known")
        if kept is None or kept[0] != others:
            kept = agent.kept["known"] = (others, known_to(agent, *others))
        return kept[1]


def _declared(agent: AgentIndex) -> list[nodes.PersistentPath]:
    return agent.all(nodes.PersistentPath)


def _passed(agent: AgentIndex) -> list[tuple[str, frozenset[str]]]:
    """Names that each handoff passes on, by the agent that gets them."""
    return [
        (
            handoff.to.value,
            frozenset([*(n.value for n in handoff.passes), *(a.target.value for a in handoff.sets if a.target)]),
        )
        for handoff in agent.first(nodes.Handoff)
        if handoff.to is not None
    ]


def _agents_named(part: Part) -> frozenset[str]:
    return frozenset([ref.name.value for ref in part.agent_refs if ref.name.value and "{{" not in ref.name.value])


def _called_tools(part: Part) -> frozenset[str]:
    return frozenset([ref.name.value for ref in part.tool_refs if ref.call is not None])


def _stored(part: Part) -> frozenset[str]:
    return frozenset([write.path for write in part.writes if write.kind in STORING])


def _handed(part: Part) -> frozenset[str]:
    return frozenset([a.target.value for handoff in part.all(nodes.Handoff) for a in handoff.sets if a.target])


def index_of(
    files: Mapping[str, str], exists: Exists | None = None, corrections: Mapping[str, Corrections] = NO_CORRECTIONS
) -> Index:
    """The index of a project given as texts by path, in order of path; what ``is_beside`` names is no document.

    ``exists`` answers for files that are neither; without it nothing is known of them. ``corrections`` are words that
    are read in place of misspelt ones, by path.
    """
    documents = {
        path: document_index(path, files[path]).corrected(corrections.get(path, {}))
        for path in sorted(files)
        if not is_beside(path)
    }
    cases = {path: files[path] for path in sorted(files) if is_test_case(path)}
    index = Index(with_imported_tools(documents), cases, catalogues_of(files), exists)
    index.locales = {path: files[path] for path in sorted(files) if is_catalogue(path)}
    index.project_files = {path: files[path] for path in sorted(files) if is_project_file(path)}
    return index


def is_beside(path: str) -> bool:
    """True for files that belong to a project and are no documents: test cases, locale catalogues, project.yaml."""
    return is_test_case(path) or is_catalogue(path) or is_project_file(path)
