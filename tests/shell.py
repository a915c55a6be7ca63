"""Django with the data of a workbench, for code that tests send: one start instead of one for each piece of code."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path


class Shell:
    """A process that runs code as ``manage.py shell -c`` does. It ends with ``close``, or with who started it."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        command = (sys.executable, "-m", "tests.shell")
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, env={**env}, stdin=pipe, stdout=pipe, text=True)

    def run(self, code: str) -> str:
        """What the code printed. Raises ``AssertionError`` with the traceback if it raised."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, "the shell has ended"
        printed, error = json.loads(answer)
        assert not error, error
        return printed

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate(timeout=30)


def ran(code: str) -> tuple[str, str]:
    """What code printed, and the traceback if it raised. It sees nothing of the code before it."""
    from django.db import connections

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "<test>", "exec"), {"__name__": "__main__"})
        return printed.getvalue(), ""
    except Exception:
        return printed.getvalue(), traceback.format_exc()
    finally:
        connections.close_all()


def main() -> None:
    """Run a line of JSON from standard input after the other; answer with a line each."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    answers = sys.stdout
    for line in sys.stdin:
        answers.write(json.dumps(ran(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
