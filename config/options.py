"""Settings that need code: secret key, content security policy, broker, schedule, logs."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
from difflib import get_close_matches
from logging import LogRecord
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Exchange, Queue

REFUSED = 2
"""Exit code of a start that was refused: a setting, an address or a database that cannot be used."""

KNOWN: dict[str, str] = {
    "HOST": "Address that the workbench listens on; browsers may use it as host name. Default: 127.0.0.1.",
    "PORT": "Port that the workbench listens on; 0 takes a free one. Default: 8000.",
    "DATABASE_URL": "Database, such as postgres://user:password@host:5432/name. Default: SQLite in ABL_VAR_DIR.",
    "BROKER_URL": "Message broker, such as redis://host:6379/0 or amqp://host. Default: embedded:// in ABL_VAR_DIR.",
    "ABL_VAR_DIR": "Folder for data: database, broker, secret key. Default: var/ in the project.",
    "ABL_DEBUG": "true shows tracebacks in the browser. Default: false.",
    "ABL_SECRET_KEY": "Key for sessions and signatures. Default: made on first start and kept in var/secret_key.",
    "ABL_ALLOWED_HOSTS": "Host names that browsers may use, separated by commas. Default: this machine's own.",
    "ABL_TRUSTED_PROXIES": "Addresses or networks, separated by commas, of proxies whose X-Forwarded-For and "
    "X-Forwarded-Proto count. Default: none.",
    "ABL_TRUSTED_ORIGINS": "Origins (scheme and host) whose forms are accepted behind a proxy. Default: none.",
    "ABL_PATH_PREFIX": "Path under which a proxy serves the workbench, such as /abl. Default: none.",
    "ABL_HTTPS": "true when browsers use https: cookies are then never sent without it. Default: false.",
    "ABL_TEST_DB": "File of the SQLite test database. Default: test.sqlite3 in ABL_VAR_DIR.",
    "ABL_API_RATE": "Requests to the API that a token may make in a minute; 0 for any number. Default: 600.",
    "ABL_CONNECTIONS": "Connections that may be open at once. Default: 1000.",
    "ABL_HEAD_SECONDS": "Time for the header of a request to arrive. Default: 15.",
    "ABL_BODY_SECONDS": "Time for the body of a request to arrive. Default: 300.",
    "ABL_IDLE_SECONDS": "A body of which nothing arrives for so long is given up. Default: 20.",
    "ABL_READ_SECONDS": "A client that takes nothing of its answer for so long is disconnected. Default: 30.",
    "ABL_BODIES_BYTES": "What all bodies that are arriving may hold together. Default: 500000000.",
    "ABL_HANG_SECONDS": "A web process that does not answer, or finishes no request while others wait, for so "
    "long is started again. Default: 30.",
    "ABL_WORKERS": "Processes that run turns. Default: 4.",
    "ABL_PREFETCH": "Messages that each of these processes takes ahead. Default: 4.",
    "ABL_TURN_SECONDS": "The longest that a turn may run, where its project sets no other limit. Default: 30.",
    "ABL_TURN_LEASE_SECONDS": "A turn whose worker elsewhere is silent for so long is given to another. Default: 4.",
    "ABL_TURN_MAX_ATTEMPTS": "Attempts at a turn, whose workers were lost, before it is marked as failed. Default: 10.",
    "ABL_UPLOAD_BYTES": "The largest file that can be uploaded to a session. Default: 10000000.",
    "ABL_PROJECT_FILES_MB": "Megabytes that the files of all sessions of a project may take, with the texts read from "
    "them. Default: 1000.",
    "ABL_USER_FILES_MB": "Megabytes that the files which an account uploaded may take, in all projects, with the "
    "texts read from them. Default: 2000.",
    "ABL_PROJECT_CONVERSATIONS_MB": "Megabytes that the test conversations of a project may take, with snapshots and "
    "traces. Default: 2000.",
    "ABL_USER_CONVERSATIONS_MB": "Megabytes that the test conversations which an account started may take, in all "
    "projects. Default: 4000.",
    "ABL_PROJECT_TEXTS_MB": "Megabytes that the revisions and drafts of a project's documents may take. Default: 1000.",
    "ABL_USER_TEXTS_MB": "Megabytes that the revisions and drafts which an account saved may take, in all projects. "
    "Default: 2000.",
    "ABL_PROJECT_MEMORY_MB": "Megabytes that a project's memory may write, as its log keeps it. Default: 5000.",
    "ABL_USER_PROJECTS": "Projects that an account may own. Default: 100.",
    "ABL_MEMORY_SETTLE_SECONDS": "Without a turn for so long, a conversation's facts go into memory. Default: 300.",
    "ABL_ADMIN_PASSWORD": "Password of the first admin. Default: made on first start and printed once.",
}
"""Every variable that is read, with what it means and its default; docs/reference/settings.md is made from it."""


def refuse_unknown() -> None:
    """Raise ``ImproperlyConfigured`` for an ``ABL_`` variable that no setting reads, with a suggestion."""
    for name in os.environ:
        plain = name.removesuffix("_FILE")
        if plain.startswith("ABL_") and plain not in KNOWN:
            near = get_close_matches(plain, KNOWN, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ImproperlyConfigured(f"Unknown setting {name}.{hint} Known: {', '.join(sorted(KNOWN))}.")


def allowed_hosts(host: str) -> list[str]:
    """Host names of this machine, and the one that the workbench listens on unless that means every address."""
    names = ["localhost", "127.0.0.1", "[::1]", "testserver", socket.gethostname()]
    return names if host in ("0.0.0.0", "::", "") else [*names, f"[{host}]" if ":" in host else host]  # noqa: S104


def cookie_suffix(secret_key: str) -> str:
    """A suffix that separates the cookies of two workbenches on one machine: browsers share cookies between ports."""
    return hashlib.sha256(secret_key.encode()).hexdigest()[:8]


def secret_key(var_dir: Path) -> str:
    """The key kept in ``var/secret_key``, made on first use. Created exclusively, so that two processes agree."""
    path = var_dir / "secret_key"
    try:
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text(encoding="ascii")


def content_security_policy() -> dict[str, Any]:
    """Everything from this host; no inline script, styles only with the request's nonce."""
    return {
        "DIRECTIVES": {
            "default-src": [NONE],
            "script-src": [SELF],
            "style-src": [SELF, NONCE],
            "img-src": [SELF, "data:"],
            "font-src": [SELF],
            "connect-src": [SELF],
            "form-action": [SELF],
            "frame-ancestors": [NONE],
            "base-uri": [NONE],
        }
    }


