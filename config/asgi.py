"""ASGI entry point for uvicorn."""

from __future__ import annotations

import os
import warnings
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

from web.bodies import bounded  # noqa: E402 - needs the applications


class Handler(ASGIHandler):
    """Django's handler, which goes through middleware and view of a request in one thread.

    Both are synchronous here. By itself Django changes between the thread and the event loop at each middleware, which
    takes longer than most pages do. Streams are sent by the event loop as ever: their iterators are asynchronous.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        """Builds the synchronous chain, whatever is asked for."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The answer of the chain, from the thread of the request."""
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)


bounded_application = bounded(Handler())


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Django, which gets bounded bodies, and the path prefix also from a proxy that takes it away."""
    from django.conf import settings

    prefix, path = settings.FORCE_SCRIPT_NAME, scope.get("path", "")
    if prefix and path != prefix and not path.startswith(f"{prefix}/"):
        scope = {**scope, "path": prefix + path}
    await bounded_application(scope, receive, send)
