"""Hashing of passwords, which is slow by design, so that it slows nobody else down.

Wherever Django hashes (sign-in, the admin's too, changed passwords, new users), the hash is made in a thread of its own
with less priority than those that answer requests. At least one core is left to them, and when the queue is full a
request is answered ``Busy`` at once; otherwise a few dozen guesses would hold every thread.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from web.limits import SIGN_IN_LINE
from web.places import Places

HASHING = max(1, min(SIGN_IN_LINE - 1, (os.cpu_count() or 1) - 1))
"""Passwords that are hashed at once. PBKDF2 works outside of the interpreter's lock: each takes a core."""
NICENESS = 10
"""The ``nice`` value of the threads that hash."""

line = Places(SIGN_IN_LINE, "Too many people are signing in. Try again in a few seconds.", at_work=HASHING)


class PBKDF2(PBKDF2PasswordHasher):
    """Django's hasher with its work moved aside; what it makes and reads is the same."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """The hash; ``Busy`` when too many wait for theirs."""
        with line.taken():
            made: Future[str] = Future()
            # A thread for each: beside a hash it costs nothing, and none is left where this process forks.
            thread = threading.Thread(
                target=self._make, args=(made, password, salt, iterations), name="hashing", daemon=True
            )
            thread.start()
            thread.join()
            return made.result()

    def _make(self, made: Future[str], password: str, salt: str, iterations: int | None) -> None:
        stand_back()
        try:
            made.set_result(super().encode(password, salt, iterations))
        except Exception as error:
            made.set_exception(error)


def stand_back() -> None:
    """Give the priority of this thread up to others; Linux has one for each thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            this = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, this, min(os.getpriority(os.PRIO_PROCESS, this) + NICENESS, 19))
