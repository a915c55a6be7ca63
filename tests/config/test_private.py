"""Data lies where no other account of the machine reads it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from config import private
from tests.workbench import Workbench, csrf_token


@pytest.fixture(autouse=True)
def same_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_all(folder: Path) -> list[str]:
    """Files and folders that group or others have a right to."""
    return [str(path) for path in (folder, *private.inside(folder)) if not path.is_symlink() and rights(path) & 0o077]


def test_a_folder_that_is_there_is_closed_with_all_that_is_in_it(tmp_path):
    var = tmp_path / "var"
    (var / "media/deep").mkdir(parents=True)
    for name in ("workbench.sqlite3", "workbench.sqlite3-wal", "beat", "media/deep/file"):
        (var / name).write_text("x")
        (var / name).chmod(0o664)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("x")
    (var / "link").symlink_to(elsewhere)
    (var / "dangling").symlink_to(tmp_path / "nowhere")
    database = tmp_path / "data.sqlite3"
    database.write_text("x")
    private.close_to_others(var, *private.database_files(str(database)))
    assert open_to_all(var) == []
    assert rights(var) == 0o700
    assert rights(var / "beat") == 0o600
    assert rights(database) == 0o600
    assert rights(elsewhere) == 0o644, "a link leads to what is no data of ours"
    private.close_to_others(var)


def test_what_is_made_afterwards_is_closed_too(tmp_path):
    private.private_folder(tmp_path / "new/var")
    (tmp_path / "new/var/file").write_text("x")
    (tmp_path / "new/var/folder").mkdir()
    assert open_to_all(tmp_path / "new/var") == []


@pytest.mark.parametrize("part", ["", "media"])
def test_what_belongs_to_somebody_else_is_refused_with_words(tmp_path, monkeypatch, part):
    folder = tmp_path / "var"
    (folder / "media").mkdir(parents=True)
    lstat = Path.lstat

    def owned(path):
        found = lstat(path)
        values = list(found)
        if path == folder / part:
            values[4] = 4_000_000
        return os.stat_result(values)

    monkeypatch.setattr(Path, "lstat", owned)
    with pytest.raises(ImproperlyConfigured, match=r"belongs to account 4000000.*chown -R .*ABL_VAR_DIR"):
        private.close_to_others(folder)


@pytest.mark.parametrize("folder", ["/", "/tmp"])
def test_a_folder_for_everybody_is_refused_and_stays_as_it_is(folder):
    before = rights(Path(folder))
    with pytest.raises(ImproperlyConfigured, match="name a folder for this alone"):
        private.private_folder(Path(folder))
    assert rights(Path(folder)) == before


def test_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "var").write_text("x")
    with pytest.raises(ImproperlyConfigured, match="is a file; name a folder"):
        private.private_folder(tmp_path / "var")


@pytest.mark.slow
def test_a_workbench_that_ran_before_is_closed_when_it_starts(tmp_path):
    """Everything that it makes while somebody works with it, and what an older version left open."""
    var = tmp_path / "var"
    (var / "media").mkdir(parents=True, mode=0o755)
    (var / "media/old").write_text("x")
    (var / "media/old").chmod(0o644)
    workbench = Workbench(tmp_path).start()
    try:
        with workbench.client() as client:
            assert client.get("/p/transfer-desk/").status_code == 200
            started = client.post(
                "/api/v1/projects/transfer-desk/conversations/",
                json={},
                headers={"X-CSRFToken": csrf_token(client), "Referer": workbench.url},
            )
            assert started.status_code == 201, started.text
        assert (var / "workbench.sqlite3-wal").exists()
        assert {"beat", "broker", "secret_key", "static"} <= {path.name.split(".")[0] for path in var.iterdir()}
        assert open_to_all(var) == []
        assert httpx.get(f"{workbench.url}/static/css/tokens.css").status_code == 200
    finally:
        workbench.stop()
