"""Errors of a full disk, as drivers raise them."""

from __future__ import annotations

import sqlite3

import pytest
from django.db import OperationalError


def sqlite_full() -> sqlite3.Error:
    """What SQLite says when a page finds no room."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.OperationalError, match="full") as caught:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    return caught.value


def wrapped(cause: Exception) -> OperationalError:
    """As Django hands on the error of a driver."""
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error
