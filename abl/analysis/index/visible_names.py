"""Which names are known to an agent: its own, those of tools and results, and those that others give it (02 §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from abl.analysis.incremental.parts import Part, read_paths
from abl.analysis.index.model import AgentIndex, Read
from abl.analysis.index.names import SYSTEM_NAMES, is_stored, paths_above
from abl.syntax import nodes
from abl.syntax.readers.content import content_of

KEPT_SETS = 1_024


class Paths:
    """Dotted names with the rule of docs/spec 02 §7: a path below a known one is known, and so is a parent of one."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.exact = set(paths)
        self.parents: set[str] = set()
        for path in self.exact:
            for parent in paths_above(path):
                if parent in self.parents:
                    break
                self.parents.add(parent)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        if path in self.parents or (path and path in self.exact):
            return True
        return any(parent in self.exact for parent in paths_above(path))


@lru_cache(maxsize=KEPT_SETS)
def paths_of(paths: frozenset[str]) -> Paths:
    """The same object for the same names: an edit seldom changes what is known."""
    return Paths(paths)


def known_to(agent: AgentIndex, called_tools: frozenset[str], received: frozenset[str]) -> Paths:
    """The names that an agent can read: its own, those of the system, results of tools, and what others pass to it."""
    tools = (*(tool.name.value for tool in agent.first(nodes.Tool)), *called_tools)
    results = {name for tool in tools for name in (tool, f"last_{tool}_result")}
    state = agent.derive(state_variables)
    provided = agent.write_paths | agent.union(currencies) | frozenset().union(*state.values())
    mentions = agent.mentions - state.keys()
    return paths_of(provided | SYSTEM_NAMES | mentions | results | received)


def state_variables(agent: AgentIndex) -> dict[str, frozenset[str]]:
    """What STATE of a supervisor declares, by namespace: ``shop`` has ``shop.open`` (docs/spec 09 §4)."""
    found: dict[str, frozenset[str]] = {}
    for section in agent.agent.sections:
        if section.keyword == "STATE" and section.block is not None:
            for namespace in content_of(section.block).members:
                variables = [f"{namespace.key}.{member.key}" for member in namespace.members]
                if variables:
                    found[namespace.key] = found.get(namespace.key, frozenset()).union(variables)
    return found


def results_read(agent: AgentIndex) -> dict[str, str]:
    """The tools of which ``last_<tool>_result`` is read, by that name."""
    roots = (root for root in agent.read_roots if root.startswith("last_") and root.endswith("_result"))
    return {root: root.removeprefix("last_").removesuffix("_result") for root in roots}


def currencies(part: Part) -> frozenset[str]:
    """The names that fields of type currency set besides their own (docs/spec 07 §3)."""
    fields = part.all(nodes.GatherField)
    named = [f.name.value for f in fields if f.type_word == "currency"]
    return frozenset([f"{name}_currency" for name in named])


def not_known(agent: AgentIndex, visible: Paths, no_tools: frozenset[str]) -> Iterator[Read]:
    """The reads of names that are not known. ``no_tools``: names with results that no tool of the agent has."""
    others = {path for path in agent.read_paths if path not in visible}
    missing = {path for path in others if not is_stored(path) or path.partition(".")[0] in no_tools}
    for placed, paths in agent.each(read_paths) if missing else ():
        if not missing.isdisjoint(paths):
            yield from (placed.read(r) for r in placed.part.reads if r.certain and r.path in missing)
