"""Many viewers of a conversation: ``python -m tests.attacks.viewers``, a process of its own.

The first line of standard input is ``{"address": [host, port], "path": "…", "cookies": ["…", …]}``, a stream for each.
Every further line is a version; the answer is a line with the time at which each stream had it, or what was refused.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

PATIENCE = 40.0


class Stream:
    """One open stream; ``seen`` is when each version arrived."""

    def __init__(self) -> None:
        self.seen: dict[int, float] = {}
        self.refused = ""

    async def listen(self, address: list[object], path: str, name: str) -> None:
        """Read until the server ends the stream. ``name`` is the header line that says who listens."""
        reader, writer = await asyncio.open_connection(*address, limit=1_000_000)
        head = f"GET {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n{name}\r\n\r\n"
        writer.write(head.encode())
        status = await reader.readline()
        if b" 200 " not in status:
            self.refused = status.decode().strip()
            return
        while line := await reader.readline():
            if line.startswith(b"id: "):
                self.seen.setdefault(int(line[4:]), time.monotonic())
        self.refused = "the stream ended"

    def when(self, version: int) -> float | None:
        """When it had this version or a later one."""
        return min((at for each, at in self.seen.items() if each >= version), default=None)


async def answer(streams: list[Stream], version: int) -> object:
    """When each stream had a version; waits for all of them."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        times = [stream.when(version) for stream in streams]
        if None not in times:
            return times
        if refused := [stream.refused for stream in streams if stream.refused]:
            return {"refused": f"{len(refused)} of {len(streams)}: {refused[0]}"}
        await asyncio.sleep(0.05)
    return {"refused": f"{times.count(None)} of {len(streams)} heard nothing within {PATIENCE:g} s"}


async def main() -> None:
    """Open the streams and answer lines until there are no more."""
    given = json.loads(await asyncio.to_thread(sys.stdin.readline))
    streams = [Stream() for _ in given["cookies"]]
    tasks = [
        asyncio.create_task(stream.listen(given["address"], given["path"], f"Cookie: {cookie}"))
        for stream, cookie in zip(streams, given["cookies"], strict=True)
    ]
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await answer(streams, json.loads(line))), flush=True)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
