"""The tools that agents take from tool files, and the names these set (docs/spec 08 §7, §9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import basename
from typing import Final, NamedTuple

from abl.analysis.incremental.parts import write_paths
from abl.analysis.index.model import AgentIndex
from abl.syntax.nodes import Agent, Block

_LIST: Final = re.compile(r"[^\[]*+\[([^\]]*+)\]")
_PATH: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s\[]+))""")


def set_by_tools(files: Mapping[str, Iterable[AgentIndex]]) -> dict[str, frozenset[str]]:
    """By the name of a tool file (without folders), the names that ``on_result`` and ``on_error`` of its tools set.

    ``files`` are the contents of the tool files by path; those of one name in several folders are taken together.
    """
    found: dict[str, frozenset[str]] = {}
    for path, contents in files.items():
        name = basename(path)
        found[name] = found.get(name, frozenset()).union(*[content.union(write_paths) for content in contents])
    return {name: names for name, names in found.items() if names}


class Import(NamedTuple):
    """``file: "x.tools.abl" [a, b]``: the path as written, and the names; none for all tools of the file."""

    path: str
    names: tuple[str, ...]


def imports_of(agent: AgentIndex) -> Iterator[Import]:
    """What the agent's TOOLS section imports."""
    return (written for _, written in import_lines(agent.agent))


def import_lines(agent: Agent) -> Iterator[tuple[Block, Import]]:
    """The same with the line of each import."""
    section = agent.section("TOOLS")
    for child in section.block.children if section is not None and section.block is not None else ():
        match = _PATH.match(child.value.raw) if child.key.lower() == "file" and child.value is not None else None
        path = (match[1] or match[2] or match[3]) if match is not None else ""
        if path:
            yield child, Import(path, names_imported(child))


def imported_files(agent: AgentIndex) -> frozenset[str]:
    """The names (without folders) of the tool files that the agent's TOOLS section imports."""
    return frozenset([basename(written.path) for written in imports_of(agent)])


def names_imported(block: Block) -> tuple[str, ...]:
    """The tools in the list of ``file: "x.tools.abl" [a, b]``; none where there is no list, which imports all."""
    listed = _LIST.match(block.value.raw) if block.key.lower() == "file" and block.value is not None else None
    return tuple([name for name in re.split(r"[,\s]+", listed[1]) if name]) if listed is not None else ()


def tools_imported(agent: AgentIndex) -> frozenset[str]:
    """The tools that the agent imports by their names."""
    section = agent.agent.section("TOOLS")
    children = section.block.children if section is not None and section.block is not None else ()
    return frozenset([name for child in children for name in names_imported(child)])
