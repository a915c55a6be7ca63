"""Test conversations take room on the disk: it is counted, and what has none left is told so."""

from __future__ import annotations

import json

import pytest

from constraints.conversations import services
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import room
from tests.constraints.conftest import Runner
from tests.factories import ProjectFactory, UserFactory, sign_in
from web.errors import TooLarge

pytestmark = pytest.mark.django_db
MEGABYTE = 1_000_000


def fill(conversation, size=MEGABYTE):
    Conversation.objects.filter(pk=conversation.pk).update(stored_bytes=size)


def taken(conversation):
    return Conversation.objects.values_list("stored_bytes", flat=True).get(pk=conversation.pk)


def test_a_conversation_counts_from_its_start(project, owner):
    found = services.conversation_start(project=project, started_by=owner)
    assert taken(found) == room.size_at_start(found.pins, found.mocks, found.settings) > room.CONVERSATION_BYTES


def test_a_message_counts_when_it_is_posted(conversation, say):
    before = taken(conversation)
    say(text="x" * 5_000)
    assert taken(conversation) == before + room.TURN_BYTES + len(json.dumps({"text": "x" * 5_000}))


def test_a_turn_counts_what_it_leaves(conversation, start):
    before = taken(conversation)
    assert services.turn_run(turn_id=start.pk, runner=Runner(replies=("y" * 30_000,), events=40)) == "done"
    turn = Turn.objects.get(pk=start.pk)
    texts = sum(len(json.dumps(each.data)) for each in TraceEvent.objects.filter(turn=turn))
    texts += len(json.dumps(turn.snapshot)) + len(json.dumps(turn.replies))
    assert before + texts < taken(conversation) < before + 2 * texts + 40 * 400


def test_a_turn_that_keeps_nothing_counts_nothing_more(conversation, start):
    before = taken(conversation)

    def during(task):
        raise ZeroDivisionError

    assert services.turn_run(turn_id=start.pk, runner=Runner(during=during)) == "failed"
    assert taken(conversation) == before


@pytest.mark.parametrize(
    ("setting", "whose"),
    [("PROJECT_CONVERSATIONS_MB", "the project"), ("USER_CONVERSATIONS_MB", "owner, in all projects")],
)
def test_without_room_nothing_is_started_or_said(conversation, say, settings, setting, whose):
    setattr(settings, setting, 1)
    fill(conversation)
    project = conversation.project
    with pytest.raises(TooLarge) as refused:
        services.conversation_start(project=project, started_by=conversation.started_by)
    words = f"conversations of {whose} take 1,000,000 of 1,000,000 bytes. Delete convers"
    assert refused.value.code == "quota-exceeded"
    assert refused.value.fields["conversation"].startswith(words)
    assert f"ABL_{setting}" in refused.value.detail
    with pytest.raises(TooLarge):
        say()
    assert Turn.objects.filter(conversation=conversation).count() == 1
    assert Conversation.objects.filter(project=project).count() == 1


def test_turns_that_wait_are_not_run_without_room(conversation, start, settings):
    settings.PROJECT_CONVERSATIONS_MB = 1
    fill(conversation, MEGABYTE + 1)
    assert services.turn_run(turn_id=start.pk, runner=Runner()) == "failed"
    start.refresh_from_db()
    assert start.error["code"] == "quota-exceeded"
    assert (start.error["used"], start.error["limit"]) == (MEGABYTE + 1, MEGABYTE)
    assert start.error["message"].startswith("The turn was not run: conversations of the project take 1,000,001 of")


def test_a_deleted_conversation_makes_room(conversation, start, project, owner, settings):
    services.turn_run(turn_id=start.pk, runner=Runner())
    settings.PROJECT_CONVERSATIONS_MB = 1
    fill(conversation)
    services.conversations_delete(project=project, numbers=[conversation.number], actor=owner)
    assert services.conversation_start(project=project, started_by=owner).pk


def test_those_of_others_do_not_count(conversation, settings):
    settings.PROJECT_CONVERSATIONS_MB = settings.USER_CONVERSATIONS_MB = 1
    fill(conversation)
    room.refuse_over_quota(project=ProjectFactory(), started_by=UserFactory(), new=1)


def test_a_page_and_a_script_are_told(client, conversation, owner, settings):
    settings.PROJECT_CONVERSATIONS_MB = 1
    fill(conversation)
    sign_in(client, owner)
    address = f"/api/v1/projects/library/conversations/{conversation.number}/turns/"
    answer = client.post(address, {"kind": "say", "text": "5"}, content_type="application/json")
    told = answer.json()
    assert (answer.status_code, told["code"], told["used"], told["limit"]) == (
        413,
        "quota-exceeded",
        MEGABYTE,
        MEGABYTE,
    )
    page = client.post("/p/library/test/")
    assert b"take 1,000,000 of 1,000,000 bytes" in page.content
