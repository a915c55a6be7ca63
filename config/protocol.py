"""uvicorn's HTTP protocol with bounds: how long a client may take, and how many may be connected.

uvicorn ends connections that are kept open without a request, and nothing else. Bodies are bounded in ``web.bodies``,
where the answer can be a problem object; here are headers, answers that nobody reads, and the number of connections.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from web.bodies import answer
from web.errors import AppError, HeaderTooLarge, TooSlow, Unavailable
from web.limits import MAX_HEADERS
from web.problems import status_of

TOO_MANY = "Too many connections are open. Try again in a moment."


class BoundedProtocol(HttpToolsProtocol):
    """A connection that records since when it has been waiting for its client.

    ``head_since`` is when a header, or the wait for the first one, began; None while there is a request to answer, and
    between requests. ``stalled_since`` is when the client stopped taking what was written for it.
    """

    def __init__(self, *args: Any, first: bytes = b"", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.first = first
        self.opened_at = time.monotonic()
        self.head_since: float | None = self.opened_at
        self.head_bytes = 0
        self.stalled_since: float | None = None
        self.unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin with what the listener has read, unless there are too many connections."""
        super().connection_made(transport)
        hang_up_when_gone(transport)
        if not make_room(self):
            self.refuse(Unavailable(TOO_MANY, what="connections"))
        elif self.first:
            self.data_received(self.first)

    def data_received(self, data: bytes) -> None:
        """Read on; a header that grows without end is refused."""
        if self.transport.is_closing():
            return  # refused already
        if self.head_since is not None:
            self.head_bytes += len(data)
        super().data_received(data)
        if self.head_since is not None and self.head_bytes > MAX_HEADERS and not self.transport.is_closing():
            self.refuse(HeaderTooLarge(fields={"headers": f"do not end; the limit is {MAX_HEADERS:,} bytes."}))

    def resume_writing(self) -> None:
        """The client has taken most of what was written."""
        super().resume_writing()
        self.stalled_since = None

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self.head_since = time.monotonic()

    def on_headers_complete(self) -> None:
        """The whole header."""
        self.head_since, self.head_bytes = None, 0
        super().on_headers_complete()

    @property
    def answering(self) -> bool:
        """Whether a request is being read or answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def waits_since(self) -> float | None:
        """Since when it waits for its client, or holds a refusal back; None while the client waits for the server."""
        if self.head_since is not None:
            return self.head_since
        if not self.answering or self.cycle.more_body:
            return self.opened_at
        held: float | None = self.cycle.scope.get("state", {}).get(HELD)
        return held

    def refuse(self, error: AppError) -> None:
        """Answer with an error, if no other answer is on its way, and hang up."""
        if self.answering:
            self.transport.abort()
            return
        scope = cast("dict[str, Any]", self.scope) if self.scope is not None and "path" in self.scope else {}
        content_type, content = answer({"path": "/", "headers": [], **scope}, error)
        head = [
            f"content-type: {content_type}",
            f"content-length: {len(content)}",
            "connection: close",
        ]
        self.transport.write(STATUS_LINE[status_of(error)] + "\r\n".join([*head, "", ""]).encode() + content)
        self.transport.close()

    def look(self, now: float) -> None:
        """Hang up on a client that takes too long: with an answer if it is slow to ask, without if it does not read."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or (unsent < self.unsent and not self.flow.write_paused):
            self.stalled_since = None
        elif self.stalled_since is None:
            self.stalled_since = now
        self.unsent = unsent
        if self.stalled_since is not None and now - self.stalled_since > settings.READ_SECONDS:
            self.transport.abort()
        elif self.head_since is not None and now - self.head_since > settings.HEAD_SECONDS:
            self.refuse(TooSlow("header", settings.HEAD_SECONDS))


HELD = "abl.held_since"


def held_since(scope: Mapping[str, Any], now: float) -> None:
    """Note that the answer of a request is a refusal, ready and held: its connection may make room for others."""
    scope.get("state", {})[HELD] = now


def hang_up_when_gone(transport: asyncio.Transport) -> None:
    """Have the kernel end a connection whose client does not confirm what was sent: one that vanished says nothing."""
    connection = transport.get_extra_info("socket")
    if connection is None or connection.family == socket.AF_UNIX or not hasattr(socket, "TCP_USER_TIMEOUT"):
        return
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, settings.READ_SECONDS * 1000)


def make_room(new: BoundedProtocol) -> bool:
    """Where there are too many connections, hang up on the one that has waited for its client the longest.

    False when none waits for its client.
    """
    if len(new.connections) <= settings.CONNECTIONS:
        return True
    others = [each for each in new.connections if isinstance(each, BoundedProtocol) and each is not new]
    others = [each for each in others if not each.transport.is_closing()]
    if len(others) < settings.CONNECTIONS:
        return True
    slow = [(since, each) for each in others if (since := each.waits_since) is not None]
    if not slow:
        return False
    min(slow, key=lambda pair: pair[0])[1].transport.abort()
    return True


def look_at_all(state: ServerState) -> None:
    """Look at every connection of a server."""
    now = time.monotonic()
    for each in list(state.connections):
        if isinstance(each, BoundedProtocol):
            each.look(now)
