"""Projects, who may do what in them, and their documents (docs/architecture.md §3). Revisions are append-only."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now


class User(AbstractUser):
    """A person who signs in. Rights come from memberships; ``is_superuser`` is the admin of the installation."""

    @property
    def shown_name(self) -> str:
        """Full name, or the user name where none is given."""
        return self.get_full_name() or self.get_username()

    @property
    def initials(self) -> str:
        """One or two letters for the avatar."""
        words = self.shown_name.replace(".", " ").replace("_", " ").split()
        return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper() or "?"


class Project(models.Model):
    """Agents that know each other, their facts and their conversations."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a project."""

    class Role(models.TextChoices):
        OWNER = "owner", "owner"
        EDITOR = "editor", "editor"
        REVIEWER = "reviewer", "reviewer"
        VIEWER = "viewer", "viewer"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "user"], name="one_role_per_member")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.project}"


class Document(models.Model):
    """A file of a project; ``head`` is its newest revision."""

    class Kind(models.TextChoices):
        AGENT = "agent", "agent"
        TOOLS = "tools", "tool library"
        PROFILE = "profile", "behaviour profile"
        SCENARIO = "scenario", "scenario"
        LOCALE = "locale", "locale catalogue"

    LANGUAGE_KINDS: ClassVar = (Kind.AGENT, Kind.TOOLS, Kind.PROFILE)

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="documents")
    path = models.CharField(
        max_length=200,
        validators=[RegexValidator(r"^[A-Za-z0-9_][A-Za-z0-9_./-]*$", "Use letters, digits, _ - . and / only.")],
    )
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.AGENT)
    head = models.ForeignKey("Revision", null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering: ClassVar = ["path"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "path"], name="one_document_per_path")]

    def __str__(self) -> str:
        return self.path


class Revision(models.Model):
    """A saved text of a document. Never changed, never deleted on its own."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    stored_bytes = models.PositiveIntegerField(default=0, editable=False, help_text="Bytes of the text, for quotas.")
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    message = models.CharField(max_length=300, blank=True)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="children")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering: ClassVar = ["-number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["document", "number"], name="one_text_per_revision")]
        # A text may be long: sums of sizes read these and not the rows.
        indexes: ClassVar = [
            models.Index(fields=["document", "stored_bytes"], name="revision_stored_document"),
            models.Index(fields=["author", "stored_bytes"], name="revision_stored_author"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} revision {self.number}"


class Draft(models.Model):
    """What one user has typed and not saved, and the revision it began from."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="drafts")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    text = models.TextField()
    stored_bytes = models.PositiveIntegerField(default=0, editable=False, help_text="Bytes of the text, for quotas.")
    base = models.ForeignKey(Revision, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["document", "user"], name="one_draft_per_user")]
        indexes: ClassVar = [
            models.Index(fields=["document", "stored_bytes"], name="draft_stored_document"),
            models.Index(fields=["user", "stored_bytes"], name="draft_stored_user"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.document_id} by {self.user_id}"


class ApiToken(models.Model):
    """A token for one user in one project, stored as a hash and shown once (docs/spec 12 §5)."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=12)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.user} in {self.project}"