def broker_transport(url: str, folder: Path) -> dict[str, Any]:
    """Transport options of the broker; the embedded one keeps its messages in ``folder``, on one volume."""
    if not url.startswith("embedded:"):
        # A request must not wait for an unreachable broker: the turn's row is kept and the sweeper sends it later.
        quick = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}
        return {**quick, "visibility_timeout": 60} if url.startswith("redis") else quick
    queue, done, control = (folder / name for name in ("queue", "processed", "control"))
    for each in (queue, done, control):
        each.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "processed_folder": str(done),
        "control_folder": str(control),
        "store_processed": False,
    }


def beat_schedule() -> dict[str, Any]:
    """Periodic work: purge expired data, queue turns of dead workers again, write memory after idle conversations."""
    return {
        "purge-expired-facts": {"task": "memory.purge_expired", "schedule": 5.0, "options": {"expires": 5}},
        "drop-tombstones": {"task": "memory.drop_tombstones", "schedule": 3600.0, "options": {"expires": 600}},
        "purge-expired-records": {"task": "memory.purge_records", "schedule": 5.0, "options": {"expires": 5}},
        "settle-memory": {"task": "constraints.settle_conversations", "schedule": 5.0, "options": {"expires": 5}},
        "clear-sessions": {"task": "config.clear_sessions", "schedule": 3600.0, "options": {"expires": 600}},
        "sweep-turns": {"task": "constraints.sweep_turns", "schedule": 1.0, "options": {"expires": 1}},
    }


TURNS, PERIODIC = "turns", "periodic"
"""The queues. A worker that is started by hand without -Q takes from both."""


def queues() -> list[Queue]:
    """Turns and periodic work each have a queue: neither waits behind the other."""
    return [Queue(name, Exchange(name), routing_key=name) for name in (TURNS, PERIODIC)]


def logging(*, debug: bool) -> dict[str, Any]:
    """Lines for people on a terminal; structlog adds request and turn ids (``web.logs``)."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"()": "web.logs.formatter"}},
        "filters": {
            name: {"()": "django.utils.log.CallbackFilter", "callback": call}
            for name, call in (("news", is_news), ("brief", brief))
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["news", "brief"]}},
        "root": {"handlers": ["console"], "level": "INFO" if debug else "WARNING"},
        "loggers": {
            "abl_workbench": {"level": "INFO"},
            "django.request": {"level": "ERROR"},
            "kombu.connection": {"level": "ERROR"},  # it warns that embedded:// names no host
            "uvicorn.access": {"level": "WARNING"},
        },
    }


def is_news(record: LogRecord) -> bool:
    """False for "the health page answered 503": who asks for the health sees it, and may ask every second."""
    request = getattr(record, "request", None)
    return getattr(request, "path_info", "") != "/healthz"


def brief(record: LogRecord) -> bool:
    """True, after cutting what needs no traceback down to one line.

    A task that could not be sent is tried again every second; a request that Django refuses is no mistake of ours.
    """
    error = record.exc_info[1] if record.exc_info else None
    if record.name.startswith("django.security."):
        record.exc_info = None
    if record.name == "celery.beat" and error is not None:
        record.msg, record.args, record.exc_info = "%s", (error,), None
    return True
