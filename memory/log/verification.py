"""How far a project's log is verified, step by step: a page or a command continues where the last step stopped.

Nothing in a log changes except by erasing, so a verification continues from what was verified before; a walk from the
first entry (``restart``) looks at everything again. After it the facts are compared with the log
(``memory.log.comparison``); that begins anew each time, because rows can be changed at any time.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from editor.models import Project
from memory.log import comparison
from memory.log.chain import Break, first_break
from memory.log.comparison import Difference
from memory.models import ChainCheck, ChangeHead, FactChange

STEP = 5000
"""Entries that one step walks: a fraction of a second."""
ROWS = 1000
"""Facts that one step compares."""
KEPT = 100
"""Differences that are kept to be shown; the others are counted."""


@dataclass(frozen=True, slots=True)
class ChainState:
    """What is known of a log: where it ends, how far it was verified and when, and the first break if there is one.

    ``compared`` facts were held against it; ``compared_at`` is when all were, None while that has not come to its end.
    ``differing`` of them are not as the log says, of which ``differences`` are the first.
    """

    head_seq: int
    verified_seq: int
    checked_at: datetime | None
    broken: Break | None
    compared: int = 0
    compared_at: datetime | None = None
    differing: int = 0
    differences: tuple[Difference, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every entry up to the newest was verified and holds."""
        return self.broken is None and self.verified_seq == self.head_seq

    @property
    def over(self) -> bool:
        """Whether a walk has come to its end: to the newest entry or to a break, and through all facts."""
        return (self.whole or self.broken is not None) and self.compared_at is not None

    @property
    def holds(self) -> bool:
        """Whether all was looked at and nothing is wrong."""
        return self.whole and self.compared_at is not None and not self.differing

    @property
    def per_cent(self) -> int:
        """How much of the log was verified."""
        return 100 if not self.head_seq else min(100, 100 * self.verified_seq // self.head_seq)


def chain_state(*, project: Project) -> ChainState:
    """What is known, without looking at the log."""
    check = ChainCheck.objects.filter(project=project).first()
    return _state(_head(project), check)


def verify_some(
    *, project: Project, limit: int = STEP, restart: bool = False, rows: int = ROWS, afresh: bool = True
) -> ChainState:
    """Walk the next ``limit`` entries of the log, then compare ``rows`` facts with it, and keep how far that came.

    A break stays known until ``restart``.

    :param afresh: begin a new comparison where the last one is over; False for a step that continues with a walk.
    """
    with transaction.atomic():
        # The row is the lock: two people who look at the page walk one after the other.
        check, _ = ChainCheck.objects.select_for_update().get_or_create(
            project=project, defaults={"checked_at": timezone.now()}
        )
        if restart:
            check.seq, check.digest, check.broken_seq, check.broken_why = 0, "", None, ""
        if restart or (afresh and check.compared_at is not None):
            check.rows_after = check.entries_after = 0
            check.compared, check.compared_at, check.differing, check.differences = 0, None, 0, []
        head = _head(project)
        walked = _walk(project, check, head, limit) if check.broken_seq is None else 0
        if walked < limit or check.seq == head.seq:
            _compare(project, check, rows)
        check.checked_at = timezone.now()
        check.save()
    return _state(head, check)


def verify(project: Project) -> tuple[int, Break | None]:
    """Walk the whole log from its first entry: the number of the newest one, and the first break if there is one."""
    head = _head(project)
    entries = FactChange.objects.filter(project=project, seq__lte=head.seq).order_by("seq").iterator(2000)
    found = first_break(entries, head_seq=head.seq, head_digest=head.digest)
    return head.seq, found or _beyond(project)


def _walk(project: Project, check: ChainCheck, head: ChangeHead, limit: int) -> int:
    """Verify some entries. Returns how many there were."""
    last = min(head.seq, check.seq + limit)
    entries = list(FactChange.objects.filter(project=project, seq__gt=check.seq, seq__lte=last).order_by("seq"))
    ends = last == head.seq
    if check.seq > head.seq:
        found: Break | None = Break(head.seq + 1, f"the log was verified up to {check.seq}, but ends at {head.seq}")
    else:
        end = last if ends or len(entries) < last - check.seq else None
        found = first_break(entries, head_seq=end, head_digest=head.digest, after=(check.seq, check.digest))
    found = found or (_beyond(project) if ends else None)
    if found is not None:
        check.broken_seq, check.broken_why = found.seq, found.why[:300]
    elif entries:
        check.seq, check.digest = entries[-1].seq, entries[-1].digest
    return len(entries)


def _compare(project: Project, check: ChainCheck, rows: int) -> None:
    """Continue the comparison: first with facts, then with entries whose facts may be gone."""
    while check.rows_after is not None and rows > 0:
        piece = comparison.rows_compared(project=project, after=check.rows_after, limit=min(rows, comparison.ROWS))
        check.rows_after, check.compared, rows = piece.last, check.compared + piece.seen, rows - comparison.ROWS
        _keep(check, piece.found)
    if check.rows_after is None and check.entries_after is not None:
        piece = comparison.entries_compared(project=project, after=check.entries_after)
        check.entries_after = piece.last
        _keep(check, piece.found)
        if piece.last is None:
            check.compared_at = timezone.now()


def _keep(check: ChainCheck, found: list[Difference]) -> None:
    check.differing += len(found)
    check.differences = (check.differences + [asdict(each) for each in found])[:KEPT]


def _beyond(project: Project) -> Break | None:
    """An entry behind the head that nobody wrote: whoever writes moves the head with every entry."""
    # One statement, so that head and entries are of one moment.
    heads = ChangeHead.objects.filter(project=project).values("seq")
    behind = FactChange.objects.filter(project=project, seq__gt=Coalesce(Subquery(heads), 0))
    extra = behind.order_by("seq").first()
    return Break(extra.seq, "the entry follows the last one that the head knows") if extra else None


def _head(project: Project) -> ChangeHead:
    return ChangeHead.objects.filter(project=project).first() or ChangeHead(project=project)


def _state(head: ChangeHead, check: ChainCheck | None) -> ChainState:
    if check is None:
        return ChainState(head.seq, 0, None, None)
    broken = Break(check.broken_seq, check.broken_why) if check.broken_seq is not None else None
    shown = tuple(Difference(**each) for each in check.differences)
    return ChainState(
        head.seq, check.seq, check.checked_at, broken, check.compared, check.compared_at, check.differing, shown
    )
