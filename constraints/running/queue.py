"""Which turn a free process takes next: a weighted fair queue over accounts (docs/decisions/0007-fair-queue.md).

The rows of waiting turns are the queue. The account that has used the workers least lately goes first, so a hundred
turns of
one account wait behind each other and not before those of others. An account is the one that started the conversation,
and within an account the same holds for its projects. Two rules keep processes free for those who run little:

- An account takes another process while it holds one only if half of the processes stay free.
- Accounts that ran much lately leave one process to the others. A turn is held back only while another one runs, and
the worker that finishes that one looks at the queue again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import OuterRef
from django.utils import timezone

from constraints.models import Conversation, Share, Turn
from constraints.running.presence import group_of

HALF_LIFE_SECONDS = 30.0
"""Seconds after which the recorded use of an account counts half."""
HEAVY_US = 2_000_000
"""An account that has used more than this leaves a process to others."""
NOBODY = 0
"""The account of conversations whose starter is unknown or gone."""
CLAIM_LOCK = 0x41424C51
"""Key of the advisory lock under which PostgreSQL hands out one turn at a time; SQLite has one writer anyway."""
EARLIER = Turn.objects.filter(
    conversation=OuterRef("conversation"), index__lt=OuterRef("index"), status__in=Turn.UNFINISHED
)
"""Turns of the same conversation that must finish first: they run one after the other."""

# Jumps from share to share in the index of waiting turns, however many turns each has. Beside those that wait come the
# other shares of their accounts, and those of accounts with turns at work.
SHARES = """
WITH RECURSIVE waiting(share) AS (
    SELECT (SELECT MIN(share_id) FROM constraints_turn WHERE status = 'queued')
    UNION ALL
    SELECT (SELECT MIN(share_id) FROM constraints_turn WHERE status = 'queued' AND share_id > waiting.share)
    FROM waiting WHERE waiting.share IS NOT NULL
), concerned(share) AS (
    SELECT share FROM waiting UNION SELECT share_id FROM constraints_turn WHERE status = 'running'
)
SELECT id, account_id, used_us, used_at, id IN (SELECT share FROM waiting WHERE share IS NOT NULL)
FROM constraints_share WHERE account_id IN (
    SELECT account_id FROM constraints_share WHERE id IN (SELECT share FROM concerned)
)
"""
OF_NOBODY = "SELECT 1 FROM constraints_turn WHERE status = 'queued' AND share_id IS NULL LIMIT 1"
RUNNING = "SELECT share_id, worker, started_at FROM constraints_turn WHERE status = 'running'"
FIRST = """
SELECT id FROM constraints_turn AS turn WHERE status = 'queued' AND share_id {share} AND NOT EXISTS (
    SELECT 1 FROM constraints_turn AS earlier WHERE earlier.conversation_id = turn.conversation_id
    AND earlier."index" < turn."index" AND earlier.status IN ('queued', 'running')
) ORDER BY id LIMIT 1
"""

_processes: list[int] = []


def processes() -> int:
    """How many processes of this worker run turns."""
    return _processes[-1] if _processes else int(settings.WORKERS)


def set_processes(number: int) -> None:
    """Tell how many processes this worker has, before it forks them."""
    _processes[:] = [number]


@dataclass
class Use:
    """The use of the workers by account: recent use in microseconds, and the number of turns running now.

    ``here`` counts those in processes of this worker.
    """

    used: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    used_by_share: defaultdict[int | None, float] = field(default_factory=lambda: defaultdict(float))
    running: Counter[int] = field(default_factory=Counter)
    here: Counter[int] = field(default_factory=Counter)

    def add(self, share: int | None, account: int, used_us: float) -> None:
        """Count what a share has used."""
        self.used[account] += used_us
        self.used_by_share[share] += used_us

    def rank(self, share: int | None, account: int) -> tuple[float, ...]:
        """Order of the queue: the least comes first."""
        return (self.running[account], self.used[account], self.used_by_share[share], share or 0)

    def may_take(self, account: int) -> bool:
        """Whether the account may take one more process of this worker."""
        total, taken = processes(), sum(self.here.values())
        if self.here[account] and total - taken - 1 < total // 2:
            return False
        if total > 1 and self.is_heavy(account):
            return sum(count for other, count in self.here.items() if self.is_heavy(other)) < total - 1
        return True

    def is_heavy(self, account: int) -> bool:
        """Whether the account ran much lately."""
        return self.used[account] > HEAVY_US


def next_turn(*, worker: str) -> int | None:
    """The turn that a process of ``worker`` should take now; None when none waits or none may be taken."""
    waiting, use = waiting_and_use(group_of(worker))
    for share in sorted(waiting, key=lambda each: use.rank(each, waiting[each])):
        if use.may_take(waiting[share]):
            turn_id = first_of(share)
            if turn_id is not None:
                return turn_id
    return None


def waiting_and_use(group: str) -> tuple[dict[int | None, int], Use]:
    """The shares that have turns waiting, with their accounts, and what accounts have of the workers now.

    In SQL: it is asked for each turn, and making these queries would take longer than running them.
    """
    now, use = timezone.now(), Use()
    accounts: dict[int | None, int] = {None: NOBODY}
    waiting: dict[int | None, int] = {}
    for share, account, used_us, used_at, waits in rows(SHARES):
        accounts[share] = account
        left = decayed(used_us, instant(used_at), now)
        use.add(share, account, left)
        if waits:
            waiting[share] = account
    if rows(OF_NOBODY):
        waiting[None] = NOBODY
    for share, worker, started_at in rows(RUNNING):
        account = accounts.get(share, NOBODY)
        use.add(share, account, microseconds(instant(started_at), now))
        use.running[account] += 1
        use.here[account] += group_of(worker) == group
    return waiting, use


def rows(query: str, *parameters: int) -> list[tuple[Any, ...]]:
    """What a query gives."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())


def instant(value: datetime | None) -> datetime | None:
    """A time as a database gives it to a plain query: SQLite without its zone, which is UTC."""
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def first_of(share: int | None) -> int | None:
    """The oldest turn of a share that waits for nothing but a worker."""
    if share is None:
        found = rows(FIRST.format(share="IS NULL"))
    else:
        found = rows(FIRST.format(share="= %s"), share)
    return found[0][0] if found else None


def one_at_a_time() -> None:
    """Until the running transaction ends nobody else takes a turn: the rules of the queue count what runs."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CLAIM_LOCK])


def share_of(conversation: Conversation) -> Share | None:
    """The share that turns of a conversation count against; None when nobody knows who started it."""
    if conversation.started_by_id is None:
        return None
    return Share.objects.get_or_create(project_id=conversation.project_id, account_id=conversation.started_by_id)[0]


@transaction.atomic
def share_charge(*, share_id: int | None, since: datetime | None) -> None:
    """Count the time from ``since`` to now against a share."""
    share = Share.objects.select_for_update().filter(pk=share_id).first() if share_id is not None else None
    if share is None:
        return
    now = timezone.now()
    used = decayed(share.used_us, share.used_at, now) + microseconds(since, now)
    Share.objects.filter(pk=share.pk).update(used_us=round(used), used_at=now)


def decayed(used_us: float, used_at: datetime | None, now: datetime) -> float:
    """A recorded use, reduced by the time since then."""
    return float(used_us * 0.5 ** (microseconds(used_at, now) / 1e6 / HALF_LIFE_SECONDS))


def microseconds(since: datetime | None, now: datetime) -> float:
    """The time between two instants; 0 where one is not known or the clock went back."""
    return 0.0 if since is None else max(0.0, (now - since).total_seconds() * 1e6)
