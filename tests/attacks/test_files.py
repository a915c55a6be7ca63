"""Another account of the machine: what it can read of the workbench's data."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.bounds import proof
from tests.attacks.people import client_of, conversation, over, populate
from tests.attacks.test_turns import HELLO
from tests.workbench import Workbench

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def test_another_account_reads_nothing(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "files", {"hello.agent.abl": HELLO}, writer="editor")
    with proof(setup, "another account of the machine") as found, client_of(workbench, cookies["writer"]) as client:
        over(client, conversation(client, "files"), 0)  # the broker has written, too
        found.is_one_of("mode of the data folder", oct(workbench.var_dir.stat().st_mode & 0o777), "0o700")
        open_ones = sorted(str(path.relative_to(workbench.var_dir)) for path in readable(workbench.var_dir))
        found.is_one_of("files that others may read", ", ".join(open_ones[:5]) or "none", "none")


def readable(folder: Path) -> Iterator[Path]:
    """Files and folders below that other accounts have rights to."""
    for path in folder.rglob("*"):
        try:
            if path.lstat().st_mode & OTHERS:
                yield path
        except FileNotFoundError:
            continue


def test_the_processes_keep_that_for_what_they_make(workbench: Workbench, setup: str) -> None:
    with proof(setup, "files that its processes make") as found:
        masks = {mask_of(pid) for pid in workbench.pids()} - {None}
        found.is_one_of("umask", ", ".join(sorted(filter(None, masks))), "0077")


def mask_of(pid: int) -> str | None:
    """The umask of a process; None once it ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return next((line.split()[1] for line in text.splitlines() if line.startswith("Umask")), None)


def test_no_secret_stands_in_a_command_line(workbench: Workbench, setup: str) -> None:
    with proof(setup, "what ps shows to everybody") as found:
        shown = b" ".join(
            Path(f"/proc/{pid}/cmdline").read_bytes() for pid in workbench.pids() if os.path.exists(f"/proc/{pid}")
        )
        key = (workbench.var_dir / "secret_key").read_bytes().strip()
        found.is_one_of("the secret key stands in it", key in shown, False)
