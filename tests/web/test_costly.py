"""Costly requests: each caller has some at once, and whatever they ask for, others find a free thread."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.http import HttpRequest, StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from config.threads import THREADS
from editor import language_api, services
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory
from tests.workbench import eventually
from web import costly
from web.errors import Busy
from web.limits import COSTLY, COSTLY_OF_TOKEN, COSTLY_OF_USER, DOWNLOADS_OF_USER, REQUESTS_OF_USER, SIGN_IN_LINE, TYPED

JSON = "application/json"
CHECK = {"files": {"a.agent.abl": "AGENT: A\n"}}


@pytest.fixture
def people(transactional_db):
    project = ProjectFactory(slug="library")
    DocumentFactory(project=project, path="a.agent.abl")
    users = [MembershipFactory(project=project, role="editor").user for _ in range(4)]
    return project, users


def signed_in(user) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def with_token(project, user) -> Client:
    _, secret = services.token_create(project=project, user=user)
    return Client(headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False)


def asked(client: Client):
    return client.post("/api/v1/check/", CHECK, content_type=JSON)


class Held:
    """Work that continues until a test says so."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, *_args, **_more):
        assert self.go_on.wait(40)
        raise language_api.UnknownCode("told to stop")


@pytest.fixture
def held(monkeypatch):
    found = Held()
    monkeypatch.setattr(language_api, "check", found)
    yield found
    found.go_on.set()


def test_others_find_free_threads():
    assert COSTLY + TYPED + SIGN_IN_LINE < THREADS


@pytest.mark.django_db(transaction=True)
def test_one_user_has_some_and_others_still_get_theirs(people, held):
    _, (one, other, *_) = people
    clients = [signed_in(one) for _ in range(COSTLY_OF_USER)]
    with ThreadPoolExecutor(8) as pool:
        under_way = [pool.submit(asked, client) for client in clients]
        eventually(lambda: costly.costly.free == COSTLY - COSTLY_OF_USER)
        refused = asked(signed_in(one))
        assert refused.status_code == 429
        assert refused["Content-Type"] == "application/problem+json"
        assert int(refused["Retry-After"]) >= 1
        assert refused.json()["code"] == "busy"
        assert f"You have {COSTLY_OF_USER} requests of this kind in progress" in refused.json()["detail"]
        # Pages, what a token of the same user asks for that is not costly, and others' work continue.
        assert signed_in(one).get("/p/library/").status_code == 200
        typing = {"text": "AGENT: A\n", "version": 1}
        address = reverse("editor:analyse", args=["library", "a.agent.abl"])
        assert signed_in(one).post(address, typing, content_type=JSON).status_code == 200
        answer = signed_in(other).post("/api/v1/format/", {"text": "AGENT: A\n"}, content_type=JSON)
        assert answer.status_code == 200
        held.go_on.set()
        assert {each.result(40).status_code for each in under_way} == {400}
    assert costly.costly.free == COSTLY
    assert signed_in(one).post("/api/v1/format/", {"text": "AGENT: A\n"}, content_type=JSON).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_token_has_fewer_so_that_its_user_has_some_left(people, held):
    project, (one, *_) = people
    client = with_token(project, one)
    with ThreadPoolExecutor(8) as pool:
        under_way = [pool.submit(asked, client) for _ in range(COSTLY_OF_TOKEN)]
        eventually(lambda: costly.costly.free == COSTLY - COSTLY_OF_TOKEN)
        refused = asked(client)
        assert refused.status_code == 429
        assert f"This token has {COSTLY_OF_TOKEN}" in refused.json()["detail"]
        last = pool.submit(asked, signed_in(one))
        eventually(lambda: costly.costly.free == COSTLY - COSTLY_OF_USER)
        held.go_on.set()
        assert {each.result(40).status_code for each in [*under_way, last]} == {400}


@pytest.mark.django_db(transaction=True)
def test_all_together_have_some(people, held):
    _, users = people
    with ThreadPoolExecutor(8) as pool:
        under_way = [pool.submit(asked, signed_in(users[n % 3])) for n in range(COSTLY)]
        eventually(lambda: costly.costly.free == 0)
        refused = asked(signed_in(users[3]))
        assert refused.status_code == 429
        assert "Try again in a moment" in refused.json()["detail"]
        held.go_on.set()
        assert {each.result(40).status_code for each in under_way} == {400}


