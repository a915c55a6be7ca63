"""Connections that sign in with random names as fast as they can: ``python -m tests.attacks.flood``, another process.

Standard input is a line of JSON, ``{"address": [host, port], "connections": 40, "cookies": "…", "token": "…"}``. The
flood ends with it.
"""

from __future__ import annotations

import http.client
import json
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.workbench import ROOT, Workbench


@contextmanager
def flooded(workbench: Workbench, connections: int, cookies: Mapping[str, str], token: str) -> Iterator[None]:
    """Flood the sign-in page of a workbench for the length of a block."""
    url = urlsplit(workbench.url)
    jar = "; ".join(f"{name}={value}" for name, value in cookies.items())
    given = {"address": [url.hostname, url.port], "connections": connections, "cookies": jar, "token": token}
    command = [sys.executable, "-m", "tests.attacks.flood"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        try:
            yield
        finally:
            process.kill()


def post_for_ever(given: dict[str, Any]) -> None:
    """One connection; opened again when the server closes it."""
    link = http.client.HTTPConnection(*given["address"], timeout=30)
    headers = {"Cookie": given["cookies"], "Content-Type": "application/x-www-form-urlencoded"}
    while True:
        form = {"username": secrets.token_hex(8), "password": "x" * 20, "csrfmiddlewaretoken": given["token"]}
        try:
            link.request("POST", "/login/", urlencode(form), headers)
            link.getresponse().read()
        except (OSError, http.client.HTTPException):
            link.close()


def main() -> None:
    """Begin, and end with standard input."""
    given = json.loads(sys.stdin.readline())
    for _ in range(given["connections"]):
        threading.Thread(target=post_for_ever, args=(given,), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
