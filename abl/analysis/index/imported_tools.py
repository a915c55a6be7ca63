"""The tools that an agent takes from tool files and from behaviour profiles (docs/spec 08 §9, 09 §12).

What depends on them is kept with the agent, so that an agent with imported tools is another one than the same text
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from abl.analysis.index.imports import Import, imports_of
from abl.analysis.index.model import AgentIndex
from abl.language.written import listed
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.analysis.index.documents import DocumentIndex

Tools = dict[str, nodes.Tool]


def with_imported_tools(documents: Mapping[str, DocumentIndex]) -> dict[str, DocumentIndex]:
    """The documents, each agent with the tools that it takes from the others."""
    files = {path: _tools_of(document) for path, document in documents.items() if document.document.tool_files}
    profiles = dict(reversed([named for document in documents.values() for named in _profiles(document)]))
    if not files and not profiles:
        return dict(documents)
    return {path: document.with_tools(_imported(document, files, profiles)) for path, document in documents.items()}


def _imported(
    document: DocumentIndex, files: Mapping[str, Tools], profiles: Mapping[str, AgentIndex]
) -> tuple[Tools, ...]:
    """For each agent of a document what it takes; of two tools with one name the first."""
    return tuple([_of_agent(agent, files, profiles) if not agent.fragment else {} for agent in document.agents])


def _of_agent(agent: AgentIndex, files: Mapping[str, Tools], profiles: Mapping[str, AgentIndex]) -> Tools:
    found: Tools = {}
    for written in agent.derive(_imports):
        path = next((path for path in places_of(agent.source.path, written.path) if path in files), None)
        for name, tool in files[path].items() if path is not None else ():
            if not written.names or name in written.names:
                found.setdefault(name, tool)
    for name in agent.derive(profiles_used):
        for tool in profiles[name].tools.values() if name in profiles else ():
            found.setdefault(tool.name.value, tool)
    return found


def _imports(agent: AgentIndex) -> tuple[Import, ...]:
    return tuple(imports_of(agent))


def places_of(beside: str, path: str) -> tuple[str, ...]:
    """Where a path that a document names may lead: from its own folder, or from that of the project."""
    return normpath(join(dirname(beside), path)), normpath(path)


def _tools_of(document: DocumentIndex) -> Tools:
    return {name: tool for content in reversed(document.agents) for name, tool in content.tools.items()}


def _profiles(document: DocumentIndex) -> Iterator[tuple[str, AgentIndex]]:
    for agent in document.agents:
        profile = agent.agent.profile if isinstance(agent.agent, nodes.Fragment) else None
        if profile is not None and profile.name is not None:
            yield profile.name.value, agent


def profiles_used(agent: AgentIndex) -> frozenset[str]:
    """The names behind USE_BEHAVIOR_PROFILE."""
    sections = () if agent.fragment else agent.agent.sections
    texts = [s.value for s in sections if s.keyword == "USE_BEHAVIOR_PROFILE" and s.value is not None]
    return frozenset([name for text in texts for name in listed(text)])
