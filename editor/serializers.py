"""Shapes of the API of projects and documents (docs/spec 12 §5)."""

from __future__ import annotations

from typing import Any

from django.core.validators import ProhibitNullCharactersValidator, validate_slug
from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from abl.limits import MAX_SOURCE_CHARS
from editor import trials
from editor.models import Document, Membership, Project, Revision
from editor.texts import MAX_MESSAGE, MAX_PATH
from web.api.fields import Choice, Fields, Flag, Named, Several, Text, Whole

MAX_FILES = 200
MAX_CODES = 1_000
"""Codes, names and families that a check is held to."""


class TextField(Text):
    """Text as it was typed: blank is allowed, blanks at the ends stay."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"allow_blank": True, "max_length": MAX_SOURCE_CHARS, **kwargs})


class AnalysedTextField(TextField):
    """Text that is looked at and not kept, so any character may be in it; the diagnostics say what is wrong."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refusing = (ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator)
        self.validators = [check for check in self.validators if not isinstance(check, refusing)]


class Slug(Text):
    """Letters, digits, - and _."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(validate_slug)


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project; the slug is fixed once it is made."""

    turn_seconds = serializers.SerializerMethodField(
        help_text="The longest that a turn may run, in seconds; null: as the installation says."
    )

    class Meta:
        model = Project
        fields = ("slug", "name", "description", "turn_seconds", "created_at")
        read_only_fields = fields

    def get_turn_seconds(self, project: Project) -> int | None:
        return trials.turn_seconds(project)


class ProjectNewSerializer(Fields):
    """What a new project is made of."""

    slug = Slug(max_length=64, required=False, help_text="Made of the name if absent; fixed afterwards.")
    name = Text(max_length=120, trim_whitespace=True)
    description = TextField(required=False)


class ProjectChangeSerializer(Fields):
    """What can be changed of a project."""

    name = Text(max_length=120, required=False, trim_whitespace=True)
    description = TextField(required=False)
    turn_seconds = Whole(
        required=False,
        allow_null=True,
        min_value=trials.LEAST_SECONDS,
        max_value=trials.MOST_SECONDS,
        help_text="The longest that a turn may run, in seconds; null: as the installation says.",
    )


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A user's role in a project."""

    user = serializers.CharField(source="user.username", max_length=150)

    class Meta:
        model = Membership
        fields = ("user", "role")


class MemberSetSerializer(Fields):
    """A user and the role to give."""

    user = Text(max_length=150)
    role = Choice(Membership.Role.choices)


class RevisionSerializer(serializers.ModelSerializer[Revision]):
    """A revision without its text."""

    revision = serializers.IntegerField(source="number")
    author = serializers.CharField(source="author.username", default=None, allow_null=True)

    class Meta:
        model = Revision
        fields = ("revision", "author", "message", "created_at")


class RevisionTextSerializer(RevisionSerializer):
    """A revision with its text."""

    class Meta:
        model = Revision
        fields = ("revision", "author", "message", "created_at", "text")


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """A document in a list: its newest revision, without the text."""

    name = serializers.CharField(source="path", help_text="Path within the project.")
    kind = serializers.CharField(help_text="agent, tools, profile, scenario or locale.")
    revision = serializers.IntegerField(source="head.number", default=None, allow_null=True)
    changed_at = serializers.DateTimeField(source="head.created_at", default=None, allow_null=True)

    class Meta:
        model = Document
        fields = ("name", "kind", "revision", "changed_at")


class DocumentTextSerializer(DocumentSerializer):
    """A document with its newest text, as GET and PUT give it and as a conflict shows it."""

    text = serializers.CharField(source="head.text", default="")
    author = serializers.CharField(source="head.author.username", default=None, allow_null=True)
    message = serializers.CharField(source="head.message", default="")

    class Meta:
        model = Document
        fields = ("name", "kind", "revision", "changed_at", "author", "message", "text")


