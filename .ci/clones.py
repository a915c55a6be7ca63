"""`make run` and `make test-fast` in a fresh clone, under Python 3.11 and under the newest Python of this machine.

A clone of the last commit in an empty folder is what somebody has who reads the README. It is started, signed in to and
ended with Ctrl+C. Needs git, make and nothing but the standard library; pip takes from its
cache what it has fetched before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
READY = re.compile(r"ABL Workbench is ready: (http://\S+/)\s")
PASSWORD = "correct horse battery"  # noqa: S105 - of a data folder that is gone afterwards
READY_SECONDS, END_SECONDS = 900, 60
ASK = "import json, sys; v = sys.version_info; print(json.dumps([v[:2], v.releaselevel, sys._base_executable]))"


def say(text: str) -> None:
    sys.stdout.write(f".ci/clones: {text}\n")
    sys.stdout.flush()


def candidates() -> Iterator[str]:
    """Commands and files that may be a Python of this machine, outside of the project's own environment."""
    for name in ("python3", *(f"python3.{minor}" for minor in range(OLDEST[1], 20))):
        found = shutil.which(name, path=plain_path())
        if found:
            yield found
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, sorted(versions.glob("3.*/bin/python3")))


def pythons() -> dict[tuple[int, int], str]:
    """The oldest Python that the project supports and the newest that is here, or one of them; no pre-release."""
    known: dict[tuple[int, int], str] = {}
    for path in candidates():
        done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            version, level, executable = json.loads(done.stdout)
            if level == "final" and tuple(version) >= OLDEST:
                known.setdefault((version[0], version[1]), executable)
    return {version: known[version] for version in sorted({OLDEST, max(known, default=OLDEST)}) if version in known}


def plain_path() -> str:
    """PATH without the project's environment, whose Python is not the one that a clone would find."""
    return os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if not part.startswith(str(ROOT)))


def plain_environment(python: str) -> dict[str, str]:
    """The environment of somebody who has set nothing but the Python."""
    ours = ("ABL_", "DATABASE_URL", "BROKER_URL", "DJANGO_", "HOST", "PORT", "MAKE", "MFLAGS", "PYTEST_", "CI_")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**plain, "PATH": plain_path(), "PYTHON": python}


def sign_in(address: str) -> None:
    """Fill in the form of the page; raises ``RuntimeError`` unless the page behind it opens."""
    cookies = CookieJar()
    opener: OpenerDirector = build_opener(HTTPCookieProcessor(cookies))
    with opener.open(f"{address}healthz", timeout=30) as answer:
        say(f"healthy: {answer.read().decode()}")
    opener.open(f"{address}login/", timeout=30).close()
    token = next(cookie.value for cookie in cookies if cookie.name.startswith("abl_csrf"))
    form = urlencode({"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": token}).encode()
    request = Request(f"{address}login/", data=form, headers={"Referer": f"{address}login/"})  # noqa: S310
    with opener.open(request, timeout=30) as answer:
        if "/login/" in answer.url or answer.status != 200:
            raise RuntimeError(f"signing in led to {answer.url} ({answer.status})")


def start_and_end(clone: Path, env: dict[str, str]) -> None:
    """`make run`, until it is ready; sign in; Ctrl+C. Raises with what it printed if one of them fails."""
    log = clone.with_name("log")
    settings = {"PORT": "0", "ABL_ADMIN_PASSWORD": PASSWORD}
    with log.open("wb") as out:
        run = subprocess.Popen(
            ["make", "run"], cwd=clone, env={**env, **settings}, stdout=out, stderr=out, start_new_session=True
        )
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not (ready := READY.search(log.read_text(errors="replace"))):
            if run.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("make run did not get ready")
            time.sleep(0.2)
        sign_in(ready[1])
        os.killpg(run.pid, signal.SIGINT)
        run.wait(END_SECONDS)
        left = processes(run.pid)
        if left:
            raise RuntimeError(f"after Ctrl+C there are still: {left}")
        if "Traceback" in log.read_text(errors="replace"):
            raise RuntimeError("something raised")
    except Exception:
        sys.stderr.write(log.read_text(errors="replace")[-6000:])
        raise
    finally:
        if processes(run.pid):
            os.killpg(run.pid, signal.SIGKILL)


def processes(group: int) -> list[str]:
    """Command lines of the processes of a group that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(stat.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def try_under(version: tuple[int, int], python: str) -> None:
    """Everything in a clone of its own, which is gone afterwards."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="abl-clone-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", "--no-local", str(ROOT), str(clone)], check=True)
        env = plain_environment(python)
        start_and_end(clone, env)
        say(f"make run: starts, signs in and ends under Python {version[0]}.{version[1]}")
        subprocess.run(["make", "test-fast"], cwd=clone, env=env, check=True)
    say(f"Python {version[0]}.{version[1]}: passed in {time.monotonic() - began:.0f}s")


def main() -> int:
    """Try each; 1 if there is none at all."""
    found = pythons()
    if not found:
        say("no Python 3.11 or later is here")
        return 1
    if len(found) == 1:
        say("only one Python from 3.11 on is here: the other is left out")
    for version, python in found.items():
        try_under(version, python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
