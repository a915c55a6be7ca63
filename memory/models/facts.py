"""Facts that outlive a session (docs/spec 03 §1, docs/architecture.md §3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models
from django.db.models import Q

from editor.models import Project
from memory.models.fields import ByteOrderedField, ExactJSONField
from memory.models.log import System

NEAR = timedelta(hours=1)
"""A fact with less time left than this is "expiring": shown in amber (docs/architecture.md §5)."""


class Scope(models.TextChoices):
    """Who shares a fact."""

    USER = "user", "user"
    PROJECT = "project", "project"
    EXECUTION_TREE = "execution_tree", "execution tree"


class Fact(models.Model):
    """The newest value of a path. A purged fact keeps its row, without the value, as a tombstone.

    ``written_at`` and ``expires_at`` are on the clock of the conversation that wrote the fact; ``virtual_clock`` says
    that this clock was not the real one. ``source`` names conversation, turn, event, session, agent, cause, by,
    document, line, column, end_line, end_column and revision, as far as they are known (``memory.values.source_of``).
    ``agent`` is that of the source, ``domain`` the second segment of the path and ``tag`` the DOMAIN of its declaration
    (docs/spec 03 §5): columns, so that a list can be narrowed to them by an index (``memory.lists.lanes``).
    ``seal`` vouches for the value of a sensitive fact, which the log has masked only (``memory.log.seals``).
    """

    system: ClassVar = System.FACT

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="facts", db_index=False)
    scope = models.CharField(max_length=16, choices=Scope.choices)
    owner = ByteOrderedField(max_length=200, blank=True)
    path = ByteOrderedField(max_length=300)
    domain = ByteOrderedField(max_length=300, editable=False)
    tag = ByteOrderedField(max_length=300, blank=True, default="", editable=False)
    agent = ByteOrderedField(max_length=300, blank=True, default="", editable=False)
    value = ExactJSONField(null=True)
    type = models.CharField(max_length=20)
    version = models.PositiveIntegerField()
    written_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    ttl = models.CharField(max_length=20, blank=True)
    sensitive = models.BooleanField()
    masking = models.JSONField(default=dict, blank=True)
    seal = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    source = models.JSONField(default=dict, blank=True)
    virtual_clock = models.BooleanField()
    recorded_at = models.DateTimeField()
    purged_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "scope", "owner", "path"], name="one_fact_per_path"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["project", "scope", "path", "id"], name="fact_by_path"),
            # Live facts, past any number of tombstones.
            models.Index(
                fields=["project", "scope", "path", "id"], condition=Q(purged_at__isnull=True), name="fact_not_purged"
            ),
            models.Index(
                fields=["project", "scope", "expires_at", "id"],
                condition=Q(expires_at__isnull=False),
                name="fact_by_expiry",
            ),
            models.Index(
                fields=["project", "scope", "path", "id"],
                condition=Q(expires_at__isnull=True),
                name="fact_without_expiry",
            ),
            models.Index(fields=["project", "domain", "path", "id"], name="fact_by_domain"),
            models.Index(fields=["project", "tag", "path", "id"], condition=~Q(tag=""), name="fact_by_tag"),
            models.Index(fields=["project", "agent", "path", "id"], name="fact_by_agent"),
            # What expires of an agent or a domain: few, among many facts of theirs and many that expire.
            models.Index(
                fields=["project", "agent", "expires_at", "id"],
                condition=Q(expires_at__isnull=False) & ~Q(agent=""),
                name="fact_expiry_by_agent",
            ),
            models.Index(
                fields=["project", "domain", "expires_at", "id"],
                condition=Q(expires_at__isnull=False),
                name="fact_expiry_by_domain",
            ),
            models.Index(
                fields=["project", "tag", "expires_at", "id"],
                condition=Q(expires_at__isnull=False) & ~Q(tag=""),
                name="fact_expiry_by_tag",
            ),
            models.Index(fields=["project", "recorded_at", "id"], name="fact_by_change"),
            # What the purge looks for: facts whose clock is the real one, facts of other clocks, old tombstones.
            models.Index(
                fields=["expires_at", "id"],
                condition=Q(expires_at__isnull=False, purged_at__isnull=True, virtual_clock=False),
                name="fact_to_purge",
            ),
            models.Index(
                fields=["recorded_at", "id"],
                condition=Q(expires_at__isnull=False, purged_at__isnull=True, virtual_clock=True),
                name="fact_to_purge_later",
            ),
            models.Index(
                fields=["project", "purged_at", "id"], condition=Q(purged_at__isnull=False), name="fact_tombstone"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path} of {self.owner or 'everyone'}"

    def state(self, now: datetime) -> str:
        """``live``, ``expiring``, ``expired`` or ``forever`` at ``now``."""
        if self.purged_at is not None or (self.expires_at is not None and self.expires_at <= now):
            return "expired"
        if self.expires_at is None:
            return "forever"
        return "expiring" if self.expires_at <= now + NEAR else "live"
