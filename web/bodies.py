"""Request bodies within bounds of size and time (ASGI): nothing of one that exceeds them is kept.

Django reads a whole body, into a file when it is large, before any of its bounds counts. A body that does not announce
its length would fill the disk, and so would many that never end. What all of them hold together is bounded too: beyond
that the one that has been arriving for the longest time is given up, so that stalled bodies do not block others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar

from django.conf import settings
from django.http import JsonResponse
from django.template.loader import render_to_string
from django.utils import timezone

from web.errors import AppError, StorageFull, TooSlow, Unavailable
from web.limits import MAX_BODY, too_large
from web.problems import CONTENT_TYPE, body_of, status_of
from web.storage import is_full

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

ROOM_FOR_FORM = 1_000_000
"""What the other fields of a form with a file may have, in bytes."""
FAREWELL_SECONDS = 2.0
"""How long a client may continue sending after the answer: one that is cut off at once may not read it."""


SMALL_BODY = 1_000_000
"""Bytes up to which a body is not counted toward the sum of all bodies."""
TOO_MANY = "Too many uploads at once. This one took the longest and was stopped. Try again in a moment."


class Refused(Exception):
    """A body exceeds a bound; ``error`` says which."""

    def __init__(self, error: AppError) -> None:
        super().__init__(error.detail)
        self.error = error


class Body:
    """A body that is arriving."""

    arriving: ClassVar[dict[Body, None]] = {}  # oldest first

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive = receive
        self.most = most
        self.size = 0
        self.complete = False
        self.given_up = False
        self.deadline = time.monotonic() + settings.BODY_SECONDS
        self.timeout: asyncio.Timeout | None = None

    async def next(self) -> Message:
        """The next message; ``Refused`` when it exceeds a bound or does not come in time."""
        if self.complete:
            return await self.receive()  # that the client has left
        self.arriving[self] = None
        remaining = self.deadline - time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, min(remaining, settings.IDLE_SECONDS))) as self.timeout:
                message = await self.receive()
        except TimeoutError:
            raise Refused(self.why(remaining)) from None
        finally:
            self.timeout = None
        self.complete = not message.get("more_body")
        self.size += len(message.get("body", b""))
        if self.size > self.most:
            raise Refused(too_large(self.size, self.most))
        if self.given_up:
            raise Refused(Unavailable(TOO_MANY, what="uploads"))
        make_room(self)
        return message

    def why(self, remaining: float) -> AppError:
        """The error for a body whose next piece was not waited for any longer."""
        if self.given_up:
            return Unavailable(TOO_MANY, what="uploads")
        if remaining <= settings.IDLE_SECONDS:
            return TooSlow("body", settings.BODY_SECONDS)
        return TooSlow("body", settings.IDLE_SECONDS, idle=True)

    def give_up(self) -> None:
        """End it, at once if it waits for its client."""
        self.given_up = True
        if self.timeout is not None:
            self.timeout.reschedule(asyncio.get_running_loop().time())

    @property
    def kept(self) -> int:
        """Bytes that count against what all bodies may hold."""
        return self.size if self.size > SMALL_BODY else 0


def make_room(new: Body) -> None:
    """Give up the oldest large body if all of them hold too much together."""
    if not new.kept:
        return
    large = [body for body in Body.arriving if body.kept and not body.given_up]
    if sum(body.kept for body in large) > settings.BODIES_BYTES:
        large[0].give_up()


def bound_of(scope: Scope) -> int:
    """Bytes that the body of a request may have: a form may carry a file."""
    if header(scope, b"content-type").startswith("multipart/form-data"):
        return max(MAX_BODY, getattr(settings, "UPLOAD_BYTES", 0) + ROOM_FOR_FORM)
    return MAX_BODY


def header(scope: Scope, name: bytes) -> str:
    """The first value of a header, empty without one."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def bounded(application: Application) -> Application:
    """The application behind a counter of bytes and seconds.

    408 for what arrives too slowly, 413 for what is too large, 503 for what has to make room for others, 507 where the
    disk is full.
    """

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        most = bound_of(scope)
        announced = header(scope, b"content-length")
        if announced.isdecimal() and int(announced) > most:
            await refuse(scope, receive, send, too_large(int(announced), most))
            return
        body, answering = Body(receive, most), False
        scope = {**scope, "headers": list(scope["headers"])}

        async def counted() -> Message:
            message = await body.next()
            if not announced and body.size and not message.get("more_body"):
                # Django looks at the headers when it has the body, and takes one without a length for empty.
                scope["headers"].append((b"content-length", str(body.size).encode()))
            return message

        async def noted(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            await application(scope, counted, noted)
        except Refused as refused:
            if not answering:
                await refuse(scope, receive, send, refused.error)
        except OSError as error:
            if answering or not is_full(error):
                raise
            await refuse(scope, receive, send, StorageFull())
        finally:
            Body.arriving.pop(body, None)

    return inner


async def refuse(scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
    """Answer with an error, read and discard what the client sends for a moment, and close the connection."""
    content_type, content = answer(scope, error)
    headers = {"content-type": content_type, "content-length": str(len(content)), "connection": "close"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status_of(error), "headers": pairs})
    await send({"type": "http.response.body", "body": content, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(FAREWELL_SECONDS):
            while (await receive()).get("more_body"):
                pass
    await send({"type": "http.response.body", "body": b""})


def answer(scope: Scope, error: AppError) -> tuple[str, bytes]:
    """Content type and content: a problem object for a program, a page for a person."""
    path = scope["path"].removeprefix(settings.FORCE_SCRIPT_NAME or "")
    status = status_of(error)
    if path.startswith("/api/") or "json" in header(scope, b"accept"):
        return CONTENT_TYPE, JsonResponse(body_of(error, status)).content
    context = {"error": error, "status": status, "server_now": timezone.now().isoformat()}
    return "text/html; charset=utf-8", render_to_string("web/error.html", context).encode()
