"""A token that asks too often is told when it may ask again; others are not held up by it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.test import Client
from django.urls import reverse

from constraints.models import Conversation
from editor import services
from tests.factories import MembershipFactory, ProjectFactory
from web.throttling import REMEMBERED, Allowance, allowance

PROJECTS = "/api/v1/projects/"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class TestAllowance:
    @pytest.fixture
    def clock(self):
        return Clock()

    @pytest.fixture
    def ours(self, clock):
        return Allowance(clock)

    def taken(self, ours, number, caller="a", rate=6):
        """How many of some requests are allowed."""
        return sum(ours.take(caller, rate=rate) == 0 for _ in range(number))

    def test_a_minutes_worth_may_come_at_once_and_then_no_more(self, ours):
        assert self.taken(ours, 20) == 6

    def test_the_wait_is_exact(self, ours, clock):
        self.taken(ours, 6)
        clock.now += 4
        assert ours.take("a", rate=6) == pytest.approx(6)
        clock.now += 6
        assert ours.take("a", rate=6) == 0
        assert ours.take("a", rate=6) == pytest.approx(10)

    def test_a_refused_request_is_not_counted(self, ours, clock):
        self.taken(ours, 100)
        clock.now += 10
        assert self.taken(ours, 100) == 1

    def test_over_a_long_time_the_rate_holds(self, ours, clock):
        allowed = 0
        for _ in range(600):
            clock.now += 1
            allowed += self.taken(ours, 3)
        assert allowed == pytest.approx(60 + 6, abs=1)

    def test_a_minute_of_silence_gives_the_whole_worth_again_and_not_more(self, ours, clock):
        self.taken(ours, 6)
        clock.now += 3600
        assert self.taken(ours, 20) == 6

    def test_callers_do_not_share(self, ours):
        self.taken(ours, 6)
        assert self.taken(ours, 20, caller="b") == 6

    def test_callers_at_the_same_time_get_no_more_than_there_is(self, ours):
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(lambda _: self.taken(ours, 50, rate=100), range(8))) == 100

    def test_those_who_have_waited_are_forgotten(self, ours, clock):
        for caller in range(REMEMBERED):
            ours.take(caller, rate=6)
        clock.now += 60
        ours.take("one more", rate=6)
        assert list(ours._whole_at) == ["one more"]


@pytest.fixture
def owner(db, settings):
    settings.API_RATE = 3
    allowance.clear()
    yield MembershipFactory(project=ProjectFactory(slug="library"), role="owner").user
    allowance.clear()


def client_of(user, project="library"):
    from editor.models import Project

    _, secret = services.token_create(project=Project.objects.get(slug=project), user=user)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_too_many_requests_are_a_problem_that_says_when_to_come_again(owner):
    client = client_of(owner)
    assert [client.get(PROJECTS).status_code for _ in range(3)] == [200] * 3
    answer = client.get(PROJECTS)
    assert answer.status_code == 429
    assert answer["Content-Type"] == "application/problem+json"
    assert 1 <= int(answer["Retry-After"]) <= 20
    problem = answer.json()
    assert problem["code"] == "throttled"
    assert problem["retry_after"] == int(answer["Retry-After"])
    assert "3 requests a minute" in problem["detail"]


def test_another_token_and_a_person_who_is_signed_in_are_not_held_up(owner):
    client = client_of(owner)
    for _ in range(4):
        client.get(PROJECTS)
    assert client.get(PROJECTS).status_code == 429
    assert client_of(owner).get(PROJECTS).status_code == 200
    person = Client()
    person.force_login(owner)
    assert [person.get(PROJECTS).status_code for _ in range(10)] == [200] * 10


def test_opening_a_stream_counts_too(owner):
    from editor.models import Project

    Conversation.objects.create(project=Project.objects.get(slug="library"), number=1, version=1)
    client = client_of(owner)
    address = reverse("api-events-stream", args=["library", 1])
    assert [client.get(address).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get(address)
    assert refused["Content-Type"] == "application/problem+json"
    assert int(refused["Retry-After"]) >= 1


def test_what_is_refused_changes_nothing(owner):
    client = client_of(owner)
    body = {"name": "a.agent.abl", "text": "AGENT: A\n"}
    for _ in range(3):
        client.get(PROJECTS)
    refused = client.post("/api/v1/projects/library/agents/", body, content_type="application/json")
    assert refused.status_code == 429
    from editor.models import Document

    assert not Document.objects.exists()


def test_zero_sets_no_bound(owner, settings):
    settings.API_RATE = 0
    client = client_of(owner)
    assert {client.get(PROJECTS).status_code for _ in range(30)} == {200}


def test_a_bad_token_is_refused_for_that_and_not_counted(owner):
    client = Client(headers={"Authorization": "Bearer abl_nonsense"})
    assert {client.get(PROJECTS).status_code for _ in range(10)} == {401}
    assert not allowance._whole_at
