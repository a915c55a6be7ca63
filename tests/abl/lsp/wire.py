"""A client that writes what it likes, byte for byte, and reads what comes back: for what no client library sends."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

PATIENCE = 60  # seconds
Message = dict[str, Any]


def frame(message: Message | bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    """A message with its header."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return header % len(body) + body


def request(number: Any, method: str, params: Any = None) -> Message:
    """A request; without params when they are None."""
    asked = {"jsonrpc": "2.0", "id": number, "method": method}
    return asked if params is None else {**asked, "params": params}


def notification(method: str, params: Any = None) -> Message:
    """The same without an id."""
    told = {"jsonrpc": "2.0", "method": method}
    return told if params is None else {**told, "params": params}


def _has(found: Message, wanted: Message) -> bool:
    return all(key in found and found[key] == value for key, value in wanted.items())


def _about(found: Message, wanted: Message) -> bool:
    """True when the params have these members; None is as good as absent."""
    params = found.get("params") or {}
    return all(params.get(key) == value for key, value in wanted.items())


def hear_interrupts() -> None:
    """A run of the tests in the background ignores them, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Wire:
    """A running server. What it answers is found by id, whatever comes in between."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "abl.cli", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=hear_interrupts,  # noqa: PLW1509 - one system call, which no lock of a thread can stop
        )
        self._came: queue.Queue[Message] = queue.Queue()
        self.seen: list[Message] = []
        self._number = 1_000
        self._reader = Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while line := out.readline():
            if line.lower().startswith(b"content-length:"):
                size = int(line.partition(b":")[2])
                while out.readline().strip():
                    pass
                self._came.put(json.loads(out.read(size)))

    def send(self, *messages: Message | bytes) -> None:
        """Messages with headers; bytes go as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(one if isinstance(one, bytes) else frame(one) for one in messages))
        self.process.stdin.flush()

    def wait_for(self, about: Message | None = None, **wanted: Any) -> Message:
        """The next message with these members, and such params; or one that came before and was not waited for."""
        at = 0
        while True:
            for one in self.seen[at:]:
                if _has(one, wanted) and _about(one, about or {}):
                    self.seen.remove(one)
                    return one
            at = len(self.seen)
            self.seen.append(self._came.get(timeout=PATIENCE))

    def ask(self, method: str, params: Any = None) -> Message:
        """A request and its answer."""
        self._number += 1
        self.send(request(self._number, method, params))
        return self.wait_for(id=self._number)

    def begin(self, **params: Any) -> Message:
        """``initialize`` and ``initialized``; the answer."""
        answer = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.send(notification("initialized", {}))
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> dict[str, str]:
        """``didOpen``; the document as requests name it."""
        item = {"uri": uri, "languageId": "abl", "version": version, "text": text}
        self.send(notification("textDocument/didOpen", {"textDocument": item}))
        return {"uri": uri}

    def change(self, uri: str, version: int, *changes: Message) -> None:
        """``didChange`` with these changes."""
        document = {"uri": uri, "version": version}
        self.send(notification("textDocument/didChange", {"textDocument": document, "contentChanges": [*changes]}))

    def codes(self, uri: str, version: int | None = 1) -> list[str]:
        """The codes that are published for a version of a document."""
        params = self.wait_for({"uri": uri, "version": version}, method="textDocument/publishDiagnostics")["params"]
        return [problem["code"] for problem in params["diagnostics"]]

    def formatted(self, document: dict[str, str]) -> list[Message]:
        """The edits of ``formatting``: they show what text the server has."""
        options = {"tabSize": 2, "insertSpaces": True}
        return self.ask("textDocument/formatting", {"textDocument": document, "options": options})["result"]

    def leave(self) -> int:
        """``shutdown`` and ``exit``; the exit code."""
        assert self.ask("shutdown")["result"] is None
        self.send(notification("exit"))
        return self.process.wait(PATIENCE)

    def close_input(self) -> int:
        """Close standard input; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def complaints(self) -> str:
        """Standard error of a server that has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


@contextmanager
def wired() -> Iterator[Wire]:
    """A server that is ended in any case."""
    wire = Wire()
    try:
        yield wire
    finally:
        wire.process.kill()
        wire.process.wait(PATIENCE)
        for stream in (wire.process.stdin, wire.process.stdout, wire.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:  # what was not read any more
                continue
