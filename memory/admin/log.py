"""The change log, how far it was verified, and the receipts for erasing: all of them are read-only."""

from __future__ import annotations

from django.contrib import admin
from django.utils import timezone

from memory import values
from memory.erasure import services as erasure
from memory.facts import selectors
from memory.models import ChainCheck, ChangeHead, Erasure, FactChange
from memory.templatetags.facts import preview
from web.read_only import LargeReadOnlyAdmin


@admin.register(FactChange)
class FactChangeAdmin(LargeReadOnlyAdmin):
    """The change log of all memory systems."""

    list_display = (
        "seq", "project", "system", "kind", "path", "scope", "owner_in_words", "version", "actor_in_words", "reason",
        "recorded_at",
    )  # fmt: skip
    list_filter = ("kind", "system", "scope", "project")
    search_fields = ("path__startswith", "owner__startswith", "actor__startswith")
    list_select_related = ("project",)
    exclude = ("value", "nonce")
    readonly_fields = ("shown_value",)

    @admin.display(description="value")
    def shown_value(self, change: FactChange) -> str:
        """As the history of the fact shows it: masked while that is sensitive, nothing once it has expired."""
        fact = selectors.fact_of(change)
        if fact is not None:
            selectors.change_hide(change, fact, timezone.now())
        return preview(values.parsed(change.value)) if change.value is not None else "none"

    @admin.display(description="owner")
    def owner_in_words(self, change: FactChange) -> str:
        """The owner's id; hides the commitment that replaces the id of an erased user."""
        return change.shown_owner

    @admin.display(description="actor")
    def actor_in_words(self, change: FactChange) -> str:
        """The actor's id; hides the commitment that replaces the id of an erased user."""
        return change.shown_actor


@admin.register(ChangeHead)
class ChangeHeadAdmin(LargeReadOnlyAdmin):
    """Where each log ends."""

    list_display = ("project", "seq", "digest")
    list_select_related = ("project",)


@admin.register(ChainCheck)
class ChainCheckAdmin(LargeReadOnlyAdmin):
    """How far each log was verified; the page of the log and ``verify_facts`` verify again."""

    list_display = (
        "project", "seq", "whole", "broken_seq", "broken_why", "checked_at", "compared", "differing", "compared_at",
    )  # fmt: skip
    list_filter = (("broken_seq", admin.EmptyFieldListFilter), "checked_at")
    search_fields = ("project__name", "project__slug")
    list_select_related = ("project",)

    @admin.display(boolean=True, description="no break found")
    def whole(self, check: ChainCheck) -> bool:
        """Whether every entry that was looked at holds."""
        return check.broken_seq is None


@admin.register(Erasure)
class ErasureAdmin(LargeReadOnlyAdmin):
    """Receipts. Whether one is about an id is asked on the page "Erase a user"."""

    list_display = ("number", "project", "finished", "went", "actor", "reason", "started_at", "finished_at", "entry")
    list_filter = (("finished_at", admin.EmptyFieldListFilter), "project", "started_at")
    search_fields = ("=number", "actor__startswith", "reason", "project__slug")
    list_select_related = ("project",)
    date_hierarchy = "started_at"

    @admin.display(boolean=True)
    def finished(self, receipt: Erasure) -> bool:
        """Whether nothing is left to erase."""
        return receipt.finished_at is not None

    @admin.display(description="what went")
    def went(self, receipt: Erasure) -> str:
        """The counts of the receipt, in words."""
        return ", ".join(f"{number} {words}" for words, number in erasure.counted(receipt.counts)) or "nothing yet"
