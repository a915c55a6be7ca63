"""Every benchmark starts, with small sizes and without what a run of pytest prepares."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys

import pytest

import benchmarks
from tests.prepared import RUN_FOLDER
from tests.workbench import ROOT

pytestmark = pytest.mark.slow

FIRST = {"check", "conditions"}
IN_BROWSER = {"keystroke", "message"}
NAMES = sorted(
    name
    for name in (info.name for info in pkgutil.iter_modules(benchmarks.__path__) if info.name != "__main__")
    if "def measure(" in (ROOT / f"benchmarks/{name}.py").read_text()
)


def outside() -> dict[str, str]:
    """The environment of somebody who calls ``make bench``: nothing of this run."""
    return {name: value for name, value in os.environ.items() if name != RUN_FOLDER and not name.startswith("PYTEST_")}


def starts(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick", name]
    done = subprocess.run(command, cwd=ROOT, env=outside(), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.match(rf"{name}: [1-9]\d* figures", done.stdout), done.stdout


@pytest.mark.parametrize("name", sorted(FIRST))
def test_a_benchmark_starts(name):
    starts(name)


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(set(NAMES) - IN_BROWSER - FIRST - {"setup"}))
def test_each_other_benchmark_starts(name):
    starts(name)


@pytest.mark.thorough
@pytest.mark.browser
@pytest.mark.parametrize("name", sorted(IN_BROWSER))
def test_a_benchmark_in_a_browser_starts(name):
    starts(name)


def test_every_benchmark_is_tried():
    assert IN_BROWSER | FIRST | {"setup"} < set(NAMES)
    # Only the set-up of a fresh clone has no small size; .ci/run makes one.
    assert [name for name in NAMES if not hasattr(importlib.import_module(f"benchmarks.{name}"), "QUICK")] == ["setup"]


def test_a_benchmark_that_is_not_there_is_named():
    command = [sys.executable, "-m", "benchmarks", "--quick", "nothing"]
    done = subprocess.run(command, cwd=ROOT, env=outside(), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("No benchmark nothing. There are: ")
