"""Many connections that ask as fast as they are answered, and how long others wait meanwhile."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx

Request = Callable[[int], bytes]
"""The bytes of the nth request."""


class Flood:
    """``answers`` counts statuses. Each connection asks again once it was answered, and opens anew when it is cut."""

    def __init__(self, url: str, request: Request, connections: int) -> None:
        self.address = urlsplit(url)
        self.request, self.connections = request, connections
        self.answers: Counter[int] = Counter()
        self.sent = 0
        self.over = threading.Event()

    def run(self) -> None:
        asyncio.run(self._run())

    async def _run(self) -> None:
        tasks = [asyncio.create_task(self._ask()) for _ in range(self.connections)]
        while not self.over.is_set():
            await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self) -> None:
        while True:
            try:
                reader, writer = await asyncio.open_connection(self.address.hostname, self.address.port)
                while True:
                    self.sent += 1
                    writer.write(self.request(self.sent))
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.answers[int(head.split(b" ", 2)[1])] += 1
                    await rest(reader, head)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.02)


async def rest(reader: asyncio.StreamReader, head: bytes) -> None:
    """Read the body of an answer."""
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    if b"content-length" in lines:
        await reader.readexactly(int(lines[b"content-length"]))
        return
    if lines.get(b"transfer-encoding") == b"chunked":
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()


@contextmanager
def flooding(url: str, request: Request, connections: int = 40) -> Iterator[Flood]:
    """A flood for the length of a ``with`` block."""
    flood = Flood(url, request, connections)
    thread = threading.Thread(target=flood.run)
    thread.start()
    try:
        yield flood
    finally:
        flood.over.set()
        thread.join()


def message(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """A request of HTTP/1.1; underscores in names of headers are dashes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def waits(client: httpx.Client, paths: list[str], rounds: int) -> list[float]:
    """Seconds that each page took, in order of length."""
    found = []
    for _ in range(rounds):
        for path in paths:
            began = time.perf_counter()
            assert client.get(path).status_code == 200, path
            found.append(time.perf_counter() - began)
    return sorted(found)


def p95(found: list[float]) -> float:
    """What 95 of a hundred stay below."""
    return found[int(len(found) * 0.95)]
