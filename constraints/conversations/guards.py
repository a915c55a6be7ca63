"""Keeps documents from losing a revision that a test conversation runs on."""

from __future__ import annotations

from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.deletion import ProtectedError
from django.db.models.signals import pre_delete
from django.dispatch import receiver

from constraints.models import Conversation
from editor.models import Document, Revision


@receiver(pre_delete, sender=Document)
def keep_what_conversations_ran_on(instance: Document, origin: Model | QuerySet[Any], **_: Any) -> None:
    """``ProtectedError`` when a document is deleted alone; deleting a project deletes its conversations too."""
    if (origin.model if isinstance(origin, QuerySet) else type(origin)) is not Document:
        return
    revisions = set(Revision.objects.filter(document=instance).values_list("pk", flat=True))
    conversations = Conversation.objects.filter(project=instance.project_id).only("pk", "number", "pins")
    pinning: set[Model] = {found for found in conversations.iterator() if not revisions.isdisjoint(found.pins.values())}
    if pinning:
        raise ProtectedError(f"{instance.path} has revisions that test conversations ran on", pinning)
