"""Test conversations, their turns and traces (docs/architecture.md §2, §3; docs/spec 12 §4).

A ``Turn`` row is the truth about a piece of work: the broker only says that a row is worth looking at. ``version``
counts the changes of a conversation; every turn and event carries the count at which it last changed, so that a viewer
who knows one number can be told exactly what is new.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from editor.models import Project


def new_session_id() -> str:
    """A fresh session id: 32 hex digits."""
    return uuid.uuid4().hex


class Conversation(models.Model):
    """A test conversation. Everything that decides what a turn does is pinned when it starts."""

    class Clock(models.TextChoices):
        REAL = "real", "real time"
        FIXED = "fixed", "stands still"

    class Policy(models.TextChoices):
        EVALUATE = "evaluate", "evaluate"
        SKIP_UNSET = "skip_unset", "skip_unset"

    class State(models.TextChoices):
        OPEN = "open", "open"
        ENDED = "ended", "ended"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="conversations")
    number = models.PositiveIntegerField()
    pins = models.JSONField(default=dict, help_text="Path of a document to the id of the revision that runs.")
    # Names chosen by an author have no length limit, here and below.
    entry = models.CharField(blank=True, help_text="Agent that begins; empty: as docs/spec 09 §3 chooses.")
    user = models.CharField(max_length=200, help_text="The end user the agent talks to; owner of facts in scope user.")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    channel = models.CharField(max_length=40, default="web")
    policy = models.CharField(max_length=10, choices=Policy.choices, default=Policy.EVALUATE)
    seed = models.PositiveBigIntegerField(default=0)
    clock_mode = models.CharField(max_length=5, choices=Clock.choices, default=Clock.REAL)
    clock_start = models.DateTimeField(null=True, blank=True, help_text="First instant of a clock that stands still.")
    mocks = models.JSONField(default=dict, blank=True, help_text="Tool to its mock cases (docs/spec 08 §10).")
    settings = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=5, choices=State.choices, default=State.OPEN)
    session_id = models.CharField(max_length=32, default=new_session_id, editable=False)
    version = models.PositiveBigIntegerField(default=0, editable=False)
    stored_bytes = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="What its turns, snapshots and traces take, for quotas."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    unsettled_since = models.DateTimeField(
        null=True, editable=False, help_text="Last change that sleep-time memory has not read; empty once it has."
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_conversation_per_number"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["unsettled_since"],
                condition=models.Q(unsettled_since__isnull=False),
                name="conversation_unsettled",
            ),
            models.Index(fields=["project", "stored_bytes"], name="conversation_stored_project"),
            models.Index(fields=["started_by", "stored_bytes"], name="conversation_stored_account"),
        ]

    def __str__(self) -> str:
        return f"conversation {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("constraints:conversation", args=[self.project.slug, self.number])


class DeletedConversation(models.Model):
    """The number of a deleted conversation. It is never reused, because facts still name it as their source."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="deleted_conversations")
    number = models.PositiveIntegerField()
    turns = models.PositiveIntegerField(help_text="How many turns went with it.")
    events = models.PositiveIntegerField(help_text="How many steps of traces went with it.")
    started_at = models.DateTimeField()
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    deleted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_deletion_per_number"),
        ]

    def __str__(self) -> str:
        return f"deleted conversation {self.number}"


