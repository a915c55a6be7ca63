"""Many writers on one block: of those with one stamp exactly one wins, and no update is lost."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memory.blocks.selectors import block_find
from memory.blocks.services import block_delete, block_put
from memory.management.commands.verify_facts import verify
from memory.models import Block, FactChange
from tests.factories import ProjectFactory
from tests.memory.crowd import alone
from web.errors import Conflict, NotFound

WRITERS = 64
ROUNDS = 2

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def place():
    return {"project": ProjectFactory(), "owner": "u1", "block_type": "core"}


def at_once(work, number=WRITERS):
    """Run ``work(n)`` in as many threads, each with a connection of its own, all begun when the last is ready."""
    ready = threading.Barrier(number)

    def run(n):
        try:
            connection.ensure_connection()
            ready.wait(60)
            return work(n)
        finally:
            connection.close()

    with alone(), ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))


def attempt(**given):
    """The block that was written, or the conflict."""
    try:
        return block_put(**given)[0]
    except Conflict as refused:
        return refused


def test_of_64_writers_on_one_stamp_exactly_one_wins(place):
    first, _ = block_put(**place, content="begin", expected=None)
    done = at_once(lambda n: attempt(**place, content=f"by {n}", expected=first.updated_at))
    winners = [block for block in done if isinstance(block, Block)]
    stored = Block.objects.get()
    assert [winner.content for winner in winners] == [stored.content]
    refused = [conflict for conflict in done if isinstance(conflict, Conflict)]
    assert len(refused) == WRITERS - 1
    assert {conflict.current["content"] for conflict in refused} == {stored.content}
    assert verify(place["project"]) == (2, None)


def test_of_64_creators_exactly_one_wins(place):
    done = at_once(lambda n: attempt(**place, content=f"by {n}", expected=None))
    winners = [block.content for block in done if isinstance(block, Block)]
    assert [Block.objects.get().content] == winners
    assert verify(place["project"]) == (1, None)


def test_no_update_of_64_writers_is_lost(place):
    """Each counts up until it was heard; readers continue from what the conflict tells them."""
    block_put(**place, content="0", expected=None)

    def count(_):
        for _ in range(ROUNDS):
            read = block_find(**place)
            while True:
                try:
                    block_put(**place, content=str(int(read.content) + 1), expected=read.updated_at)
                    break
                except Conflict:
                    read = block_find(**place)

    at_once(count)
    block = Block.objects.get()
    assert (int(block.content), block.version) == (WRITERS * ROUNDS, WRITERS * ROUNDS + 1)
    stamps = list(FactChange.objects.order_by("seq").values_list("at", flat=True))
    assert stamps == sorted(set(stamps))
    assert verify(place["project"]) == (WRITERS * ROUNDS + 1, None)


def test_a_block_that_is_deleted_under_its_writers_is_never_half_there(place):
    first, _ = block_put(**place, content="begin", expected=None)

    def work(n):
        if n % 8:
            return attempt(**place, content=f"by {n}", expected=first.updated_at)
        try:
            return block_delete(**place)
        except NotFound as refused:
            return refused

    done = at_once(work)
    written = [block for block in done if isinstance(block, Block)]
    assert len(written) <= 1
    assert done.count(None) == 1
    assert not Block.objects.exists()
    assert verify(place["project"]) == (2 + len(written), None)
