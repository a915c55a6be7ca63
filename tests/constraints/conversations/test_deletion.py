"""Conversations can be deleted: turns and traces go, facts stay, and no other conversation gets the number."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from constraints import selectors
from constraints.conversations import services, stream
from constraints.models import Conversation, DeletedConversation, TraceEvent, Turn
from editor import services as editing
from memory.models import Fact
from tests.constraints.conftest import Runner, member
from tests.factories import ProjectFactory
from web.errors import Conflict, NotFound

pytestmark = pytest.mark.django_db

API = "/api/v1/projects/library/conversations/"
PAGE = "/p/library/test/delete/"


@pytest.fixture
def done(conversation, start):
    """A conversation of one turn with two steps."""
    services.turn_run(turn_id=start.pk, runner=Runner())
    return conversation


def delete(conversation, actor, *more):
    return services.conversations_delete(
        project=conversation.project, numbers=[conversation.number, *more], actor=actor
    )


def client_of(user):
    client = Client()
    client.force_login(user)
    return client


class TestService:
    def test_turns_and_events_go_and_are_counted(self, done, owner):
        (gone,) = delete(done, owner)
        assert (gone.turns, gone.events) == (1, 2)
        assert not Conversation.objects.exists()
        assert not Turn.objects.exists()
        assert not TraceEvent.objects.exists()
        kept = DeletedConversation.objects.get()
        assert (kept.number, kept.turns, kept.events, kept.deleted_by) == (7, 1, 2, owner)

    def test_facts_stay_and_go_on_naming_the_conversation(self, project, owner):
        found = services.conversation_start(project=project, started_by=owner, user="u-17")
        services.turn_run(turn_id=found.turns.get().pk)
        said = services.turn_post(conversation=found, author=owner, kind="say", data={"text": "1"})[0]
        assert services.turn_run(turn_id=said.pk) == "done"
        before = Fact.objects.get(path="user.last_request")
        assert before.source["conversation"] == found.number
        delete(found, owner)
        after = Fact.objects.get(path="user.last_request")
        assert (after.value, after.version, after.source) == (before.value, before.version, before.source)
        assert client_of(owner).get(f"/p/library/facts/{after.pk}/").status_code == 200

    def test_no_other_conversation_gets_the_number(self, done, owner, project):
        delete(done, owner)
        assert services.conversation_start(project=project, started_by=owner).number == 8
        assert services.conversation_start(project=project, started_by=owner).number == 9
        delete(Conversation.objects.get(number=9), owner)
        assert services.conversation_start(project=project, started_by=owner).number == 10

    def test_who_looks_for_it_learns_that_it_was_deleted(self, done, owner, project):
        delete(done, owner)
        with pytest.raises(NotFound, match=r"no conversation 7 in Library. It was deleted by owner on"):
            selectors.conversation_get(project=project, number=7)
        with pytest.raises(NotFound, match=r"no conversation 6 in Library.$"):
            selectors.conversation_get(project=project, number=6)

    def test_a_turn_at_work_keeps_its_conversation(self, conversation, start, owner):
        services.turn_claim(turn_id=start.pk)
        with pytest.raises(Conflict, match="Turn 0 of conversation 7 is still running") as caught:
            delete(conversation, owner)
        assert (caught.value.code, caught.value.data) == ("turn-running", {"conversation": 7, "turn": 0})
        assert Conversation.objects.exists()
        assert not DeletedConversation.objects.exists()

    def test_turns_that_wait_go_with_it(self, done, owner, say):
        waiting = say()
        delete(done, owner)
        assert services.turn_run(turn_id=waiting.pk, runner=Runner()) is None

    def test_several_go_together_or_none_does(self, done, owner, project):
        other = services.conversation_start(project=project, started_by=owner)
        with pytest.raises(NotFound):
            delete(done, owner, other.number, 999)
        assert Conversation.objects.count() == 2
        services.turn_claim(turn_id=other.turns.get().pk)
        with pytest.raises(Conflict), transaction.atomic():
            delete(done, owner, other.number)
        assert Conversation.objects.count() == 2
        services.turn_cancel(turn=other.turns.get())
        Turn.objects.filter(conversation=other).update(status="cancelled")
        assert [gone.conversation.number for gone in delete(done, owner, other.number)] == [7, 8]

    def test_a_document_that_only_deleted_conversations_ran_on_can_be_deleted(self, done, owner, project):
        document = project.documents.get()
        with pytest.raises(Conflict, match="used by test conversations"):
            editing.document_delete(document=document)
        delete(done, owner)
        editing.document_delete(document=document)
        assert not project.documents.exists()

    def test_a_worker_that_is_late_writes_nothing(self, conversation, start, owner):
        def during(task):
            Turn.objects.filter(pk=start.pk).update(status="queued")  # as the sweeper does with a silent worker
            delete(conversation, owner)

        assert services.turn_run(turn_id=start.pk, runner=Runner(during=during)) is None
        assert not TraceEvent.objects.exists()

    def test_it_goes_with_its_project(self, done, owner, project):
        delete(done, owner)
        project.delete()
        assert not DeletedConversation.objects.exists()

    @pytest.mark.slow
    def test_many_events_are_not_loaded_to_be_deleted(self, done, owner, start, django_assert_max_num_queries):
        where = {
            "conversation": done,
            "turn": start,
            "attempt": 1,
            "kind": "log",
            "status": "ok",
            "at": start.queued_at,
        }
        TraceEvent.objects.bulk_create(TraceEvent(seq=seq, **where) for seq in range(100, 3100))
        with django_assert_max_num_queries(60):
            (gone,) = delete(done, owner)
        assert gone.events == 3002


class TestStream:
    def test_viewers_are_told_once(self, done, owner):
        topic = stream.Topic(done.pk, brief=True)
        delete(done, owner)
        ((cursor, messages),) = stream.read([(topic, 1)]).values()
        assert [message.event for message in messages] == ["gone"]
        assert stream.read([(topic, cursor)]) == {}


class TestApi:
    def test_it_is_gone_afterwards_and_says_so(self, done, owner):
        client = client_of(owner)
        assert client.delete(f"{API}7/").status_code == 204
        again = client.delete(f"{API}7/")
        assert again.status_code == 404
        assert "It was deleted by owner" in again.json()["detail"]
        assert client.get(f"{API}7/turns/").status_code == 404

    def test_a_turn_at_work_is_a_conflict_until_it_is_cancelled(self, conversation, start, owner):
        client = client_of(owner)
        services.turn_claim(turn_id=start.pk)
        refused = client.delete(f"{API}7/")
        assert refused.status_code == 409
        assert (refused.json()["code"], refused.json()["turn"]) == ("turn-running", 0)
        assert client.post(f"{API}7/turns/0/cancel/").status_code == 202
        Turn.objects.update(lease_until="2020-01-01T00:00Z")
        services.turn_sweep()
        assert client.delete(f"{API}7/").status_code == 204


class TestPage:
    def test_it_names_what_and_how_much_before_anything_goes(self, done, owner):
        page = client_of(owner).get(f"{PAGE}?number=7")
        assert page.status_code == 200
        assert "Delete conversation 7 with 1 turn and 2 steps?" in page.text
        assert "Facts are kept" in page.text
        assert Conversation.objects.exists()

    def test_it_deletes_and_says_what_went(self, done, owner, project):
        services.conversation_start(project=project, started_by=owner)
        answer = client_of(owner).post(PAGE, {"number": [7, 8]}, follow=True)
        assert answer.redirect_chain == [("/p/library/test/", 302)]
        assert "Deleted 2 conversations with 2 turns and 2 steps." in answer.text
        assert not Conversation.objects.exists()

    def test_a_turn_at_work_is_named_before_and_refused(self, conversation, start, owner):
        services.turn_claim(turn_id=start.pk)
        client = client_of(owner)
        assert "Turn 0 of" in client.get(f"{PAGE}?number=7").text
        refused = client.post(PAGE, {"number": 7})
        assert refused.status_code == 409
        assert "is still running" in refused.text
        assert Conversation.objects.exists()

    @pytest.mark.parametrize("query", ["", "?number=", "?number=x", "?number=-1", "?number=%00", "?number=" + "9" * 30])
    def test_what_is_no_number_is_refused(self, done, owner, query):
        assert client_of(owner).get(PAGE + query).status_code == 400

    def test_too_many_at_once_are_refused(self, done, owner):
        assert client_of(owner).post(PAGE, {"number": range(1, 500)}).status_code == 400

    @pytest.mark.parametrize("role", ["owner", "editor", "reviewer", "viewer"])
    def test_only_those_who_may_delete_are_offered_it(self, done, people, role):
        client = client_of(people[role])
        for path in ("/p/library/test/", "/p/library/test/7/"):
            assert ("test/delete/?number=7" in client.get(path).text) == (role in ("owner", "editor"))

    def test_the_address_of_a_deleted_conversation_says_so(self, done, owner):
        delete(done, owner)
        for path in ("/p/library/test/7/", "/p/library/test/7/events/1/"):
            page = client_of(owner).get(path)
            assert page.status_code == 404
            assert "It was deleted by owner" in page.text

    def test_a_conversation_of_another_project_is_not_found(self, done, owner):
        other = ProjectFactory(slug="other")
        member(other, "owner")
        assert client_of(owner).get(f"/p/other/test/delete/?number={done.number}").status_code == 404


class TestAdmin:
    @pytest.fixture
    def admin(self, owner):
        owner.is_staff = owner.is_superuser = True
        owner.save()
        return client_of(owner)

    def test_every_model_is_listed_and_can_be_looked_at(self, admin, done, owner):
        delete(services.conversation_start(project=done.project, started_by=owner), owner)
        for kind in (Conversation, Turn, TraceEvent, DeletedConversation):
            name = kind._meta.model_name
            listed = reverse(f"admin:constraints_{name}_changelist")
            assert admin.get(listed).status_code == 200, name
            assert admin.get(f"{listed}?q=7").status_code == 200, name
            one = reverse(f"admin:constraints_{name}_change", args=[kind.objects.first().pk])
            assert admin.get(one).status_code == 200, name

    def test_history_cannot_be_changed(self, admin, done):
        for kind in (Conversation, Turn, TraceEvent):
            one = reverse(f"admin:constraints_{kind._meta.model_name}_change", args=[kind.objects.first().pk])
            assert admin.post(one, {"user": "x"}).status_code == 403
            assert admin.get(reverse(f"admin:constraints_{kind._meta.model_name}_add")).status_code == 403

    def test_a_conversation_is_deleted_as_on_its_page(self, admin, done, owner):
        address = reverse("admin:constraints_conversation_delete", args=[done.pk])
        page = admin.get(address)
        assert "1 turn" in page.text
        assert "2 steps" in page.text
        assert admin.post(address, {"post": "yes"}).status_code == 302
        assert DeletedConversation.objects.get().deleted_by == owner

    def test_several_are_deleted_together_and_a_turn_at_work_keeps_its_own(self, admin, done, owner):
        other = services.conversation_start(project=done.project, started_by=owner)
        services.turn_claim(turn_id=other.turns.get().pk)
        form = {"action": "delete_selected", "_selected_action": [done.pk, other.pk], "post": "yes"}
        answer = admin.post(reverse("admin:constraints_conversation_changelist"), form, follow=True)
        assert "is still running" in answer.text
        assert Conversation.objects.count() == 2
        services.turn_run(turn_id=other.turns.get().pk)
        form["_selected_action"] = [done.pk]
        admin.post(reverse("admin:constraints_conversation_changelist"), form)
        assert list(Conversation.objects.all()) == [other]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
@pytest.mark.server
def test_a_worker_that_begins_in_the_meantime_waits_or_wins(project, owner):
    import threading

    outcomes = []
    for _ in range(10):
        found = services.conversation_start(project=project, started_by=owner)
        turn = found.turns.get()

        def work(pk=turn.pk):
            services.turn_run(turn_id=pk, runner=Runner())
            connection.close()

        worker = threading.Thread(target=work)
        worker.start()
        try:
            delete(found, owner)
            outcomes.append("deleted")
        except Conflict:
            outcomes.append("kept")
        worker.join()
    kept = Conversation.objects.filter(project=project)
    assert kept.count() == outcomes.count("kept")
    assert not TraceEvent.objects.exclude(conversation__in=kept).exists()
