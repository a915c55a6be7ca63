"""Which tools an agent has: its own, those it imports, those that its profiles add (docs/spec 08 §8-§9, 10 §1.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from abl.analysis.index.imported_tools import places_of, profiles_used
from abl.analysis.index.imports import Import, imports_of, tools_imported
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import BUILT_IN_TOOLS
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import TOOL_FILE_KEYS

_OLD_IMPORTS: Final = frozenset({"FROM", "IMPORT", "IMPORTS", "USE"})
RUNTIME_TOOLS: Final = tuple(sorted(name for name in BUILT_IN_TOOLS if not name.startswith("_")))
"""Built-in tools that an author may mean."""


class ProjectTools(Protocol):
    """Where an agent may take tools from. An ``Index`` provides it, and asks for tools itself."""

    @property
    def profiles(self) -> Mapping[str, object]: ...

    @property
    def tool_files(self) -> Mapping[str, frozenset[str]]: ...

    @property
    def shared_tools(self) -> frozenset[str]: ...


def known_tools(agent: AgentIndex, project: ProjectTools) -> frozenset[str] | None:
    """The names of an agent's tools, without those of the runtime; None while not all of them can be known.

    A name in the list of an import counts as known: whether its file has it is checked there (ABL817). A file or a
    profile that is not in the project may hold anything.
    """
    if any(name and name not in project.profiles for name in agent.derive(profiles_used)):
        return None
    if any(not each.names and not _is_here(each.path, agent, project) for each in agent.derive(_imports)):
        return None
    if agent.derive(_imports_otherwise):
        return None
    return frozenset(agent.tools) | agent.imported_tools.keys() | agent.derive(tools_imported)


def lists_tools(agent: AgentIndex) -> bool:
    """True when an agent says which tools it has; else those of the project count (docs/spec 08 §2, §8)."""
    return agent.agent.section("TOOLS") is not None


def unknown_tools(
    names: Iterable[str], agent: AgentIndex, project: ProjectTools
) -> tuple[frozenset[str], frozenset[str]]:
    """Which of these names are no tools of an agent, and the names that may be meant."""
    known = known_tools(agent, project)
    if known is None:
        return frozenset(), frozenset()
    if not lists_tools(agent):
        known |= project.shared_tools
    return frozenset([name for name in names if name not in known and name not in BUILT_IN_TOOLS]), known


def _imports(agent: AgentIndex) -> tuple[Import, ...]:
    return tuple(imports_of(agent))


def _is_here(path: str, agent: AgentIndex, project: ProjectTools) -> bool:
    return any(place in project.tool_files for place in places_of(agent.source.path, path))


def _imports_otherwise(agent: AgentIndex) -> bool:
    """True for imports of the old form (ABL818), and for lines that may be meant for one (ABL812)."""
    section = agent.agent.section("TOOLS")
    children = section.block.children if section is not None and section.block is not None else ()
    return any(_is_other_import(child) for child in children)


def _is_other_import(block: nodes.Block) -> bool:
    bare = block.value.raw if not block.colon and block.value is not None else ""
    if block.key.upper() in _OLD_IMPORTS or bare.startswith("FROM "):
        return True
    key = block.key.lower()
    return block.colon and key != "file" and "file" in closest(key, ("file", *TOOL_FILE_KEYS))
