"""What a request and an open stream take of the process, as uvicorn serves them."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse

from config import asgi
from config.threads import CLIENT_REQUESTS, CLIENT_STREAMS, CLIENT_THREADS, THREADS


class Asked:
    """One request: the statuses and bodies that were sent."""

    def __init__(self, path: str, session: str = "one") -> None:
        cookie = f"{settings.SESSION_COOKIE_NAME}={session}"
        self.scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "headers": [(b"cookie", cookie.encode()), (b"host", b"localhost")],
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
    handler.go, handler.at_work = threading.Event(), []

    def get_response(request):
        if request.path == "/a/stream/":
            return StreamingHttpResponse(endless())
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
        while len(handler.at_work) < CLIENT_THREADS or asgi.client_lines.asked("one") < CLIENT_REQUESTS:
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
        while asgi.stream_lines.asked("one") < CLIENT_REQUESTS:
            await asyncio.sleep(0)
        page = Asked("/page").start(handler)
        while "/page" not in handler.at_work:
            await asyncio.sleep(0)
        assert sorted(handler.at_work) == ["/page"] + ["/slow/stream/"] * CLIENT_STREAMS
        handler.go.set()
        await asyncio.gather(page.task, *(each.task for each in streams))

    asyncio.run(run())
