"""Reads of memory blocks. Callers hold a project that ``editor.selectors`` let the user see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from editor.models import Project
from memory.blocks.ranking import ranked
from memory.blocks.texts import entries, is_over, stamp
from memory.models import Block, FactChange, System
from web.errors import Invalid, NotFound

Type, Scope = Block.Type, Block.Scope
NEWEST = ("-updated_at", "id")


def block_find(*, project: Project, owner: str, block_type: str, agent_id: str = "") -> Block | None:
    """The block of a user, or with ``agent_id`` of the user with that agent; None where there is none."""
    return blocks_of(project=project, owner=owner, agents=[agent_id]).filter(block_type=block_type).first()


def blocks_of(*, project: Project, owner: str, agents: Iterable[str] | None = None) -> QuerySet[Block]:
    """Blocks of a user: all, or those with the agents that are named, "" being the blocks of scope user."""
    found = Block.objects.filter(project=project, owner=owner).order_by("id")
    if agents is None:
        return found
    names = list(agents)
    scopes = [Scope.AGENT] * any(names) + [Scope.USER] * ("" in names)
    return found.filter(scope__in=scopes, agent_id__in=names)


def block_get(*, project: Project, pk: int) -> Block:
    """A block of the project by primary key. Raises ``NotFound``."""
    block = Block.objects.filter(project=project, pk=pk).first()
    if block is None:
        raise NotFound(f"There is no memory block {pk} in {project.name}.")
    return block


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list of blocks is narrowed to; empty text means no narrowing."""

    owner: str = ""
    agent: str = ""
    block_type: str = ""
    scope: str = ""

    def apply(self, blocks: QuerySet[Block]) -> QuerySet[Block]:
        """The blocks that fit."""
        wanted = {"owner": self.owner, "agent_id": self.agent, "block_type": self.block_type, "scope": self.scope}
        return blocks.filter(**{name: value for name, value in wanted.items() if value})


def block_list(*, project: Project, filters: Filters | None = None) -> QuerySet[Block]:
    """Blocks of everybody in a project, newest first: what an admin looks through."""
    return (filters or Filters()).apply(Block.objects.filter(project=project)).order_by(*NEWEST)


def owner_list(*, project: Project, starts: str = "", limit: int = 20) -> list[tuple[str, int]]:
    """Users who have blocks and how many each has, in order of user."""
    blocks = Block.objects.filter(project=project)
    if starts:
        blocks = blocks.filter(owner__gte=starts, owner__lt=starts + "\U0010ffff")
    grouped = blocks.values("owner").annotate(number=Count("pk")).order_by("owner")[:limit]
    return [(row["owner"], row["number"]) for row in grouped]


def block_dict(block: Block) -> dict[str, Any]:
    """A block as every interface gives it (docs/spec 11 §1)."""
    return {
        "id": block.public_id,
        "block_type": block.block_type,
        "content": block.content,
        "scope": block.scope,
        "agent_id": block.agent_id or None,
        "created_at": stamp(block.created_at),
        "updated_at": stamp(block.updated_at),
    }


def last_entry(*, block: Block) -> tuple[int, datetime | None]:
    """Version and time of the newest entry of the log about the place of a block, also after it was deleted."""
    entry = FactChange.objects.filter(
        project=block.project_id, system=System.BLOCK, scope=block.scope, owner=block.owner, path=block.path
    ).order_by("-seq")
    return entry.values_list("version", "at").first() or (0, None)


@dataclass(frozen=True, slots=True)
class Match:
    """One archival line that a query found; ``score`` is 0..1, ``line_number`` counts from 1."""

    content: str
    score: float
    line_number: int
    block: Block

    def as_dict(self) -> dict[str, Any]:
        """The shape of the API."""
        block = self.block
        return {
            "content": self.content,
            "score": self.score,
            "block_type": block.block_type,
            "scope": block.scope,
            "agent_id": block.agent_id or None,
            "line_number": self.line_number,
            "updated_at": stamp(block.updated_at),
        }


def recall(
    *,
    project: Project,
    owner: str,
    query: str,
    agent_id: str = "",
    limit: int = 10,
    min_score: float | None = None,
    now: datetime | None = None,
) -> list[Match]:
    """Archival lines of the user, and of this agent where one is given, that share a word with the query.

    Best first; of equal ones those of the newest block, then by line number. Raises ``Invalid`` for a query without
    text, a ``limit`` below 1 and a ``min_score`` outside 0..1.
    """
    problems = {}
    if not query.strip():
        problems["query"] = "is empty; enter a search text"
    if limit < 1:
        problems["limit"] = f"{limit} is not 1 or more"
    if min_score is not None and not 0 <= min_score <= 1:
        problems["min_score"] = f"{min_score} is not from 0 to 1"
    if problems:
        raise Invalid(fields=problems)
    now = now or timezone.now()
    blocks = blocks_of(project=project, owner=owner, agents={"", agent_id}).filter(block_type=Type.ARCHIVAL)
    lines = [
        (block, number, text)
        for block in blocks.order_by("-updated_at", "agent_id")
        for number, text in entries(block.content)
        if not is_over(text, now)
    ]
    found = ranked([text for *_, text in lines], query)
    matches = (Match(lines[index][2], score, lines[index][1], lines[index][0]) for index, score in found)
    return [match for match in matches if min_score is None or match.score >= min_score][:limit]
