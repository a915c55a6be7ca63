"""``manage.py serve``: the whole workbench under one process, as ``make run`` starts it."""

from __future__ import annotations

import fcntl
import http.client
import json
import time
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.forked import load
from config.options import REFUSED
from config.sockets import allow_descriptors, listen
from config.supervisor import Supervisor, children


class Command(BaseCommand):
    """Prepares the database, then keeps listener, web, worker and beat running until SIGINT or SIGTERM."""

    help = "Run listener, web, worker and beat under one process until SIGINT or SIGTERM. HOST and PORT say where."

    def handle(self, *args: Any, **options: Any) -> None:
        lock = self.lock(settings.VAR_DIR)
        try:
            listening = listen(settings.HOST, settings.PORT)
        except OSError as exc:
            where = f"{settings.HOST} port {settings.PORT}"
            why = f"Cannot listen on {where}: {exc.strerror or exc}. Set HOST or PORT."
            raise CommandError(why, returncode=REFUSED) from exc
        with lock, listening:
            call_command("prepare", stdout=self.stdout)
            load()
            allow_descriptors()
            address = Announcement(self, settings.HOST, listening.getsockname()[1])
            programs = children(listening, settings.VAR_DIR, settings.WORKERS, settings.HANG_SECONDS)
            Supervisor(programs, address.tell_when_ready).run()
        self.say("ABL Workbench has stopped.")

    def lock(self, var_dir: Path) -> IO[str]:
        """Hold the data folder: two workbenches on one would run everything twice."""
        held = (var_dir / "serve.lock").open("w")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            why = f"A workbench already runs on the data in {var_dir}. Set ABL_VAR_DIR for another."
            raise CommandError(why, returncode=REFUSED) from exc
        return held

    def say(self, text: str) -> None:
        """Write a line at once, also into a pipe."""
        self.stdout.write(text)
        self.stdout.flush()


class Announcement:
    """Prints the address once every part is healthy; before that, after a while, which parts are not."""

    PATIENCE_SECONDS = 10.0

    def __init__(self, command: Command, host: str, port: int) -> None:
        self.command = command
        self.port = port
        # "Every address" is no address to visit; this machine is.
        self.host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
        self.complain_at = time.monotonic() + self.PATIENCE_SECONDS
        self.announced = False

    def tell_when_ready(self) -> None:
        """Ask for the health until it is good."""
        if self.announced:
            return
        parts = self.health()
        host = f"[{self.host}]" if ":" in self.host else self.host
        address = f"http://{host}:{self.port}{settings.FORCE_SCRIPT_NAME or ''}/"
        if parts.get("status") == "ok":
            self.announced = True
            self.command.say(f"ABL Workbench is ready: {address}")
        elif time.monotonic() > self.complain_at:
            self.complain_at = float("inf")
            words = {part: word for part, word in parts.items() if part != "status" and isinstance(word, str)}
            wrong = ", ".join(f"{part}: {word}" for part, word in words.items() if word != "ok")
            self.command.say(f"ABL Workbench is at {address} but not well: {wrong or 'web: does not answer'}")

    def health(self) -> dict[str, Any]:
        """The answer of ``/healthz``; empty when there is none."""
        link = http.client.HTTPConnection(self.host, self.port, timeout=1)
        try:
            link.request("GET", "/healthz")
            return dict(json.load(link.getresponse()))
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            link.close()
