"""Writes of stores: definitions, records, sessions, files, and how they end."""

from memory.stores.services.artifacts import artifact_add, artifact_delete, artifact_set_active, content_of, only_file
from memory.stores.services.definitions import (
    definition_of,
    records_recheck,
    store_create,
    store_delete,
    store_update,
    stores_recheck,
)
from memory.stores.services.ending import owner_erase, purge
from memory.stores.services.exchange import definitions_import
from memory.stores.services.records import (
    RecordWrite,
    content_delete,
    content_set,
    record_edit,
    records_commit,
    records_delete,
)
from memory.stores.services.sessions import metadata_set, run_noted, session_begin, session_end

__all__ = [
    "RecordWrite",
    "artifact_add",
    "artifact_delete",
    "artifact_set_active",
    "content_delete",
    "content_of",
    "content_set",
    "definition_of",
    "definitions_import",
    "metadata_set",
    "only_file",
    "owner_erase",
    "purge",
    "record_edit",
    "records_commit",
    "records_delete",
    "records_recheck",
    "run_noted",
    "session_begin",
    "session_end",
    "store_create",
    "store_delete",
    "store_update",
    "stores_recheck",
]
