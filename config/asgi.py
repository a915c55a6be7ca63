"""ASGI entry point for uvicorn."""

from __future__ import annotations

import asyncio
import os
import tempfile
import warnings
from typing import IO, Any

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# WhiteNoise answers with files that are read synchronously; Django reads them in a thread and says so each time.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
django.setup(set_prefix=False)

from django.db import close_old_connections  # noqa: E402 - needs the settings
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware  # noqa: E402

from config.health import respond  # noqa: E402 - needs the applications
from config.threads import request_threads  # noqa: E402
from web.bodies import bounded  # noqa: E402
from web.headers import bounded_headers  # noqa: E402
from web.throttling import REFUSED, refusals  # noqa: E402


class Handler(ASGIHandler):
    """Django's handler, which goes through middleware and view of a request in one thread.

    Both are synchronous here. By itself Django changes between the thread and the event loop at each middleware, which
    takes longer than most pages do. Streams are sent by the event loop as ever: their iterators are asynchronous.

    The threads are few and stay. Django would take a new one for each request, and with it a new connection, which a
    server of databases keeps for a while after its thread is gone: soon it takes no more.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Builds the synchronous chain, whatever is asked for."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The answer of the chain, from one of the threads.

        A request whose client leaves before it has a thread never gets one: Django cancels it.
        """
        answer = await sync_to_async(self._respond, thread_sensitive=False, executor=request_threads)(request)
        if answer.status_code == REFUSED:
            await asyncio.sleep(refusals.pause())
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

    def _respond(self, request: HttpRequest) -> HttpResponseBase:
        # Django does so when a request begins and ends, but in a thread that this one is not.
        close_old_connections()
        try:
            return self.get_response(request)
        finally:
            close_old_connections()


bounded_application = bounded_headers(bounded(Handler()))


def forwarded(inner: Any, proxies: list[str]) -> Any:
    """An application that takes address and scheme of a request from its headers, where a trusted proxy sent them.

    Without such proxies nobody's word for it counts, also not that of this machine: whoever can write a header could
    else be as many addresses as they like.
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
