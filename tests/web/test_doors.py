"""Who gets in: tokens of people who may no more, forwarded addresses, sign-ins that are over."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from config.asgi import forwarded
from config.environment import Environment
from config.options import beat_schedule
from config.tasks import clear_sessions
from editor import services
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory

pytestmark = pytest.mark.django_db

JSON = "application/json"
ANYWHERE = [
    ("get", "/api/v1/projects/", None),
    ("get", "/api/v1/projects/library/", None),
    ("post", "/api/v1/check/", {"files": {"a.agent.abl": "AGENT: A\n"}}),
    ("get", "/api/v1/memory/blocks", None),
    ("get", "/api/v1/memory/stores", None),
    ("get", "/api/v1/projects/library/conversations/1/events/stream/", None),
    ("get", "/api/schema/", None),
    ("get", "/api/docs/", None),
]


@pytest.fixture
def member():
    project = ProjectFactory(slug="library")
    MembershipFactory(project=project, role="owner")
    DocumentFactory(project=project, path="a.agent.abl")
    return MembershipFactory(project=project, role="editor")


@pytest.fixture
def client(member):
    """A client with a token of the member."""
    _, secret = services.token_create(project=member.project, user=member.user)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def codes(client: Client) -> list[int]:
    return [
        getattr(client, method)(path, body, **({"content_type": JSON} if body else {})).status_code
        for method, path, body in ANYWHERE
    ]


def leave_through_the_admin(member):
    member.delete()


def remove(member):
    services.member_remove(project=member.project, username=member.user.username)


def deactivate(member):
    member.user.is_active = False
    member.user.save()


@pytest.mark.parametrize("ended", [leave_through_the_admin, remove, deactivate])
def test_a_token_of_who_is_out_is_refused_everywhere(client, member, ended):
    assert 401 not in codes(client)
    ended(member)
    assert codes(client) == [401] * len(ANYWHERE)


def test_a_token_does_what_the_role_of_its_user_allows_now(client, member):
    address = "/api/v1/projects/library/agents/"
    assert client.post(address, {"name": "b.agent.abl", "text": ""}, content_type=JSON).status_code == 201
    services.member_set(project=member.project, username=member.user.username, role="viewer")
    assert client.post(address, {"name": "c.agent.abl", "text": ""}, content_type=JSON).status_code == 403
    assert client.get(address).status_code == 200


def test_a_token_of_an_admin_of_the_installation_ends_with_that(member):
    admin = UserFactory(is_superuser=True)
    _, secret = services.token_create(project=member.project, user=admin)
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    assert client.get("/api/v1/projects/").status_code == 200
    admin.is_superuser = False
    admin.save()
    assert client.get("/api/v1/projects/").status_code == 401


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "Token nonsense", "bearer abl_x y"])
def test_what_describes_the_api_is_not_shown_for_a_wrong_token(header):
    for path in ("/api/schema/", "/api/docs/"):
        answer = Client(headers={"Authorization": header}).get(path)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert Client().get(path).status_code == 200


def test_a_session_ends_with_its_user(member):
    client = Client()
    client.force_login(member.user)
    assert client.get("/p/library/").status_code == 200
    deactivate(member)
    assert client.get("/p/library/").status_code == 302


def test_sign_ins_that_are_over_are_cleared():
    store = import_module(django_settings.SESSION_ENGINE).SessionStore
    for days in (-1, 1):
        session = store()
        session["days"] = days
        session.create()
        Session.objects.filter(pk=session.session_key).update(expire_date=timezone.now() + timedelta(days=days))
    clear_sessions()
    assert [session.get_decoded()["days"] for session in Session.objects.all()] == [1]
    assert clear_sessions.name in {entry["task"] for entry in beat_schedule().values()}


def seen(proxies: list[str], client: str, **headers: str) -> tuple[str, str]:
    """Address and scheme that the application sees of a request."""
    found = {}

    async def application(scope, receive, send):
        found.update(scope)

    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "scheme": "http", "client": (client, 5000), "headers": pairs}
    asyncio.run(forwarded(application, proxies)(scope, None, None))
    return found["client"][0], found["scheme"]


FORWARDED = {"x_forwarded_for": "203.0.113.9", "x_forwarded_proto": "https"}


@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "10.0.0.7"])
def test_without_trusted_proxies_no_word_of_a_header_counts(client):
    assert seen([], client, **FORWARDED) == (client, "http")


def test_a_trusted_proxy_says_who_asks_and_others_do_not():
    proxies = ["127.0.0.1", "10.0.0.0/8"]
    assert seen(proxies, "127.0.0.1", **FORWARDED) == ("203.0.113.9", "https")
    assert seen(proxies, "10.9.8.7", **FORWARDED) == ("203.0.113.9", "https")
    assert seen(proxies, "192.0.2.1", **FORWARDED) == ("192.0.2.1", "http")
    assert seen(proxies, "127.0.0.1") == ("127.0.0.1", "http")


def test_what_somebody_wrote_in_front_of_the_proxys_word_does_not_count():
    given = {"x_forwarded_for": "1.2.3.4, 203.0.113.9, 10.0.0.3"}
    assert seen(["127.0.0.1", "10.0.0.0/8"], "127.0.0.1", **given)[0] == "203.0.113.9"


@pytest.mark.parametrize("value", ["proxy.example.org", "10.0.0.1/8", "10.0.0.0/33", "*", "127.0.0.1 10.0.0.1"])
def test_what_is_no_address_stops_the_start_and_is_named(monkeypatch, value):
    monkeypatch.setitem(os.environ, "ABL_TRUSTED_PROXIES", value)
    with pytest.raises(Exception, match=r"ABL_TRUSTED_PROXIES: .* is no address such as 127\.0\.0\.1"):
        Environment().networks("ABL_TRUSTED_PROXIES")


def test_addresses_and_networks_are_read(monkeypatch):
    monkeypatch.setitem(os.environ, "ABL_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8,::1")
    assert Environment().networks("ABL_TRUSTED_PROXIES") == ["127.0.0.1", "10.0.0.0/8", "::1"]
