"""The append-only log of what happened to everything that agents store (docs/architecture.md §2, docs/spec 11)."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from editor.models import Project
from memory.models.fields import ByteOrderedField, RowIdField


class System(models.TextChoices):
    """Which memory system an entry is about."""

    FACT = "fact", "fact"
    BLOCK = "block", "memory block"
    RECORD = "record", "store record"
    BANK = "bank", "memory bank"
    ARTIFACT = "artifact", "artifact"
    STORE = "store", "store definition"
    BANKS = "banks", "bank definition"


class FactChange(models.Model):
    """One entry of a project's append-only log, whatever ``system`` it is about.

    ``digest`` chains it to the entry before (``memory.log.chain``).

    Neither the value nor the owner is part of the digest; commitments to them are. So a value can be erased with its
    fact, and a person's id with everything about them, while the log still verifies. ``salt`` is empty once ``owner``
    is no longer an id but the commitment to it. ``at`` is on the clock of the writer, ``recorded_at`` on the real one.
    """

    class Kind(models.TextChoices):
        WRITE = "write", "written"
        DELETE = "delete", "deleted"
        EXPIRE = "expire", "expired"
        REVEAL = "reveal", "revealed"
        ERASE = "erase", "everything erased"

    id = RowIdField(primary_key=True)
    # Entries come while the head of the log is locked, which has the constraint; here it would cost each a query.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="fact_changes", db_index=False, db_constraint=False
    )
    seq = models.PositiveBigIntegerField()
    system = models.CharField(max_length=8, choices=System.choices, default=System.FACT)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    scope = models.CharField(max_length=16)
    owner = ByteOrderedField(max_length=200, blank=True)
    salt = models.CharField(max_length=16, blank=True)
    path = ByteOrderedField(max_length=300)
    version = models.PositiveIntegerField()
    type = models.CharField(max_length=20)
    value = models.TextField(null=True, help_text="Canonical JSON; masked when sensitive; empty once erased")
    nonce = models.CharField(max_length=32, blank=True)
    commitment = models.CharField(max_length=64, blank=True)
    sensitive = models.BooleanField()
    at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    ttl = models.CharField(max_length=20, blank=True)
    # No database constraint: the log names who did it also after the account is gone.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    actor = models.CharField(max_length=150, blank=True)
    source = models.JSONField(default=dict)
    reason = models.CharField(max_length=300, blank=True)
    recorded_at = models.DateTimeField()
    digest = models.CharField(max_length=64)
    hidden = False
    """Its value was masked for a reader, because its fact is sensitive by now; in the row it is clear."""

    class Meta:
        ordering: ClassVar = ["project", "-seq"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "seq"], name="one_change_per_number")]
        indexes: ClassVar = [
            models.Index(
                F("project"), F("system"), F("scope"), F("owner"), F("path"), F("seq").desc(), name="change_by_place"
            ),
            models.Index(fields=["project", "seq"], condition=Q(kind="reveal"), name="change_reveal"),
        ]

    def __str__(self) -> str:
        return f"#{self.seq} {self.get_kind_display()} {self.path}"

    @property
    def owner_erased(self) -> bool:
        """Whether ``owner`` is only a commitment to who it was."""
        return bool(self.owner) and not self.salt

    @property
    def shown_owner(self) -> str:
        """The owner in words."""
        return "an erased user" if self.owner_erased else self.owner

    @property
    def shown_actor(self) -> str:
        """Who did it, in words: a member, or a user that is erased. A run has no name here."""
        erased = self.actor and self.user_id is None and self.owner_erased
        return "an erased user" if erased else self.actor

    @property
    def shown_reason(self) -> str:
        """The reason, as far as it was not erased with the owner."""
        return "erased" if self.reason and self.owner_erased else self.reason


class ChangeHead(models.Model):
    """Where a project's log ends. Its row is what writers of one project queue for."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    stored_bytes = models.PositiveBigIntegerField(
        default=0, db_default=0, editable=False, help_text="What the log takes, for quotas (memory.log.room)."
    )

    def __str__(self) -> str:
        return f"log of {self.project_id} up to #{self.seq}"


class ChainCheck(models.Model):
    """How far a project's log was verified, and the first break if there is one (``memory.log.verification``).

    ``rows_after`` and ``entries_after`` say how far the facts were compared with it, None at the end of each walk;
    ``compared_at`` is when both were over, None before. ``differing`` counts the differences, of which ``differences``
    keeps the first: objects of ``fact``, ``seq`` and ``why``, which name nobody and hold no value.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True, related_name="+")
    seq = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    broken_seq = models.PositiveBigIntegerField(null=True, blank=True)
    broken_why = models.CharField(max_length=300, blank=True)
    checked_at = models.DateTimeField()
    rows_after = models.PositiveBigIntegerField(null=True, blank=True, default=0)
    entries_after = models.PositiveBigIntegerField(null=True, blank=True, default=0)
    compared = models.PositiveBigIntegerField(default=0, help_text="Facts that were compared with the log")
    compared_at = models.DateTimeField(null=True, blank=True)
    differing = models.PositiveBigIntegerField(default=0)
    differences: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(
        default=list, blank=True
    )

    def __str__(self) -> str:
        return f"log of {self.project_id} verified up to #{self.seq}"


class Erasure(models.Model):
    """The receipt for erasing everything about one user: what, how many, when, who. It holds no values and no id.

    ``owner_digest`` is keyed: whoever knows the id can ask whether it was erased, nobody can read it from here.
    ``finished_at`` is empty while the work continues, or after it was cut off; asking again continues with it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="erasures", db_index=False)
    number = models.PositiveIntegerField()
    owner_digest = models.CharField(max_length=64)
    counts: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict)
    reason = models.CharField(max_length=300)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    actor = models.CharField(max_length=150)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    entry = models.PositiveBigIntegerField(null=True, blank=True, help_text="The entry of the log that closes it")

    class Meta:
        ordering: ClassVar = ["project", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_receipt_per_number"),
        ]

    def __str__(self) -> str:
        return f"receipt {self.number}"
