"""The workbench that is attacked: all of its processes, with data of its own, on one of two set-ups."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from tests.attacks.watching import MEMORY_MB, resident_mb
from tests.faults.servers import Postgres, Redis
from tests.prepared import put_database
from tests.workbench import Workbench, eventually

ADDRESS_SPACE = 6_000_000_000
"""Bytes of address space for a process of the workbench: beyond, it fails, and not the machine that tests it."""


@pytest.fixture(scope="session")
def setup() -> str:
    """``embedded`` (SQLite, broker in files) or ``servers`` (PostgreSQL, Redis)."""
    return os.environ.get("ATTACK_SETUP", "embedded")


@pytest.fixture(scope="session")
def server_settings(setup: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Settings that name servers of this run alone; empty for the embedded set-up."""
    if setup == "embedded":
        yield {}
        return
    if not (Postgres.is_here() and Redis.is_here()):
        pytest.skip("PostgreSQL or Redis is not here")
    postgres, redis = Postgres().start(), Redis(tmp_path_factory.mktemp("redis")).start()
    try:
        yield {"DATABASE_URL": postgres.url, "BROKER_URL": redis.url}
    finally:
        redis.kill()
        postgres.remove()


class Attacked:
    """A workbench that is started anew when an attack has left it unwell: the next one is measured fairly."""

    def __init__(self, factory: pytest.TempPathFactory, settings: dict[str, str]) -> None:
        self.factory, self.settings = factory, settings
        self.workbench: Workbench | None = None

    def get(self) -> Workbench:
        """The running workbench, or another with data of its own when that one does not recover at once."""
        if self.workbench is not None and not recovered(self.workbench):
            self.end()
        if self.workbench is None:
            self.workbench = self.start()
        return self.workbench

    def start(self) -> Workbench:
        """Start one with a bound on the memory of each of its processes."""
        folder = self.factory.mktemp("attacked")
        temporary = folder / "tmp"
        temporary.mkdir()
        workbench = Workbench(folder, TMPDIR=str(temporary), **self.fresh(folder.name))
        if not self.settings:
            put_database(workbench.var_dir, workbench.env)
        command = ("prlimit", f"--as={ADDRESS_SPACE}", sys.executable, "manage.py", "serve")
        return workbench.start(command)

    def fresh(self, name: str) -> dict[str, str]:
        """The settings with a database that is empty."""
        if "DATABASE_URL" not in self.settings:
            return self.settings
        server = self.settings["DATABASE_URL"]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
        return {**self.settings, "DATABASE_URL": server.removesuffix("postgres") + name}

    def end(self) -> None:
        """End it, whatever state it is in."""
        if self.workbench is not None:
            for pid in self.workbench.pids():
                os.kill(pid, signal.SIGKILL)
            self.workbench.stop()
            self.workbench = None


def recovered(workbench: Workbench) -> bool:
    """Whether a workbench is well and its queue is empty."""

    def well() -> bool:
        try:
            return workbench.health()["status"] == "ok"
        except (httpx.HTTPError, ValueError):
            return False

    try:
        eventually(well, 10)
    except AssertionError:
        return False
    # Memory that an attack took is not always given back: the next one shall not answer for it.
    swollen = any(resident_mb(pid) > MEMORY_MB / 2 for pid in workbench.pids())
    return not swollen and workbench.shell(WAITING).strip() == "0"


WAITING = """
from constraints.models import Turn
print(Turn.objects.filter(status__in=Turn.UNFINISHED).count())
"""


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory, server_settings: dict[str, str]) -> Iterator[Attacked]:
    """What keeps a workbench for the attacks of a run."""
    kept = Attacked(tmp_path_factory, server_settings)
    yield kept
    kept.end()


@pytest.fixture
def workbench(attacked: Attacked) -> Workbench:
    """A workbench that is well."""
    return attacked.get()
