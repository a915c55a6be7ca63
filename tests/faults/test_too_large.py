"""A body that is too large is refused while it arrives, also one that does not say how long it is."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.workbench import Workbench, eventually
from web.limits import MAX_BODY

pytestmark = pytest.mark.slow

CHUNK = b" " * 1_000_000
FAR_TOO_MUCH = 400
"""Chunks that a client would send if nobody stopped it: far more than the server may ever have kept."""


def web_process(workbench: Workbench) -> int:
    return workbench.pids("config.server")[0]


def kept_bytes(pid: int) -> int:
    """Bytes that a process has written to files: what it spools counts, what it sends does not."""
    return sum(path.stat().st_size for path in open_files(pid))


def open_files(pid: int) -> Iterator[Path]:
    """Unnamed temporary files that a process has open, as paths that can be asked."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if "(deleted)" in os.readlink(link) and "/tmp" in os.readlink(link):
                yield link
        except OSError:
            continue


class Answer:
    """What came back: status, content type and body, and how much had been sent by then."""

    def __init__(self, raw: bytes, sent: int) -> None:
        head, _, self.body = raw.partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1\.1 (\d+)", head)
        assert found, raw[:200]
        self.status = int(found[1])
        self.headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.decode().splitlines()[1:])
        }
        self.sent = sent


def send(workbench: Workbench, path: str, chunks: Iterator[bytes], *headers: str) -> Answer:
    """Send a request in pieces until somebody answers, over a socket: no library stops by itself."""
    url = urlsplit(workbench.url)
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in workbench.cookies())
    with socket.create_connection((url.hostname, url.port), timeout=30) as link:
        lines = [f"POST {path} HTTP/1.1", f"Host: {url.netloc}", f"Cookie: {cookies}", *headers, "", ""]
        link.sendall("\r\n".join(lines).encode())
        link.settimeout(0.01)
        sent, raw = 0, b""
        try:
            for chunk in chunks:
                link.settimeout(30)
                link.sendall(chunk)
                sent += len(chunk)
                link.settimeout(0.001)
                try:
                    raw += link.recv(65536)
                except TimeoutError:
                    continue
                break
        except (BrokenPipeError, ConnectionResetError):
            pass  # it hung up; what it said before can still be read
        link.settimeout(30)
        while more := received(link):
            raw += more
    return Answer(raw, sent)


def received(link: socket.socket) -> bytes:
    try:
        return link.recv(65536)
    except ConnectionResetError:
        return b""


def in_chunks(number: int) -> Iterator[bytes]:
    """A chunked body."""
    for _ in range(number):
        yield b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK)
    yield b"0\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"
PLACES = [
    ("/api/v1/check/", "application/json"),
    ("/p/transfer-desk/edit/transfer_desk.agent.abl/draft/", "application/json"),
    ("/projects/new/", "application/x-www-form-urlencoded"),
    ("/projects/new/", "multipart/form-data; boundary=x"),
    ("/login/", "application/x-www-form-urlencoded"),
]


@pytest.mark.parametrize(("path", "kind"), PLACES)
def test_a_body_without_a_length_is_stopped_at_the_bound(live_workbench, path, kind):
    answer = send(live_workbench, path, in_chunks(FAR_TOO_MUCH), CHUNKED, f"Content-Type: {kind}")
    assert answer.status == 413
    assert answer.sent < 4 * MAX_BODY, "it was read on and on"
    eventually(lambda: kept_bytes(web_process(live_workbench)) <= MAX_BODY, what="what was kept is gone")
    if path.startswith("/api/"):
        assert answer.headers["content-type"] == "application/problem+json"
        assert json.loads(answer.body)["code"] == "too-large"
        assert "25,000,000" in json.loads(answer.body)["fields"]["body"]
    else:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert b"25,000,000" in answer.body
    assert live_workbench.health()["status"] == "ok"


@pytest.mark.parametrize(("path", "kind"), PLACES)
def test_a_length_beyond_the_bound_is_refused_before_anything_is_read(live_workbench, path, kind):
    answer = send(live_workbench, path, iter([b""]), f"Content-Length: {10**12}", f"Content-Type: {kind}")
    assert answer.status == 413
    assert answer.headers["connection"] == "close"


def test_no_more_than_the_bound_is_ever_kept(live_workbench):
    most = 0

    def watched() -> Iterator[bytes]:
        nonlocal most
        for chunk in in_chunks(FAR_TOO_MUCH):
            yield chunk
            most = max(most, kept_bytes(web_process(live_workbench)))

    answer = send(live_workbench, "/api/v1/check/", watched(), CHUNKED, "Content-Type: application/json")
    assert answer.status == 413
    assert most <= MAX_BODY


def test_a_chunked_body_within_the_bound_is_taken(live_workbench):
    body = json.dumps({"files": {"a.agent.abl": "AGENT: A\n" + "# a remark\n" * 100_000}}).encode()
    pieces = (body[n : n + 100_000] for n in range(0, len(body), 100_000))
    with live_workbench.client() as client:
        answer = client.post("/api/v1/check/", content=pieces, headers={"Content-Type": "application/json"})
    assert answer.request.headers["transfer-encoding"] == "chunked"
    assert answer.status_code == 200, answer.text[:300]
    assert answer.json()["version"] == 1


def test_a_form_as_large_as_the_largest_document_is_taken(live_workbench):
    text = "# \u00e9\n" * 400_000
    with live_workbench.client() as client:
        address = "/p/transfer-desk/edit/notes.agent.abl"
        client.post("/api/v1/projects/transfer-desk/agents/", json={"name": "notes.agent.abl", "text": "# one\n"})
        form = {"text": text, "base_revision": "1", "csrfmiddlewaretoken": client.headers["X-CSRFToken"]}
        assert len(text) * 5 > 2_621_440, "more than Django takes by itself"
        answer = client.post(address, data=form, follow_redirects=False)
        assert answer.status_code == 302, answer.text[:300]
        saved = client.get("/api/v1/projects/transfer-desk/agents/notes.agent.abl/").json()
        assert saved["text"] == text
        client.delete("/api/v1/projects/transfer-desk/agents/notes.agent.abl/")
