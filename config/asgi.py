"""ASGI entry point for uvicorn."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# WhiteNoise answers with files that are read synchronously; Django reads them in a thread and says so each time.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
django.setup(set_prefix=False)

from django.db import close_old_connections  # noqa: E402 - needs the settings

from web.bodies import bounded  # noqa: E402 - needs the applications

THREADS = 16
"""Requests that are answered at once; others wait their turn. Each thread has a connection to the database."""


class Handler(ASGIHandler):
    """Django's handler, which goes through middleware and view of a request in one thread.

    Both are synchronous here. By itself Django changes between the thread and the event loop at each middleware, which
    takes longer than most pages do. Streams are sent by the event loop as ever: their iterators are asynchronous.

    The threads are few and stay. Django would take a new one for each request, and with it a new connection, which a
    server of databases keeps for a while after its thread is gone: soon it takes no more.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        super().__init__()

    def load_middleware(self, is_async: bool = False) -> None:
        """Builds the synchronous chain, whatever is asked for."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The answer of the chain, from one of the threads."""
        return await sync_to_async(self._respond, thread_sensitive=False, executor=self._threads)(request)

    def _respond(self, request: HttpRequest) -> HttpResponseBase:
        # Django does so when a request begins and ends, but in a thread that this one is not.
        close_old_connections()
        try:
            return self.get_response(request)
        finally:
            close_old_connections()


bounded_application = bounded(Handler())


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Django, which gets bounded bodies, and the path prefix also from a proxy that takes it away."""
    from django.conf import settings

    prefix, path = settings.FORCE_SCRIPT_NAME, scope.get("path", "")
    if prefix and path != prefix and not path.startswith(f"{prefix}/"):
        scope = {**scope, "path": prefix + path}
    await bounded_application(scope, receive, send)
