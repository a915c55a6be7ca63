"""What a request and an open stream take of the process, as uvicorn serves them."""

from __future__ import annotations

import asyncio
import json
import threading
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse

from config import asgi
from config.threads import (
    ADDRESS_REQUESTS,
    CLIENT_REQUESTS,
    CLIENT_STREAMS,
    CLIENT_THREADS,
    THREADS,
    TOKEN_THREADS,
    KnownClients,
)

KNOWN = {"one": 1, "another of one": 1, "two": 2, "Bearer abl_one": 1, "Bearer abl_other": 1}
"""Sessions and tokens with their users."""


class Asked:
    """One request: the statuses and bodies that were sent."""

    def __init__(self, path: str, session: str = "one", token: str = "", address: str = "192.0.2.1") -> None:
        cookie = f"{settings.SESSION_COOKIE_NAME}={session}"
        more = [(b"authorization", f"Bearer {token}".encode())] if token else []
        self.scope = {
            "client": (address, 1),
            "type": "http",
            "method": "GET",
            "path": path,
            "headers": [(b"cookie", cookie.encode()), (b"host", b"localhost"), *more],
            "query_string": b"",
        }
        self.gone = asyncio.Event()
        self.begun = asyncio.Event()
        self.sent: list[dict] = []
        self.asked = False

    async def receive(self):
        if not self.asked:
            self.asked = True
            return {"type": "http.request"}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.sent.append(message)
        self.begun.set()

    def start(self, handler):
        self.task = asyncio.create_task(handler(self.scope, self.receive, self.send))
        return self


@pytest.fixture
def handler(monkeypatch):
    """The handler before a view that answers when ``go`` is set; ``at_work`` counts how many requests are in it."""
    handler = asgi.Handler()
    monkeypatch.setattr(asgi, "known_clients", KnownClients())
    for name, user in KNOWN.items():
        asgi.known_clients.remember(name, user)
    handler.go, handler.at_work = threading.Event(), []

    def get_response(request):
        if request.path == "/a/stream/":
            return StreamingHttpResponse(endless())
        if request.path.startswith("/whoever/"):
            request.user = SimpleNamespace(pk=9, is_authenticated=request.path == "/whoever/nine")
            return HttpResponse("done")
        handler.at_work.append(request.path)
        assert handler.go.wait(60)
        return HttpResponse("done")

    monkeypatch.setattr(handler, "get_response", get_response)
    yield handler
    handler.go.set()


async def endless():
    yield b"retry: 1000\n\n"
    await asyncio.Event().wait()


def test_an_open_stream_holds_no_thread(handler):
    async def run():
        before = threading.active_count()
        streams = [Asked("/a/stream/", str(number)).start(handler) for number in range(3 * THREADS)]
        await asyncio.wait_for(asyncio.gather(*(each.begun.wait() for each in streams)), 60)
        assert threading.active_count() <= before + THREADS
        for each in streams:
            each.gone.set()
        await asyncio.gather(*(each.task for each in streams), return_exceptions=True)

    asyncio.run(run())


def test_one_session_leaves_threads_to_others_and_is_told_when_it_asks_for_too_much(handler):
    async def run():
        many = [Asked("/greedy").start(handler) for _ in range(CLIENT_REQUESTS)]
        while len(handler.at_work) < CLIENT_THREADS or asgi.client_lines.asked(1) < CLIENT_REQUESTS:
            await asyncio.sleep(0)
        beyond = Asked("/api/v1/more").start(handler)
        await beyond.task
        other = Asked("/other", "two").start(handler)
        while "/other" not in handler.at_work:
            await asyncio.sleep(0)
        assert handler.at_work == ["/greedy"] * CLIENT_THREADS + ["/other"]
        handler.go.set()
        await asyncio.gather(other.task, *(each.task for each in many))
        assert {each.sent[0]["status"] for each in [other, *many]} == {200}
        assert beyond.sent[0]["status"] == 429
        assert (b"Retry-After", b"1") in beyond.sent[0]["headers"]
        assert json.loads(beyond.sent[1]["body"])["detail"].startswith(
            f"You have {CLIENT_REQUESTS} requests in progress"
        )

    asyncio.run(run())


