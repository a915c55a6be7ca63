"""Columns that keep text and JSON exactly, on every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.sql.compiler import SQLCompiler

if TYPE_CHECKING:
    Text = models.CharField[str, str]
    Key = models.BigAutoField[int, int]
else:
    Text = models.CharField
    Key = models.BigAutoField


class ByteOrderedField(Text):
    """Text compared by code point on every database, so that a prefix is one range and pages agree everywhere.

    SQLite does so on its own; PostgreSQL would follow the language of the database.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return dict(parameters)


class ExactJSONField(models.JSONField):
    """JSON kept as it was written: order of keys, spelling of numbers. PostgreSQL's ``jsonb`` would change both."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        adapted = super().get_db_prep_value(value, connection, prepared)
        if connection.vendor != "postgresql":
            return adapted
        from psycopg.types.json import Json, Jsonb

        # Without the cast the value would pass through ``jsonb``, whatever the column's type is.
        return Json(adapted.obj, dumps=adapted.dumps) if isinstance(adapted, Jsonb) else adapted

    def select_format(self, compiler: SQLCompiler, sql: str, params: Any) -> tuple[str, Any]:
        return (f"{sql}::text", params) if compiler.connection.vendor == "postgresql" else (sql, params)


class RowIdField(Key):
    """A key for rows that are only ever added. On SQLite without AUTOINCREMENT, which writes a second table each time.

    What that would guard against, the number of a deleted last row given out again, does not happen to such rows.
    """

    def db_type_suffix(self, connection: BaseDatabaseWrapper) -> str | None:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)
