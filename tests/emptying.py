"""Empty the database after a test that commits, and take back what one of several cases wrote.

Django's ``flush`` cuts every table and makes all permissions anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.db import connections, transaction
from django.test import TransactionTestCase

KEPT = {"django_migrations", "django_content_type", "auth_permission"}
"""Tables that hold what migrations leave there; no test writes into them."""


@cache
def tables(alias: str) -> tuple[str, ...]:
    """Names of all other tables, ready for a statement."""
    connection = connections[alias]
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return tuple(connection.ops.quote_name(name) for name in names if name not in KEPT)


def empty(alias: str) -> None:
    """Delete every row of the tables that have one. Who refers to whom is looked at when all is gone."""
    found = " UNION ALL ".join(
        f"SELECT {number} WHERE EXISTS (SELECT 1 FROM {name})" for number, name in enumerate(tables(alias))
    )
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute(found)
        for (number,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {tables(alias)[number]}")


def after_a_test(case: TransactionTestCase) -> None:
    """What stands for ``TransactionTestCase._fixture_teardown``."""
    for alias in case._databases_names(include_mirrors=False):
        empty(alias)


def forget_revisions() -> None:
    """Drop what is kept by the key of a revision, which is given out again when a transaction is rolled back."""
    modules = (sys.modules.get(name) for name in ("constraints.running.programs", "memory.facts.declarations"))
    for kept in [kept for module in modules if module for kept in vars(module).values()]:
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


@contextmanager
def undone() -> Iterator[None]:
    """A block whose changes to the database are taken back: the next case finds what this one found."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    forget_revisions()
