"""Many writers of one record at once: no field is lost, one of many creators wins, the log stays whole."""

from __future__ import annotations

import pytest

from memory.management.commands.verify_facts import verify
from memory.models import StoreRecord
from memory.stores import services
from memory.stores.selectors import Subject
from tests.factories import ProjectFactory
from tests.memory.facts.test_facts_writers import at_once
from tests.memory.stores.kit import session_of, store_of
from web.errors import Conflict, NotFound

WRITERS = 16
ROUNDS = 4
INES = Subject("ines", "s-1")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def project():
    found = ProjectFactory()
    store_of(found, "shared", schema={"type": "object"})
    return found


def test_no_field_is_lost(project):
    def write(n):
        for step in range(ROUNDS):
            content = {f"w{n}": step, "deep": {f"w{n}": {"step": step}}}
            services.content_set(project=project, name="shared", content=content, subject=INES)

    at_once(write, WRITERS)
    record = StoreRecord.objects.get()
    last = ROUNDS - 1
    assert record.content["deep"] == {f"w{n}": {"step": last} for n in record_names(record)}
    assert {key: value for key, value in record.content.items() if key != "deep"} == {
        f"w{n}": last for n in range(WRITERS)
    }
    assert record.version == WRITERS * ROUNDS
    assert verify(project) == (1 + WRITERS * ROUNDS, None)  # the store itself was the first entry


def record_names(record):
    return [name.removeprefix("w") for name in record.content["deep"]]


def test_one_writer_wins_each_version(project):
    services.content_set(project=project, name="shared", content={"n": 0}, subject=INES)

    newer = []

    def count(_):
        for _ in range(ROUNDS):
            while True:
                read = StoreRecord.objects.get()
                try:
                    services.content_set(
                        project=project,
                        name="shared",
                        content={"n": read.content["n"] + 1},
                        subject=INES,
                        expected_version=read.version,
                    )
                    break
                except Conflict as error:
                    newer.append(error.current["version"] > read.version)

    at_once(count, WRITERS)
    assert all(newer)
    record = StoreRecord.objects.get()
    assert (record.content, record.version) == ({"n": WRITERS * ROUNDS}, WRITERS * ROUNDS + 1)


def test_one_of_many_creators_wins(project):
    def create(n):
        try:
            services.content_set(project=project, name="shared", content={"n": n}, subject=INES, expected_version=None)
        except Conflict:
            return None
        return n

    winners = [n for n in at_once(create, WRITERS) if n is not None]
    assert [StoreRecord.objects.get().content["n"]] == winners
    assert verify(project) == (2, None)  # the store, and one record


def test_writers_and_the_end_of_their_session_do_not_mix(project):
    from django.utils import timezone

    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    session_of(project, "s-1")
    codes = []

    def work(n):
        if n == 5:
            services.session_end(project=project, session="s-1", now=timezone.now())
            return
        try:
            services.content_set(project=project, name="cart", content={f"w{n}": 1}, subject=INES)
        except Conflict as error:
            codes.append(error.code)

    at_once(work, WRITERS)
    assert set(codes) <= {"session-ended"}
    assert all(record.content is None for record in StoreRecord.objects.all())
    assert verify(project)[1] is None


def test_writers_and_the_deletion_of_their_store_do_not_mix(project):
    def delete_all():
        while True:
            number = StoreRecord.objects.filter(store__technical_name="shared").count()
            try:
                return services.store_delete(project=project, technical_name="shared", expected_records=number)
            except Conflict:
                continue

    def work(n):
        if n == 5:
            delete_all()
            return
        try:
            services.content_set(project=project, name="shared", content={}, subject=Subject(f"u{n}"))
        except NotFound:
            return

    at_once(work, WRITERS)
    assert not StoreRecord.objects.exists()
    assert verify(project)[1] is None
