"""``/healthz``: whether a person could work now, part by part, within a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.celery import app, is_embedded, worker_alive
from web.storage import has_room

TIMEOUT_SECONDS = 0.9

# Threads of their own: a database that hangs may use up these, not those that serve pages.
_threads = ThreadPoolExecutor(max_workers=6, thread_name_prefix="health")


def database() -> str:
    """``ok``, or what is wrong with the database."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        kept_here = connection.vendor == "sqlite"
        return room(Path(str(connection.settings_dict["NAME"])).parent) if kept_here else "ok"
    finally:
        connection.close()


def broker() -> str:
    """``ok``, or what is wrong with the broker. Connecting to the embedded one proves that it can be written."""
    with app.connection_for_write(connect_timeout=TIMEOUT_SECONDS) as link:
        link.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
    return room(settings.VAR_DIR) if is_embedded() else "ok"


def room(folder: Path) -> str:
    """``ok``, or that the disk is full: reading works then, but nothing can be said or saved."""
    return "ok" if has_room(folder) else "the disk is full"


def worker() -> str:
    """``ok``, or that no worker listens."""
    return "ok" if worker_alive() else "no worker answers"


async def outcome(check: Callable[[], str]) -> str:
    """What a check says; an exception or silence in words."""
    loop = asyncio.get_running_loop()
    try:
        return await asyncio.wait_for(loop.run_in_executor(_threads, check), TIMEOUT_SECONDS)
    except TimeoutError:
        return f"does not answer within {TIMEOUT_SECONDS} s"
    except Exception as exc:
        # The type alone: the message of a driver may hold the address and the user of the server.
        return f"does not work ({type(exc).__name__})"


@require_safe
@never_cache
async def healthz(request: HttpRequest) -> JsonResponse:
    """200 with every part ``ok``, or 503 where ``status`` is ``unavailable`` and the parts say what is not."""
    checks = {"database": database, "broker": broker, "worker": worker}
    results = await asyncio.gather(*(outcome(check) for check in checks.values()))
    parts = {"web": "ok", **dict(zip(checks, results, strict=True))}
    healthy = all(part == "ok" for part in parts.values())
    return JsonResponse({"status": "ok" if healthy else "unavailable", **parts}, status=200 if healthy else 503)
