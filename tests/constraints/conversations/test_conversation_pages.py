"""Pages of test conversations: what refuses a start, one turn's own address, counts, the export, what a failure is."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from constraints import selectors
from constraints.conversations import pages, services
from constraints.models import TraceEvent, Turn
from tests.factories import DocumentFactory

pytestmark = pytest.mark.django_db

BAD = 'AGENT: Bad\nGOAL: "Help"\nMEMORY:\n  session:\n    - a b\n'
HTMX = {"HX-Request": "true"}


@pytest.fixture
def client(owner):
    found = Client()
    found.force_login(owner)
    return found


@pytest.fixture
def begun(project, owner):
    """A conversation: a word where a number was asked for, 3 books, which is too many, then 1."""
    found = services.conversation_start(project=project, started_by=owner, user="u-17")
    services.turn_run(turn_id=found.turns.get().pk)
    for text in ("none", "3", "1"):
        turn, _ = services.turn_post(conversation=found, author=owner, kind="say", data={"text": text})
        services.turn_run(turn_id=turn.pk)
    return found


def page(name, conversation, *more):
    return reverse(f"constraints:{name}", args=["library", conversation.number, *more])


def panel(client, **query):
    return client.get(reverse("constraints:panel", args=["library"]), query)


class TestWhatRefusesAStart:
    @pytest.fixture
    def broken(self, project):
        return DocumentFactory(project=project, path="blank.agent.abl", text=BAD)

    def refused(self, client, **form):
        return client.post(reverse("constraints:conversations", args=["library"]), form, headers=HTMX)

    @pytest.mark.parametrize("form", [{}, {"panel": "1"}])
    def test_its_words_of_code_are_code(self, client, broken, form):
        text = self.refused(client, **form).content.decode()
        assert "<code>a b</code>" in text
        assert "`" not in text

    def test_the_panel_keeps_what_was_chosen(self, client, broken):
        text = self.refused(client, panel="1", entry="Bad", user="ines").content.decode()
        assert re.search(r'<option value="Bad" selected>', text)
        assert 'value="ines"' in text

    def test_an_agent_that_is_saved_no_more_stays_chosen_and_says_so(self, client):
        text = self.refused(client, panel="1", entry="Gone_Desk").content.decode()
        assert '<option value="Gone_Desk" selected>Gone_Desk (not saved or not readable)</option>' in text

    def test_after_a_save_the_panel_tells_what_still_refuses_and_keeps_the_choice(self, client, broken):
        text = panel(client, refused="1", entry="Bad", user="ines").content.decode()
        assert "The agents cannot run yet" in text
        assert '<option value="Bad" selected>' in text
        assert "?refused=1" in text

    def test_when_nothing_refuses_any_more_the_list_is_gone(self, client, project):
        text = panel(client, refused="1", entry="Lending_Desk").content.decode()
        assert "cannot run yet" not in text
        assert "can run now" in text

    def test_a_panel_that_was_not_refused_says_nothing_of_it(self, client, broken):
        text = panel(client, entry="").content.decode()
        assert "cannot run yet" not in text
        assert "can run now" not in text

    def test_of_very_many_problems_the_first_are_listed(self, client, project):
        rules = "CONSTRAINTS:\n  all:\n" + "    - REQUIRE x ==\n" * 40
        DocumentFactory(project=project, path="many.agent.abl", text=BAD + rules)
        text = self.refused(client, panel="1").content.decode()
        assert text.count("many.agent.abl:") == 20
        assert re.search(r"and \d+ more", text)


class TestFailures:
    def test_an_input_that_was_not_accepted_is_no_failure(self, begun):
        rejected = TraceEvent.objects.get(conversation=begun, kind="gather.rejected")
        failed = TraceEvent.objects.get(conversation=begun, kind="constraint", status="failed")
        around = selectors.steps_around(conversation=begun, seq=rejected.seq)
        assert (around.failure, around.failure_before) == (failed.seq, failed.seq)
        assert selectors.event_first_failing(conversation=begun) == failed.seq
        assert selectors.event_tally(conversation=begun)["failed"] == 1

    def test_its_row_says_not_accepted(self, client, begun):
        rejected = TraceEvent.objects.get(conversation=begun, kind="gather.rejected")
        text = client.get(page("turn-events", begun, 1)).content.decode()
        row = re.search(rf'id="e{rejected.seq}".*?</a>', text, re.DOTALL)[0]
        assert 'data-state="warned"' in row
        assert "not accepted" in row


class TestATurn:
    def test_it_has_an_address_that_shows_its_failure_or_its_end(self, client, begun):
        failed = TraceEvent.objects.get(conversation=begun, kind="constraint", status="failed")
        assert client.get(page("conversation", begun), {"turn": 2}).context["seq"] == failed.seq
        last = TraceEvent.objects.filter(turn__index=3, conversation=begun).last()
        assert client.get(page("conversation", begun), {"turn": 3}).context["seq"] == last.seq

    @pytest.mark.parametrize("query", [{}, {"turn": 2}])
    def test_a_script_gets_the_parts_that_change(self, client, begun, query):
        text = client.get(page("conversation", begun), query, headers=HTMX).content.decode()
        assert "<html" not in text
        assert re.findall(r'^<\w+[^>]* id="([\w-]+)"', text, re.MULTILINE)[:4] == ["step", "source", "state", "stepper"]

    @pytest.mark.parametrize(("turn", "status"), [("99", 404), ("x", 400)])
    def test_one_that_is_not_there_is_a_clear_error(self, client, begun, turn, status):
        assert client.get(page("conversation", begun), {"turn": turn}).status_code == status

    def test_its_rows_come_with_the_counts_of_the_whole(self, client, begun):
        text = client.get(page("turn-events", begun, 2)).content.decode()
        tally = selectors.event_tally(conversation=begun)
        assert f'<span id="trace-counts">{tally["all"]} events, 4 turns</span>' in text
        assert f'id="count-rule">{tally["rule"]}</span>' in text


class TestExport:
    def test_it_is_one_file_with_settings_turns_and_steps(self, client, begun):
        answer = client.get(page("export", begun))
        assert answer["Content-Disposition"] == 'attachment; filename="library-conversation-1.json"'
        found = json.loads(answer.content)
        assert found["conversation"]["revisions"] == {"desk.agent.abl": 1}
        assert [turn["input"].get("text") for turn in found["turns"]] == [None, "none", "3", "1"]
        assert [event["seq"] for event in found["events"]] == list(range(1, len(found["events"]) + 1))

    def test_no_snapshot_leaves_with_it(self, client, begun):
        assert "snapshot" not in client.get(page("export", begun)).content.decode()

    def test_the_page_names_it(self, client, begun):
        text = client.get(page("conversation", begun)).content.decode()
        assert re.search(rf'href="{page("export", begun)}"[^>]*>.*?Export', text, re.DOTALL)


class TestWhatIsLeftOut:
    """Errors that stop no start are told before it, where it is begun (docs/spec 05 §1)."""

    BROKEN_STEP = 'AGENT: Side\nGOAL: "Help"\nFLOW:\n  ask:\n    REASONING: false\n    THEN: nowhere\n'

    def shown(self, client, name):
        return client.get(reverse(f"constraints:{name}", args=["library"])).content.decode()

    @pytest.mark.parametrize("name", ["panel", "conversations"])
    def test_it_is_listed_with_its_place(self, client, project, name):
        assert "left-out" not in self.shown(client, name)
        DocumentFactory(project=project, path="side.agent.abl", text=self.BROKEN_STEP)
        text = self.shown(client, name)
        assert "1 error in the saved agents. The affected parts don't run." in text
        assert "side.agent.abl:6" in text
        assert "<code>nowhere</code>" in text

    def test_many_are_counted_and_the_first_listed(self, client, project):
        steps = "".join(f"  s{number}:\n    REASONING: false\n    THEN: nowhere\n" for number in range(30))
        DocumentFactory(project=project, path="side.agent.abl", text=f'AGENT: Side\nGOAL: "Help"\nFLOW:\n{steps}')
        text = self.shown(client, "panel")
        assert "30 errors in the saved agents. The affected parts don't run." in text
        assert text.count('href="/p/library/edit/side') == 20
        assert "and 10 more" in text

    def test_a_start_that_is_refused_tells_what_refused_it_alone(self, client, project):
        DocumentFactory(project=project, path="blank.agent.abl", text=BAD)
        told = client.post(reverse("constraints:conversations", args=["library"]), {"entry": "Bad"}, headers=HTMX)
        text = told.content.decode()
        assert 'id="refused"' in text
        assert "left-out" not in text


@pytest.fixture
def long(begun):
    """Many more turns than a page shows, the last one the 200th."""
    Turn.objects.bulk_create(
        Turn(
            conversation=begun,
            index=n,
            message_id=f"m{n}",
            kind="say",
            input={"text": f"said {n}."},
            status="done",
            replies=[f"reply {n}."],
        )
        for n in range(4, 201)
    )
    return begun


def shown(page: str) -> list[int]:
    """Indexes of the turns in the chat and in the trace of a page; both show the same."""
    chat, trace = (list(map(int, re.findall(rf'id="{name}-turn-(\d+)"', page))) for name in ("chat", "trace"))
    assert not trace or trace == chat
    return chat


def test_a_page_shows_the_last_turns_and_leads_to_the_others(client, long):
    page = client.get(long.get_absolute_url()).content.decode()
    assert shown(page) == list(range(151, 201))
    assert "Show earlier turns" in page
    assert "Show the latest turns" not in page
    first = client.get(long.get_absolute_url(), {"turn": 2}).content.decode()
    assert shown(first) == [0, 1, 2]
    assert "Show the latest turns" in first
    assert "Show earlier turns" not in first
    earlier = pages.shown_turns(long)
    assert [turn.index for turn in earlier["turns"]] == list(range(151, 201))
    assert (earlier["earlier"], earlier["later"]) == (150, False)
    panel = client.get(reverse("constraints:panel", args=["library"]), {"number": long.number}, headers=HTMX)
    assert shown(panel.content.decode()) == list(range(151, 201))
    assert f"{long.get_absolute_url()}?turn=150" in panel.content.decode()


def test_every_turn_is_reached_by_the_links_to_earlier_ones(long):
    found, index = [], None
    while True:
        part = pages.shown_turns(long, index)
        found = [turn.index for turn in part["turns"]] + found
        if part["earlier"] is None:
            break
        index = part["earlier"]
    assert found == list(range(201))


def test_a_page_shows_a_bounded_number_of_characters_and_one_turn_at_least(long, monkeypatch):
    monkeypatch.setattr(pages, "SHOWN_CHARS", 200)
    assert 2 <= len(pages.shown_turns(long)["turns"]) <= 10
    monkeypatch.setattr(pages, "SHOWN_CHARS", 1)
    assert [turn.index for turn in pages.shown_turns(long)["turns"]] == [200]


def test_a_turn_without_steps_leads_to_its_place(client, long):
    page = client.get(long.get_absolute_url(), {"turn": 100}).content.decode()
    assert shown(page) == list(range(51, 101))
    assert "?turn=50" in page
