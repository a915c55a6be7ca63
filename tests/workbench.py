"""A whole workbench for a test: the processes of ``make run`` on a free port, with data of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.prepared import put_database
from tests.shell import Shell

ROOT = Path(__file__).resolve().parent.parent
ADMIN, PASSWORD = "admin", "correct horse battery"
READY = re.compile(r"ABL Workbench is ready: (http://\S+)/\s")
NOT_WELL = re.compile(r"ABL Workbench is at (http://\S+)/ but not well: .+\n")


def eventually(condition: Callable[[], Any], seconds: float = 40.0, what: str = "") -> Any:
    """The first true value of a condition; fails the test when there is none in time.

    The time is what a machine that does many other things may take. What has to be quick is measured against
    ``busyness``.
    """
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what or condition}")
        time.sleep(0.02)


def busyness() -> float:
    """How many times longer than on a quiet machine something takes just now; 1 on a quiet one.

    Measured as the time that passes while this process works for a tenth of a second.
    """
    began, worked = time.perf_counter(), time.process_time()
    while time.process_time() - worked < 0.1:
        pass
    return max(1.0, (time.perf_counter() - began) / (time.process_time() - worked))


class Workbench:
    """Web, worker and beat under the supervisor. ``url`` has no slash at its end; ``log`` is what they printed."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.var_dir = Path(settings.get("ABL_VAR_DIR", folder / "var"))
        self.log_file = folder / "workbench.log"
        ours = {"ABL_VAR_DIR": str(self.var_dir), "ABL_ADMIN_PASSWORD": PASSWORD, "HOST": "127.0.0.1", "PORT": "0"}
        self.env = {**plain_environment(), **ours, **settings}
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self._shell: Shell | None = None
        self._signed_in: dict[tuple[str, str], httpx.Cookies] = {}

    def start(
        self, command: tuple[str, ...] = (sys.executable, "manage.py", "serve"), until: re.Pattern[str] = READY
    ) -> Workbench:
        """Start it and return when every part is well, or when it says that one is not."""
        self._signed_in.clear()
        with self.log_file.open("ab") as log:
            start = log.tell()
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )

        def said() -> re.Match[str] | None:
            assert self.process is not None
            assert self.process.poll() is None, f"the workbench ended: {self.process.returncode}"
            return until.search(self.log[start:])

        try:
            self.url = eventually(said, 180, f"the workbench says: {until.pattern}").group(1)
        except AssertionError as exc:
            self.stop(signal.SIGKILL)
            raise AssertionError(f"{exc}\n{self.log[-4000:]}") from None
        return self

    def stop(self, number: int = signal.SIGTERM) -> float:
        """End it and return the seconds that took."""
        if self._shell is not None:
            self._shell.close()
            self._shell = None
        began = time.monotonic()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        return time.monotonic() - began

    @property
    def log(self) -> str:
        """Everything printed so far."""
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def manage(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a management command on its data."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.env, check=check, capture_output=True, text=True, timeout=180)

    def shell(self, code: str) -> str:
        """Run code on its data, in a process that stays for the next; what it printed."""
        if self._shell is None:
            self._shell = Shell(ROOT, self.env)
        return self._shell.run(code)

    def pids(self, part: str = "") -> list[int]:
        """Processes of this workbench whose command line holds a text, children of children too; none of any other."""
        assert self.process is not None
        return [pid for pid in descendants(self.process.pid) if part in command_line(pid)]

    def health(self) -> dict[str, Any]:
        """What ``/healthz`` says, whatever its status."""
        return dict(httpx.get(f"{self.url}/healthz", timeout=30).json())

    @contextmanager
    def client(self, username: str = ADMIN, password: str = PASSWORD) -> Iterator[httpx.Client]:
        """A signed-in client; its unsafe requests carry the CSRF token.

        One sign-in serves all clients of a person: checking a password is slow by design.
        """
        with httpx.Client(base_url=self.url, timeout=60, follow_redirects=True) as client:
            if (username, password) in self._signed_in:
                client.cookies.update(self._signed_in[username, password])
            else:
                sign_in(client, username, password)
                self._signed_in[username, password] = httpx.Cookies(client.cookies)
            client.headers.update({"X-CSRFToken": csrf_token(client), "Referer": self.url})
            yield client

    def cookies(self, username: str = ADMIN, password: str = PASSWORD) -> list[dict[str, str]]:
        """Cookies of a signed-in person for ``BrowserContext.add_cookies``."""
        with self.client(username, password) as client:
            return [{"name": name, "value": value, "url": self.url} for name, value in client.cookies.items()]


def sign_in(client: httpx.Client, username: str, password: str) -> None:
    """Fill in the form of the page; fails the test when that is refused."""
    client.get("/login/")
    form = {"username": username, "password": password, "csrfmiddlewaretoken": csrf_token(client)}
    answer = client.post("/login/", data=form)
    assert any(n.startswith("abl_session") for n in client.cookies), f"{username} cannot sign in: {answer.text[:500]}"


def csrf_token(client: httpx.Client) -> str:
    """The CSRF token that the server gave a client."""
    return next(value for name, value in client.cookies.items() if name.startswith("abl_csrf"))


def plain_environment() -> dict[str, str]:
    """The environment without what would lead a workbench to other data, servers or rules, or slow its start."""
    ours = ("ABL_", "DATABASE_URL", "BROKER_URL", "DJANGO_", "HOST", "PORT", "MAKE", "MFLAGS", "PYTEST_", "CI_REQUIRE")
    slow = "PYTHONDONTWRITEBYTECODE"
    return {name: value for name, value in os.environ.items() if not name.startswith((*ours, slow))}


def descendants(pid: int) -> Iterator[int]:
    """Processes that a process started, and those that they started."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            yield child
            yield from descendants(child)


def command_line(pid: int) -> str:
    """The command of a process with spaces between its words; empty once it ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_running(pid: int) -> bool:
    """Whether a process lives; one that ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def running(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Workbench]:
    """A workbench for the length of a ``with`` block. On SQLite its database is prepared already."""
    settings = settings or {}
    workbench = Workbench(folder, **settings)
    if not {"DATABASE_URL", "ABL_ADMIN_PASSWORD"} & set(settings):
        put_database(workbench.var_dir, workbench.env)
    try:
        yield workbench.start()
    finally:
        workbench.stop()
