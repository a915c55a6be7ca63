"""Servers of a test's own, to be taken away and given back: PostgreSQL and Redis, each on a free port."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.workbench import eventually

POSTGRES_USER = "postgres"


def free_port() -> int:
    """A port that nobody uses just now, below those that connections are given: it is still free after a restart."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as opened:
            try:
                opened.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def accepts(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Redis:
    """A Redis that keeps nothing: what a real one loses when it crashes is lost here too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def is_here() -> bool:
        return shutil.which("redis-server") is not None

    def start(self) -> Redis:
        """Start it and return once it answers."""
        settings = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        command = ["redis-server", *settings, "--dir", str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: accepts(self.port), what="Redis listens")
        return self

    def kill(self) -> None:
        """End it without a farewell."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            self.process = None


class Postgres:
    """A cluster of its own. ``initdb`` refuses root, so root hands the work to the user of the Debian package."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="abl-postgres-"))
        self.port = free_port()
        self.url = f"postgres://{POSTGRES_USER}@127.0.0.1:{self.port}/postgres"
        if os.geteuid() == 0:
            shutil.chown(self.folder, POSTGRES_USER)
        self._run("initdb", "--pgdata", self.data, "--username", POSTGRES_USER, "--auth", "trust", "--no-sync")

    @staticmethod
    def program(name: str) -> str | None:
        """Path of a program of PostgreSQL; Debian keeps the newest in a folder of its own."""
        versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        return str(versions[-1]) if versions else shutil.which(name)

    @classmethod
    def is_here(cls) -> bool:
        as_other = os.geteuid() != 0 or shutil.which("runuser") is not None
        return as_other and all(map(cls.program, ("initdb", "pg_ctl", "postgres")))

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def _run(self, name: str, *arguments: str) -> None:
        as_user: Sequence[str] = ["runuser", "-u", POSTGRES_USER, "--"] if os.geteuid() == 0 else []
        command = [*as_user, str(self.program(name)), *arguments]
        subprocess.run(
            command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180
        )

    def start(self) -> Postgres:
        """Start it and return once it answers."""
        options = f"-p {self.port} -h 127.0.0.1 -c fsync=off -c unix_socket_directories=''"
        log = str(self.folder / "log")
        self._run("pg_ctl", "--pgdata", self.data, "--log", log, "-w", "-t", "150", "--options", options, "start")
        return self

    def stop(self) -> None:
        """End it as a crash would: every connection is cut at once."""
        self._run("pg_ctl", "--pgdata", self.data, "-w", "--mode", "immediate", "stop")

    def remove(self) -> None:
        """End it if it runs, and forget its data."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
