"""Seals of facts and digests of receipts lie in rows, so what they are keyed by outlives the names of modules."""

from __future__ import annotations

from datetime import UTC, datetime

from editor.models import Project
from memory.erasure.services import owner_digest
from memory.log.seals import seal_fits

SEAL = "180ac90930db2398483a3a5c9a0a7fdc6b2807355a468c48cf397275a7dd9e62"
DIGEST = "44ab2c3f5780dd94d1dfc808481c4df365b0a9cfdfe8bf66c0a278efae27dd20"


def test_a_seal_that_was_made_before_still_fits(settings):
    settings.SECRET_KEY = "a secret"
    assert seal_fits(SEAL, (7, "user", "u-17", "user.name"), datetime(2026, 3, 3, 9, 14, tzinfo=UTC), '"Ines"')


def test_a_receipt_that_was_made_before_still_names_its_user(settings):
    settings.SECRET_KEY = "a secret"
    assert owner_digest(Project(pk=7), "u-17") == DIGEST