def test_a_page_does_not_wait_behind_the_streams_of_its_own_session(handler):
    async def run():
        streams = [Asked("/slow/stream/").start(handler) for _ in range(CLIENT_REQUESTS)]
        while asgi.stream_lines.asked(1) < CLIENT_REQUESTS:
            await asyncio.sleep(0)
        page = Asked("/page").start(handler)
        while "/page" not in handler.at_work:
            await asyncio.sleep(0)
        assert sorted(handler.at_work) == ["/page"] + ["/slow/stream/"] * CLIENT_STREAMS
        handler.go.set()
        await asyncio.gather(page.task, *(each.task for each in streams))

    asyncio.run(run())


async def all_asked(handler, requests):
    """The requests, once each of them is at work or waits in a line."""
    started = [each.start(handler) for each in requests]
    for _ in range(50):  # each goes as far as it can
        await asyncio.sleep(0)
    return started


def test_sessions_of_one_user_are_one_client_and_their_tokens_another(handler):
    async def run():
        sessions = [Asked(f"/{n}", ("one", "another of one")[n % 2]) for n in range(2 * CLIENT_THREADS)]
        tokens = [Asked("/api/", token=("abl_one", "abl_other")[n % 2]) for n in range(2 * CLIENT_THREADS)]
        many = await all_asked(handler, [*sessions, *tokens])
        other = Asked("/other", "two").start(handler)
        while "/other" not in handler.at_work:
            await asyncio.sleep(0)
        assert handler.at_work.count("/api/") == TOKEN_THREADS
        assert len(handler.at_work) == CLIENT_THREADS + TOKEN_THREADS + 1
        handler.go.set()
        await asyncio.gather(other.task, *(each.task for each in many))

    asyncio.run(run())


def test_whoever_calls_themselves_otherwise_each_time_is_one_client_with_a_longer_line(handler):
    async def run():
        names = [{"session": f"x{n}"} if n % 2 else {"token": f"x{n}"} for n in range(ADDRESS_REQUESTS)]
        many = await all_asked(handler, [Asked("/api/a", **name) for name in names])
        beyond = Asked("/api/more", "beyond").start(handler)
        await beyond.task
        assert beyond.sent[0]["status"] == 429
        known = Asked("/known").start(handler)
        elsewhere = Asked("/elsewhere", "x", address="192.0.2.2").start(handler)
        while not {"/known", "/elsewhere"} <= set(handler.at_work):
            await asyncio.sleep(0)
        assert handler.at_work.count("/api/a") == CLIENT_THREADS
        handler.go.set()
        await asyncio.gather(known.task, elsewhere.task, *(each.task for each in many))
        assert {each.sent[0]["status"] for each in many} == {200}

    asyncio.run(run())


def test_a_name_is_known_once_a_request_under_it_was_somebodys(handler):
    async def run():
        for path, session in (("/whoever/nine", "new"), ("/whoever/nobody", "stranger")):
            await Asked(path, session).start(handler).task
        assert asgi.known_clients.user_of("new") == 9
        assert asgi.known_clients.user_of("stranger") is None

    asyncio.run(run())


def test_a_header_that_is_no_token_of_the_api_names_nobody(handler):
    async def run():
        await Asked("/whoever/nine", "new", token="abl_of_a_proxy").start(handler).task
        assert asgi.known_clients.user_of("Bearer abl_of_a_proxy") is None
        assert asgi.known_clients.user_of("new") == 9

    asyncio.run(run())


def test_those_who_asked_for_nothing_for_long_are_forgotten():
    known = KnownClients(most=2)
    for name in ("a", "b", "a", "c"):
        known.remember(name, name)
    assert [known.user_of(name) for name in "abc"] == ["a", None, "c"]
