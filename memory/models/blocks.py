"""Memory blocks: one text for each user, or user and agent, replaced as a whole (docs/spec 11 §1)."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, ClassVar

from django.db import models

from editor.models import Project
from memory.models.fields import ByteOrderedField
from memory.models.log import System


def block_id() -> str:
    """A new public id, ``mem_`` and 24 hexadecimal digits."""
    return f"mem_{secrets.token_hex(12)}"


class Block(models.Model):
    """One block. ``updated_at`` is what writers compare: two writes never share a stamp."""

    class Type(models.TextChoices):
        CORE = "core", "core"
        ARCHIVAL = "archival", "archival"

    class Scope(models.TextChoices):
        USER = "user", "user"
        AGENT = "agent", "agent"

    system: ClassVar = System.BLOCK
    type: ClassVar = "text"
    ttl: ClassVar = ""
    expires_at: ClassVar[datetime | None] = None
    sensitive: ClassVar = False

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    public_id = models.CharField(max_length=40, unique=True, default=block_id, editable=False)
    scope = models.CharField(max_length=16, choices=Scope.choices)
    owner = ByteOrderedField(max_length=200)
    agent_id = ByteOrderedField(max_length=200, blank=True)
    block_type = models.CharField(max_length=8, choices=Type.choices)
    content = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    source: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "owner", "scope", "agent_id", "block_type"], name="one_block_of_a_type"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["project", "-updated_at", "id"], name="block_by_time")]

    def __str__(self) -> str:
        return f"{self.path} of {self.owner}"

    @property
    def path(self) -> str:
        """How the log and the inspector name the block: ``core``, or ``agent_emails/core``."""
        return f"{self.agent_id}/{self.block_type}" if self.agent_id else self.block_type
