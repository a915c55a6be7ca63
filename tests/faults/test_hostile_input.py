"""Texts that nobody should send: every one gets a clear answer, soon, and none is an error of the server's."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx
import pytest

from tests.constraints.conftest import AGENT
from tests.workbench import busyness, eventually, running

pytestmark = pytest.mark.slow

JSON = "application/json"
API = "/api/v1/projects/hostile/"
PAGE = "/p/hostile/edit/desk.agent.abl"
SECONDS = 1.0
"""What an answer may take on a machine that has nothing else to do; the best of three tries counts."""

LIMIT = "LIMIT open_loans + requested <= 5"
NOISE = random.Random(7).randbytes(1_000_000).decode("latin-1").replace("\0", " ")

TEXTS = {
    "a megabyte of random bytes": NOISE,
    "an unclosed quote on line 1": 'AGENT: "Lending_Desk\n' + AGENT.partition("\n")[2],
    "tabs": AGENT.replace("  ", "\t"),
    "CRLF": AGENT.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + AGENT,
    "a name of emoji": AGENT.replace("Lending_Desk", "🦉🦉"),
    "ten thousand brackets": AGENT.replace(LIMIT, f"LIMIT {'(' * 10_000}open_loans{')' * 10_000} <= 5"),
    "ten thousand open brackets": AGENT.replace(LIMIT, f"LIMIT {'([{' * 3_334}"),
    "a condition of 100,000 characters": AGENT.replace(LIMIT, f"LIMIT {' AND '.join(['open_loans < 5'] * 5_264)}"),
    "a word of 100,000 characters": AGENT.replace("Lending_Desk", "x" * 100_000),
    "a thousand levels of indentation": "".join(f"{'  ' * n}key{n}:\n" for n in range(1_000)),
    "every line the same section": "MEMORY:\n" * 20_000,
    "nothing": "",
}
RUN_ANYWAY = {"tabs", "CRLF", "a byte order mark", "a word of 100,000 characters"}

NUL, HALF = "\0", "\ud800"


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory):
    with running(tmp_path_factory.mktemp("hostile")) as workbench:
        yield workbench


@pytest.fixture(scope="module")
def on_postgres(tmp_path_factory, postgres):
    with running(tmp_path_factory.mktemp("hostile"), {"DATABASE_URL": postgres.url}) as workbench:
        yield workbench


@pytest.fixture(scope="module", params=["on_sqlite", pytest.param("on_postgres", marks=pytest.mark.server)])
def client(request):
    """A signed-in client of a workbench on either database, with a project that has one agent and one fact."""
    workbench = request.getfixturevalue(request.param)
    with workbench.client() as client:
        assert client.post("/api/v1/projects/", json={"name": "Hostile", "slug": "hostile"}).status_code == 201
        assert client.post(f"{API}agents/", json={"name": "desk.agent.abl", "text": AGENT}).status_code == 201
        fact = {"scope": "user", "owner": "u1", "path": "user.card", "value": "4111", "sensitive": True}
        client.fact = client.put(f"{API}facts/", json=fact).json()["id"]
        assert client.post(f"{API}conversations/", json={}).status_code == 201
        first = eventually(lambda: finished(client.get(f"{API}conversations/1/turns/0/").json()), 60)
        assert first["status"] == "done", first
        yield client


def post(client: httpx.Client, path: str, body: Any, method: str = "POST") -> httpx.Response:
    """Send JSON with every unusual character escaped, as a program may."""
    headers = {"Content-Type": JSON, "Accept": JSON}
    return client.request(method, path, content=json.dumps(body), headers=headers)


def quickest(ask: Any) -> float:
    """Seconds of the quickest of three answers, of what the machine had left for them."""
    best = float("inf")
    for _ in range(3):
        answer = ask()
        assert answer.status_code == 200, answer.text[:300]
        best = min(best, answer.elapsed.total_seconds() / busyness())
        if best < SECONDS:
            break
    return best


def finished(turn: dict[str, Any]) -> dict[str, Any] | None:
    """The turn, once nobody works on it any more."""
    return turn if turn["status"] in ("done", "failed", "cancelled") else None


@pytest.fixture
def answers(live_workbench):
    with live_workbench.client() as client:
        yield client


@pytest.mark.parametrize("name", TEXTS)
def test_the_editor_and_the_api_answer_within_a_second(answers, name):
    path = "/p/transfer-desk/edit/transfer_desk.agent.abl"
    versions = iter(range(1, 100))
    seconds = quickest(lambda: post(answers, f"{path}/analyse/", {"text": TEXTS[name], "version": next(versions)}))
    assert seconds < SECONDS, f"analysing took {seconds:.2f} s"
    seconds = quickest(lambda: post(answers, "/api/v1/check/", {"files": {"desk.agent.abl": TEXTS[name]}}))
    assert seconds < SECONDS, f"checking took {seconds:.2f} s"


@pytest.mark.parametrize("name", TEXTS)
def test_offers_and_explanations_answer_too(answers, name):
    path = "/p/transfer-desk/edit/transfer_desk.agent.abl"
    for line, column in ((1, 1), (16, 20), (999_999, 999_999)):
        question = {"text": TEXTS[name], "line": line, "column": column}
        for address in (f"{path}/complete/", f"{path}/hover/"):
            assert post(answers, address, question).status_code == 200, (address, line)


@pytest.mark.parametrize("name", TEXTS)
def test_any_text_is_kept_as_draft_and_as_revision_and_says_why_it_does_not_run(client, name):
    text = TEXTS[name]
    number = client.get(f"{API}agents/desk.agent.abl/").json()["revision"]
    draft = post(client, f"{PAGE}/draft/", {"text": text, "base_revision": number})
    assert draft.status_code == 200, draft.text[:300]
    saved = post(client, f"{API}agents/desk.agent.abl/", {"text": text, "base_revision": number}, "PUT")
    assert saved.status_code == 200, saved.text[:300]
    assert client.get(f"{API}agents/desk.agent.abl/").json()["text"] == text
    assert client.get(PAGE).status_code == 200
    assert client.get(f"{PAGE}/revisions/{saved.json()['revision']}/").status_code == 200
    started = post(client, f"{API}conversations/", {})
    if name in RUN_ANYWAY:
        assert started.status_code == 201, started.text[:600]
        first = f"{API}conversations/{started.json()['number']}/turns/0/"
        turn = eventually(lambda: finished(client.get(first).json()), 60, "the first turn has ended")
        assert (turn["status"], turn["error"]) == ("done", None)
        return
    assert started.status_code == 400, started.text[:300]
    problems = started.json()["problems"]
    assert problems
    assert all(problem["code"].startswith("ABL") and problem["message"] for problem in problems)
    page = client.post("/p/hostile/test/", data={"user": "u1"})
    assert page.status_code == 400
    assert "Traceback" not in page.text


def bodies(bad: str) -> list[tuple[str, str, Any]]:
    """Method, address and body of every request of the API that takes text, with the bad character in each field."""
    x = f"a{bad}b"
    fact = {"scope": "user", "owner": "u1", "path": "user.x", "value": 1}
    desk = f"{API}agents/desk.agent.abl/"
    turns = f"{API}conversations/1/turns/"
    files = {"a.agent.abl": f"AGENT: {x}\n"}
    return [
        ("POST", "/api/v1/projects/", {"name": x}),
        ("POST", "/api/v1/projects/", {"name": "N", "slug": x}),
        ("POST", "/api/v1/projects/", {"name": "N", "description": x}),
        ("PATCH", API, {"name": x}),
        ("PATCH", API, {"description": x}),
        ("POST", f"{API}members/", {"user": x, "role": "viewer"}),
        ("POST", f"{API}members/", {"user": "admin", "role": x}),
        ("POST", f"{API}agents/", {"name": f"{x}.agent.abl"}),
        ("POST", f"{API}agents/", {"name": "n.agent.abl", "text": x}),
        ("POST", f"{API}agents/", {"name": "n.agent.abl", "kind": x}),
        ("POST", f"{API}agents/", {"name": "n.agent.abl", "message": x}),
        ("PUT", desk, {"text": x, "base_revision": 1}),
        ("PUT", desk, {"text": "AGENT: A\n", "base_revision": 1, "message": x}),
        *(
            ("PUT", f"{API}facts/", {**fact, field: x})
            for field in ("scope", "owner", "path", "value", "ttl", "reason")
        ),
        ("PUT", f"{API}facts/", {**fact, "value": {x: [x]}}),
        ("PUT", f"{API}facts/{{fact}}/", {"value": [{"deep": x}], "expected_version": 1}),
        ("POST", f"{API}facts/{{fact}}/reveal/", {"reason": x}),
        *(("POST", f"{API}conversations/", {f: x}) for f in ("user", "entry", "channel", "policy", "clock_mode")),
        ("POST", f"{API}conversations/", {"clock_start": x, "clock_mode": "fixed"}),
        ("POST", turns, {"kind": x}),
        ("POST", turns, {"kind": "say", "text": x}),
        ("POST", turns, {"kind": "say", "text": "1", "message_id": x}),
        ("POST", turns, {"kind": "act", "id": x, "value": x}),
        ("POST", turns, {"kind": "set", "name": x, "value": {x: [x]}}),
        ("POST", turns, {"kind": "set", "name": "requested", "value": x}),
        ("POST", turns, {"kind": "advance", "by": x}),
        ("POST", "/api/v1/check/", {"files": files}),
        ("POST", "/api/v1/check/", {"files": {x: "AGENT: A\n"}}),
        ("POST", "/api/v1/check/", {"files": files, "select": [x]}),
        ("POST", "/api/v1/format/", {"text": f"AGENT: {x}\n"}),
        ("POST", "/api/v1/complete/", {"files": files, "path": "a.agent.abl", "line": 1, "column": 3}),
        ("POST", "/api/v1/complete/", {"files": {x: x}, "path": x, "line": 1, "column": 1}),
        ("POST", "/api/v1/evaluate/", {"expression": f"'{x}'"}),
        ("POST", "/api/v1/evaluate/", {"expression": "name", "context": {"name": x, x: x}, "explain": True}),
        ("POST", "/api/v1/evaluate/", {"expression": f"{x} {{{{name}}}}", "context": {"name": x}, "template": True}),
    ]


CASES = [(name, *row) for name, bad in (("NUL", NUL), ("half a pair", HALF)) for row in bodies(bad)]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [pytest.param(*case[1:], id=f"{case[0]} {case[1]} {case[2]} {json.dumps(case[3])[:60]}") for case in CASES],
)
def test_the_api_refuses_or_keeps_characters_that_databases_do_not_store(client, method, path, body):
    answer = post(client, path.format(fact=client.fact), body, method)
    assert answer.status_code < 500, answer.text[:500]
    assert answer.status_code in (200, 201, 202, 400, 404, 409), answer.text[:500]
    if answer.status_code == 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]
    # What was taken in does not break what shows it.
    for address in ("/", "/p/hostile/", "/p/hostile/test/", "/p/hostile/facts/", "/p/hostile/settings/"):
        assert client.get(address).status_code == 200, address


def forms(bad: str) -> list[tuple[str, dict[str, str]]]:
    """Address and fields of the forms of the pages."""
    x = f"a{bad}b"
    quoted = json.dumps(x)
    fact = {"scope": "user", "owner": "u1", "path": "user.y", "value": "1"}
    return [
        ("/projects/new/", {"name": x}),
        ("/p/hostile/settings/", {"name": x, "description": x}),
        ("/p/hostile/settings/members/", {"username": x, "role": "viewer"}),
        ("/p/hostile/settings/tokens/", {"name": x}),
        ("/p/hostile/new/", {"path": f"{x}.agent.abl", "starter": "agent"}),
        ("/p/hostile/new/", {"path": "new.agent.abl", "starter": x}),
        (PAGE, {"text": x, "base_revision": "1", "message": x}),
        (f"{PAGE}/rename/", {"path": x}),
        *(("/p/hostile/facts/write/", {**fact, field: x}) for field in (*fact, "ttl", "reason")),
        ("/p/hostile/facts/write/", {**fact, "value": quoted}),
        ("/p/hostile/facts/delete/", {"fact": x}),
        *(("/p/hostile/test/", {field: x}) for field in ("user", "entry", "channel", "policy", "seed", "clock_mode")),
        ("/p/hostile/test/1/turns/", {"kind": "say", "text": x}),
        ("/p/hostile/test/1/turns/", {"kind": "say", "text": "1", "message_id": x}),
        ("/p/hostile/test/1/turns/", {"kind": "set", "name": x, "value": quoted}),
        ("/p/hostile/test/1/turns/", {"kind": "act", "id": "requested", "value": quoted}),
        ("/login/", {"username": x, "password": x}),
    ]


# A form is sent as UTF-8, which has no half pairs; inside JSON in a field there may be one.
FORMS = [*(("NUL", *row) for row in forms(NUL)), *(("half", *row) for row in forms("\\ud800"))]


@pytest.mark.parametrize(
    ("path", "fields"),
    [pytest.param(*case[1:], id=f"{case[0]} {case[1]} {json.dumps(case[2])[:60]}") for case in FORMS],
)
def test_forms_refuse_or_keep_them_too(client, path, fields):
    csrf = {"csrfmiddlewaretoken": client.headers["X-CSRFToken"]}
    answer = client.post(path, data={**fields, **csrf}, follow_redirects=False)
    assert answer.status_code in (200, 302, 400, 404, 409), answer.text[:500]
    assert client.get("/p/hostile/test/1/").status_code == 200
    assert client.get("/p/hostile/settings/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/p/hostile/edit/a%00b",
        "/p/hostile/edit/%ED%A0%80",
        "/p/hostile/facts/?scope=user&owner=a%00b&prefix=%00",
        "/p/hostile/facts/?scope=user&find=%00",
        "/p/hostile/facts/?scope=%00&cursor=%00",
        "/p/hostile/facts/?q=%ED%A0%80&owner=%ED%A0%80&scope=user",
        "/p/hostile/facts/changes/?before=%00",
        "/p/hostile/test/?before=%00",
        "/p/hostile/test/panel/?number=%00&path=%00",
        "/p/hostile/new/?starter=%00",
        "/diagnostics/ABL%00/",
        "/api/v1/projects/hostile/agents/a%00b/",
        "/api/v1/projects/hostile/agents/desk.agent.abl/diff/?from=%00&to=%00",
        "/api/v1/projects/?cursor=%00",
        "/api/v1/projects/hostile/facts/?owner=%00&scope=user&prefix=%00&cursor=%00",
        "/api/v1/projects/hostile/conversations/1/events/?kind=%00&after=%00&limit=%00&cursor=%00",
        "/login/?next=%00",
        "/%00",
        "/api/v1/%00",
    ],
)
def test_addresses_with_them_are_answered(client, path):
    assert client.get(path, follow_redirects=False).status_code in (200, 204, 302, 400, 404)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"text": ',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"files": {"a": NaN}}',
        b"1e999",
    ],
    ids=["empty", "null", "list", "not UTF-8", "cut", "nested lists", "nested objects", "NaN", "infinity"],
)
@pytest.mark.parametrize(
    "path", ["/api/v1/check/", f"{API}facts/", f"{API}conversations/1/turns/", f"{PAGE}/analyse/", f"{PAGE}/draft/"]
)
def test_a_body_that_is_no_object_is_refused(client, path, content):
    method = "PUT" if path.endswith("facts/") else "POST"
    answer = client.request(method, path, content=content, headers={"Content-Type": JSON, "Accept": JSON})
    assert answer.status_code == 400, answer.text[:300]
    assert answer.headers["content-type"] == "application/problem+json"


def test_afterwards_every_turn_has_ended_and_everything_is_well(client):
    def ended() -> bool:
        turns = client.get(f"{API}conversations/1/turns/", params={"page_size": 100}).json()["results"]
        return all(map(finished, turns))

    eventually(ended, 60, "every turn has ended")
    turns = client.get(f"{API}conversations/1/turns/", params={"page_size": 100}).json()["results"]
    assert [turn["error"] for turn in turns if (turn["error"] or {}).get("code") == "internal"] == []
    assert client.get("/healthz").json()["status"] == "ok"
