"""Pages and API over conversations that really run."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from constraints.conversations import services, starting
from constraints.conversations.starting import NotRunnable
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import programs
from editor.models import Revision
from memory.models import Fact
from tests.factories import DocumentFactory
from web.errors import Invalid

pytestmark = pytest.mark.django_db

BAD = "AGENT: Bad\nCONSTRAINTS:\n  a:\n    - REQUIRE x ==\n"


@pytest.fixture
def client(owner):
    found = Client()
    found.force_login(owner)
    return found


@pytest.fixture
def begun(project, owner):
    """A conversation in which 3 was asked for, which is too many, and then 1."""
    found = services.conversation_start(project=project, started_by=owner, user="u-17")
    run(found)
    for text in ("3", "1"):
        post(found, owner, "say", text=text)
    return found


def post(conversation, owner, kind, **data):
    turn, _ = services.turn_post(conversation=conversation, author=owner, kind=kind, data=data)
    services.turn_run(turn_id=turn.pk)
    turn.refresh_from_db()
    return turn


def run(conversation):
    for turn in conversation.turns.filter(status="queued"):
        services.turn_run(turn_id=turn.pk)


def page(name, conversation, *more):
    return reverse(f"constraints:{name}", args=["library", conversation.number, *more])


def failed_rule(conversation):
    return TraceEvent.objects.get(conversation=conversation, kind="constraint", status="failed")


class TestStarting:
    def test_it_pins_the_saved_texts(self, project, begun, owner):
        document = project.documents.get()
        document.head = Revision.objects.create(document=document, number=2, text="AGENT: Other\n", author=owner)
        document.save()
        assert "Lending_Desk" in programs.texts_of(begun.pins)["desk.agent.abl"]

    def test_what_nobody_chooses_is_as_the_project_says(self, project, owner):
        project.settings = {"run": {"policy": "skip_unset", "now": "2026-05-01", "language": "de"}}
        project.save()
        usual = services.conversation_start(project=project, started_by=owner)
        assert (usual.policy, usual.clock_mode, usual.clock_start) == (
            "skip_unset",
            "fixed",
            datetime(2026, 5, 1, tzinfo=UTC),
        )
        run(usual)
        assert usual.turns.get().snapshot["state"]["default_language"] == "de"
        chosen = services.conversation_start(project=project, started_by=owner, policy="evaluate", clock_mode="real")
        assert (chosen.policy, chosen.clock_mode, chosen.clock_start) == ("evaluate", "real", None)

    def test_an_example_begins_as_its_project_file_says(self, owner):
        from constraints.examples import FOLDER, example_load

        loaded = example_load(folder=FOLDER / "number-keeper", owner=owner)
        assert loaded is not None
        assert loaded.settings["entry"] == "Number_Keeper"
        assert loaded.settings["run"]["bank"] == "numbers"
        assert loaded.settings["run"]["model"][0] == {"call": "memory_read"}
        hotel = example_load(folder=FOLDER / "hotel-desk", owner=owner)
        assert hotel is not None
        assert set(hotel.settings["mocks"]) == {"find_rooms", "book_room"}

    def test_numbers_count_per_project(self, project, begun, owner):
        again = services.conversation_start(project=project, started_by=owner)
        assert (begun.number, again.number) == (1, 2)

    def test_agents_with_errors_are_listed_with_their_lines(self, client, project):
        DocumentFactory(project=project, path="bad.agent.abl", text=BAD)
        answer = client.post(reverse("constraints:conversations", args=["library"]))
        assert answer.status_code == 400
        assert "bad.agent.abl:4" in answer.content.decode()
        assert "?line=4" in answer.content.decode()
        assert not Conversation.objects.exists()

    def test_the_api_lists_the_same_problems(self, client, project):
        DocumentFactory(project=project, path="bad.agent.abl", text=BAD)
        answer = client.post(reverse("api-conversations", args=["library"]), {}, content_type="application/json")
        assert answer.status_code == 400
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "not-runnable"
        assert 4 in [problem["range"]["start"]["line"] for problem in answer.json()["problems"]]

    def test_an_agent_with_errors_keeps_no_other_from_starting(self, project, owner):
        DocumentFactory(project=project, path="bad.agent.abl", text=BAD)
        started = services.conversation_start(project=project, started_by=owner, entry="Lending_Desk")
        services.turn_run(turn_id=started.turns.get().pk)
        assert started.turns.get().status == Turn.Status.DONE
        with pytest.raises(NotRunnable):
            services.conversation_start(project=project, started_by=owner, entry="Bad")

    def test_what_has_an_error_is_refused_when_it_is_reached(self, project, owner):
        text = 'AGENT: Half\nGOAL: "Help"\nMEMORY:\n  remember:\n    - WHEN: a ==\n      STORE: input -> user.said\n'
        text += 'CONSTRAINTS:\n  a:\n    - REQUIRE input != "no"\n'
        DocumentFactory(project=project, path="half.agent.abl", text=text)
        started = services.conversation_start(project=project, started_by=owner, entry="Half")
        services.turn_run(turn_id=started.turns.get().pk)
        turn, _ = services.turn_post(conversation=started, author=owner, kind="say", data={"text": "no"})
        services.turn_run(turn_id=turn.pk)
        refused = TraceEvent.objects.filter(conversation=started, kind="error")
        assert {event.data["construct"] for event in refused} == {"remember trigger"}
        assert TraceEvent.objects.filter(conversation=started, kind="constraint", status="failed").count() == 1

    def test_several_agents_need_an_entry(self, project, owner):
        DocumentFactory(project=project, path="second.agent.abl", text='AGENT: Second\nGOAL: "Help"\n')
        with pytest.raises(Invalid, match="entry"):
            services.conversation_start(project=project, started_by=owner)
        assert services.conversation_start(project=project, started_by=owner, entry="Second").entry == "Second"

    @pytest.mark.parametrize(("field", "value"), [("policy", "strict"), ("clock_mode", "slow"), ("entry", "Nobody")])
    def test_unknown_choices_are_named(self, project, owner, field, value):
        with pytest.raises(Invalid) as raised:
            services.conversation_start(project=project, started_by=owner, **{field: value})
        assert value in raised.value.fields[field]

    @pytest.mark.parametrize("form", [{"seed": "many"}, {"clock_mode": "fixed", "clock_start": "tomorrow"}])
    def test_a_form_that_cannot_be_read_is_said_on_the_page(self, client, project, form):
        answer = client.post(reverse("constraints:conversations", args=["library"]), form)
        assert answer.status_code == 400
        assert next(iter(form.values()), "") or "clock_start" in answer.content.decode()

    def test_the_entry_comes_from_the_project(self, project, owner, client):
        DocumentFactory(project=project, path="b.agent.abl", text='AGENT: Other_Desk\nGOAL: "Greet"\n')
        address = "/api/v1/projects/library/conversations/"
        refused = client.post(address, {}, content_type="application/json")
        assert "name the entry agent" in refused.json()["fields"]["entry"]
        project.settings = {"entry": "Other_Desk"}
        project.save()
        for body in ({}, {"entry": ""}):
            started = client.post(address, body, content_type="application/json")
            assert (started.status_code, started.json()["entry"]) == (201, "Other_Desk")
        chosen = client.post(address, {"entry": "Lending_Desk"}, content_type="application/json")
        assert chosen.json()["entry"] == "Lending_Desk"

    def test_an_entry_of_the_project_that_is_gone_is_named(self, project, owner):
        project.settings = {"entry": "Gone_Desk"}
        project.save()
        with pytest.raises(Invalid, match="'Gone_Desk' is not one of Lending_Desk"):
            services.conversation_start(project=project, started_by=owner)

    def test_mocks_come_from_the_project(self, project, owner):
        project.settings = {"mocks": {"find": [{"result": {"ok": True}}]}}
        assert services.conversation_start(project=project, started_by=owner).mocks == project.settings["mocks"]


class TestTurns:
    def test_the_agent_answers_and_facts_are_stored_with_their_source(self, begun):
        assert [turn.status for turn in begun.turns.all()] == ["done", "done", "done"]
        assert "You may hold 5 items" in begun.turns.get(index=1).replies[0]
        fact = Fact.objects.get(path="user.last_request")
        assert (fact.value, fact.source["conversation"]) == (1, begun.number)
        written = TraceEvent.objects.get(conversation=begun, kind="fact.write")
        assert fact.source["event"] == written.seq

    def test_every_event_has_its_own_number(self, begun):
        seqs = list(TraceEvent.objects.filter(conversation=begun).order_by("seq").values_list("seq", flat=True))
        assert seqs == list(range(1, len(seqs) + 1))

    def test_a_failed_turn_leaves_no_gap_and_the_next_goes_on(self, begun, owner):
        bad = post(begun, owner, "act", id="reasoning.none", value={"a": 1})
        good = post(begun, owner, "say", text="1")
        assert bad.status in ("done", "failed")
        assert good.status == "done"

    def test_time_passes_only_when_told(self, project, owner):
        at = datetime(2026, 3, 1, 9, tzinfo=UTC)
        found = services.conversation_start(project=project, started_by=owner, clock_mode="fixed", clock_start=at)
        run(found)
        assert post(found, owner, "advance", by="2h").clock_at == at + timedelta(hours=2)
        assert post(found, owner, "say", text="1").clock_at == at + timedelta(hours=2)

    def test_a_value_set_by_hand_counts(self, begun, owner):
        assert post(begun, owner, "set", name="open_loans", value=0).status == "done"
        assert "You asked for 3" in post(begun, owner, "say", text="3").replies[0]


class TestPages:
    def test_the_failed_rule_is_selected_with_its_values(self, client, begun):
        text = client.get(page("conversation", begun)).content.decode()
        assert f"Step {failed_rule(begun).seq}" in text
        assert re.search(r'class="val">7</span>', text)
        assert "2 or less" in text

    def test_a_step_has_its_own_address(self, client, begun):
        seq = failed_rule(begun).seq
        assert client.get(page("event", begun, seq)).status_code == 200
        assert client.get(page("event", begun, 9999)).status_code == 404

    def test_for_htmx_it_is_the_four_parts_that_show_it(self, client, begun):
        answer = client.get(page("event", begun, failed_rule(begun).seq), headers={"HX-Request": "true"})
        text = answer.content.decode()
        assert "<html" not in text
        assert re.findall(r'id="(step|source|state|stepper)"', text) == ["step", "source", "state", "stepper"]

    @pytest.mark.slow
    def test_every_step_can_be_shown(self, client, begun):
        for seq in TraceEvent.objects.filter(conversation=begun).values_list("seq", flat=True):
            answer = client.get(page("event", begun, seq), headers={"HX-Request": "true"})
            assert answer.status_code == 200

    def test_the_stepper_counts_and_wraps_to_the_next_failure(self, client, begun):
        last = TraceEvent.objects.filter(conversation=begun).count()
        text = client.get(page("event", begun, last), headers={"HX-Request": "true"}).content.decode()
        assert f"{last} of {last}" in text
        assert page("event", begun, failed_rule(begun).seq) in text

    def test_the_source_is_that_of_the_pinned_revision(self, client, begun, project, owner):
        document = project.documents.get()
        document.head = Revision.objects.create(document=document, number=2, text="AGENT: Other\n", author=owner)
        document.save()
        text = client.get(page("event", begun, failed_rule(begun).seq)).content.decode()
        assert "revision 1" in text
        assert 'class="ln is-marked"' in text

    def test_a_conversation_without_events_opens(self, client, conversation):
        assert "No steps yet" in client.get(page("conversation", conversation)).content.decode()

    def test_what_people_wrote_is_never_markup(self, client, begun, owner):
        post(begun, owner, "say", text="<script>alert(1)</script>")
        for url in (page("conversation", begun), page("turn-chat", begun, 3), page("turn-events", begun, 3)):
            assert "<script>alert" not in client.get(url).content.decode()

    def test_long_turns_come_in_blocks(self, client, begun):
        turn = begun.turns.get(index=2)
        first = turn.events.first()
        TraceEvent.objects.bulk_create(
            TraceEvent(conversation=begun, turn=turn, attempt=1, seq=1000 + n, kind="log", status="ok", at=first.at)
            for n in range(500)
        )
        text = client.get(page("event", begun, 1250)).content.decode()
        assert 'id="e1250"' in text
        assert 'id="e1480"' not in text
        assert "data-empty" in text
        block = client.get(page("turn-events", begun, 2), {"block": "7"}).content.decode()
        assert block.count('class="event"') == 60

    @pytest.mark.parametrize(
        ("only", "kinds"), [("rule", {"constraint", "pass"}), ("memory", {"remember", "fact.write"})]
    )
    def test_a_filter_finds_what_is_not_on_the_page(self, client, begun, only, kinds):
        text = client.get(page("turn-events", begun, 2), {"only": only}).content.decode()
        shown = {int(seq) for seq in re.findall(r'id="e(\d+)"', text)}
        expected = TraceEvent.objects.filter(turn__index=2, conversation=begun, kind__in=kinds)
        assert shown == set(expected.values_list("seq", flat=True))

    def test_the_panel_shows_the_failed_rule(self, client, begun, owner):
        post(begun, owner, "say", text="3")
        text = client.get(reverse("constraints:panel", args=["library"]), {"number": begun.number}).content.decode()
        assert "Rules of the last turn" in text
        assert 'class="ruler"' in text

    def test_the_panel_says_that_newer_text_was_saved(self, client, begun, project, owner):
        document = project.documents.get()
        document.head = Revision.objects.create(document=document, number=2, text="AGENT: Other\n", author=owner)
        document.save()
        text = client.get(reverse("constraints:panel", args=["library"]), {"number": begun.number}).content.decode()
        assert "continues with the earlier revisions" in text

    @pytest.mark.parametrize("query", [{"block": "x"}, {"around": "-1"}, {"block": "9" * 20}])
    def test_a_query_that_makes_no_sense_is_a_clear_error(self, client, begun, query):
        assert client.get(page("turn-events", begun, 1), query).status_code == 400

    def test_a_message_without_script_goes_back_to_the_page(self, client, begun):
        answer = client.post(page("turn-create", begun), {"kind": "say", "text": "1"})
        assert answer.status_code == 302
        assert answer["Location"] == page("conversation", begun)

    def test_a_script_gets_202_and_what_to_follow(self, client, begun):
        answer = client.post(
            page("turn-create", begun),
            {"kind": "say", "text": "1", "message_id": "m"},
            headers={"Accept": "application/json"},
        )
        assert answer.status_code == 202
        assert answer.json() == {"index": 3, "status": "queued", "message_id": "m", "created": True}

    @pytest.mark.parametrize(
        ("text", "value"), [("180", 180), ("true", True), ('["a"]', ["a"]), ("plain", "plain"), ('"NaN"', "NaN")]
    )
    def test_a_value_typed_by_hand_is_json_where_it_can_be(self, client, begun, text, value):
        client.post(page("turn-create", begun), {"kind": "set", "name": "x", "value": text})
        assert begun.turns.get(index=3).input == {"name": "x", "value": value}


class TestApi:
    def url(self, name, conversation, *more):
        return reverse(f"api-{name}", args=["library", conversation.number, *more])

    def test_events_have_the_shape_of_the_specification(self, client, begun):
        found = client.get(self.url("events", begun)).json()["results"]
        assert list(found[0]) == [
            "seq",
            "parent",
            "turn",
            "kind",
            "at",
            "duration_us",
            "agent",
            "step",
            "span",
            "status",
            "data",
        ]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found[0]["at"])
        assert [event["seq"] for event in found] == sorted(event["seq"] for event in found)

    def test_events_come_in_pages_and_behind_a_step(self, client, begun):
        first = client.get(self.url("events", begun), {"page_size": 5}).json()
        second = client.get(first["next"]).json()
        assert [event["seq"] for event in first["results"] + second["results"]] == list(range(1, 11))
        behind = client.get(self.url("events", begun), {"after": 20, "page_size": 2}).json()
        assert [event["seq"] for event in behind["results"]] == [21, 22]

    def test_a_message_is_taken_with_202_and_once(self, client, begun):
        body = {"text": "1", "message_id": "m-9"}
        first = client.post(self.url("turns", begun), body, content_type="application/json")
        again = client.post(self.url("turns", begun), body, content_type="application/json")
        assert (first.status_code, first.json()["index"], again.json()["index"]) == (202, 3, 3)

    def test_bad_input_names_the_field(self, client, begun):
        answer = client.post(self.url("turns", begun), {"kind": "advance", "by": "2h"}, content_type="application/json")
        assert answer.status_code == 400
        assert "real time" in answer.json()["fields"]["by"]

    def test_a_finished_turn_cannot_be_cancelled(self, client, begun):
        answer = client.post(self.url("turn-cancel", begun, 1))
        assert (answer.status_code, answer.json()["code"]) == (409, "turn-finished")

    def test_snapshots_with_their_raw_values_never_leave(self, client, begun):
        assert "snapshot" not in client.get(self.url("turn", begun, 1)).json()


@pytest.mark.django_db(transaction=True)
def test_agents_are_read_before_the_database_is_locked(project, owner, monkeypatch):
    """A long agent is read for seconds; others write meanwhile."""
    locked = []
    problems_of = starting.programs.problems_of

    def watched(**given):
        locked.append(connection.in_atomic_block)
        return problems_of(**given)

    monkeypatch.setattr(starting.programs, "problems_of", watched)
    conversation = starting.conversation_start(project=project, started_by=owner)
    assert conversation.pins
    assert locked == [False]


@pytest.mark.django_db(transaction=True)
def test_agents_that_are_saved_meanwhile_are_read_again(project, owner, monkeypatch):
    """What runs is what was saved last, and it was checked."""
    pins = [{"desk.agent.abl": 1}, {"desk.agent.abl": 2}]
    asked = []
    monkeypatch.setattr(starting.selectors, "pins_of", lambda **_: pins.pop(0))
    monkeypatch.setattr(starting, "_refuse", lambda project, pins, **_: asked.append(dict(pins)))
    conversation = starting.conversation_start(project=project, started_by=owner)
    assert asked == [{"desk.agent.abl": 1}, {"desk.agent.abl": 2}]
    assert conversation.pins == {"desk.agent.abl": 2}