class Share(models.Model):
    """How much worker time one account has used in one project; the queue uses it to choose the next turn.

    The account is the one that started the conversation. ``used_us`` is the time that its turns held a worker, in
    microseconds; it is halved after each ``constraints.running.queue.HALF_LIFE_SECONDS`` since ``used_at``.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="shares")
    account = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    used_us = models.PositiveBigIntegerField(default=0)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "account"], name="one_share_per_account"),
        ]

    def __str__(self) -> str:
        return f"share of {self.account} in {self.project}"


class Turn(models.Model):
    """One piece of work of a conversation: the start, a message, an action, a set value, time that passes.

    ``snapshot`` is the session after the turn; the next turn begins from it. ``attempt`` counts the claims by workers,
    and whoever holds the lease of the newest attempt is the only one who may write.
    """

    class Kind(models.TextChoices):
        START = "start", "start"
        SAY = "say", "message"
        ACT = "act", "action"
        SET = "set", "set value"
        ADVANCE = "advance", "time passes"

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    UNFINISHED: ClassVar = (Status.QUEUED, Status.RUNNING)

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    share = models.ForeignKey(
        Share, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, editable=False
    )
    index = models.PositiveIntegerField()
    message_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    input = models.JSONField(default=dict)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    overtaken = models.PositiveSmallIntegerField(
        default=0, help_text="Attempts that began again because others changed what they had read and write."
    )
    kills = models.PositiveSmallIntegerField(default=0, help_text="Attempts at which its own process was killed.")
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(
        null=True, blank=True, help_text="When the attempt has to be over: its time limit, or when it was cancelled."
    )
    cancel_requested = models.BooleanField(default=False)
    number = models.PositiveIntegerField(null=True, blank=True, help_text="The turn as the session counts it.")
    snapshot = models.JSONField(null=True, blank=True)
    replies = models.JSONField(default=list, blank=True)
    tally = models.JSONField(default=dict, blank=True, help_text="Outcome to how many rules had it.")
    waiting = models.CharField(blank=True)
    step = models.CharField(blank=True)
    agent = models.CharField(blank=True)
    ended = models.BooleanField(default=False)
    error = models.JSONField(null=True, blank=True)
    clock_at = models.DateTimeField(null=True, blank=True, help_text="The conversation's clock after the turn.")
    queued_at = models.DateTimeField(default=timezone.now)
    enqueued_at = models.DateTimeField(default=timezone.now, help_text="When a message was last sent to the broker.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    duration_us = models.PositiveBigIntegerField(
        default=0, help_text="Microseconds in the engine, of the last attempt."
    )
    version = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        ordering: ClassVar = ["index"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "index"], name="one_turn_per_index"),
            models.UniqueConstraint(fields=["conversation", "message_id"], name="one_turn_per_message"),
        ]
        indexes: ClassVar = [
            # SQLite takes a partial index only where it can see that the condition is the same: IN it does not see.
            models.Index(fields=["lease_until"], name="turn_running", condition=models.Q(status="running")),
            models.Index(fields=["share", "id"], name="turn_waiting", condition=models.Q(status="queued")),
        ]

    def __str__(self) -> str:
        return f"turn {self.index} of {self.conversation_id}"

    @property
    def finished(self) -> bool:
        """Whether no worker will touch the turn again."""
        return self.status not in self.UNFINISHED


class TraceEvent(models.Model):
    """One step of a trace: the JSON of docs/spec 12 §4 in columns. ``parent`` is the ``seq`` of another event."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="events")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="events")
    attempt = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True, blank=True)
    depth = models.PositiveSmallIntegerField(default=0)
    number = models.PositiveIntegerField(default=0, help_text="The turn as the session counts it.")
    kind = models.CharField(max_length=40)
    status = models.CharField(max_length=16)
    agent = models.CharField(blank=True)
    step = models.CharField(null=True, blank=True)
    at = models.DateTimeField()
    offset_us = models.PositiveBigIntegerField(
        default=0, help_text="Microseconds from the begin of the attempt, measured."
    )
    duration_us = models.PositiveBigIntegerField(default=0)
    span = models.JSONField(null=True, blank=True)
    data = models.JSONField(default=dict, blank=True)
    folds = models.BooleanField(
        default=False, help_text="Whether the state at a step depends on it (abl.runtime.events.reading)."
    )
    version = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        ordering: ClassVar = ["seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["conversation", "seq"], name="one_event_per_seq"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["conversation", "version"], name="event_by_version"),
            models.Index(fields=["turn", "seq"], name="event_by_turn"),
            models.Index(fields=["conversation", "status", "seq"], name="event_by_status"),
        ]

    def __str__(self) -> str:
        return f"event {self.seq} {self.kind}"

    def as_json(self) -> dict[str, Any]:
        """The event exactly as docs/spec 12 §4 writes it."""
        return {
            "seq": self.seq,
            "parent": self.parent,
            "turn": self.number,
            "kind": self.kind,
            "at": iso_millis(self.at),
            "duration_us": self.duration_us,
            "agent": self.agent,
            "step": self.step,
            "span": self.span,
            "status": self.status,
            "data": self.data,
        }


class ProcessValue(models.Model):
    """The value of a variable with ``RESET: never``: one per project, agent and name (docs/spec 03 §2).

    Never a sensitive one: every user's conversations read it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="process_values")
    agent = models.CharField()
    name = models.CharField()
    value = models.JSONField(null=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["agent", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "agent", "name"], name="one_process_value_per_name"),
        ]

    def __str__(self) -> str:
        return f"{self.agent}.{self.name}"


class ProcessValueSource(models.Model):
    """A user in whose conversations a process value was written since it was last unset: the value may hold their
    data.
    """

    value = models.ForeignKey(ProcessValue, on_delete=models.CASCADE, related_name="sources", db_index=False)
    user = models.CharField(max_length=200, db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["value", "user"], name="one_source_per_user"),
        ]

    def __str__(self) -> str:
        return self.user


def iso_millis(at: datetime) -> str:
    """UTC with milliseconds and Z, as traces write an instant."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
