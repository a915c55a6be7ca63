"""Databases that a benchmark fills: a file of SQLite, and a database of its own on a server of PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SERVER = os.environ.get("BENCH_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
DATABASE = f"bench_workbench_{os.getpid()}"


def on_both(module: str, *arguments: str) -> dict[str, Any]:
    """What ``python -m benchmarks.MODULE --here ARGUMENTS`` prints as JSON in its last line, by database.

    Each runs in a process of its own, whose settings name the database. PostgreSQL is ``{"left_out": reason}`` where no
    server answers at ``BENCH_POSTGRES``.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = {"sqlite": _in_process(f"sqlite:///{folder}/bench.sqlite3", folder, module, arguments)}
        try:
            with scratch_database() as url:
                found["postgresql"] = _in_process(url, folder, module, arguments)
        except ConnectionError as error:
            found["postgresql"] = {"left_out": str(error)}
    return found


@contextmanager
def scratch_database() -> Iterator[str]:
    """The address of a database on the server, gone afterwards. Raises ``ConnectionError`` without a server."""
    import psycopg

    try:
        server = psycopg.connect(SERVER, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        raise ConnectionError(f"no server at {SERVER}: {error}") from error
    with server:
        server.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {DATABASE}")
        try:
            yield SERVER.rsplit("/", 1)[0] + f"/{DATABASE}"
        finally:
            server.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


def _in_process(url: str, folder: str, module: str, arguments: tuple[str, ...]) -> dict[str, Any]:
    env = {**os.environ, "DATABASE_URL": url, "ABL_VAR_DIR": folder}
    command = [sys.executable, "-m", f"benchmarks.{module}", "--here", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))
