"""Memory stores: records checked by a JSON Schema, what a session carries, and its files (docs/spec 11 §2)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from editor.models import Project
from memory.models.facts import NEAR
from memory.models.fields import ByteOrderedField, ExactJSONField
from memory.models.log import System


class StoreDefinition(models.Model):
    """What a store holds, for whom and how long.

    ``version`` counts every change, ``schema_version`` those of the schema, so that records know which one they were
    checked against.
    """

    class Access(models.TextChoices):
        USER = "user", "user"
        APPLICATION = "application", "application"
        SESSION = "session", "session"

    class Retention(models.TextChoices):
        SESSION = "session", "until the session ends"
        DAY = "1_day", "1 day"
        WEEK = "1_week", "1 week"
        MONTH = "1_month", "1 month"

    LIFETIMES: ClassVar = {"1_day": timedelta(days=1), "1_week": timedelta(days=7), "1_month": timedelta(days=30)}

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="stores", db_index=False)
    name = models.CharField(max_length=120)
    technical_name = ByteOrderedField(max_length=100)
    description = models.TextField(blank=True)
    schema = ExactJSONField()
    access = models.CharField(max_length=16, choices=Access.choices)
    retention = models.CharField(max_length=8, choices=Retention.choices)
    strict = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    schema_version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["technical_name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "technical_name"], name="one_store_of_a_name"),
        ]

    def __str__(self) -> str:
        return self.technical_name


class StoreRecord(models.Model):
    """The content of a store for one owner: a user, a session, or "" for the application.

    ``errors`` are those of the schema of version ``checked``: objects of ``path`` and ``message``. A purged record
    keeps its row, without the content, as a tombstone. Times and ``virtual_clock`` mean what they mean for facts.
    """

    system: ClassVar = System.RECORD
    type: ClassVar = "object"
    sensitive: ClassVar = False

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="records", db_index=False)
    store = models.ForeignKey(StoreDefinition, on_delete=models.CASCADE, related_name="records", db_index=False)
    owner = ByteOrderedField(max_length=200, blank=True)
    session = ByteOrderedField(max_length=200, blank=True, help_text="The session at whose end the record goes")
    content = ExactJSONField(null=True)
    errors: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list, blank=True)
    flagged = models.BooleanField(default=False, help_text="Whether the content breaks the schema")
    checked = models.PositiveIntegerField(default=1)
    version = models.PositiveIntegerField(default=1)
    written_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    source: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    virtual_clock = models.BooleanField(default=False)
    recorded_at = models.DateTimeField()
    purged_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["store", "owner"], name="one_record_of_an_owner")]
        indexes: ClassVar = [
            models.Index(fields=["project", "store", "owner", "id"], name="record_by_owner"),
            models.Index(fields=["project", "-id"], name="record_newest"),
            models.Index(fields=["project", "-id"], condition=Q(flagged=True), name="record_flagged"),
            models.Index(fields=["store", "checked", "id"], name="record_to_check"),
            models.Index(fields=["project", "session"], condition=~Q(session=""), name="record_of_session"),
            models.Index(
                fields=["expires_at", "id"],
                condition=Q(expires_at__isnull=False, purged_at__isnull=True),
                name="record_to_purge",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path} of {self.owner or 'everyone'}"

    @property
    def scope(self) -> str:
        """The access of the store."""
        return self.store.access

    @property
    def path(self) -> str:
        """How the log and the inspector name the record: the technical name of its store."""
        return self.store.technical_name

    @property
    def ttl(self) -> str:
        """The retention of the store."""
        return self.store.retention

    def state(self, now: datetime) -> str:
        """``live``, ``expiring`` or ``expired`` at ``now``. Without a time it lives until its session ends."""
        if self.purged_at is not None or (self.expires_at is not None and self.expires_at <= now):
            return "expired"
        return "expiring" if self.expires_at is not None and self.expires_at <= now + NEAR else "live"

    def is_live(self, now: datetime) -> bool:
        """False from the moment of expiry on."""
        return self.state(now) != "expired"


class SessionMeta(models.Model):
    """What the caller passed to a session and what the system knows of it: the store ``sessionMeta``.

    ``metadata`` is gone (None) once the session has ended. ``run`` names the turn that ran last.
    """

    system: ClassVar = System.RECORD
    scope: ClassVar = StoreDefinition.Access.SESSION
    path: ClassVar = "sessionMeta"
    type: ClassVar = "object"
    ttl: ClassVar = StoreDefinition.Retention.SESSION
    sensitive: ClassVar = False
    expires_at: ClassVar[datetime | None] = None

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="session_metas", db_index=False)
    session = ByteOrderedField(max_length=200)
    metadata = ExactJSONField(default=dict, null=True)
    version = models.PositiveIntegerField(default=0)
    session_reference = models.CharField(max_length=200, blank=True)
    user_reference = models.CharField(max_length=200, blank=True)
    user = ByteOrderedField(max_length=200, blank=True)
    started_by = models.CharField(max_length=150, blank=True, help_text="User name of who may use it by a token")
    run = models.CharField(max_length=200, blank=True)
    source: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    recorded_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "session"], name="one_meta_of_a_session")]
        indexes: ClassVar = [models.Index(fields=["project", "user", "id"], name="session_of_user")]

    def __str__(self) -> str:
        return f"sessionMeta of {self.session}"

    @property
    def owner(self) -> str:
        """How the log names whose it is: the session."""
        return self.session


class Artifact(models.Model):
    """A file of a session. ``text`` is what could be extracted; the file itself lies in the media folder.

    It ends with the links to it, at ``expires_at``; its times are always on the real clock.
    """

    system: ClassVar = System.ARTIFACT
    scope: ClassVar = "session"
    ttl: ClassVar = ""
    sensitive: ClassVar = False

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="artifacts", db_index=False)
    session = ByteOrderedField(max_length=200)
    filename = models.CharField(max_length=255)
    mimetype = models.CharField(max_length=120)
    size = models.PositiveBigIntegerField()
    stored_bytes = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="What counts toward quotas: the file and its text."
    )
    sha256 = models.CharField(max_length=64)
    file = models.FileField(upload_to="artifacts/", max_length=300)
    text = models.TextField(null=True, blank=True)
    text_problem = models.CharField(max_length=300, blank=True)
    is_active = models.BooleanField(default=True)
    uploaded_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    uploaded_by = models.CharField(max_length=150, blank=True)
    source: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["project", "session", "id"], name="artifact_of_session"),
            models.Index(fields=["expires_at", "id"], name="artifact_to_purge"),
            models.Index(fields=["project", "stored_bytes"], name="artifact_stored_project"),
            models.Index(fields=["uploaded_by", "stored_bytes"], name="artifact_stored_account"),
        ]

    def __str__(self) -> str:
        return self.filename

    @property
    def owner(self) -> str:
        """The session that it belongs to."""
        return self.session

    @property
    def path(self) -> str:
        """How the log names the file: its number."""
        return f"artifacts/{self.pk}"

    @property
    def type(self) -> str:
        """The media type, as far as the log has room for it."""
        return self.mimetype[:20]
