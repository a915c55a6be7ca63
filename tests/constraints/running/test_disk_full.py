"""No room for a turn or a message: it is said in words, and nothing is tried for ever."""

from __future__ import annotations

import pytest
from django.test import Client

from constraints.conversations import services
from editor import services as editing
from editor.models import ApiToken
from tests.constraints.conftest import Runner
from tests.faults.full import sqlite_full, wrapped
from web.errors import StorageFull

pytestmark = pytest.mark.django_db


@pytest.fixture
def no_room():
    def during(task):
        raise wrapped(sqlite_full())

    return Runner(during=during)


def test_a_turn_that_finds_no_room_fails_with_words_and_is_not_tried_again(start, no_room):
    assert services.turn_run(turn_id=start.pk, runner=no_room) == "failed"
    start.refresh_from_db()
    assert start.error == {"code": "storage-full", "message": StorageFull.WORDS}
    assert (start.attempt, start.lease_until, start.events.count()) == (1, None, 0)
    assert services.turn_sweep(thorough=True) == 0


def test_it_says_so_also_where_its_events_cannot_be_removed(start, no_room, monkeypatch):
    def fails(**_):
        raise wrapped(sqlite_full())

    monkeypatch.setattr("constraints.running.worker.turn_release", fails)
    assert services.turn_run(turn_id=start.pk, runner=no_room) == "failed"
    start.refresh_from_db()
    assert start.error["code"] == "storage-full"


def test_a_token_reads_also_where_its_use_cannot_be_noted(project, owner, monkeypatch):
    _, secret = editing.token_create(project=project, user=owner)

    def fails(*_, **__):
        raise wrapped(sqlite_full())

    monkeypatch.setattr(type(ApiToken.objects.all()), "update", fails)
    answer = Client().get("/api/v1/projects/", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/projects/library/conversations/7/turns/", "/p/library/test/7/turns/"])
def test_a_message_that_finds_no_room_is_507_for_programs_and_people(path, owner, conversation, monkeypatch):
    def fails(**_):
        raise wrapped(sqlite_full())

    monkeypatch.setattr(services, "turn_post", fails)
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    kind = {"content_type": "application/json"} if "api" in path else {}
    answer = client.post(path, {"kind": "say", "text": "x"}, **kind)
    assert answer.status_code == 507
    if "api" in path:
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "storage-full"
    else:
        assert "The disk is full" in answer.text
        assert "nothing was written" in answer.text