@pytest.mark.django_db
def test_a_page_says_it_to_people_and_a_script_in_json(monkeypatch):
    member = MembershipFactory(project=ProjectFactory(slug="library"), role="editor")
    DocumentFactory(project=member.project, path="a.agent.abl")
    client = signed_in(member.user)
    monkeypatch.setattr(costly.costly, "total", 0)
    page = client.get("/p/library/facts/export/?as=csv")
    assert page.status_code == 429
    assert int(page["Retry-After"]) >= 1
    assert "Try again in a moment" in page.content.decode()
    address = reverse("editor:bulk_fixes", args=["library", "a.agent.abl"])
    script = client.post(address, {"text": ""}, content_type=JSON, headers={"Accept": JSON})
    assert script.status_code == 429
    assert script.json()["code"] == "busy"


@pytest.mark.django_db
def test_what_is_asked_while_typing_has_places_of_its_own(monkeypatch):
    member = MembershipFactory(project=ProjectFactory(slug="library"), role="editor")
    DocumentFactory(project=member.project, path="a.agent.abl")
    monkeypatch.setattr(costly.typed, "total", 0)
    address = reverse("editor:analyse", args=["library", "a.agent.abl"])
    body = {"text": "AGENT: A\n", "version": 1}
    refused = signed_in(member.user).post(address, body, content_type=JSON, headers={"Accept": JSON})
    assert refused.status_code == 429
    assert refused.json()["code"] == "busy"


@pytest.mark.django_db  # what ends an answer looks after connections
@pytest.mark.parametrize("ended", ["sent", "dropped"])
def test_a_file_is_counted_until_it_is_sent_or_dropped(ended):
    request = HttpRequest()
    request.user = UserFactory.build(pk=7)
    answers = [costly.counted(request, StreamingHttpResponse(iter([b"x"]))) for _ in range(DOWNLOADS_OF_USER)]
    with pytest.raises(Busy):
        costly.counted(request, StreamingHttpResponse(iter([b"x"])))
    if ended == "sent":
        for answer in answers:
            answer.close()
    del answers
    gc.collect()
    assert costly.downloads.free == costly.downloads.total


@pytest.mark.django_db
def test_a_refusal_within_leaves_no_place_taken():
    client = signed_in(UserFactory())
    for _ in range(2 * COSTLY):
        assert client.post("/api/v1/check/", {"files": 7}, content_type=JSON).status_code == 400
        assert client.post("/api/v1/check/", "{", content_type=JSON).status_code == 400
        assert Client().post("/api/v1/check/", CHECK, content_type=JSON).status_code == 401
    assert costly.costly.free == COSTLY


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/projects/library/facts/export/", "/p/library/facts/export/?as=csv"])
def test_an_export_is_counted_while_it_is_sent(path):
    member = MembershipFactory(project=ProjectFactory(slug="library"), role="editor")
    client = signed_in(member.user)
    answers = [client.get(path) for _ in range(DOWNLOADS_OF_USER)]
    assert {answer.status_code for answer in answers} == {200}
    assert costly.costly.free == COSTLY, "it holds no place of those that work"
    assert client.get(path).status_code == 429
    del answers
    gc.collect()
    assert costly.downloads.free == costly.downloads.total
    assert client.get(path).status_code == 200
    gc.collect()


@pytest.mark.django_db
def test_sessions_of_a_user_have_some_requests_at_once_whatever_they_ask_for(people, monkeypatch):
    project, (one, other, *_) = people
    held = [costly.under_way(one.pk) for _ in range(REQUESTS_OF_USER)]
    page = signed_in(one).get("/p/library/")
    assert page.status_code == 429
    assert int(page["Retry-After"]) >= 1
    assert "You have 8 requests in progress" in page.content.decode()
    script = signed_in(one).get("/api/v1/projects/", headers={"Accept": JSON})
    assert (script.status_code, script.json()["code"]) == (429, "busy")
    assert "in progress" in signed_in(one).get("/p/library/", headers={"HX-Request": "true"}).content.decode()
    # A header that is no token leads past nothing; tokens, others, and who is signed out continue.
    assert signed_in(one).get("/p/library/", headers={"Authorization": "Bearer x"}).status_code == 429
    assert signed_in(one).get("/api/v1/projects/", headers={"Authorization": "Basic x"}).status_code == 429
    assert with_token(project, one).get("/api/v1/projects/").status_code == 200
    assert signed_in(other).get("/p/library/").status_code == 200
    assert Client().get("/accounts/login/").status_code in (200, 404)
    held.pop().leave()
    for _ in range(2 * REQUESTS_OF_USER):
        assert signed_in(one).get("/p/library/").status_code == 200
    for place in held:
        place.leave()
    assert costly.requests.free == costly.requests.total
