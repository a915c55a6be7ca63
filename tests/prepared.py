"""A database with the admin and the examples, made once for a run of the tests.

To migrate an empty one takes longer than everything else that a workbench does when it starts. What is about the first
start of all begins without it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

RUN_FOLDER = "TEST_RUN_FOLDER"
"""Names the folder that the processes of one run share."""
NAME = "workbench.sqlite3"


def begin_run() -> None:
    """Make the folder of this run. The processes of the run inherit its name."""
    os.environ[RUN_FOLDER] = tempfile.mkdtemp(prefix="abl-tests-")


def end_run() -> None:
    """Remove what ``begin_run`` made."""
    shutil.rmtree(os.environ.pop(RUN_FOLDER), ignore_errors=True)


@contextmanager
def run_folder() -> Iterator[Path]:
    """The folder of this run; outside of one, as in a benchmark, a folder that is gone afterwards."""
    if RUN_FOLDER in os.environ:
        yield Path(os.environ[RUN_FOLDER])
        return
    with tempfile.TemporaryDirectory(prefix="abl-tests-") as folder:
        yield Path(folder)


def put_database(var_dir: Path, env: Mapping[str, str]) -> None:
    """Put a prepared database into a data folder that has none. ``env`` is the environment of the workbench there."""
    with run_folder() as folder, (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / "prepared" / NAME
        if not made.exists():
            prepare(made.parent, env)
        var_dir.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, var_dir / NAME)


def prepare(var_dir: Path, env: Mapping[str, str]) -> None:
    """Make a database as the first start does, at once or not at all."""
    half = var_dir.with_name("half")
    shutil.rmtree(half, ignore_errors=True)
    command = [sys.executable, "manage.py", "prepare"]
    root = Path(__file__).resolve().parent.parent
    env = {**env, "ABL_VAR_DIR": str(half)}
    subprocess.run(command, cwd=root, env=env, check=True, stdout=subprocess.DEVNULL, timeout=180)
    half.rename(var_dir)
