"""Server-sent events: catching up, following, and who may listen."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connections
from django.test import AsyncClient, Client
from django.urls import reverse

from constraints.conversations import services, stream
from constraints.models import Conversation, TraceEvent
from editor import services as editing
from editor.models import ApiToken
from editor.selectors import digest_of
from tests.constraints.conftest import Runner
from tests.workbench import eventually
from web.streams import Hub, Message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_reads_on(transactional_db):
    """The threads that serve viewers look around once more after the last one left; the database waits for them."""
    yield
    left = {"streams", "rights"}
    eventually(lambda: not left & {thread.name for thread in threading.enumerate()}, what="the threads have ended")


def parsed(chunk):
    """Chunks as (event, data, id)."""
    found = []
    for block in chunk.decode().strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"]), fields.get("id")))
    return found


async def until(chunks, wanted, seconds=60):
    """Messages up to the first for which ``wanted`` holds."""
    got = []
    async with asyncio.timeout(seconds):
        async for chunk in chunks:
            for message in parsed(chunk):
                got.append(message)
                if wanted(message):
                    return got
    raise AssertionError(f"the stream ended; got {got}")


def play(coroutine):
    """Run it; what its threads opened of the database is closed again."""

    async def whole():
        try:
            return await coroutine
        finally:
            await sync_to_async(connections.close_all)()

    return asyncio.run(whole())


def is_version(number):
    return lambda message: message[0] == "version" and message[1]["version"] >= number


def run(turn, **more):
    services.turn_run(turn_id=turn.pk, runner=Runner(**more))


async def listen(user, conversation, **headers):
    client = AsyncClient()
    await client.aforce_login(user)
    url = reverse("constraints:stream", args=["library", conversation.number])
    return await client.get(url, headers=headers)


def test_it_catches_up_from_the_beginning(conversation, start, owner):
    run(start)

    async def go():
        answer = await listen(owner, conversation)
        assert answer["Content-Type"] == "text/event-stream"
        version = (await Conversation.objects.aget(pk=conversation.pk)).version
        return await until(answer.streaming_content.__aiter__(), is_version(version))

    got = play(go())
    assert [data["event"]["seq"] for kind, data, _ in got if kind == "trace"] == [1, 2]
    assert [data["status"] for kind, data, _ in got if kind == "turn"] == ["done"]
    assert got[-1][2] is not None


def test_a_page_is_told_how_far_the_events_go_without_their_data(conversation, start, owner):
    run(start)
    fresh = Conversation.objects.get(pk=conversation.pk)
    topic = stream.Topic(conversation.pk, True)
    cursor, messages = stream.read([(topic, 0)])[topic, 0]
    assert cursor == fresh.version
    assert messages[0].data == {"index": 0, "attempt": 1, "events": 2, "last": 2}


def test_it_goes_on_behind_the_last_event_id(conversation, start, say, owner):
    run(start)
    conversation.refresh_from_db()
    known = conversation.version
    turn = say()
    run(turn)

    async def go():
        answer = await listen(owner, conversation, **{"Last-Event-ID": str(known)})
        fresh = await Conversation.objects.aget(pk=conversation.pk)
        return await until(answer.streaming_content.__aiter__(), is_version(fresh.version))

    got = play(go())
    assert [data["event"]["seq"] for kind, data, _ in got if kind == "trace"] == [3, 4]
    assert {data["index"] for kind, data, _ in got if kind == "turn"} == {1}


def test_it_follows_what_happens_after_it_opened(conversation, start, owner):
    async def go():
        answer = await listen(owner, conversation)
        chunks = answer.streaming_content.__aiter__()
        before = await until(chunks, is_version(1))
        await sync_to_async(run)(start)
        after = await until(chunks, lambda message: message[0] == "turn" and message[1]["status"] == "done")
        return before, after

    before, after = play(go())
    assert [data["status"] for kind, data, _ in before if kind == "turn"] == ["queued"]
    assert [data["event"]["seq"] for kind, data, _ in after if kind == "trace"] == [1, 2]


def test_a_viewer_is_told_that_the_conversation_is_gone_also_when_its_permission_is_asked_for_again(
    conversation, start, owner, monkeypatch
):
    monkeypatch.setattr("web.rights.RECHECK_SECONDS", 0)

    async def go():
        answer = await listen(owner, conversation)
        chunks = answer.streaming_content.__aiter__()
        await until(chunks, is_version(1))
        delete = sync_to_async(services.conversations_delete)
        await delete(project=conversation.project, numbers=[conversation.number], actor=owner)
        return await until(chunks, lambda message: message[0] == "gone")

    assert play(go())[-1][0] == "gone"


def test_a_member_who_is_removed_loses_the_stream_although_nothing_happens_on_it(people, project, conversation):
    async def go():
        answer = await listen(people["viewer"], conversation)
        stays = await listen(people["owner"], conversation)
        chunks, others = answer.streaming_content.__aiter__(), stays.streaming_content.__aiter__()
        await until(chunks, is_version(1))
        await until(others, is_version(1))
        remove = sync_to_async(editing.member_remove)
        await remove(project=project, username=people["viewer"].username)
        async with asyncio.timeout(30):
            left = [chunk async for chunk in chunks]
        return left, {viewer.claim.user for viewer in stream.hub._viewers if not viewer.behind}

    left, listening = play(go())
    assert left == []
    assert listening == {people["owner"].pk}


def test_rights_are_asked_once_for_viewers_with_the_same_and_never_where_nobody_listens(
    conversation, owner, monkeypatch, django_assert_num_queries
):
    asked = []
    monkeypatch.setattr(stream.hub.rights, "_allowed", lambda claims: asked.append(list(claims)) or set(claims))

    async def go():
        client = AsyncClient()
        await client.aforce_login(owner)
        url = reverse("constraints:stream", args=["library", conversation.number])
        answers = [await client.get(url) for _ in range(5)]
        chunks = [answer.streaming_content.__aiter__() for answer in answers]
        for each in chunks:
            await until(each, is_version(1))
        await asyncio.to_thread(eventually, lambda: any(asked), what="rights are asked")

    play(go())
    assert {len(claims) for claims in asked} <= {0, 1}
    claim = next(claims[0] for claims in asked if claims)
    with django_assert_num_queries(4):
        assert stream.allowed_viewings([claim, claim._replace(user=0)]) == {claim}


def test_a_viewer_does_not_wait_for_an_answer_about_rights(monkeypatch):
    released = threading.Event()
    asked = threading.Event()

    def hang(claims):
        asked.set()
        released.wait(60)
        return set(claims)

    monkeypatch.setattr("web.rights.RECHECK_SECONDS", 0)
    hub = Hub(
        lambda wants: {key: (1, [Message("hello", {}, 1)]) for key in wants if asked.is_set() and not key[1]},
        watch=Still,
        allowed=hang,
    )

    async def go():
        try:
            return await until(hub.stream(topic=1, cursor=0), lambda message: message[0] == "hello")
        finally:
            released.set()

    assert play(go())


@pytest.mark.slow
def test_many_viewers_get_the_same(conversation, start, owner):
    async def go():
        answers = [await listen(owner, conversation) for _ in range(20)]
        chunks = [answer.streaming_content.__aiter__() for answer in answers]
        for each in chunks:
            await until(each, is_version(1))
        await sync_to_async(run)(start)
        done = [until(each, lambda m: m[0] == "turn" and m[1]["status"] == "done") for each in chunks]
        return await asyncio.gather(*done)

    for got in play(go()):
        assert [data["event"]["seq"] for kind, data, _ in got if kind == "trace"] == [1, 2]


def test_a_long_trace_comes_in_pieces_without_gaps(conversation, start, monkeypatch):
    monkeypatch.setattr(stream, "CATCH_UP", 10)
    run(start, events=4)
    at = TraceEvent.objects.first().at
    TraceEvent.objects.bulk_create(
        TraceEvent(
            conversation=conversation,
            turn=start,
            attempt=1,
            seq=10 + n,
            kind="log",
            status="ok",
            at=at,
            version=20 + n // 3,
        )
        for n in range(30)
    )
    seen, cursor = [], 0
    while cursor < 29:
        cursor, messages = stream.changes(stream.Topic(conversation.pk, False), cursor, 29)
        seen += [message.data["event"]["seq"] for message in messages if message.event == "trace"]
    assert seen == [1, 2, 3, 4, *range(10, 40)]


@pytest.mark.parametrize("brief", [False, True])
def test_much_is_read_in_pieces_of_bounded_bytes_without_gaps(conversation, start, say, monkeypatch, brief):
    monkeypatch.setattr(stream, "STREAM_BYTES", 3_000)
    run(start, events=1)
    for n in range(20):
        run(say(), events=1, replies=[f"{n}" * 1_000])
    conversation.refresh_from_db()
    last, cursor, seqs, turns = conversation.version, 0, [], {}
    while cursor < last:
        cursor, messages = stream.read([(stream.Topic(conversation.pk, brief), cursor)])[
            stream.Topic(conversation.pk, brief), cursor
        ]
        assert sum(len(message.wire) for message in messages) < 12_000
        assert (messages[-1].event, messages[-1].id) == ("version", cursor)
        seqs += [m.data["last"] if brief else m.data["event"]["seq"] for m in messages if m.event == "trace"]
        turns |= {message.data["index"]: message.data["status"] for message in messages if message.event == "turn"}
    assert sorted(seqs) == list(range(1, 22))
    assert turns == dict.fromkeys(range(21), "done")


@pytest.mark.parametrize("role", ["owner", "editor", "reviewer", "viewer"])
def test_members_may_listen(people, conversation, role):
    assert play(listen(people[role], conversation)).status_code == 200


def test_strangers_and_the_anonymous_may_not(people, conversation):
    async def anonymous():
        return await AsyncClient().get(reverse("constraints:stream", args=["library", conversation.number]))

    assert play(listen(people["stranger"], conversation)).status_code == 404
    assert play(anonymous()).status_code == 401


def test_a_token_opens_the_stream_of_its_project_only(owner, project, conversation):
    ApiToken.objects.create(user=owner, project=project, digest=digest_of("secret"), prefix="secr")

    async def go(secret):
        url = reverse("api-events-stream", args=["library", conversation.number])
        return await AsyncClient().get(url, headers={"Authorization": f"Bearer {secret}"})

    assert play(go("secret")).status_code == 200
    assert play(go("wrong")).status_code == 401


def test_a_user_watches_a_bounded_number_of_conversations_at_once(monkeypatch, conversation, owner):
    monkeypatch.setattr("web.costly.STREAMS_OF_USER", 2)
    client = Client()
    client.force_login(owner)
    url = reverse("constraints:stream", args=["library", conversation.number])
    opened = [client.get(url) for _ in range(2)]
    assert [answer.status_code for answer in opened] == [200, 200]
    refused = client.get(url)
    assert (refused.status_code, refused.json()["code"]) == (429, "busy")
    assert "You have 2 conversations open already" in refused.json()["detail"]
    opened.pop().close()
    assert client.get(url).status_code == 200
    for answer in opened:
        answer.close()


def test_only_reading_is_allowed(owner, conversation):
    async def go():
        client = AsyncClient()
        await client.aforce_login(owner)
        return await client.post(reverse("constraints:stream", args=["library", conversation.number]))

    assert play(go()).status_code == 405


class Away:
    """A watcher whose database goes away once."""

    def __init__(self):
        self.left = 1

    def wait(self, seconds, wake):
        if self.left:
            self.left -= 1
            raise OperationalError("server closed the connection")

    def close(self):
        pass


def test_a_database_that_goes_away_is_told_and_then_that_it_is_back(monkeypatch):
    monkeypatch.setattr("web.streams.RETRY_SECONDS", 0.01)
    source = Away()
    hub = Hub(lambda wants: {}, watch=lambda: source)

    async def go():
        return await until(hub.stream(topic=1, cursor=0), lambda message: message[0] == "back")

    assert [kind for kind, _, _ in play(go())] == ["away", "back"]


def test_the_thread_ends_with_the_last_viewer():
    hub = Hub(lambda wants: {key: (1, [Message("hello", {}, 1)]) for key in wants if key[1] == 0}, watch=Still)

    async def go():
        chunks = hub.stream(topic=1, cursor=0)
        await until(chunks, lambda message: message[0] == "hello")
        thread = hub._thread
        await chunks.aclose()
        return thread

    thread = play(go())
    thread.join(60)
    assert not thread.is_alive()


class Still:
    """A watcher that sees no change."""

    def wait(self, seconds, wake):
        wake.wait(0.01)

    def close(self):
        pass
