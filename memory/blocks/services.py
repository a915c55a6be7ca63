"""Writes of memory blocks. Each is one transaction that takes the project's log first (``memory.log.ledger``)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from editor.models import Project, User
from memory import values
from memory.blocks.selectors import block_dict, block_find, block_get, last_entry
from memory.blocks.texts import problems_of, refuse_too_large, stamp
from memory.facts.services import REASON_LENGTH, actor_of, by_hand
from memory.log.chain import canonical
from memory.log.ledger import Ledger, writing
from memory.log.tombstones import erase
from memory.models import Block, FactChange, System
from web.errors import Conflict, Invalid, NotFound

TICK = timedelta(microseconds=1)


def block_put(
    *,
    project: Project,
    owner: str,
    block_type: str,
    content: str,
    expected: datetime | None,
    agent_id: str = "",
    source: Mapping[str, Any] | None = None,
    actor: User | None = None,
    reason: str = "",
) -> tuple[Block, bool]:
    """Replace the text of a block, or create the block; gives it and whether it is new (docs/spec 11 §1).

    :param expected: the stamp that was read last; None: there must be no block.
    :raises Invalid: for a bad key or content, ``OverLimit`` for one that is too large.
    :raises Conflict: when the block is not as expected, with the block as it is now, or None, as ``current``.
    """
    problems = problems_of(owner=owner, block_type=block_type, agent_id=agent_id, content=content)
    problems |= _reason_problem(reason)
    if problems:
        raise Invalid(fields=problems)
    refuse_too_large(block_type, content)
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        block = block_find(project=project, owner=owner, block_type=block_type, agent_id=agent_id)
        if (block.updated_at if block is not None else None) != expected:
            raise conflict(block, expected)
        new = block is None
        if block is None:
            scope = Block.Scope.AGENT if agent_id else Block.Scope.USER
            block = Block(project=project, owner=owner, scope=scope, agent_id=agent_id, block_type=block_type)
            block.version, block.updated_at = _after_the_last(block, now)
            block.created_at = block.updated_at
        else:
            block.version += 1
            block.updated_at = max(now, block.updated_at + TICK)
        block.content = content
        block.source = values.source_of(source or by_hand(actor))
        _store(block, expected)
        ledger.written(
            system=System.BLOCK,
            key=(project.pk, block.scope, owner, block.path),
            version=block.version,
            value_text=canonical(content),
            type=block.type,
            at=block.updated_at,
            source=block.source,
            reason=reason[:REASON_LENGTH],
        )
    return block, new


def block_edit(*, project: Project, pk: int, content: str, expected: datetime, actor: User, reason: str = "") -> Block:
    """Replace the text of somebody's block by hand. Raises ``NotFound`` and what ``block_put`` does."""
    block = block_get(project=project, pk=pk)
    written, _ = block_put(
        project=project,
        owner=block.owner,
        block_type=block.block_type,
        content=content,
        expected=expected,
        agent_id=block.agent_id,
        actor=actor,
        reason=reason,
    )
    return written


def block_delete(
    *,
    project: Project,
    owner: str,
    block_type: str,
    agent_id: str = "",
    expected: datetime | None = None,
    actor: User | None = None,
    reason: str = "",
) -> None:
    """Delete a block, of the stamp that was read if given. Raises ``NotFound`` or ``Conflict``."""
    block = block_find(project=project, owner=owner, block_type=block_type, agent_id=agent_id)
    chosen = {block.pk: expected} if block is not None else {}
    if not blocks_delete(project=project, chosen=chosen, actor=actor, reason=reason):
        raise NotFound(f"There is no {block_type[:40]} block to delete.")


def blocks_delete(
    *, project: Project, chosen: Mapping[int, datetime | None], actor: User | None = None, reason: str = ""
) -> int:
    """Delete chosen blocks, all or none, and erase their texts from the log. Returns how many.

    :param chosen: primary key to the stamp that was seen, or None for any. A block that is gone is passed over.
    :raises Conflict: when a block was changed since.
    """
    problems = _reason_problem(reason)
    if problems:
        raise Invalid(fields=problems)
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        blocks = list(Block.objects.filter(project=project, pk__in=chosen).order_by("pk"))
        for block in blocks:
            if chosen[block.pk] not in (None, block.updated_at):
                raise conflict(block, chosen[block.pk])
            _erase(ledger, block, reason)
        Block.objects.filter(pk__in=[block.pk for block in blocks]).delete()
    return len(blocks)


def blocks_erase(*, ledger: Ledger, project: Project, owner: str, reason: str) -> int:
    """Delete every block of a user inside a ledger that is open already. Returns how many."""
    blocks = list(Block.objects.filter(project=project, owner=owner).order_by("pk"))
    for block in blocks:
        _erase(ledger, block, reason)
    Block.objects.filter(pk__in=[block.pk for block in blocks]).delete()
    return len(blocks)


def conflict(block: Block | None, expected: datetime | None) -> Conflict:
    """The error for a block that is not as expected; ``current`` is the block in the shape of a read, or None."""
    if block is None:
        why = "The block no longer exists. To create it, send null as expected_updated_at."
    elif expected is None:
        why = f"The block exists, written {stamp(block.updated_at)}. Read it and send that as expected_updated_at."
    else:
        at = f"{block.updated_at:%Y-%m-%d %H:%M:%S} UTC"
        why = f"The block was changed at {at}, after you read it. Read it again, then repeat your change."
    return Conflict(why, current=block_dict(block) if block is not None else None)


def _after_the_last(block: Block, now: datetime) -> tuple[int, datetime]:
    """Version and stamp of a new block: greater than those of a deleted block of the same place, whatever the clock
    says.
    """
    version, at = last_entry(block=block)
    return version + 1, max(now, at + TICK) if at is not None else now


def _store(block: Block, expected: datetime | None) -> None:
    """Insert the block, or update it if it still has the stamp that was expected."""
    if expected is None:
        block.save(force_insert=True)
        return
    columns = ("content", "version", "updated_at", "source")
    same = Block.objects.filter(pk=block.pk, updated_at=expected)
    if not same.update(**{name: getattr(block, name) for name in columns}):
        raise conflict(Block.objects.filter(pk=block.pk).first(), expected)


def _erase(ledger: Ledger, block: Block, reason: str) -> None:
    erase(ledger, block, FactChange.Kind.DELETE, at=max(ledger.now, block.updated_at), reason=reason[:REASON_LENGTH])


def _reason_problem(reason: str) -> dict[str, str]:
    if len(reason) <= REASON_LENGTH and values.storable_text(reason):
        return {}
    return {"reason": f"at most {REASON_LENGTH} characters, without NUL"}
