"""What waits for viewers is bounded: of each stream, of each user, and of what is read at once."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest

from web.streams import AT_ONCE, Hub, Message, Viewer

pytestmark = pytest.mark.django_db(transaction=True)

PIECE = 100_000


class Claim(NamedTuple):
    user: int


class Talk:
    """A conversation of many pieces of ``size`` bytes; tells what it was asked for."""

    def __init__(self, size=PIECE):
        self.size = size
        self.asked = []

    def __call__(self, wants):
        self.asked.append(list(wants))
        return {key: (key[1] + 1, [Message("trace", "x" * self.size, key[1] + 1)]) for key in wants}


def viewers_of(hub, *users, cursor=None):
    """Viewers that take nothing, each with a cursor of its own."""
    loop = asyncio.get_running_loop()
    found = [Viewer(topic=1, cursor=cursor or 10 * n, claim=Claim(user), loop=loop) for n, user in enumerate(users)]
    hub._viewers.update(found)
    return found


async def serve(hub, times):
    for _ in range(times):
        await asyncio.to_thread(hub._serve)
        await asyncio.sleep(0)


def test_a_stream_that_nobody_reads_gets_no_more_than_its_bytes(monkeypatch):
    monkeypatch.setattr("web.streams.STREAM_BYTES", 2 * PIECE)
    talk = Talk()

    async def go():
        hub = Hub(talk)
        (viewer,) = viewers_of(hub, 7)
        await serve(hub, 9)
        assert (viewer.queue.qsize(), viewer.cursor, viewer.behind) == (2, 2, False)
        assert sum(map(len, talk.asked)) == 2, "nothing more is read for it"
        hub._took(viewer, len(viewer.queue.get_nowait()))
        assert hub._arrived.is_set(), "it is served at once when it has taken some"
        await serve(hub, 9)
        assert (viewer.queue.qsize(), viewer.cursor) == (2, 3)

    asyncio.run(go())


def test_what_waits_for_all_streams_of_a_user_is_bounded_and_others_get_theirs(monkeypatch):
    monkeypatch.setattr("web.streams.STREAM_BYTES", 4 * PIECE)
    monkeypatch.setattr("web.streams.STREAM_BYTES_OF_USER", 10 * PIECE)
    talk = Talk()

    async def go():
        hub = Hub(talk)
        greedy, (other,) = viewers_of(hub, *[7] * 40), viewers_of(hub, 8)
        await serve(hub, 5)
        assert sum(viewer.unread for viewer in greedy) <= 10 * PIECE
        assert other.unread > 3 * PIECE
        ended = [viewer for viewer in greedy if viewer.behind]
        assert ended
        for viewer in ended:
            chunks = [viewer.queue.get_nowait() for _ in range(viewer.queue.qsize())]
            assert chunks[-1] is None
            assert f"id: {viewer.cursor}\n".encode() in chunks[-2], "it goes on behind what it was given last"
        assert max(map(len, talk.asked)) <= AT_ONCE

    asyncio.run(go())


def test_a_piece_larger_than_every_bound_still_comes(monkeypatch):
    monkeypatch.setattr("web.streams.STREAM_BYTES", 10)
    monkeypatch.setattr("web.streams.STREAM_BYTES_OF_USER", 20)

    async def go():
        hub = Hub(Talk())
        (viewer,) = viewers_of(hub, 7)
        await serve(hub, 3)
        assert (viewer.queue.qsize(), viewer.cursor, viewer.behind) == (1, 1, False)

    asyncio.run(go())
