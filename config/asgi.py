"""ASGI entry point for uvicorn."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import warnings
from collections.abc import Hashable
from contextlib import suppress
from typing import IO, Any, cast

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# WhiteNoise answers with files that are read synchronously; Django reads them in a thread and says so each time.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
django.setup(set_prefix=False)

from django.core.signals import request_started  # noqa: E402 - needs the settings
from django.db import Error as DatabaseError  # noqa: E402
from django.db import close_old_connections, reset_queries  # noqa: E402
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware  # noqa: E402

from config.health import respond  # noqa: E402 - needs the applications
from config.protocol import held_since  # noqa: E402
from config.threads import (  # noqa: E402
    ADDRESS_REQUESTS,
    CLIENT_REQUESTS,
    ClientLines,
    TooManyWait,
    client_lines,
    known_clients,
    request_threads,
    stream_lines,
    token_lines,
)
from web.bodies import answer as error_answer  # noqa: E402
from web.bodies import bounded  # noqa: E402
from web.errors import AppError, Busy  # noqa: E402
from web.headers import bounded_headers  # noqa: E402
from web.problems import headers_of, status_of  # noqa: E402
from web.sign_in.guessing import counted_address  # noqa: E402
from web.throttling import REFUSED, refusals  # noqa: E402
from web.views import is_api  # noqa: E402

# They belong to the thread of a request, which does this itself, so that a request waits for a thread only once.
request_started.disconnect(reset_queries)
request_started.disconnect(close_old_connections)


class Handler(ASGIHandler):
    """Django's handler, which goes through middleware and view of a request in one thread.

    Both are synchronous here. By itself Django changes between the thread and the event loop at each middleware, which
    takes longer than most pages do. Streams are sent by the event loop as ever: their iterators are asynchronous.

    The threads are few and stay. Django would take a new one for each request, and with it a new connection, which a
    server of databases keeps for a while after its thread is gone: soon it takes no more. What is synchronous around
    the chain (a file that is read, a response that is closed) runs in the same threads: else each open stream would
    hold a thread of its own, and a machine has only so many.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request of ASGI; ValueError for anything but HTTP."""
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP is answered here, not {scope['type']}.")
        async with ThreadSensitiveContext(executor=request_threads):
            await self.handle(scope, receive, send)

    def load_middleware(self, is_async: bool = False) -> None:
        """Builds the synchronous chain, whatever is asked for."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The answer of the chain, from one of the threads.

        A request whose client leaves before it has a thread never gets one: Django cancels it.
        """
        answer: HttpResponseBase
        lines, client, most = line_of(request)
        try:
            async with lines.turn_of(client, most):
                answer, user = await sync_to_async(self._respond, thread_sensitive=False, executor=request_threads)(
                    request
                )
            for name in names_of(request) if user is not None else ():
                known_clients.remember(name, user)
        except TooManyWait:
            answer = refused(cast("ASGIRequest", request), too_many(most))
        if answer.status_code == REFUSED and (pause := refusals.pause()):
            held_since(cast("ASGIRequest", request).scope, time.monotonic())
            await asyncio.sleep(pause)
        return answer

    async def read_body(self, receive: Any) -> IO[bytes]:
        """The body, in memory or in an unnamed file: nothing of it is left when it is closed or the process ends."""
        spooled = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - it is closed with the request
            max_size=settings.FILE_UPLOAD_MAX_MEMORY_SIZE, mode="w+b", dir=str(settings.FILE_UPLOAD_TEMP_DIR)
        )
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestAborted
                spooled.write(message.get("body", b""))
                if not message.get("more_body"):
                    break
            spooled.seek(0)
        except BaseException:  # also when the task is cancelled, or a bound ends the reading
            spooled.close()
            raise
        return spooled

    def _respond(self, request: HttpRequest) -> tuple[HttpResponseBase, Hashable | None]:
        # Django does so when a request begins and ends, but in a thread that this one is not.
        reset_queries()
        close_old_connections()
        try:
            return self.get_response(request), user_of(request)
        finally:
            close_old_connections()


def too_many(most: int) -> Busy:
    """Why a request gets no place in its line."""
    return Busy(f"You have {most} requests in progress. Wait for one to finish, then try again.", retry_after=1)


def refused(request: ASGIRequest, error: AppError) -> HttpResponse:
    """The answer to a request that gets no thread."""
    content_type, content = error_answer(dict(request.scope), error)
    return HttpResponse(content, status=status_of(error), content_type=content_type, headers=headers_of(error))


def token_of(request: HttpRequest) -> str:
    """The header with a token, as the API takes one; empty without."""
    header = request.headers.get("Authorization", "")
    return header if is_api(request) and header.lower().startswith("bearer ") else ""


def user_of(request: HttpRequest) -> Hashable | None:
    """Whose request an answered one was; None for a stranger's."""
    if token_of(request):
        token = getattr(request, "auth", None)
        return getattr(token, "user_id", None)
    with suppress(DatabaseError):  # where nobody has asked yet, because it was away
        user = getattr(request, "user", None)
        return user.pk if user is not None and user.is_authenticated else None
    return None


def names_of(request: HttpRequest) -> list[str]:
    """What a client calls itself by: its token, else its session, also the one that began with this request."""
    if token := token_of(request):
        return [token]
    session = getattr(request, "session", None)
    names = (request.COOKIES.get(settings.SESSION_COOKIE_NAME), getattr(session, "session_key", None))
    return [name for name in dict.fromkeys(names) if name]


def line_of(request: HttpRequest) -> tuple[ClientLines, Hashable, int]:
    """In which line a request waits, as whose, and how many may be in it.

    Before anything is looked up, a client is who asked under its name before; all others of an address are one. All
    streams have addresses of one form (docs/spec 12 §5).
    """
    users = [user for name in names_of(request) if (user := known_clients.user_of(name)) is not None]
    if not users:
        return client_lines, ("address", counted_address(str(request.META.get("REMOTE_ADDR", "")))), ADDRESS_REQUESTS
    if request.path.endswith("/stream/"):
        return stream_lines, users[0], CLIENT_REQUESTS
    return (token_lines if token_of(request) else client_lines), users[0], CLIENT_REQUESTS


bounded_application = bounded_headers(bounded(Handler()))


def forwarded(inner: Any, proxies: list[str]) -> Any:
    """An application that takes address and scheme of a request from its headers, where a trusted proxy sent them.

    Without a trusted proxy these headers are ignored, even from this machine: otherwise anyone could claim any number
    of addresses.
    """
    return ProxyHeadersMiddleware(inner, trusted_hosts=proxies) if proxies else inner


async def prefixed(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Django, which gets bounded bodies, and the path prefix also from a proxy that takes it away.

    The health is answered here: it must not wait for a thread.
    """
    prefix, path = settings.FORCE_SCRIPT_NAME or "", scope.get("path", "")
    if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and path in ("/healthz", f"{prefix}/healthz"):
        await respond(scope, send)
        return
    if prefix and path != prefix and not path.startswith(f"{prefix}/"):
        scope = {**scope, "path": prefix + path}
    await bounded_application(scope, receive, send)


application = forwarded(prefixed, settings.TRUSTED_PROXIES)
