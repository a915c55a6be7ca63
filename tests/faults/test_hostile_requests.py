"""Requests that nobody sends by accident get a problem that names what is wrong, and leave nothing half done."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DataError, connection
from django.test import Client

from constraints.conversations import services as testing
from constraints.conversations import stream
from constraints.models import Conversation, TraceEvent, Turn
from constraints.running import programs
from editor import services
from editor.models import Project
from memory.models import Fact
from tests.constraints.conftest import AGENT
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory
from web.api.parsers import MAX_DEPTH, json_value
from web.errors import Conflict, Invalid
from web.problems import as_app_error

pytestmark = pytest.mark.django_db

API = "/api/v1/projects/library/"
JSON = "application/json"

TALKER = """AGENT: Talker
GOAL: "Say what breaks databases"

MEMORY:
  session:
    - odd
      TYPE: string
    - answer
      TYPE: string
  persistent:
    - user.odd
      SCOPE: user
      TYPE: string
  remember:
    - WHEN: odd IS SET
      STORE: odd -> user.odd
      TTL: "365000d"

FLOW:
  entry_point: say
  steps:
    - say

  say:
    REASONING: false
    SET:
      odd: "a\\u0000b\\ud800c"
    RESPOND: "{{odd}}"
    GATHER:
      - answer: required
        type: string
        prompt: "And you?"
