"""The Celery application. Tasks live in the apps' ``tasks`` modules and take ids only."""

from __future__ import annotations

import logging
import os
import time
import warnings
from pathlib import Path
from typing import Any

from celery import Celery, bootsteps
from celery.exceptions import SecurityWarning
from celery.signals import worker_process_init, worker_shutting_down
from kombu.transport import TRANSPORT_ALIASES

from config.broker import closing
from config.options import PERIODIC, TURNS
from config.parent import die_with

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["embedded"] = "config.broker:Transport"

app = Celery("abl_workbench", task_cls="config.work:Work")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Celery warns about running as root because of pickled messages; ours are JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

log = logging.getLogger("abl_workbench.worker")

HEARTBEAT_SECONDS = 0.5
HEARTBEAT_STALE_SECONDS = 3.0
OVERDUE_SECONDS = 6.0
"""Time over the limit of its turn after which a process is killed by its parent: the sweeper comes first."""


def role_of(worker: Any) -> str:
    """Whether a worker takes periodic work only, or turns too."""
    return PERIODIC if set(worker.app.amqp.queues.consume_from) == {PERIODIC} else TURNS


class Heartbeat(bootsteps.StartStopStep):  # type: ignore[misc]
    """Touches a file each second while the worker lives; ``/healthz`` reads it when the broker is embedded. The
    embedded broker has no remote control, because answers to dead workers would stay in its folder forever.

    It also looks after the pool. A process that works on a turn for much longer than allowed is killed, unless the
    sweeper has done so already. Without an event loop, which the embedded broker has not, the processes of a pool
    share one pipe and
    its lock; one that is killed while it waits never releases the lock, and no other gets work again. The worker then
    ends
    as a whole, and the supervisor starts a new one. One that is killed at a turn holds no lock; the pool replaces it.
    """

    requires = {"celery.worker.components:Timer", "celery.worker.components:Pool"}

    def __init__(self, worker: Any, **kwargs: Any) -> None:
        super().__init__(worker, **kwargs)
        self.timer: Any = None
        self.worker = worker

    def start(self, worker: Any) -> None:
        if is_embedded():
            self.path = heartbeat_folder() / f"{role_of(worker)}-{os.getpid()}.beat"
        self.beat()
        self.timer = worker.timer.call_repeatedly(HEARTBEAT_SECONDS, self.beat)

    def stop(self, worker: Any) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if is_embedded():
            self.path.unlink(missing_ok=True)

    def beat(self) -> None:
        self.look_after_the_pool()
        if is_embedded():
            self.sign()

    def sign(self) -> None:
        """Touch the heartbeat file, and remove those of dead workers."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        for other in self.path.parent.glob("*.beat"):
            if age(other) > 60 * HEARTBEAT_STALE_SECONDS:
                other.unlink(missing_ok=True)

    def look_after_the_pool(self) -> None:
        """Kill processes that hang in a turn, and watch for lost processes of the pool."""
        from constraints.running import presence  # needs the applications, which load this module

        pool = getattr(getattr(self.worker, "pool", None), "_pool", None)
        processes = getattr(pool, "_pool", None)
        if pool is None or processes is None:
            return
        if is_embedded():
            pool.on_process_down = self.process_down
        for pid in [process.pid for process in processes]:
            if presence.stop_overdue(pid, grace=OVERDUE_SECONDS):
                log.error("Process %d of the pool did not come back from its turn and was killed.", pid)

    def process_down(self, process: Any) -> None:
        """End this process when an idle process of the pool has died unexpectedly. The pool calls it for each."""
        from constraints.running import presence

        if closing.is_set() or presence.ended_at_work(process.pid):
            return
        log.error("A process of the pool was lost; the worker ends, so that a whole one takes its place.")
        self.path.unlink(missing_ok=True)
        os._exit(1)


app.steps["worker"].add(Heartbeat)


@worker_process_init.connect
def end_with_worker(**_: Any) -> None:
    """A process of the pool ends with its worker, also when that is killed."""
    die_with(os.getppid())


@worker_shutting_down.connect
def leave_the_queue(**_: Any) -> None:
    """The worker looks for its end only between two waits for messages."""
    closing.set()


def is_embedded() -> bool:
    """Whether messages lie in files on this machine."""
    return str(app.conf.broker_url).startswith("embedded:")


def heartbeat_folder() -> Path:
    """The folder of the heartbeat files of workers of the embedded broker."""
    return Path(app.conf.broker_transport_options["control_folder"]) / "workers"


def age(path: Path) -> float:
    """Seconds since a file was touched; infinite for one that is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def worker_alive(role: str = TURNS) -> bool:
    """Whether at least one worker listens: by its heartbeat file, or by an answer to a ping through the broker.

    The worker for periodic work that the supervisor starts answers no ping; ``web.periodic`` shows when
    its work last finished.
    """
    if is_embedded():
        folder = heartbeat_folder()
        return folder.is_dir() and any(age(path) < HEARTBEAT_STALE_SECONDS for path in folder.glob(f"{role}-*.beat"))
    return bool(app.control.ping(timeout=0.7, limit=1))
