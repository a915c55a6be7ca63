"""The disk is full: that is said clearly, nothing is damaged, reading continues, and work too once there is room."""

from __future__ import annotations

import errno
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg.errors
import pytest

from tests.constraints.running.test_worker_kill import started, turn
from tests.faults.full import sqlite_full, wrapped
from tests.workbench import Workbench, eventually, running
from web.errors import StorageFull
from web.problems import as_app_error, status_of
from web.storage import has_room, is_full

DISK = "48m"
PAGES = ("/", *(f"/p/slow/{page}" for page in ("", "test/", "test/1/", "facts/", "settings/")), "/api/v1/projects/")


FULL = [
    wrapped(sqlite_full()),
    wrapped(psycopg.errors.DiskFull("could not extend file")),
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EDQUOT, "Disk quota exceeded"),
]


@pytest.mark.parametrize("error", FULL, ids=["SQLite", "PostgreSQL", "file", "quota"])
def test_a_full_disk_is_known_by_whoever_says_so(error):
    assert is_full(error)
    known = as_app_error(error)
    assert isinstance(known, StorageFull)
    assert (status_of(known), known.code) == (507, "storage-full")


@pytest.mark.parametrize("error", [wrapped(sqlite3.OperationalError("database is locked")), OSError(errno.EIO, "I/O")])
def test_other_errors_are_not_taken_for_one(error):
    assert not is_full(error)
    assert not isinstance(as_app_error(error), StorageFull)


def test_room_is_measured_where_a_folder_lies(tmp_path):
    assert has_room(tmp_path)


class SmallDisk:
    """A disk of memory that can be filled to the last byte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self) -> None:
        with self.ballast.open("ab", buffering=0) as file:
            size = 1 << 20
            while size:
                try:
                    file.write(b"\0" * size)
                except OSError:
                    size //= 2

    def make_room(self) -> None:
        self.ballast.unlink(missing_ok=True)


@pytest.fixture
def disk(tmp_path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount one")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def workbench(disk, tmp_path):
    with running(tmp_path, {"ABL_VAR_DIR": str(disk.folder / "var")}) as found:
        yield found


def is_whole(workbench: Workbench) -> bool:
    """Whether SQLite finds its file in order."""
    with sqlite3.connect(workbench.var_dir / "workbench.sqlite3") as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def refused(client, address: str) -> dict:
    """The problem of a message that is refused; small ones may still find room in what SQLite has already."""
    for number in range(500):
        body = {"kind": "say", "text": "x" * 10_000, "message_id": f"m-{number}"}
        answer = client.post(f"{address}turns/", json=body)
        if answer.status_code != 202:
            assert answer.headers["content-type"] == "application/problem+json"
            return answer.json()
    raise AssertionError("every message was taken")


def told_when_full(workbench: Workbench, disk: SmallDisk) -> bool:
    """Whether /healthz says it. SQLite may have shortened its log meanwhile, so the disk is filled again before."""
    disk.fill()
    return workbench.health()["database"] == "the disk is full"


@pytest.mark.slow
def test_what_cannot_be_kept_is_refused_and_everything_can_still_be_read(workbench, disk):
    with workbench.client() as client:
        address = started(workbench, client)
        disk.fill()
        problem = refused(client, address)
        assert (problem["status"], problem["code"]) == (507, "storage-full")
        assert "free up disk space" in problem["detail"]
        page = client.post("/projects/new/", data={"name": "New", "csrfmiddlewaretoken": client.headers["X-CSRFToken"]})
        assert page.status_code == 507
        assert "The disk is full" in page.text
        assert {path: client.get(path).status_code for path in PAGES} == dict.fromkeys(PAGES, 200)
        eventually(lambda: told_when_full(workbench, disk), 20, "/healthz says that the disk is full")
        disk.make_room()
        eventually(lambda: workbench.health()["status"] == "ok", 30, "everything is well again")
        assert client.post("/api/v1/projects/", json={"name": "New"}).status_code == 201
        ended = ("done", "failed", "cancelled")
        turns = f"{address}turns/?page_size=200"
        eventually(
            lambda: all(each["status"] in ended for each in client.get(turns).json()["results"]), 60, "the work is done"
        )
    assert "Traceback" not in workbench.log
    assert is_whole(workbench)


@pytest.mark.slow
def test_a_turn_whose_disk_fills_up_ends_and_the_next_one_is_answered(workbench, disk):
    with workbench.client() as client:
        address = started(workbench, client)
        client.post(f"{address}turns/", json={"kind": "say", "text": "hello", "message_id": "m-1"})
        before = client.get(f"{address}events/", params={"page_size": 200}).json()["results"]
        news = f"{address}events/?after={before[-1]['seq']}"
        eventually(lambda: client.get(news).json()["results"], 20, "it works")
        disk.fill()
        assert turn(client, address, 1)["status"] == "running", "the turn was over before the disk was full"
        stopped = "turn stopped: the disk is full"
        eventually(lambda: stopped in workbench.log, 60, "the turn met the full disk")
        disk.make_room()
        ended = eventually(lambda: finished(turn(client, address, 1)), 30, "the turn has ended")
        assert ended["attempt"] <= 2
        if ended["status"] == "failed":
            assert ended["error"]["code"] == "storage-full"
        client.post(f"{address}turns/", json={"kind": "say", "text": "again", "message_id": "m-2"})
        assert eventually(lambda: finished(turn(client, address, 2)), 60, "it goes on")["status"] == "done"
    assert workbench.log.count(stopped) <= 2
    assert is_whole(workbench)


def finished(found: dict) -> dict | None:
    return found if found["status"] in ("done", "failed", "cancelled") else None
