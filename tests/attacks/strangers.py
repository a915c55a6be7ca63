"""Connections that ask for a page as fast as they can, each under another name: ``python -m tests.attacks.strangers``.

Standard input is a line of JSON, ``{"address": [host, port], "path": "/login/", "names": ["Cookie: …", …]}``, a
connection for each header line. The flood ends with it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.workbench import ROOT, Workbench


@contextmanager
def asking(workbench: Workbench, path: str, names: Sequence[str]) -> Iterator[None]:
    """Ask for a page of a workbench on a connection for each name, for the length of a block."""
    url = urlsplit(workbench.url)
    given = {"address": [url.hostname, url.port], "path": path, "names": list(names)}
    command = [sys.executable, "-m", "tests.attacks.strangers"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        try:
            yield
        finally:
            process.kill()


async def ask_for_ever(address: list[object], path: str, name: str) -> None:
    """One connection; opened again when the server closes it."""
    head = f"GET {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n{name}\r\n\r\n".encode()
    while True:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            reader, writer = await asyncio.open_connection(*address)
            try:
                while True:
                    writer.write(head)
                    answer = (await reader.readuntil(b"\r\n\r\n")).lower()
                    size = answer.partition(b"content-length:")[2].split(b"\r\n")[0]
                    if not size:
                        break
                    await reader.readexactly(int(size))
            finally:
                writer.close()
        await asyncio.sleep(0.05)


async def main() -> None:
    """Begin, and end with standard input."""
    given = json.loads(await asyncio.to_thread(sys.stdin.readline))
    tasks = [asyncio.create_task(ask_for_ever(given["address"], given["path"], name)) for name in given["names"]]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
