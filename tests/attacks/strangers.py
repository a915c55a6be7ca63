"""Connections that ask for a page as fast as they can, each under another name: ``python -m tests.attacks.strangers``.

Standard input is a line of JSON, ``{"address": [host, port], "path": "/login/", "names": ["Cookie: …", …]}``, a
connection for each header line. The flood ends with it.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.workbench import ROOT, Workbench


@contextmanager
def strangers(workbench: Workbench, path: str, names: Sequence[str]) -> Iterator[Callable[[], None]]:
    """A process that is ready to ask for a page on a connection for each name, and does when it is told to.

    It asks until the end of the block: what is measured meanwhile is measured under the flood from the first moment.
    """
    url = urlsplit(workbench.url)
    given = {"address": [url.hostname, url.port], "path": path, "names": list(names)}
    command, pipe = [sys.executable, "-m", "tests.attacks.strangers"], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def begin() -> None:
            process.stdin.write(json.dumps(given) + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "asking\n"

        try:
            yield begin
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
    """Begin when told to, and end with standard input."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    given = json.loads(await asyncio.to_thread(sys.stdin.readline))
    tasks = [asyncio.create_task(ask_for_ever(given["address"], given["path"], name)) for name in given["names"]]
    sys.stdout.write("asking\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
