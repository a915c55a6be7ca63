"""The prompt preview as page and over HTTP: what memory would put in, what it would leave out, and nothing kept."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from abl.runtime.events.kinds import problems_of
from constraints.conversations import services
from constraints.models import TraceEvent, Turn
from editor import services as editing
from memory.banks.services import bank_put
from memory.blocks.services import block_put
from memory.models import Block, ChangeHead
from tests.constraints.conftest import member
from tests.factories import DocumentFactory, ProjectFactory

pytestmark = pytest.mark.django_db

DESK = 'AGENT: Desk\nGOAL: "Help with renewals"\nPERSONA: "Brief"\n'
OTHER = 'AGENT: Other\nGOAL: "Do something else"\n'
LINES = "- Acme renewal is due in May\n- Globex signed\n- Acme pays late"
API = "/api/v1/memory/preview"


@pytest.fixture
def project(db):
    found = ProjectFactory(slug="desk", settings={"entry": "Desk"})
    DocumentFactory(project=found, path="desk.agent.abl", text=DESK)
    DocumentFactory(project=found, path="other.agent.abl", text=OTHER)
    return found


@pytest.fixture
def ann(project):
    return member(project, "viewer", "ann")


@pytest.fixture
def remembered(project):
    """Ann's blocks, her own and with the agent Desk."""
    place = {"project": project, "owner": "ann", "expected": None}
    block_put(**place, block_type="core", content="- Prefers short answers")
    block_put(**place, block_type="core", content="- Signs with A.", agent_id="Desk")
    block_put(**place, block_type="archival", content=LINES)
    block_put(project=project, owner="ben", expected=None, block_type="core", content="- Of somebody else")


@pytest.fixture
def ask(project, ann):
    """A preview over HTTP, with Ann's token."""
    _, secret = editing.token_create(project=project, user=ann, name="")

    def post(message="When is the Acme renewal?", tail="", **body):
        headers = {"authorization": f"Bearer {secret}"}
        given = {"message": message, **body}
        return Client().post(API + tail, given, content_type="application/json", headers=headers)

    return post


def lines(shown, part):
    return [(line["content"], line["place"], line["scope"], line["line_number"]) for line in shown["memory"][part]]


def test_it_says_what_goes_in_from_which_block_and_line(remembered, ask):
    answer = ask()
    assert answer.status_code == 200, answer.content
    shown = answer.json()
    assert set(shown) == {"request", "memory", "sections"}
    assert lines(shown, "injected") == [
        ("- Prefers short answers", "user_memory", "user", 1),
        ("- Signs with A.", "user_memory", "agent", 1),
    ]
    assert shown["memory"]["policy"]["archival_mode"] == "tool_only"
    assert shown["request"]["goal"] == "Help with renewals"
    assert {section["key"] for section in shown["sections"]} >= {"goal", "persona", "user_memory", "messages"}
    assert {"update_memory", "recall_memory"} <= set(shown["request"]["tools"])


def test_it_has_the_declared_fields_of_the_events(remembered, ask):
    given = ask(memory_policy={"archival_mode": "auto"}).json()
    assert problems_of("model.request", "ok", given["request"]) == []
    assert problems_of("context", "ok", {"memory": given["memory"]}) == []
    assert given["request"]
    assert given["memory"]


def test_it_says_what_is_cut_and_why(remembered, ask):
    policy = {"archival_mode": "auto", "archival_limit": 1, "include_agent_core": False}
    shown = ask(memory_policy=policy).json()
    assert [line[0] for line in lines(shown, "injected")] == ["- Prefers short answers", "- Acme renewal is due in May"]
    assert [(line["content"], line["why"]) for line in shown["memory"]["cut"]] == [
        ("- Signs with A.", "include_agent_core is false"),
        ("- Acme pays late", "archival_limit 1 is reached"),
    ]
    assert all(0 < line["score"] <= 1 for line in shown["memory"]["injected"] if line["place"] == "system_reminders")


def test_a_low_score_is_a_reason(remembered, ask):
    cut = ask(memory_policy={"archival_mode": "auto", "archival_min_score": 0.99}).json()["memory"]["cut"]
    assert len(cut) == 2
    assert all("archival_min_score 0.99" in line["why"] for line in cut)


def test_nothing_is_kept(remembered, ask, project):
    before = (Block.objects.count(), ChangeHead.objects.get().seq)
    ask(memory_policy={"archival_mode": "auto"})
    assert (Block.objects.count(), ChangeHead.objects.get().seq) == before
    assert not Turn.objects.exists()
    assert not TraceEvent.objects.exists()


def test_the_agent_may_be_chosen_and_has_its_own_blocks(remembered, ask):
    shown = ask(agent="Other").json()
    assert shown["request"]["goal"] == "Do something else"
    assert [line[0] for line in lines(shown, "injected")] == ["- Prefers short answers"]


def test_the_policy_of_the_project_counts_where_none_is_sent(remembered, ask, project):
    project.settings |= {"run": {"memory_policy": {"archival_mode": "auto", "archival_limit": 1}, "bank": "numbers"}}
    project.save()
    bank_put(project=project, name="numbers")
    shown = ask().json()
    assert len(shown["memory"]["injected"]) == 3
    assert "memory_read" in shown["request"]["tools"]
    assert ask(memory_policy={"archival_mode": "off"}).json()["memory"]["policy"]["archival_limit"] == 1


