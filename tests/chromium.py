"""The Chromium of this machine and how it is started, for tests and for benchmarks."""

from __future__ import annotations

import shutil
import subprocess


def starts(path: str) -> bool:
    """Whether a browser is one: on Ubuntu the package may be a stub that asks for a snap."""
    return subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0


FOUND = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
CHROMIUM = next(filter(starts, FOUND), None)

BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The pages of a browser's tests are one site: the next page continues in the process of the one before.
    "--process-per-site",
    "--renderer-process-limit=1",
]
