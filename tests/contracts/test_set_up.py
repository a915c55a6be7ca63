"""``scripts/setup`` says what it is at, with a Python that stands for the one that fetches packages."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/usr/bin/env sh
case "$*" in
*"pip"*"--require-hashes"*)
    if [ -n "$FAILS" ]; then echo "ERROR: no such package" >&2; exit 1; fi
    i=0
    while [ $i -lt 45 ]; do i=$((i + 1)); echo "Collecting package-$i==1"; echo "  Downloading package-$i.whl"; done
    echo "Installing collected packages: package-1, package-2" ;;
esac
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the script, 45 pins, and an environment whose Python only talks."""
    for name in ("scripts", "requirements", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", tmp_path / "scripts")
    pins = "".join(f"package-{n}==1 \\\n    --hash=sha256:00\n" for n in range(45))
    for name in ("base", "dev", "bench"):
        (tmp_path / "requirements" / f"{name}.txt").write_text(pins)
    (tmp_path / "pyproject.toml").touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def run(folder, **more):
    command = [folder / "scripts" / "setup", "dev"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", **more})


def test_each_step_has_its_line_and_what_is_there_none(folder):
    first = run(folder)
    assert first.returncode == 0, first.stderr
    assert first.stdout.splitlines() == [
        "setup: fetching 45 packages of requirements/dev.txt; the first time takes a few minutes",
        "setup:   20 of 45 are there",
        "setup:   40 of 45 are there",
        "setup:   unpacking them into .venv",
        "setup: installing the command abl",
        "setup: done",
    ]
    again = run(folder)
    assert (again.returncode, again.stdout) == (0, "")


def test_packages_that_cannot_be_fetched_end_it_and_are_not_taken_for_installed(folder):
    failed = run(folder, FAILS="1")
    assert failed.returncode != 0
    assert "no such package" in failed.stderr
    assert "done" not in failed.stdout
    assert not (folder / ".venv" / "installed-dev").exists()
