"""Filters of the facts page that a member keeps under a name."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from editor.models import Project
from memory.models.fields import ByteOrderedField


class SavedView(models.Model):
    """One person's view of one project's facts. ``query`` is the query string without its question mark."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="saved_views", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = ByteOrderedField(max_length=100)
    query = models.TextField(blank=True)
    saved_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "user", "name"], name="one_saved_view_of_a_name")
        ]

    def __str__(self) -> str:
        return self.name
