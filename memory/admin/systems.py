"""Blocks, stores and banks in the admin, read-only; they are changed on the pages of their project."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import StateFilter, time_left_of
from memory.models import Artifact, Bank, BankEntry, Block, SessionMeta, StoreDefinition, StoreRecord
from memory.templatetags.facts import preview
from web.read_only import LargeReadOnlyAdmin


class RecordState(StateFilter):
    """States as for facts, except that a record without an expiry ends with its session."""

    def lookups(self, request: Any, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, words) for value, words in super().lookups(request, model_admin) if value != "forever"]


@admin.register(Block)
class BlockAdmin(LargeReadOnlyAdmin):
    """Memory blocks."""

    list_display = ("owner", "block_type", "scope", "agent_id", "project", "begins", "version", "updated_at")
    list_filter = ("block_type", "scope", "project")
    search_fields = ("owner__startswith", "agent_id__startswith", "=public_id")
    list_select_related = ("project",)

    @admin.display(description="begins with")
    def begins(self, block: Block) -> str:
        """The start of the text."""
        return preview(block.content)


@admin.register(StoreDefinition)
class StoreDefinitionAdmin(LargeReadOnlyAdmin):
    """Definitions of stores."""

    list_display = ("technical_name", "name", "project", "access", "retention", "strict", "version", "updated_at")
    list_filter = ("access", "retention", "strict", "project")
    search_fields = ("technical_name__startswith", "name")
    list_select_related = ("project",)


@admin.register(StoreRecord)
class StoreRecordAdmin(LargeReadOnlyAdmin):
    """Records, without their content once they have expired."""

    list_display = ("store", "owner", "project", "shown_content", "flagged", "version", "time_left", "written_at")
    list_filter = (RecordState, "flagged", "virtual_clock", "project")
    search_fields = ("owner__startswith", "session__startswith", "store__technical_name__startswith")
    list_select_related = ("store", "project")
    fields = (
        "project", "store", "owner", "session", "shown_content", "errors", "flagged", "checked", "version",
        "time_left", "written_at", "expires_at", "source", "virtual_clock", "recorded_at", "purged_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="content")
    def shown_content(self, record: StoreRecord) -> str:
        """Nothing when expired."""
        return preview(record.content) if record.is_live(timezone.now()) else "not readable"

    @admin.display(description="time left", ordering="expires_at")
    def time_left(self, record: StoreRecord) -> str | SafeString:
        """In two units."""
        ended = not record.is_live(timezone.now())
        return time_left_of(record.expires_at, ended=ended, endless="Until its session ends")


@admin.register(SessionMeta)
class SessionMetaAdmin(LargeReadOnlyAdmin):
    """What sessions carry."""

    list_display = ("session", "project", "user", "time_left", "run", "recorded_at")
    list_filter = (("ended_at", admin.EmptyFieldListFilter), "project")
    search_fields = ("session__startswith", "user__startswith", "session_reference__startswith")
    list_select_related = ("project",)

    @admin.display(description="time left", ordering="ended_at")
    def time_left(self, meta: SessionMeta) -> str | SafeString:
        """Always empty: a session has no expiry, it is ended."""
        return time_left_of(None, ended=meta.ended_at is not None, endless="Until it ends")


@admin.register(Artifact)
class ArtifactAdmin(LargeReadOnlyAdmin):
    """Files of sessions: what they are, not what is in them."""

    list_display = ("filename", "mimetype", "size", "session", "project", "is_active", "time_left", "uploaded_at")
    list_filter = ("mimetype", "is_active", "project")
    search_fields = ("filename", "session__startswith", "=sha256")
    list_select_related = ("project",)
    exclude = ("file", "text")

    @admin.display(description="time left", ordering="expires_at")
    def time_left(self, artifact: Artifact) -> str | SafeString:
        """In two units."""
        return time_left_of(artifact.expires_at, ended=False)


@admin.register(Bank)
class BankAdmin(LargeReadOnlyAdmin):
    """Memory banks."""

    list_display = ("name", "project", "max_lines", "created_at")
    list_filter = ("project",)
    search_fields = ("name__startswith",)
    list_select_related = ("project",)


@admin.register(BankEntry)
class BankEntryAdmin(LargeReadOnlyAdmin):
    """What each agent keeps in a bank."""

    list_display = ("agent", "bank", "project", "begins", "version", "written_at")
    list_filter = ("project", "bank")
    search_fields = ("agent__startswith", "bank__name__startswith")
    list_select_related = ("bank", "project")

    @admin.display(description="begins with")
    def begins(self, entry: BankEntry) -> str:
        """The start of the text."""
        return preview(entry.content)
