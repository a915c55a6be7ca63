"""Erasing a user while others write about that user, and by two people at once: each in a transaction of its own."""

from __future__ import annotations

import pytest

from memory.blocks.services import block_put
from memory.erasure import parts as erasure_parts
from memory.erasure import services as erasure
from memory.facts.services import fact_put
from memory.log.verification import verify
from memory.models import Block, Erasure, Fact, FactChange
from tests.factories import ProjectFactory, members_of
from tests.memory.facts.test_facts_writers import at_once
from tests.memory.stores.kit import session_of, store_of
from web.errors import Invalid

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

INES = "ines-4711"
FACTS = 30


@pytest.fixture
def project():
    """A project that keeps facts, a block and a session of Ines."""
    project = ProjectFactory()
    for number in range(FACTS):
        put(project, f"f{number}")
    block_put(project=project, owner=INES, block_type="core", content="- amber", expected=None)
    store_of(project)
    session_of(project, "s-1", INES, metadata={"a": "amber"})
    return project


@pytest.fixture
def erase(project, monkeypatch):
    """Erase Ines in small batches."""
    monkeypatch.setattr(erasure_parts, "FACTS", 4)
    monkeypatch.setattr(erasure_parts, "ENTRIES", 5)
    owner = members_of(project, ["owner"])["owner"]
    return lambda: erasure.erase_owner(project=project, owner=INES, actor=owner, reason="request 12")


def put(project, name, owner=INES):
    return fact_put(project=project, scope="user", owner=owner, path=f"user.{name}", value="amber")


def nothing_left(project):
    named = FactChange.objects.filter(project=project, owner=INES)
    return not (Fact.objects.filter(owner=INES).exists() or Block.objects.exists() or named.exists())


def test_writers_go_on_meanwhile_and_nothing_of_before_is_left(project, erase):
    def work(n):
        if n == 0:
            return erase()
        for number in range(FACTS):
            put(project, f"new{n}_{number}", owner=INES if number < 5 else f"u{n}")
        return None

    at_once(work, 4)
    assert verify(project)[1] is None
    # What was written about the user after the end is erased like anything else.
    if not nothing_left(project):
        erase()
    assert nothing_left(project)
    assert Fact.objects.filter(project=project).count() == 3 * (FACTS - 5)
    assert verify(project)[1] is None


def test_two_at_once_share_one_receipt_and_count_each_thing_once(project, erase):
    def work(_):
        try:
            return erase()
        except Invalid:  # the other one was done before this began
            return None

    at_once(work, 2)
    receipt = Erasure.objects.get()
    assert receipt.finished_at is not None
    assert {name: receipt.counts[name] for name in ("facts", "blocks", "sessions")} == {
        "facts": FACTS,
        "blocks": 1,
        "sessions": 1,
    }
    assert FactChange.objects.filter(kind="erase").count() == 1
    assert nothing_left(project)
    assert verify(project)[1] is None
