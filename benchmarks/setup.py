"""From a fresh clone to the first page by ``make run``, with what pip has cached (README of this folder)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.workbench import ROOT, eventually, plain_environment

READY = re.compile(r"ready: (http://\S+/)")
LIMIT_SECONDS = 600


def measure() -> dict[str, Any]:
    """``seconds`` from ``git clone`` to the sign-in page; the clone is of the last commit."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        clone, log = Path(folder, "clone"), Path(folder, "log")
        subprocess.run(["git", "clone", "--quiet", "--no-local", str(ROOT), str(clone)], check=True)
        # The interpreter of a virtual environment must not be the one that the clone finds first.
        paths = [p for p in os.environ["PATH"].split(os.pathsep) if not p.startswith(str(ROOT))]
        env = {**plain_environment(), "PORT": "0", "PATH": os.pathsep.join(paths)}
        with log.open("wb") as out:
            run = subprocess.Popen(["make", "run"], cwd=clone, env=env, stdout=out, stderr=out, start_new_session=True)
        try:
            address = eventually(lambda: READY.search(log.read_text()), LIMIT_SECONDS, "make run is ready").group(1)
            httpx.get(f"{address}login/", timeout=10).raise_for_status()
            return {"seconds": round(time.monotonic() - began, 1)}
        finally:
            os.killpg(run.pid, signal.SIGTERM)
            run.wait(20)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
