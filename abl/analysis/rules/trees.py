"""5xx about facts of one tree of agents (docs/spec 03 §3, 05 §8)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis.entry_fixes import SCOPE_OF_SEGMENT
from abl.analysis.model import AgentIndex, value_of
from abl.analysis.parts import Part, read_paths
from abl.analysis.project import Index
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes

_TREE = "execution_tree"


@rule(
    "ABL515",
    "fact-of-another-tree",
    "warning",
    "Read of `{path}` set only by agent `{a}` in another handoff tree",
    over=AgentIndex,
    project=True,
)
def fact_of_another_tree(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A fact with the scope execution_tree is read by an agent that no handoff connects with the one that sets it.
    Why: Such a fact is seen by the agents of one tree of handoffs only, so that it is never there.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - workflow.title
              SCOPE: execution_tree
          remember:
            - WHEN: title IS SET
              STORE: title -> workflow.title
        GATHER:
          title:
            prompt: "Which book?"

        AGENT: Cashier
        GOAL: "Take fines"
        MEMORY:
          persistent:
            - workflow.title
              SCOPE: execution_tree
        CONSTRAINTS:
          - REQUIRE workflow.title IS SET
            ON_FAIL: "Which book?"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - workflow.title
              SCOPE: execution_tree
          remember:
            - WHEN: title IS SET
              STORE: title -> workflow.title
        GATHER:
          title:
            prompt: "Which book?"
        HANDOFF:
          - TO: Cashier
            WHEN: title IS SET

        AGENT: Cashier
        GOAL: "Take fines"
        MEMORY:
          persistent:
            - workflow.title
              SCOPE: execution_tree
        CONSTRAINTS:
          - REQUIRE workflow.title IS SET
            ON_FAIL: "Which book?"
    """
    if agent.fragment or not agent.name:
        return
    shared = {name for name, path in agent.persistent.items() if _scope(path) == _TREE}
    if shared.isdisjoint(agent.read_paths):
        return
    read = [
        placed.read(kept)
        for placed, paths in agent.each(read_paths)
        if not shared.isdisjoint(paths)
        for kept in placed.part.reads
        if kept.path in shared
    ]
    own = agent.union(_stored)
    others = [other for other in project.each() if other is not agent]
    for each in read:
        last = each.path.rpartition(".")[2]
        if each.path in own or last in agent.mentions or each.path in project.received(agent):
            continue
        writers = [other for other in others if each.path in other.union(_stored)]
        if not writers or any(last in other.mentions for other in others) or any(w.fragment for w in writers):
            continue
        if not any(_in_one_tree(agent, writer, project) for writer in writers):
            yield found(each.span, path=each.path, a=writers[0].name)


def _scope(path: nodes.PersistentPath) -> str:
    text = value_of(path, "SCOPE")
    if text is not None:
        return text.value.strip().lower()
    return SCOPE_OF_SEGMENT.get(path.name.value.partition(".")[0], "user")


def _stored(part: Part) -> frozenset[str]:
    return frozenset([write.path for write in part.writes if write.kind in ("remember", "set")])


def _targets(part: Part) -> frozenset[str]:
    """Agents that are named as such."""
    return frozenset([ref.name.value for ref in part.agent_refs])


def _in_one_tree(one: AgentIndex, other: AgentIndex, project: Index) -> bool:
    """True when some agent leads to both, or one of them to the other."""
    leads = {agent.name: agent.union(_targets) | agent.mentions for agent in project.each()}
    return any({one.name, other.name} <= _reached(start, leads) for start in leads)


def _reached(start: str, leads: dict[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    open_ = [start]
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            open_.extend(name for name in leads.get(name, ()) if name in leads)
    return seen