"""


@pytest.fixture
def owner():
    return UserFactory()


@pytest.fixture
def project(owner):
    project = ProjectFactory(slug="library")
    MembershipFactory(project=project, user=owner, role="owner")
    return project


@pytest.fixture
def client(owner, project):
    found = Client(raise_request_exception=False)
    found.force_login(owner)
    return found


def run(conversation: Conversation) -> Turn:
    """The last turn after all that waited have run."""
    for pk in conversation.turns.filter(status="queued").order_by("index").values_list("pk", flat=True):
        testing.turn_run(turn_id=pk)
    return conversation.turns.order_by("-index")[0]


@pytest.mark.parametrize("cursor", ["cD1mb28=", "cD0lMDA%3D", "garbage", "%FF"])
@pytest.mark.parametrize("path", ["/api/v1/projects/", f"{API}agents/", f"{API}members/", f"{API}conversations/"])
def test_a_cursor_that_is_not_ours_is_a_problem(client, path, cursor):
    answer = client.get(f"{path}?cursor={cursor}")
    assert answer.status_code in (200, 404)  # DRF takes what is no base64 at all for a page without rows
    assert answer["Content-Type"] in (JSON, "application/problem+json")


def test_numbers_and_depths_that_json_has_not_are_refused():
    assert json_value(b'{"a": [1.5, 2]}') == {"a": [1.5, 2]}
    assert json_value("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    for text in ("1e999", "[-1e400]", "NaN", "Infinity", "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "[" * 99_999):
        with pytest.raises(ValueError, match=r"finite|deeper"):
            json_value(text)


@pytest.mark.parametrize("value", [b"1e999", b"[" * 900 + b"]" * 900, b"NaN"])
def test_a_body_with_them_is_a_problem(client, value):
    body = b'{"expression": "a == a", "explain": true, "context": {"a": %s}}' % value
    answer = client.post("/api/v1/evaluate/", body, content_type=JSON)
    assert answer.status_code == 400
    assert answer.json()["code"] == "parse-error"


def test_half_of_a_surrogate_pair_comes_back_as_an_escape(client):
    answer = client.post("/api/v1/evaluate/", b'{"expression": "a", "context": {"a": "\\ud800"}}', content_type=JSON)
    assert answer.status_code == 200
    assert answer.json()["value"] == "\ud800"
    refused = client.put(f"{API}facts/", b'{"scope": "\\ud800", "path": "user.a", "value": 1}', content_type=JSON)
    assert refused.status_code == 400
    assert "scope" in refused.json()["fields"]


def test_a_form_from_elsewhere_gets_a_page_and_a_script_gets_a_problem(owner, project):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    page = strict.post("/projects/new/", {"name": "x"})
    assert page.status_code == 403
    assert "ABL Workbench" in page.text
    script = strict.post("/p/library/settings/", {}, headers={"Accept": JSON})
    assert (script.status_code, script.json()["code"]) == (403, "csrf-failed")
    nowhere = strict.put("/api/v1/nowhere/", "{}", content_type=JSON)
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "not-found")


def test_a_title_is_never_a_pattern(client):
    for answer in (client.post(f"{API}facts/", {}), client.put(f"{API}facts/", "x", content_type="text/plain")):
        assert answer.status_code in (405, 415)
        assert "{" not in answer.json()["title"]


def test_what_the_database_cannot_keep_is_bad_input():
    error = as_app_error(DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"))
    assert isinstance(error, Invalid)


def test_an_agent_can_make_text_that_no_database_keeps(client, project, owner):
    DocumentFactory(project=project, path="talker.agent.abl", text=TALKER)
    conversation = testing.conversation_start(project=project, started_by=owner, user="u1")
    turn = run(conversation)
    assert (turn.status, turn.error) == ("done", None)
    assert turn.replies[0] == "a\ufffdb\ufffdc"
    page = client.get(f"/p/library/test/{conversation.number}/")
    assert page.status_code == 200
    events = client.get(f"{API}conversations/{conversation.number}/events/?page_size=200")
    assert "\\u0000" not in json.dumps(events.json())
    fact = Fact.objects.get(path="user.odd")
    assert fact.value == "a\ufffdb\ufffdc"
    assert fact.expires_at.year > 2900


@pytest.mark.parametrize("ttl", ["365001d", "99999999999999999999999999d", "9" * 5000 + "d", "9" * 5000 + " weeks"])
def test_a_life_beyond_all_dates_stores_nothing(client, project, owner, ttl):
    programs._report.cache_clear()  # keys of rows come again in tests
    programs._texts.cache_clear()
    DocumentFactory(project=project, path="talker.agent.abl", text=TALKER.replace("365000d", ttl))
    conversation = testing.conversation_start(project=project, started_by=owner)
    testing.turn_run(turn_id=conversation.turns.get().pk)
    turn, _ = testing.turn_post(conversation=conversation, author=owner, kind="say", data={"text": "hello"})
    testing.turn_run(turn_id=turn.pk)
    refused = TraceEvent.objects.filter(conversation=conversation, kind="error")
    assert {event.data["diagnostic"] for event in refused} == {"ABL346"}
    assert not Fact.objects.filter(path="user.odd").exists()
    fact = {"scope": "user", "owner": "u1", "path": "user.a", "value": 1, "ttl": ttl[:20]}
    assert "ttl" in client.put(f"{API}facts/", fact, content_type=JSON).json()["fields"]


def test_the_longest_life_is_the_same_everywhere(client, project):
    for ttl in ("365000d", "8760000h", "525600000m", "31536000000s"):
        fact = {"scope": "user", "owner": ttl, "path": "user.a", "value": 1, "ttl": ttl}
        assert client.put(f"{API}facts/", fact, content_type=JSON).status_code == 201


def test_what_is_said_is_kept_without_such_characters(client, project, owner):
    DocumentFactory(project=project, text=AGENT)
    conversation = testing.conversation_start(project=project, started_by=owner)
    run(conversation)
    path = f"{API}conversations/{conversation.number}/turns/"
    body = b'{"kind": "set", "name": "requested", "value": {"\\ud800": "\\u0000x"}, "message_id": "m1"}'
    answer = client.post(path, body, content_type=JSON)
    assert answer.status_code == 202
    assert answer.json()["input"]["value"] == {"\ufffd": "x"}


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "9500-01-01T00:00:00Z"])
def test_a_clock_at_the_edge_of_time_is_refused(client, project, at):
    DocumentFactory(project=project, text=AGENT)
    body = {"clock_mode": "fixed", "clock_start": at}
    answer = client.post(f"{API}conversations/", body, content_type=JSON)
    assert answer.status_code == 400
    assert "clock_start" in answer.json()["fields"]
    assert client.post("/p/library/test/", body).status_code == 400
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("by", ["999999999d", "99999999999999999999d"])
def test_a_clock_cannot_be_moved_beyond_it(project, owner, by):
    DocumentFactory(project=project, text=AGENT)
    conversation = testing.conversation_start(project=project, started_by=owner, clock_mode="fixed")
    run(conversation)
    for _ in range(8):
        testing.turn_post(conversation=conversation, author=owner, kind="advance", data={"by": by})
    turn = run(conversation)
    assert turn.status == "failed"
    assert turn.error["code"] == "invalid-input"
    assert "8999" in turn.error["message"]
    testing.turn_post(conversation=conversation, author=owner, kind="say", data={"text": "1"})
    assert run(conversation).status == "done"


def test_a_document_that_conversations_ran_on_stays(client, project, owner):
    document = DocumentFactory(project=project, path="desk.agent.abl", text=AGENT)
    conversation = testing.conversation_start(project=project, started_by=owner)
    run(conversation)
    with pytest.raises(Conflict, match="used by test conversations"):
        services.document_delete(document=document)
    refused = client.delete(f"{API}agents/desk.agent.abl/")
    assert (refused.status_code, refused.json()["code"], refused.json()["title"]) == (409, "conflict", "Still needed")
    assert client.get(f"/p/library/test/{conversation.number}/").status_code == 200
    project.delete()
    assert not Conversation.objects.exists()


def test_a_viewer_who_is_taken_out_of_the_project_may_not_go_on_listening(project, owner, rf):
    DocumentFactory(project=project, text=AGENT)
    conversation = testing.conversation_start(project=project, started_by=owner)
    viewer = UserFactory()
    MembershipFactory(project=project, user=viewer, role="viewer")
    token, secret = services.token_create(project=project, user=viewer)
    browser = Client()
    browser.force_login(viewer)
    signed_in = rf.get("/")
    signed_in.session, signed_in.user = browser.session, viewer
    by_token = rf.get("/", headers={"Authorization": f"Bearer {secret}"})
    by_token.user = viewer
    requests = {"session": signed_in, "token": by_token}
    claims = {name: stream.authorised(each, "library", conversation.number)[1] for name, each in requests.items()}
    assert stream.allowed_viewings(claims.values()) == set(claims.values())
    services.token_revoke(token=token)
    assert stream.allowed_viewings(claims.values()) == {claims["session"]}
    services.member_remove(project=project, username=viewer.username)
    assert stream.allowed_viewings(claims.values()) == set()


def test_a_viewer_who_signs_out_or_is_deactivated_may_not_either(project, owner, rf):
    DocumentFactory(project=project, text=AGENT)
    conversation = testing.conversation_start(project=project, started_by=owner)
    browser = Client()
    browser.force_login(owner)
    request = rf.get("/")
    request.session, request.user = browser.session, owner
    claim_password = owner.password
    _, claim = stream.authorised(request, "library", conversation.number)

    def allowed():
        return stream.allowed_viewings([claim]) == {claim}

    assert allowed()
    type(owner).objects.update(is_active=False)
    assert not allowed()
    type(owner).objects.update(is_active=True)
    assert allowed()
    owner.set_password("another good password")
    type(owner).objects.update(password=owner.password)
    assert not allowed(), "a new password ends the sessions that began with the old one"
    type(owner).objects.update(password=claim_password)
    assert allowed()
    browser.logout()
    assert not allowed()


@pytest.mark.django_db(transaction=True)
def test_projects_of_one_name_made_at_once_get_a_slug_each():
    user = UserFactory()

    def make(slug: str) -> str:
        try:
            return services.project_create(user=user, name="Same", slug=slug).slug
        except Invalid as error:
            return next(iter(error.fields))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, [""] * 8))
        exact = list(pool.map(make, ["exact"] * 8))
    assert len(set(made)) == 8
    assert sorted(exact) == ["exact", *["slug"] * 7]
    assert Project.objects.count() == 9
