"""The room that texts take on the disk: revisions and drafts count toward quotas (docs/reference/limits.md)."""

from __future__ import annotations

from typing import Any

from django.db.models import Sum, Value
from django.db.models.functions import Greatest

from editor.models import Draft, Project, Revision, User
from web.quotas import Quota

LEAST_COUNTED = 1_024
"""Bytes as which each text counts at least: its row and its places in the indexes."""
REMEDY = "Delete documents that are no longer needed"
OF_PROJECT = Quota("text", "revisions and drafts", "ABL_PROJECT_TEXTS_MB", REMEDY)
OF_USER = Quota("text", "revisions and drafts", "ABL_USER_TEXTS_MB", REMEDY)


def size_of(text: str) -> int:
    """Bytes of a text as it is stored."""
    return len(text.encode())


def refuse_over_quota(*, project: Project, user: User, text: str, replaced: int = 0) -> None:
    """Raise ``TooLarge`` if the texts of the project, or those that the user saved, have no room for another.

    ``replaced``: bytes of the one whose place it takes.
    """
    new = max(size_of(text), LEAST_COUNTED) - replaced
    used = _sum(Revision.objects.filter(document__project=project))
    used += _sum(Draft.objects.filter(document__project=project))
    OF_PROJECT.refuse(new=new, used=used, whose="the project", begins=f"has {size_of(text):,} bytes; ")
    used = _sum(Revision.objects.filter(author=user)) + _sum(Draft.objects.filter(user=user))
    whose = f"{user.get_username()}, in all projects"
    OF_USER.refuse(new=new, used=used, whose=whose, begins=f"has {size_of(text):,} bytes; ")


def _sum(texts: Any) -> int:
    counted = Greatest("stored_bytes", Value(LEAST_COUNTED))
    return int(texts.order_by().aggregate(used=Sum(counted))["used"] or 0)
