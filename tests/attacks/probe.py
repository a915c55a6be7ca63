"""Asks a workbench for pages while it is attacked: ``python -m tests.attacks.probe``, in a process of its own.

The process of the attacker is busy; a clock in it would measure the attacker. Standard input is a line of JSON, the
requests by name as ``{"address": [host, port], "pause": seconds, "requests": {name: [path, cookies]}}``. When standard
input ends, it prints ``{name: [[seconds, status], …]}``. A request that is not answered in ten seconds counts as ten
seconds with status 0.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time

PATIENCE = 10.0


def asked(host: str, port: int, path: str, cookies: str) -> tuple[float, int]:
    """Seconds and status of one request on a connection of its own."""
    link = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    began = time.perf_counter()
    try:
        link.request("GET", path, headers={"Cookie": cookies} if cookies else {})
        answer = link.getresponse()
        answer.read()
        return time.perf_counter() - began, answer.status
    except (OSError, http.client.HTTPException):
        return PATIENCE, 0
    finally:
        link.close()


def main() -> None:
    """Ask until standard input ends."""
    given = json.loads(sys.stdin.readline())
    (host, port), pause = given["address"], given["pause"]
    over = threading.Event()
    answers: dict[str, list[tuple[float, int]]] = {name: [] for name in given["requests"]}

    def repeat(name: str, path: str, cookies: str) -> None:
        while not over.wait(pause):
            answers[name].append(asked(host, port, path, cookies))

    threads = [threading.Thread(target=repeat, args=(name, *what)) for name, what in given["requests"].items()]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join()
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
