"""Whether the viewers of streams may still see them: checked in parallel to delivery, for all of them at once.

A thread of its own asks while anybody listens: every second, and at once when this process changes rights. A viewer
never waits for the check, and one who loses the right loses the stream within two seconds, even if nothing is sent on
it.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Hashable

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

log = structlog.get_logger("abl_workbench.streams")

RECHECK_SECONDS = 1.0
"""Seconds between two checks."""
LEAST_SECONDS = 0.1
"""Seconds between two checks while rights keep changing."""

Claim = Hashable
"""What gives a viewer access. Viewers with equal claims are checked once."""
Allowed = Callable[[Collection[Claim]], set[Claim]]


class Rights:
    """Asks ``allowed`` about the ``claims`` of those who listen, and has the others refused."""

    def __init__(
        self, claims: Callable[[], set[Claim]], refuse: Callable[[set[Claim]], None], allowed: Allowed
    ) -> None:
        self._claims = claims
        self._refuse = refuse
        self._allowed = allowed
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._changed = threading.Event()

    def look_after(self) -> None:
        """Start checking until nobody listens."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="rights", daemon=True)
                self._thread.start()

    def changed(self) -> None:
        """Ask now."""
        self._changed.set()

    def _run(self) -> None:
        try:
            while self._anybody():
                self._changed.wait(RECHECK_SECONDS)
                self._changed.clear()
                self.ask()
                time.sleep(LEAST_SECONDS)
        finally:
            connection.close()

    def _anybody(self) -> bool:
        with self._lock:
            if self._claims():
                return True
            self._thread = None
            return False

    def ask(self) -> None:
        """End the streams of viewers without the right; of nobody while the database is unavailable, which the streams
        report.
        """
        claims = self._claims()
        try:
            close_old_connections()
            refused = claims - self._allowed(claims)
        except (DatabaseError, InterfaceError, sqlite3.Error, OSError) as error:
            log.info("rights not asked", error=str(error))
            return
        if refused:
            self._refuse(refused)