class DocumentNewSerializer(Fields):
    """What a new document is made of."""

    name = Text(max_length=MAX_PATH, trim_whitespace=True, help_text="Path within the project, such as desk.agent.abl.")
    text = TextField(default="")
    kind = Text(required=False, help_text="agent, tools, profile, scenario or locale; taken from the path if absent.")
    message = TextField(default="", max_length=MAX_MESSAGE)


class DocumentSaveSerializer(Fields):
    """A save: the text, and the revision that it began from."""

    text = TextField()
    base_revision = Whole(min_value=0, allow_null=True)
    message = TextField(default="", max_length=MAX_MESSAGE)


class ChangedLineSerializer(serializers.Serializer[Any]):
    """A line of a difference."""

    sign = serializers.ChoiceField(choices=["-", "+", " ", "…"])
    number = serializers.IntegerField(
        help_text="1-based line: of the older text for -, of the newer one otherwise; 0 for a gap."
    )
    text = serializers.CharField()


class DifferenceSerializer(serializers.Serializer[Any]):
    """What changed between two revisions."""

    to = serializers.IntegerField()
    lines = ChangedLineSerializer(many=True)
    more = serializers.IntegerField(help_text="Further lines, which are left out.")
    coarse = serializers.BooleanField(
        help_text="True where too much would have to be compared: lines that did not change may be among the others."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """``from`` is a word of Python, so it cannot be declared like the others."""
        return {"from": serializers.IntegerField(), **super().get_fields()}


class CheckSerializer(Fields):
    """Texts to check together, as one project."""

    files = Named(most=MAX_FILES, child=AnalysedTextField(), allow_empty=False, help_text="Text by path.")
    select = Several(most=MAX_CODES, child=Text(), required=False, help_text="Only these codes, names, families.")
    ignore = Several(most=MAX_CODES, child=Text(), required=False, help_text="Not these.")


class ReportSerializer(serializers.Serializer[Any]):
    """Diagnostics in the shape of docs/spec 12 §2."""

    version = serializers.IntegerField()
    diagnostics = serializers.ListField(child=serializers.DictField())
    summary = serializers.DictField(child=serializers.IntegerField())


class EvaluateSerializer(Fields):
    """An expression and what it can see."""

    expression = TextField(max_length=100_000)
    context = serializers.DictField(default=dict, help_text="Values by name; a name with dots is that exact path.")  # type: ignore[assignment]
    now = serializers.DateTimeField(default=None, allow_null=True, help_text="The time that NOW() gives.")
    template = Flag(default=False, help_text="The expression is a text with {{placeholders}}.")
    explain = Flag(default=False, help_text="Add the tree of how the value came about.")


class ValueSerializer(serializers.Serializer[Any]):
    """The value, as ``abl eval`` prints it (docs/spec 12 §2)."""

    value = serializers.JSONField(allow_null=True)
    type = serializers.CharField()
    truthy = serializers.BooleanField()
    error = serializers.DictField(allow_null=True)
    tree = serializers.DictField(required=False)


class FormatSerializer(Fields):
    """A text to format."""

    text = AnalysedTextField()


class TextSerializer(serializers.Serializer[Any]):
    """The formatted text."""

    text = serializers.CharField(allow_blank=True)


class CompleteSerializer(Fields):
    """A place in one of several texts; line and column are 1-based and count characters."""

    files = Named(most=MAX_FILES, child=AnalysedTextField(), allow_empty=False, help_text="Text by path.")
    path = Text(help_text="Which of the files.")
    line = Whole(min_value=1)
    column = Whole(min_value=1)


class OfferSerializer(serializers.Serializer[Any]):
    """One offer; ``insert`` replaces the word before the place."""

    label = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.CharField()
    detail = serializers.CharField()
    insert = serializers.CharField()


class OffersSerializer(serializers.Serializer[Any]):
    """What may be written there, best first."""

    items = OfferSerializer(many=True)
