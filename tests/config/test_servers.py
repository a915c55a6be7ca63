"""The same product on PostgreSQL and Redis, by two settings."""

from __future__ import annotations

import os
import re
import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import httpx
import pytest

from config.threads import THREADS
from scripts.servers import DEFAULTS, answers
from tests.faults.servers import Redis
from tests.workbench import NOT_WELL, Workbench, busyness, eventually, running

pytestmark = [pytest.mark.server, pytest.mark.slow]
POSTGRES = os.environ.get("DATABASE_URL") or DEFAULTS["DATABASE_URL"][1]


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    """A database of its own, gone afterwards."""
    import psycopg

    if not answers(POSTGRES, 5432):
        pytest.skip("PostgreSQL does not answer")
    name = f"abl_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES.replace("postgres://", "postgresql://"), autocommit=True) as link:
        link.execute(f'CREATE DATABASE "{name}"')
        yield urlunsplit(urlsplit(POSTGRES)._replace(path=f"/{name}"))
        link.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    """A broker of its own: workers of a run beside this one would answer in another's name."""
    if not Redis.is_here():
        pytest.skip("redis-server is not here")
    server = Redis(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def workbench(tmp_path_factory, database_url, redis) -> Iterator[Workbench]:
    settings = {"DATABASE_URL": database_url, "BROKER_URL": redis.url}
    with running(tmp_path_factory.mktemp("servers"), settings) as workbench:
        yield workbench


def test_the_whole_workbench_runs_on_both(workbench):
    eventually(lambda: workbench.health()["status"] == "ok", what="every part is well")
    assert not list(workbench.var_dir.glob("*.sqlite3"))
    with workbench.client() as client:
        assert client.get("/").status_code == 200


def test_requests_share_the_connections_of_a_few_threads(workbench, database_url):
    """A new thread for each request left its connection behind, until the server took no more."""
    import psycopg

    def connections() -> int:
        with psycopg.connect(database_url.replace("postgres://", "postgresql://")) as link:
            found = link.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchone()
        assert found is not None
        return found[0]

    with workbench.client() as client:
        cookies = dict(client.cookies)
    before = connections()
    get = partial(httpx.get, cookies=cookies, timeout=60)
    for _ in range(3):
        with ThreadPoolExecutor(24) as many:
            # All threads are busy; what a session asks for beyond its bound is refused.
            assert {answer.status_code for answer in many.map(get, [f"{workbench.url}/"] * 72)} <= {200, 429}
    assert get(f"{workbench.url}/").status_code == 200
    assert connections() <= before + THREADS


def test_a_worker_that_is_gone_is_noticed_through_the_broker(workbench):
    workers = workbench.pids("config worker")
    os.kill(workers[0], signal.SIGSTOP)
    try:
        eventually(lambda: workbench.health()["worker"] == "no worker answers", what="silence is noticed")
    finally:
        os.kill(workers[0], signal.SIGCONT)
    assert eventually(lambda: workbench.health()["status"] == "ok", what="the worker is back")


def test_a_signal_ends_it_within_five_seconds_on_servers_too(tmp_path, database_url, redis):
    workbench = Workbench(tmp_path, DATABASE_URL=database_url, BROKER_URL=redis.url).start()
    assert workbench.stop() / busyness() < 5


def test_a_broker_that_does_not_answer_is_named(tmp_path, database_url):
    workbench = Workbench(tmp_path, DATABASE_URL=database_url, BROKER_URL="redis://127.0.0.1:1/0")
    try:
        workbench.start(until=NOT_WELL)
        eventually(lambda: workbench.health()["database"] == "ok", what="the rest is well")
        assert workbench.health()["broker"] != "ok"
        # A machine that does other things too may not have started the rest when the workbench loses patience.
        assert re.search(r"but not well: .*(broker|web): ", workbench.log)
    finally:
        workbench.stop()
