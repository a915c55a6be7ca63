"""The threads that answer requests: what waits for one, for how long, and whether anything gets done."""

from __future__ import annotations

import asyncio
import threading

import pytest

from config.health import BUSY_SECONDS, summary, web_figures, web_word
from config.threads import ClientLines, RequestThreads, TooManyWait
from tests.workbench import eventually


@pytest.fixture
def now():
    return {"at": 100.0}


@pytest.fixture
def threads(now):
    found = RequestThreads(2)
    found.clock = lambda: now["at"]
    yield found
    found.shutdown(wait=True, cancel_futures=True)


@pytest.fixture
def held(threads):
    """Both threads at work, each until its event is set."""
    events = [threading.Event() for _ in range(2)]
    for event in events:
        threads.submit(event.wait, 60)
    eventually(lambda: threads.free == 0, what="both work")
    yield events
    for event in events:
        event.set()


def test_busy_threads_are_well_while_nobody_waits(threads, held, now):
    now["at"] += 1000
    assert (threads.oldest_wait, threads.standstill) == (0.0, 0.0)
    assert web_word(web_figures(threads)) == "ok"


def test_a_request_that_waits_for_long_makes_the_web_process_busy(threads, held, now):
    threads.submit(int)
    now["at"] += BUSY_SECONDS
    assert web_word(web_figures(threads)) == "ok"
    now["at"] += 2
    assert web_word(web_figures(threads)) == "busy: a request has waited 7 s for a thread"
    assert summary({"web": web_word(web_figures(threads))}, {})["status"] == "unavailable"
    held[0].set()
    eventually(lambda: threads.waiting == 0, what="it got its thread")
    assert web_word(web_figures(threads)) == "ok"


def test_it_stands_still_only_while_no_request_is_finished(threads, held, now):
    more = threading.Event()
    threads.submit(more.wait, 60)
    last = threads.submit(int)
    now["at"] += 20
    assert threads.standstill == 20
    held[0].set()  # one is finished, the next takes its thread, and the last continues waiting
    eventually(lambda: threads.waiting == 1 and threads.free == 0, what="the next one works")
    assert (threads.oldest_wait, threads.standstill) == (20, 0)
    now["at"] += 31
    assert (threads.oldest_wait, threads.standstill) == (51, 31)
    assert last.cancel()
    assert (threads.oldest_wait, threads.standstill, threads.waiting) == (0, 0, 0)
    more.set()


def test_the_answer_of_a_request_that_raised_is_progress_too(threads, held, now):
    threads.submit(int)
    failed = threads.submit(lambda: 1 / 0)
    now["at"] += 40
    held[0].set()
    assert isinstance(failed.exception(60), ZeroDivisionError)
    eventually(lambda: threads.free == 1, what="only one works")
    assert threads.standstill == 0


async def begun(lines, client, count, until):
    """Requests of a client which are answered once ``until`` is set: their tasks, and those that have a turn."""
    having = []

    async def request(number):
        async with lines.turn_of(client):
            having.append(number)
            await until.wait()

    tasks = [asyncio.create_task(request(number)) for number in range(count)]
    await asyncio.sleep(0)
    return tasks, having


def test_a_client_waits_for_its_own_requests_and_no_other_does():
    async def run():
        lines, until = ClientLines(size=2, most=10), asyncio.Event()
        many, having = await begun(lines, "greedy", 5, until)
        one, other = await begun(lines, "other", 1, until)
        assert (having, other) == ([0, 1], [0])
        until.set()
        await asyncio.gather(*many, *one)
        assert having == [0, 1, 2, 3, 4]
        assert lines.asked("greedy") == 0

    asyncio.run(run())


def test_beyond_its_line_a_request_of_a_client_is_refused_at_once():
    async def run():
        lines, until = ClientLines(size=1, most=3), asyncio.Event()
        many, _ = await begun(lines, "greedy", 3, until)
        with pytest.raises(TooManyWait):
            async with lines.turn_of("greedy"):
                pass
        many[1].cancel()
        await asyncio.gather(many[1], return_exceptions=True)
        more, _ = await begun(lines, "greedy", 1, until)  # who left makes room
        until.set()
        await asyncio.gather(many[0], many[2], *more)
        assert lines.asked("greedy") == 0

    asyncio.run(run())
