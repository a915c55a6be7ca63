"""The embedded broker under several processes, broken files and a disk that refuses."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import time
from pathlib import Path

import pytest
from celery import Celery
from kombu import Connection, Consumer, Exchange, Producer, Queue
from kombu.exceptions import ConnectionError, OperationalError

from config import options
from config.broker import LEFTOVER_SECONDS

pytestmark = pytest.mark.slow

EXCHANGE = Exchange("turns", type="direct")
QUEUE = Queue("turns", EXCHANGE, routing_key="turns")
WRITERS, MESSAGES = 4, 150
# Fresh interpreters: a forked child would share what this process knows of the bindings.
SPAWN = multiprocessing.get_context("spawn")


def connect(folder: Path) -> Connection:
    import config.celery  # noqa: F401 - registers the transport

    return Connection("embedded://", transport_options=options.broker_transport("embedded://", folder))


def publish(folder: Path, bodies: list[object]) -> None:
    with connect(folder) as link:
        producer = Producer(link)
        for body in bodies:
            producer.publish(body, exchange=EXCHANGE, routing_key="turns", declare=[QUEUE], retry=True)


def drain(folder: Path, *, quiet_seconds: float = 0.3) -> list[object]:
    """Every message that is there, until none came for a while."""
    bodies: list[object] = []

    def receive(body: object, message) -> None:
        bodies.append(body)
        message.ack()

    with connect(folder) as link, Consumer(link, [QUEUE], callbacks=[receive]):
        while True:
            try:
                link.drain_events(timeout=quiet_seconds)
            except TimeoutError:
                return bodies


def write_many(folder: str, writer: int) -> None:
    publish(Path(folder), [f"{writer}-{number}" for number in range(MESSAGES)])


def read_many(folder: str, results, all_written) -> None:
    """Read until nothing is left that was there when the last writer had ended."""
    bodies: list[object] = []
    while not all_written.is_set():
        bodies += drain(Path(folder))
    results.put(bodies + drain(Path(folder)))


@pytest.mark.slow
def test_two_readers_take_each_message_of_four_writers_exactly_once(tmp_path):
    results = SPAWN.Queue()
    all_written = SPAWN.Event()
    readers = [SPAWN.Process(target=read_many, args=(str(tmp_path), results, all_written)) for _ in range(2)]
    writers = [SPAWN.Process(target=write_many, args=(str(tmp_path), number)) for number in range(WRITERS)]
    for process in readers + writers:
        process.start()
    for process in writers:
        process.join(120)
    all_written.set()
    taken = [body for _ in readers for body in results.get(timeout=120)]
    for process in readers:
        process.join(60)
    assert [process.exitcode for process in readers + writers] == [0] * 6
    assert sorted(taken) == sorted(f"{writer}-{number}" for writer in range(WRITERS) for number in range(MESSAGES))
    assert list((tmp_path / "queue").iterdir()) == []
    assert list((tmp_path / "processed").iterdir()) == []


def test_messages_come_in_the_order_they_were_sent(tmp_path):
    publish(tmp_path, list(range(30)))
    assert drain(tmp_path) == list(range(30))


def test_a_reader_never_sees_a_message_that_is_half_written(tmp_path):
    drain(tmp_path)
    # What a writer leaves that died in the middle: it lies beside the queue, under a name that is no message's.
    (tmp_path / "processed" / "0123.part").write_text('{"body": "cut')
    publish(tmp_path, ["whole"])
    assert drain(tmp_path) == ["whole"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"body": "cut',
        "[]",
        "null",
        '{"body": "x"}',
        '{"properties": {"delivery_tag": "1", "body_encoding": "base64"}, "body": "abc"}',
    ],
    ids=["empty", "cut", "list", "null", "no properties", "body not base64"],
)
def test_a_broken_file_is_set_aside_and_the_next_message_arrives(tmp_path, content, caplog):
    publish(tmp_path, ["after"])
    name = "00000000000000000001_0.turns.msg"
    (tmp_path / "queue" / name).write_text(content)
    assert drain(tmp_path) == ["after"]
    assert (tmp_path / "processed" / "00000000000000000001_0.turns.bad").read_text() == content
    assert "holds no message" in caplog.text


def test_folders_that_vanish_are_made_again_for_writers_and_readers(tmp_path):
    import shutil

    with connect(tmp_path) as link:
        producer = Producer(link)
        producer.publish(1, exchange=EXCHANGE, routing_key="turns", declare=[QUEUE])
        shutil.rmtree(tmp_path / "queue")
        shutil.rmtree(tmp_path / "processed")
        shutil.rmtree(tmp_path / "control")
        producer.publish(2, exchange=EXCHANGE, routing_key="turns", declare=[QUEUE], retry=True)
        received = []
        with Consumer(link, [QUEUE], callbacks=[lambda body, message: (received.append(body), message.ack())]):
            link.drain_events(timeout=20)
            shutil.rmtree(tmp_path / "queue")
            with pytest.raises(socket.timeout):
                link.drain_events(timeout=0.1)
            publish(tmp_path, [3])
            link.drain_events(timeout=20)
    assert received == [2, 3]


def test_a_message_that_a_killed_reader_had_taken_goes_back(tmp_path):
    publish(tmp_path, ["mine"])
    [waiting] = (tmp_path / "queue").iterdir()
    os.rename(waiting, tmp_path / "processed" / waiting.name)
    assert drain(tmp_path) == [], "it may still be under way in another reader"
    later = time.time() + LEFTOVER_SECONDS + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("config.broker.time.time", lambda: later)
        assert drain(tmp_path) == ["mine"]


def test_a_disk_that_refuses_is_an_operational_error_for_who_publishes(tmp_path, monkeypatch):
    app = Celery("refused", broker="embedded://", set_as_current=False)
    app.conf.broker_transport_options = options.broker_transport("embedded://", tmp_path)
    app.send_task("anything")

    def refuse(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("config.broker.os.replace", refuse)
    with pytest.raises(OperationalError, match="No space left on device"):
        app.send_task("anything")
    with connect(tmp_path) as link, pytest.raises(ConnectionError):
        link.connect()
    assert not list((tmp_path / "processed").glob("*.part")), "the part of a message that failed is not left behind"


def bind_many(folder: str, number: int) -> None:
    with connect(Path(folder)) as link:
        for n in range(20):
            Queue(f"q{number}-{n}", EXCHANGE, routing_key="turns").bind(link.default_channel).declare()


@pytest.mark.slow
def test_bindings_made_at_once_by_several_processes_are_all_kept(tmp_path):
    processes = [SPAWN.Process(target=bind_many, args=(str(tmp_path), number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    rows = json.loads((tmp_path / "control" / "turns.exchange").read_text())
    assert {row[2] for row in rows} == {f"q{number}-{n}" for number in range(3) for n in range(20)}


def test_deleting_a_queue_removes_its_messages_and_its_binding(tmp_path):
    publish(tmp_path, [1, 2])
    with connect(tmp_path) as link:
        queue = QUEUE.bind(link.default_channel)
        queue.declare()
        assert queue.queue_declare(passive=True).message_count == 2
        queue.delete()
        assert link.default_channel.get_table("turns") == []
    assert list((tmp_path / "queue").iterdir()) == []


def test_purging_counts_the_messages_it_removed(tmp_path):
    publish(tmp_path, [1, 2, 3])
    with connect(tmp_path) as link:
        queue = QUEUE.bind(link.default_channel)
        queue.declare()
        assert queue.purge() == 3
        assert queue.purge() == 0
