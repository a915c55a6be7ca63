"""An admin of the installation sees what runs and what waits, in all projects, and stops a turn."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from constraints.conversations import services
from constraints.models import Turn
from constraints.running.work_views import age
from editor import services as editing
from editor.models import User

pytestmark = pytest.mark.django_db

PAGE = "/turns/"


@pytest.fixture
def admin(client):
    user = User.objects.create_superuser("root")
    client.force_login(user)
    return client


def shown(client, **headers):
    return client.get(PAGE, headers=headers).content.decode()


def test_an_empty_installation_says_so(admin, project):
    assert "No turn is running." in shown(admin)
    assert "No turn is waiting." in shown(admin)


def test_running_and_waiting_turns_are_listed_with_whose_they_are(admin, start, say):
    turn = services.turn_claim(turn_id=start.pk, worker="host/1:2-x")
    say()
    Turn.objects.filter(pk=turn.pk).update(started_at=timezone.now() - timedelta(seconds=200))
    page = shown(admin)
    assert "Library, conversation 7" in page
    assert "owner" in page
    assert "3 min 2" in page
    assert "host/1:2-x" in page
    assert page.count(">Stop</a>") == 2


def test_the_page_names_the_time_that_the_sweeper_gives_before_it_kills(admin, start, monkeypatch):
    monkeypatch.setattr("constraints.running.work_views.GRACE_SECONDS", 7.0)
    turn = services.turn_claim(turn_id=start.pk, worker="host/1:2-x")
    asked = admin.get(f"/turns/{turn.pk}/stop/").content.decode()
    assert "still running after 7 seconds, its process is killed, which takes a few seconds more" in asked
    services.turn_cancel(turn=turn)
    assert "If it is still running after 7 seconds, its process is killed." in shown(admin)


def test_what_was_said_is_not_shown(admin, start, say):
    say("my secret words")
    assert "secret" not in shown(admin)


def test_a_script_gets_the_tables_alone(admin, start):
    part = shown(admin, **{"HX-Request": "true"})
    assert part.startswith('<div class="stack" id="work"')
    assert "<html" not in part


def test_a_page_of_a_long_queue_says_how_long_it_is(admin, start, conversation, monkeypatch):
    monkeypatch.setattr("constraints.running.work_views.WAITING_SHOWN", 2)
    for n in range(1, 5):
        Turn.objects.create(conversation=conversation, index=n, message_id=str(n), kind="say")
    assert "The 2 oldest of 5 are shown." in shown(admin)


def test_stopping_asks_first_and_says_what_is_stopped(admin, start):
    address = f"/turns/{start.pk}/stop/"
    asked = admin.get(address).content.decode()
    assert "Stop turn 0 of conversation 7 in Library?" in asked
    start.refresh_from_db()
    assert start.status == "queued"
    assert admin.post(address).status_code == 302
    start.refresh_from_db()
    assert start.status == "cancelled"


def test_a_running_turn_is_asked_to_stop_and_may_not_take_longer(admin, start):
    services.turn_claim(turn_id=start.pk)
    admin.post(f"/turns/{start.pk}/stop/")
    start.refresh_from_db()
    assert start.cancel_requested
    assert start.deadline_at <= timezone.now()
    assert "stopping" in shown(admin)


def test_a_turn_that_has_finished_is_not_stopped(admin, start):
    Turn.objects.filter(pk=start.pk).update(status="done")
    answer = admin.post(f"/turns/{start.pk}/stop/")
    assert answer.status_code == 409
    assert b"There is nothing to stop" in answer.content


def test_a_turn_that_is_not_there_is_not_found(admin):
    assert admin.get("/turns/999/stop/").status_code == 404


def test_others_are_refused(client, owner, start):
    client.force_login(owner)
    assert client.get(PAGE).status_code == 403
    assert client.post(f"/turns/{start.pk}/stop/").status_code == 403
    assert b"/turns/" not in client.get("/").content


def test_the_way_there_is_shown_to_admins(admin):
    assert admin.get("/").content.count(b'href="/turns/"') >= 2


def test_over_http_an_admin_reads_the_same(admin, start, say):
    services.turn_claim(turn_id=start.pk, worker="host/1:2-x")
    say()
    (running,) = admin.get("/api/v1/turns/").json()["results"]
    assert (running["project"], running["conversation"], running["index"]) == ("library", 7, 0)
    assert (running["account"], running["status"], running["worker"]) == ("owner", "running", "host/1:2-x")
    (waiting,) = admin.get("/api/v1/turns/?status=queued").json()["results"]
    assert (waiting["index"], waiting["status"]) == (1, "queued")
    wrong = admin.get("/api/v1/turns/?status=done")
    assert (wrong.status_code, list(wrong.json()["fields"])) == (400, ["status"])


def test_a_token_does_not_list_the_turns_of_all(admin, project):
    _, secret = editing.token_create(project=project, user=User.objects.get(username="root"))
    answer = Client().get("/api/v1/turns/", headers={"authorization": f"Bearer {secret}"})
    assert answer.status_code == 403


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7260, "2 h 1 min")])
def test_an_age_has_two_units(seconds, words):
    assert age(timezone.now() - timedelta(seconds=seconds, milliseconds=300)) == words
    assert age(None) == ""
