"""Addresses and headers of requests within bounds, before anything reads them (ASGI).

What reads headers was written for short ones: the parameters of a content type alone take time that grows with the
square of their length, in the event loop, which blocks every request.
"""

from __future__ import annotations

from web.bodies import Application, Receive, Scope, Send, refuse
from web.errors import AddressTooLong, HeaderTooLarge, Invalid
from web.limits import MAX_CONTENT_TYPE, MAX_HEADERS, MAX_TARGET


def bounded_headers(application: Application) -> Application:
    """The application behind a check of the size of address and headers; 414 and 431 for what is too large."""

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        error = problem_of(scope) if scope["type"] == "http" else None
        if error is not None:
            await refuse(scope, receive, send, error)
        else:
            await application(scope, receive, send)

    return inner


def problem_of(scope: Scope) -> Invalid | None:
    """Which bound the address or the headers of a request exceed."""
    target = len(scope.get("raw_path") or scope["path"].encode()) + len(scope.get("query_string", b""))
    if target > MAX_TARGET:
        return AddressTooLong(target, MAX_TARGET)
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    size = sum(len(name) + len(value) for name, value in headers)
    if size > MAX_HEADERS:
        return HeaderTooLarge(fields={"headers": f"have {size:,} bytes together; the limit is {MAX_HEADERS:,}."})
    longest = max((len(value) for name, value in headers if name == b"content-type"), default=0)
    if longest > MAX_CONTENT_TYPE:
        return HeaderTooLarge(fields={"Content-Type": f"has {longest:,} bytes; the limit is {MAX_CONTENT_TYPE:,}."})
    return None