def test_a_conversation_goes_on_in_the_preview_and_stays_as_it_is(remembered, ask, project):
    found = services.conversation_start(
        project=project, started_by=member(project, "owner"), user="ben", entry="Desk", model=[{"reply": "Hello"}]
    )
    refused = ask(conversation=found.number)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["conversation"])
    services.turn_run(turn_id=found.turns.get().pk)
    shown = ask(conversation=found.number).json()
    assert [line[0] for line in lines(shown, "injected")] == ["- Of somebody else"]
    assert shown["request"]["messages"][-1]["text"] == "When is the Acme renewal?"
    assert found.turns.count() == 1
    assert ask(conversation=99).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"message": ""}, "message"), ({"message": 5}, "message"), ({"message": "x" * 20_001}, "message"),
        ({"message": " \n"}, "message"), ({"agent": "Nobody"}, "agent"), ({"agent": 5}, "agent"),
        ({"memory_policy": {"archival_mod": "auto"}}, "memory_policy"), ({"memory_policy": 5}, "memory_policy"),
        ({"conversation": 0}, "conversation"), ({"conversation": "x"}, "conversation"),
    ],
)  # fmt: skip
def test_bad_input_is_named(ask, body, field):
    answer = ask(**{"message": "hello", **body})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert answer["Content-Type"] == "application/problem+json"


def test_agents_that_cannot_run_are_told(ask, project):
    DocumentFactory(project=project, path="broken.agent.abl", text='AGENT: Broken\nGOAL: "x"\nFLOW:\n  nonsense\n')
    DocumentFactory(project=project, path="empty.agent.abl", text="nothing")
    answer = ask()
    assert (answer.status_code, answer.json()["code"]) == (400, "not-runnable")
    assert answer.json()["problems"]


def test_a_session_without_a_token_is_told_that_one_is_needed(project, ann):
    browser = Client()
    browser.force_login(ann)
    for tail in ("", "/"):
        assert Client().post(API + tail, {}, content_type="application/json").status_code == 401
        answer = browser.post(API + tail, {"message": "x"}, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (403, "token-needed")


# The page ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(project, ann):
    """The page as Ann sees it."""

    def get(**query):
        browser = Client()
        browser.force_login(ann)
        return browser.get(reverse("constraints:preview", args=["desk"]), query)

    return get


def test_the_page_begins_with_a_form_of_what_the_project_says(page, project):
    project.settings |= {"run": {"memory_policy": {"archival_mode": "auto", "archival_limit": 7}}}
    project.save()
    answer = page()
    assert answer.status_code == 200
    form = answer.context["form"]
    assert (form["agent"], form["archival_mode"], form["archival_limit"]) == ("Desk", "auto", "7")
    assert form["include_user_core"]
    assert "shown" not in answer.context


def test_the_page_shows_lines_scores_and_reasons(page, remembered):
    asked = {"message": "Acme renewal?", "user": "ann", "archival_mode": "auto", "archival_limit": "1"}
    text = page(**asked, include_agent_core="1").content.decode()
    assert "2 lines in, 2 left out" in text
    for words in ("- Signs with A.", "- Acme renewal is due in May", "archival_limit 1 is reached", "User memory"):
        assert words in text
    assert "include_user_core is false" in text


@pytest.mark.parametrize(
    "query",
    [
        {"archival_limit": "many"}, {"archival_limit": "101"}, {"archival_min_score": "x"},
        {"archival_min_score": "nan"}, {"archival_mode": "sometimes"}, {"agent": "Nobody"}, {"conversation": "x"},
        {"user": "u" * 201},
    ],
)  # fmt: skip
def test_what_the_address_says_wrong_is_named_on_the_page(page, query):
    answer = page(**{"message": "hello", "archival_limit": "10", "archival_mode": "off", **query})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_a_stranger_finds_no_page(project):
    browser = Client()
    browser.force_login(member(ProjectFactory(), "owner", "stranger"))
    assert browser.get(reverse("constraints:preview", args=["desk"])).status_code == 404


# A prompt that takes too much -----------------------------------------------------------------------------------------

GROWS = "{{LENGTH(SPLIT(REPEAT('x,', 40000), ','))}}"


@pytest.fixture
def greedy(project):
    """The agent that begins, with a prompt that takes more than a request may."""
    text = f'AGENT: Greedy\nGOAL: "{GROWS * 400}"\nPERSONA: "Brief"\n'
    DocumentFactory(project=project, path="greedy.agent.abl", text=text)
    project.settings |= {"entry": "Greedy"}
    project.save()


def test_a_prompt_that_takes_too_much_is_a_422_that_names_what_ran_out(greedy, ask):
    answer = ask()
    assert answer.status_code == 422, answer.content
    problem = answer.json()
    assert problem["code"] == "budget-exceeded"
    assert problem["what"] in {"operations", "characters", "elements"}
    assert f"{problem['limit']:,}" in problem["detail"]


def test_the_page_says_so_and_keeps_the_form(greedy, page):
    answer = page(message="hello", archival_limit="10", archival_mode="off")
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert answer.context["form"]["message"] == "hello"
