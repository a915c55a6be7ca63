"""Request bodies within bounds, counted while they arrive: nothing of one that is too large is kept (ASGI).

Django reads a whole body, into a file when it is large, before any of its bounds counts. A body that does not announce
its length would fill the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.http import JsonResponse
from django.template.loader import render_to_string
from django.utils import timezone

from web.errors import AppError, StorageFull
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
"""How long a client may go on sending after the answer: one that is cut off at once may not read it."""


class TooMuch(Exception):
    """More has arrived than may."""


def bound_of(scope: Scope) -> int:
    """Bytes that the body of a request may have: a form may carry a file."""
    if header(scope, b"content-type").startswith("multipart/form-data"):
        return max(MAX_BODY, getattr(settings, "UPLOAD_BYTES", 0) + ROOM_FOR_FORM)
    return MAX_BODY


def header(scope: Scope, name: bytes) -> str:
    """The first value of a header, empty without one."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def bounded(application: Application) -> Application:
    """The application behind a counter of bytes. 413 for what is too large, 507 where a body finds no room."""

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        most = bound_of(scope)
        announced = header(scope, b"content-length")
        if announced.isdecimal() and int(announced) > most:
            await refuse(scope, receive, send, too_large(int(announced), most))
            return
        arrived, answering = 0, False
        scope = {**scope, "headers": list(scope["headers"])}

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > most:
                raise TooMuch
            if not announced and arrived and not message.get("more_body"):
                # Django looks at the headers when it has the body, and takes one without a length for empty.
                scope["headers"].append((b"content-length", str(arrived).encode()))
            return message

        async def noted(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            await application(scope, counted, noted)
        except TooMuch:
            if not answering:
                await refuse(scope, receive, send, too_large(arrived, most))
        except OSError as error:
            if answering or not is_full(error):
                raise
            await refuse(scope, receive, send, StorageFull())

    return inner


async def refuse(scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
    """Answer with an error, then hear the client out for a moment, keeping nothing, and hang up."""
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
