"""5xx about facts of one tree of agents (docs/spec 03 §3, 05 §8)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis.collect.records import STORING, Read
from abl.analysis.incremental.parts import Part, read_paths
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.facts import scope_of

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
    own = agent.union(_stored)
    for each in _reads_of_tree(agent):
        writer = _writer_elsewhere(each, agent, project) if each.path not in own else None
        if writer is not None:
            yield found(each.span, path=each.path, a=writer.name)


def _writer_elsewhere(read: Read, agent: AgentIndex, project: Index) -> AgentIndex | None:
    """The first agent that sets a fact, where none of those that do shares a tree with its reader."""
    last = read.path.rpartition(".")[2]
    if last in agent.mentions or read.path in project.received(agent):
        return None
    writers = project.writers.get(read.path, ())
    if not writers or last in project.mentioned or any(writer.fragment for writer in writers):
        return None
    starts = project.starts.get(agent.name, 0)
    shared = any(starts & project.starts.get(writer.name, 0) for writer in writers)
    return None if shared else writers[0]


def _reads_of_tree(agent: AgentIndex) -> list[Read]:
    """Where the agent reads facts of its tree of handoffs."""
    shared = {name for name, path in agent.persistent.items() if scope_of(path) == _TREE}
    if shared.isdisjoint(agent.read_paths):
        return []
    return [
        placed.read(kept)
        for placed, paths in agent.each(read_paths)
        if not shared.isdisjoint(paths)
        for kept in placed.part.reads
        if kept.path in shared
    ]


def _stored(part: Part) -> frozenset[str]:
    return frozenset([write.path for write in part.writes if write.kind in STORING])
