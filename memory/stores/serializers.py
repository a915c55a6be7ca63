"""Shapes of the API of stores."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from memory.facts.api import SourceSerializer, problem
from memory.facts.services import REASON_LENGTH
from memory.models import StoreDefinition
from memory.stores.selectors import STATES
from web.api.fields import WHOLE_LARGEST, Choice, Fields, Flag, Text, Whole

FREE = serializers.JSONField
ACCESS_HELP = "Who shares a record: one per user, one for the application, one per session."
RETENTION_HELP = "Until the session ends, or 24 h, 7 d, 30 d after the last write."


class DefinitionSerializer(Fields):
    """A store to define. ``technical_name`` cannot change later."""

    technical_name = Text(max_length=200, help_text="An identifier, unique in the project.")
    name = Text(required=False, allow_blank=True, max_length=200, default="", help_text="Shown to people.")
    description = Text(required=False, allow_blank=True, default="")
    schema = FREE(help_text="JSON Schema with an object at the root, without references to elsewhere.")
    access = Choice(StoreDefinition.Access.choices, help_text=ACCESS_HELP)
    retention = Choice(StoreDefinition.Retention.choices, help_text=RETENTION_HELP)
    strict = Flag(required=False, default=False, help_text="Refuse what breaks the schema.")


class DefinitionChangeSerializer(Fields):
    """What changes in a store."""

    name = Text(required=False, allow_blank=True, max_length=200)
    description = Text(required=False, allow_blank=True)
    schema = FREE(required=False)
    access = Choice(StoreDefinition.Access.choices, required=False, help_text="Can change while there are no records.")
    retention = Choice(
        StoreDefinition.Retention.choices, required=False, help_text="Counts from the next write of a record on."
    )
    strict = Flag(required=False)
    expected_version = Whole(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)


class StoreSerializer(serializers.Serializer[Any]):
    """A store. ``records`` are kept now, ``flagged`` of them break the schema."""

    technical_name = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    schema = FREE()
    access = serializers.ChoiceField(StoreDefinition.Access.choices)
    retention = serializers.ChoiceField(StoreDefinition.Retention.choices)
    strict = serializers.BooleanField()
    version = serializers.IntegerField()
    records = serializers.IntegerField()
    flagged = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class StoresSerializer(serializers.Serializer[Any]):
    """The stores of a project by technical name, all of them."""

    results = StoreSerializer(many=True)


class GoneSerializer(serializers.Serializer[Any]):
    """How many records went with a store."""

    records = serializers.IntegerField()


class ErrorSerializer(serializers.Serializer[Any]):
    """What is wrong at a JSON pointer."""

    path = serializers.CharField(allow_blank=True, help_text="JSON pointer; empty for the whole.")
    message = serializers.CharField()


class SchemaSerializer(Fields):
    """A schema, and a content to hold against it."""

    schema = FREE()
    content = FREE(required=False, allow_null=True)


class SchemaReportSerializer(serializers.Serializer[Any]):
    """Problems of the schema; if there are none, examples that fit it and the errors of the content."""

    problems = ErrorSerializer(many=True)
    examples = serializers.ListField(child=FREE())
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


class ExportSerializer(serializers.Serializer[Any]):
    """Definitions without data."""

    version = serializers.IntegerField()
    stores = serializers.ListField(child=serializers.DictField())


class ImportSerializer(Fields):
    """Definitions of an export. ``replace``: change stores that are there with another definition."""

    version = Whole(required=False, default=1)
    stores = serializers.ListField(child=FREE())
    replace = Flag(required=False, default=False)


class ImportedSerializer(serializers.Serializer[Any]):
    """Technical names of what was done."""

    created = serializers.ListField(child=serializers.CharField())
    changed = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())


class RecordSerializer(serializers.Serializer[Any]):
    """A record as it is now; ``content`` is null when it has expired."""

    id = serializers.IntegerField()
    store = serializers.CharField()
    access = serializers.CharField()
    owner = serializers.CharField(allow_blank=True)
    session = serializers.CharField(allow_null=True, help_text="The session at whose end it goes.")
    content = FREE(allow_null=True)
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]
    state = serializers.CharField(help_text=f"One of {', '.join(STATES)}.")
    version = serializers.IntegerField()
    retention = serializers.CharField()
    written_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    purged_at = serializers.DateTimeField(allow_null=True)
    virtual_clock = serializers.BooleanField()
    source = SourceSerializer()  # type: ignore[assignment]


class RecordPageSerializer(serializers.Serializer[Any]):
    """A page of records, newest first, and the addresses of those beside it."""

    results = RecordSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)


class RecordChangeSerializer(Fields):
    """New content. ``expected_version`` is the version that was read."""

    content = FREE(help_text="An object.")
    expected_version = Whole(min_value=1, max_value=WHOLE_LARGEST)
    reason = Text(required=False, allow_blank=True, default="", max_length=REASON_LENGTH)


class ContentSetSerializer(Fields):
    """What ``set_content`` takes: fields that are not sent stay.

    With ``expected_version`` it is a compare-and-set: the version that was read, null for "no record yet".
    """

    content = FREE(help_text="An object; objects merge, arrays and scalars are replaced.")
    expected_version = Whole(required=False, allow_null=True, min_value=1, max_value=WHOLE_LARGEST)


class ContentSerializer(serializers.Serializer[Any]):
    """What ``get_content`` gives: ``content`` is null without a record, as are its version and times."""

    technical_name = serializers.CharField()
    content = FREE(allow_null=True)
    version = serializers.IntegerField(allow_null=True)
    written_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


class OwnStoreSerializer(serializers.Serializer[Any]):
    """A store that the token's user may read and, unless ``read_only``, write."""

    technical_name = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    schema = FREE(allow_null=True)
    access = serializers.CharField()
    retention = serializers.CharField()
    strict = serializers.BooleanField()
    read_only = serializers.BooleanField()  # type: ignore[assignment]


