"""ASGI entry point for uvicorn."""

from __future__ import annotations

import os
import warnings
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# WhiteNoise answers with files that are read synchronously; Django reads them in a thread and says so each time.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
django_application = get_asgi_application()

from web.bodies import bounded  # noqa: E402 - needs the applications

bounded_application = bounded(django_application)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Django, which gets bounded bodies, and the path prefix also from a proxy that takes it away."""
    from django.conf import settings

    prefix, path = settings.FORCE_SCRIPT_NAME, scope.get("path", "")
    if prefix and path != prefix and not path.startswith(f"{prefix}/"):
        scope = {**scope, "path": prefix + path}
    await bounded_application(scope, receive, send)
