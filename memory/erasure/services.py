"""Erasing everything about one user of a project, with a receipt (docs/spec 03, 11; docs/architecture.md §2 "A fact").

The work is done in batches, each a transaction of its own that counts what it took on the receipt. If it is
interrupted at any point, the next request continues with the same receipt.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from editor.models import Project, User
from memory import values
from memory.erasure.parts import Part, parts
from memory.facts.services import REASON_LENGTH, actor_of
from memory.log.ledger import writing
from memory.models import Erasure
from web.errors import Invalid, NotFound

WORDS = {
    "facts": "fact", "tombstones": "tombstone", "blocks": "memory block", "records": "store record",
    "sessions": "session", "artifacts": "file", "conversations": "test conversation", "turns": "turn",
    "events": "trace step", "process_values": "kept variable", "saved_views": "saved view", "log_entries": "log entry",
}  # fmt: skip
"""What the counts of a receipt count, in the order in which they are shown."""
PATIENCE = 20.0
"""Seconds after which a request is answered, finished or not."""
ROUNDS = 20
"""How often the erasure starts over because data about the user is still being written."""


def erasable(*, project: Project, owner: str) -> dict[str, int]:
    """How many of what there are about a user, by the names of ``WORDS``; zeros too."""
    found: Counter[str] = Counter(dict.fromkeys(WORDS, 0))
    for part in parts():
        found.update(part.count(project, owner))
    return dict(found)


def erase_owner(*, project: Project, owner: str, actor: User, reason: str, seconds: float | None = None) -> Erasure:
    """Erase everything about a user, and return the receipt. Nothing of it can be brought back.

    Facts, tombstones, blocks, store records, sessions with their files, test conversations, the variables that these
    left to others, and saved views go; in the log values, reasons and the id itself give way to commitments, so that it
    still verifies.

    :param seconds: stop between two batches after this long; the receipt is not finished then, and another call
        continues it. None: until the end.
    :raises Invalid: for an id that nothing belongs to, and for a reason that is empty or contains the id.
    :raises Conflict: while a turn of one of the user's conversations runs.
    """
    _refuse(owner, reason)
    until = time.monotonic() + seconds if seconds is not None else float("inf")
    receipt = _begun(project, owner, actor, reason.strip())
    for _ in range(ROUNDS):
        for part in parts():
            while any(_batch(receipt, part, owner, actor).values()):
                if time.monotonic() > until:
                    return receipt_get(project=project, number=receipt.number)
        receipt = _closed(receipt, owner, actor)
        if receipt.finished_at is not None:
            break
    return receipt


def receipts(*, project: Project) -> QuerySet[Erasure]:
    """The receipts of a project, newest first."""
    return Erasure.objects.filter(project=project).order_by("-number")


def receipts_about(*, project: Project, owner: str) -> QuerySet[Erasure]:
    """The receipts for one id, newest first."""
    return receipts(project=project).filter(owner_digest=owner_digest(project, owner))


def receipt_get(*, project: Project, number: int) -> Erasure:
    """A receipt by its number. Raises ``NotFound``."""
    found = receipts(project=project).filter(number=number).first() if number < 2**31 else None
    if found is None:
        raise NotFound(f"There is no receipt {number} in {project.name}.")
    return found


def receipt_dict(receipt: Erasure) -> dict[str, Any]:
    """The shape of the API; times as ISO text."""

    def iso(at: datetime | None) -> str | None:
        return at.isoformat() if at is not None else None

    return {
        "number": receipt.number,
        "owner_digest": receipt.owner_digest,
        "counts": dict(receipt.counts),
        "reason": receipt.reason,
        "actor": receipt.actor,
        "started_at": iso(receipt.started_at),
        "finished_at": iso(receipt.finished_at),
        "entry": receipt.entry,
    }


def counted(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Words and numbers of what there is, in their order: ``("facts", 3)``."""
    plurals = {name: f"{words[:-1]}ies" if words.endswith("y") else f"{words}s" for name, words in WORDS.items()}
    return [(WORDS[name] if counts[name] == 1 else plurals[name], counts[name]) for name in WORDS if counts.get(name)]


def owner_digest(project: Project, owner: str) -> str:
    """What a receipt keeps of an id, under the secret key of the installation."""
    return salted_hmac("memory.erasure", f"{project.pk}\n{owner}", algorithm="sha256").hexdigest()


def _refuse(owner: str, reason: str) -> None:
    problems = {}
    if not 0 < len(owner) <= values.OWNER_LENGTH or not values.storable_text(owner):
        problems["owner"] = f"enter a user ID of 1 to {values.OWNER_LENGTH} characters"
    if not 0 < len(reason.strip()) <= REASON_LENGTH or not values.storable_text(reason):
        problems["reason"] = f"enter a reason of 1 to {REASON_LENGTH} characters; it is recorded on the receipt"
    elif owner and re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", reason, re.IGNORECASE):
        problems["reason"] = "contains the user ID; remove it, because the reason is recorded on the receipt"
    if problems:
        raise Invalid(fields=problems)


def _begun(project: Project, owner: str, actor: User, reason: str) -> Erasure:
    """The receipt to continue with, or a new one."""
    now = timezone.now()
    # While the log is locked: two simultaneous requests get the same receipt, and a later one finds nothing to erase.
    with writing(project.pk, now=now, actor=actor_of(actor)):
        begun = receipts_about(project=project, owner=owner).filter(finished_at__isnull=True).first()
        if begun is not None:
            return begun
        if not any(erasable(project=project, owner=owner).values()):
            raise Invalid(fields={"owner": f"nothing in {project.name} belongs to {owner[:80]!r}; check the spelling"})
        last = receipts(project=project).aggregate(number=Max("number"))["number"] or 0
        return Erasure.objects.create(
            project=project,
            number=last + 1,
            owner_digest=owner_digest(project, owner),
            reason=reason,
            user=actor,
            actor=actor.get_username(),
            started_at=now,
        )


@transaction.atomic
def _batch(receipt: Erasure, part: Part, owner: str, actor: User) -> dict[str, int]:
    """Erase a batch of a part and count it on the receipt, in one transaction."""
    gone = part.erase(receipt.project, owner, actor, f"receipt {receipt.number}")
    if any(gone.values()):
        # Read the row again: another request may be working on the same receipt.
        kept = Erasure.objects.select_for_update().get(pk=receipt.pk)
        kept.counts = dict(Counter(kept.counts) + Counter(gone))
        kept.save(update_fields=["counts"])
    return gone


def _closed(receipt: Erasure, owner: str, actor: User) -> Erasure:
    """Finish the receipt, with an entry of the log; leave it as it is when somebody wrote about the user meanwhile."""
    project = receipt.project
    now = timezone.now()
    with writing(project.pk, now=now, actor=actor_of(actor)) as ledger:
        kept = Erasure.objects.select_for_update().get(pk=receipt.pk)
        if kept.finished_at is None and not any(erasable(project=project, owner=owner).values()):
            kept.finished_at = now
            kept.entry = ledger.erased(
                path=f"erasures/{kept.number}", number=kept.number, counts=kept.counts, reason=kept.reason
            )
            kept.save(update_fields=["finished_at", "entry"])
    return kept