class OwnStoresSerializer(serializers.Serializer[Any]):
    """All stores of the token's project, ``sessionMeta`` last."""

    results = OwnStoreSerializer(many=True)


class InfoSerializer(serializers.Serializer[Any]):
    """What the system knows of a session (docs/spec 11 §2)."""

    sessionId = serializers.CharField()  # noqa: N815
    appId = serializers.CharField()  # noqa: N815
    sessionReference = serializers.CharField(allow_blank=True)  # noqa: N815
    userReference = serializers.CharField(allow_blank=True)  # noqa: N815
    userId = serializers.CharField(allow_blank=True)  # noqa: N815
    runId = serializers.CharField(allow_blank=True)  # noqa: N815
    timestamp = serializers.DateTimeField()


class SessionFileSerializer(serializers.Serializer[Any]):
    """A file as agents see it; ``content`` is the beginning of its text when it is active and has one."""

    filename = serializers.CharField()
    mimetype = serializers.CharField()
    downloadUrl = serializers.CharField()  # noqa: N815
    isActive = serializers.BooleanField()  # noqa: N815
    content = serializers.CharField(required=False)


class SessionSerializer(serializers.Serializer[Any]):
    """``sessionMeta`` of a session; ``ended_at`` is null while it lasts. Metadata ends with it."""

    metadata = serializers.DictField()
    sessionInfo = InfoSerializer()  # noqa: N815
    artifacts = SessionFileSerializer(many=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class MetadataSerializer(Fields):
    """What the caller passes to a session."""

    metadata = serializers.DictField()


class ArtifactSerializer(serializers.Serializer[Any]):
    """A file of a session. ``text`` is null for a type whose text is not read."""

    id = serializers.IntegerField()
    session = serializers.CharField()
    filename = serializers.CharField()
    mimetype = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField()
    downloadUrl = serializers.URLField(help_text="Works without signing in until `expires_at`.")  # noqa: N815
    isActive = serializers.BooleanField(help_text="Whether agents get its text.")  # noqa: N815
    text = serializers.CharField(allow_null=True, allow_blank=True)
    text_problem = serializers.CharField(allow_blank=True)
    uploaded_at = serializers.DateTimeField()
    uploaded_by = serializers.CharField(allow_blank=True)
    expires_at = serializers.DateTimeField()


class ArtifactsSerializer(serializers.Serializer[Any]):
    """The files of a session in order of upload, without their texts."""

    results = ArtifactSerializer(many=True)


class UploadSerializer(Fields):
    """A file as form data."""

    file = serializers.FileField(allow_empty_file=True)
    isActive = serializers.BooleanField(required=False, default=True)  # noqa: N815


class ActiveSerializer(Fields):
    """Whether agents get the text of a file."""

    isActive = Flag()  # noqa: N815


BAD = problem("Bad input; `fields` says what. Code `schema`: a strict store refuses it, `errors` says why")
MISSING = problem("No such project, store, record, session or file for you")
UNAUTHORIZED = problem("Not signed in")
FORBIDDEN = problem("Your role does not allow it")
CHANGED = problem("Another version by now, `current` is it; or the session has ended (`session-ended`)")
READING = {400: BAD, 401: UNAUTHORIZED, 404: MISSING}
WRITING: dict[int, OpenApiResponse] = {**READING, 403: FORBIDDEN, 409: CHANGED}
