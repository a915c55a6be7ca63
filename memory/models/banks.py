"""Memory banks: the text that each agent keeps (docs/spec 11 §3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.core.validators import MinValueValidator
from django.db import models

from editor.models import Project
from memory.models.fields import ByteOrderedField
from memory.models.log import System


class Bank(models.Model):
    """A named map from agent to text. ``max_lines`` keeps the last lines of each text; None keeps all."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="banks", db_index=False)
    name = ByteOrderedField(max_length=100)
    max_lines = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "name"], name="one_bank_of_a_name")]

    def __str__(self) -> str:
        return self.name


class BankEntry(models.Model):
    """The text of one agent in one bank."""

    system: ClassVar = System.BANK
    scope: ClassVar = "bank"
    type: ClassVar = "text"
    ttl: ClassVar = ""
    expires_at: ClassVar[datetime | None] = None
    sensitive: ClassVar = False

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="bank_entries", db_index=False)
    bank = models.ForeignKey(Bank, on_delete=models.CASCADE, related_name="entries", db_index=False)
    agent = ByteOrderedField(max_length=200)
    content = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    written_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    source: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["agent"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["bank", "agent"], name="one_text_of_an_agent")]
        indexes: ClassVar = [models.Index(fields=["project", "bank", "agent"], name="bank_entry_by_agent")]

    def __str__(self) -> str:
        return f"{self.agent} in {self.bank}"

    @property
    def owner(self) -> str:
        """How the log names where the text lies: the bank."""
        return str(self.bank.name)

    @property
    def path(self) -> str:
        """How the log names the text: its agent."""
        return self.agent
