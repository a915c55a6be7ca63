"""Requests with very many of something cost little and are told why: fields, entries, cookies, parameters."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from abl.expressions.budget import EXPLORATION
from config.options import brief
from constraints.conversations import api
from tests.factories import DocumentFactory, MembershipFactory, ProjectFactory, UserFactory
from web.cookies import unquoted
from web.headers import bounded_headers
from web.limits import MAX_CONTENT_TYPE, MAX_HEADERS, MAX_SMALL_BODY, MAX_TARGET, MAX_VALUES
from web.logs import formatter, shortened

MANY = 20_000
JSON = "application/json"
SECONDS = 1.5
"""Processor time that one request of these may take; what was superlinear took 4 to 10."""


@pytest.fixture
def client(db):
    member = MembershipFactory(project=ProjectFactory(slug="library"), role="owner")
    DocumentFactory(project=member.project, path="a.agent.abl")
    client = Client(raise_request_exception=False)
    client.force_login(member.user)
    client.get("/")
    return client


def quick(ask) -> Any:
    """The answer of a request that takes little processor time."""
    began = time.process_time()
    answer = ask()
    assert time.process_time() - began < SECONDS
    return answer


def numbered(pattern: str, between: str = "", count: int = MANY) -> str:
    return between.join(pattern.format(n) for n in range(count))


CONVERSATIONS = "/api/v1/projects/library/conversations/"
BODIES = {
    "a key twice": ("/api/v1/check/", "{" + numbered('"k{}":1', ",") + ',"k7":2}', ""),
    "unknown fields": ("/api/v1/check/", "{" + numbered('"fiels{}":1', ",") + "}", "fiels0"),
    "files": ("/api/v1/check/", json.dumps({"files": {f"{n}.abl": 1 for n in range(MANY)}}), "files"),
    "codes": ("/api/v1/check/", json.dumps({"files": {"a.abl": ""}, "select": [1] * MANY}), "select"),
    "lines of a model": (CONVERSATIONS, json.dumps({"model": [{"rely": 1}] * MANY}), "model.non_field_errors"),
    "settings of a policy": (
        CONVERSATIONS,
        "{" + f'"memory_policy": {{{numbered(chr(34) + "archival_mod{}" + chr(34) + ":1", ",")}}}' + "}",
        "memory_policy",
    ),
    "stores": ("/api/v1/projects/library/store-definitions/", json.dumps({"stores": [{"nam": 1}] * MANY}), "stores"),
}


@pytest.mark.parametrize(("path", "body", "field"), BODIES.values(), ids=BODIES)
def test_very_many_entries_are_refused_with_few_words(client, path, body, field):
    answer = quick(lambda: client.post(path, body, content_type=JSON))
    assert answer.status_code == 400
    problem = answer.json()
    assert list(problem.get("fields", {}))[:1] == ([field] if field else [])
    assert field or "twice" in problem["detail"]
    assert len(answer.content) < 5_000


HEADERS = {
    "cookies": {"Cookie": numbered("a{}=b", "; ")},
    "backslashes in a cookie": {"Cookie": 'a="' + "\\\\" * MANY + '"'},
    "octal escapes in a cookie": {"Cookie": 'a="' + "\\101" * MANY + '"'},
    "types that are accepted": {"Accept": numbered("a/b{};q=0.1", ",")},
    "parameters of an accepted type": {"Accept": JSON + ";a=b" * MANY},
    "languages": {"Accept-Language": numbered("en-{};q=0.5", ",")},
    "entity tags": {"If-None-Match": numbered('"x{}"', ",")},
    "addresses of proxies": {"X-Forwarded-For": "1.2.3.4," * MANY},
    "words of a token": {"Authorization": "Bearer " + "x " * MANY},
}


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("path", ["/login/", "/api/v1/projects/"])
def test_large_headers_cost_little(client, path, headers):
    assert quick(lambda: client.get(path, headers=headers)).status_code < 500


@pytest.mark.parametrize("path", ["/api/v1/projects/", "/p/library/facts/", "/login/"])
def test_very_many_parameters_of_a_query_are_refused(client, path):
    assert quick(lambda: client.get(f"{path}?{numbered('p{}=1', '&')}")).status_code == 400


@pytest.mark.parametrize("what", ["", '; filename="a"'])
@pytest.mark.parametrize("path", ["/p/library/stores/import/", "/api/v1/projects/library/sessions/x/artifacts/"])
def test_very_many_parts_of_a_form_are_refused(client, path, what):
    part = '--b\r\nContent-Disposition: form-data; name="f{}"' + what + "\r\n\r\n1\r\n"
    body = numbered(part) + "--b--\r\n"
    answer = quick(lambda: client.generic("POST", path, body, content_type="multipart/form-data; boundary=b"))
    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize("path", ["/p/{}", "/p/library/edit/{}x", "/api/v1/projects/library/agents/{}", "/{}"])
def test_deep_paths_cost_little(client, path):
    assert 400 <= quick(lambda: client.get(path.format("a/" * MANY))).status_code < 500


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (None, None), ("", ""), ('"', '"'), ("plain", "plain"), ('"quoted"', "quoted"), ('"a\\"b"', 'a"b'),
        ('"\\303\\251"', "\xc3\xa9"), ('"\\\\"', "\\"), ('"\\477"', "477"), ('"end\\"', "end\\"), ('"\\054\\0"', ",0"),
    ],
)  # fmt: skip
def test_cookies_are_unquoted_as_before(raw, value):
    assert unquoted(raw) == value


def test_a_message_kept_in_a_cookie_is_still_read(client):
    client.post("/p/library/edit/a.agent.abl/delete/")
    assert "a.agent.abl was deleted." in client.get("/p/library/").content.decode()


def answered(*headers: tuple[bytes, bytes]) -> tuple[int, bytes]:
    """Status and body of a request with some headers."""
    sent: list[Any] = []

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": "/api/v1/projects/", "headers": list(headers)}
    asyncio.run(bounded_headers(application)(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_headers_beyond_every_use_are_refused_before_anybody_reads_them():
    assert answered((b"cookie", b"a" * (MAX_HEADERS - 6)))[0] == 200
    status, body = answered((b"cookie", b"a" * MAX_HEADERS))
    assert status == 431
    assert json.loads(body)["code"] == "header-too-large"
    assert "limit is 65,536" in json.loads(body)["fields"]["headers"]
    assert answered((b"content-type", b"a" * MAX_CONTENT_TYPE))[0] == 200
    status, body = answered((b"content-type", b'application/json; a="' + b";" * MAX_CONTENT_TYPE))
    assert status == 431
    assert "Content-Type" in json.loads(body)["fields"]


def test_a_long_address_is_refused_before_anybody_reads_it():
    async def go(path, query=b""):
        sent = []

        async def application(scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": path, "query_string": query, "headers": [(b"accept", b"application/json")]}
        await bounded_headers(application)(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)

    assert asyncio.run(go("/p/" + "a" * (MAX_TARGET - 3)))[0] == 200
    for path, query in (("/p/" + "a" * MAX_TARGET, b""), ("/p/", b"a" * MAX_TARGET)):
        status, body = asyncio.run(go(path, query))
        assert status == 414
        assert json.loads(body)["code"] == "address-too-long"
        assert "limit is 4,000" in json.loads(body)["fields"]["address"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/p/" + "a" * 18_000 + "/", "/admin/" + "a" * 18_000 + "/"])
def test_who_is_signed_out_is_sent_nowhere_with_a_long_address_and_the_log_stays_short(path, caplog):
    with caplog.at_level("WARNING"):
        answer = Client(raise_request_exception=False).get(path)
    assert answer.status_code in (400, 414)
    for record in caplog.records:
        assert brief(record)
        assert len(formatter().format(record)) < 5_000
        assert "Traceback" not in formatter().format(record)


def test_a_log_line_is_cut_whoever_wrote_the_address():
    event = shortened(None, "warning", {"event": "refused " + "x" * 18_000, "path": "/p/" + "a" * 18_000, "n": 7})
    assert event["path"].startswith("/p/aaa")
    assert event["path"].endswith("… (18,003 characters)")
    assert sum(len(str(value)) for value in event.values()) < 5_000


@pytest.mark.django_db
def test_bodies_that_hold_no_text_of_an_agent_are_smaller():
    member = MembershipFactory(project=ProjectFactory(slug="library"), role="owner")
    client = Client()
    client.force_login(member.user)
    assert (api.ConversationList.max_body, api.TurnList.max_body) == (MAX_SMALL_BODY, MAX_SMALL_BODY)
    body = json.dumps({"metadata": {"note": "a" * MAX_SMALL_BODY}})
    answer = client.post("/api/v1/projects/library/conversations/", body, content_type="application/json")
    assert answer.status_code == 413
    assert "limit is 2,000,000" in answer.json()["fields"]["body"]
    many = '{"metadata": {"a": [' + "[]," * MAX_VALUES + "[]]}}"
    for path in ("/api/v1/projects/library/conversations/", "/api/v1/check/"):
        answer = client.post(path, many, content_type="application/json")
        assert answer.status_code == 413
        assert "more than 200,000 values" in answer.json()["fields"]["body"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("context", "what"),
    [({"a": "x" * 60}, "characters"), ({"a": {"b": [[0], [0] * 30]}}, "elements")],
    ids=["texts", "lists"],
)
def test_the_context_of_an_evaluation_counts_toward_its_budget(monkeypatch, context, what):
    monkeypatch.setattr("editor.language_api.EXPLORATION", replace(EXPLORATION, characters=50, elements=20))
    client = Client()
    client.force_login(UserFactory())
    body = {"expression": "1", "context": context}
    answer = client.post("/api/v1/evaluate/", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["what"] == what
    assert client.post("/api/v1/evaluate/", {"expression": "1"}, content_type="application/json").json()["value"] == 1
