"""How many requests a token may make (docs/spec 12 §5).

The count lies in the memory of the process, not in a cache or the database: reading the API must not cost a write, and
what is protected is this process. Each web process counts for itself, and ``manage.py serve`` runs one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from web.errors import TooMany
from web.limits import REFUSAL_PAUSE, REFUSALS_AT_ONCE

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

REFUSED = 429
"""Too Many Requests."""
REMEMBERED = 10_000
"""Callers that are remembered; beyond that those whose allowance is full again are forgotten."""


class Allowance:
    """A minute's worth of requests for each caller: all at once if they like, then one whenever one is due again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._whole_at: dict[Hashable, float] = {}  # when a caller has a whole minute's worth again

    def take(self, caller: Hashable, *, rate: int) -> float:
        """0.0 if the request is allowed, and counted; else the seconds until one is. ``rate`` is per minute."""
        with self._lock:
            now = self._clock()
            whole_at, early = self._look(caller, now, rate)
            if not early:
                if len(self._whole_at) >= REMEMBERED:
                    self._whole_at = {each: at for each, at in self._whole_at.items() if at > now}
                self._whole_at[caller] = whole_at + 60 / rate
            return early

    def give_back(self, caller: Hashable, *, rate: int) -> None:
        """What was taken is not counted after all."""
        with self._lock:
            if caller in self._whole_at:
                self._whole_at[caller] -= 60 / rate

    def wait(self, caller: Hashable, *, rate: int) -> float:
        """Seconds until a request would be allowed, 0.0 if it is now; nothing is counted."""
        with self._lock:
            return self._look(caller, self._clock(), rate)[1]

    def _look(self, caller: Hashable, now: float, rate: int) -> tuple[float, float]:
        """When the caller has a whole minute's worth again, and the seconds by which a request would be early."""
        step = 60 / rate
        whole_at = max(self._whole_at.get(caller, now), now)
        early = whole_at - now - (rate - 1) * step
        return whole_at, early if early > step / 1000 else 0.0  # rounding is no reason to refuse

    def clear(self) -> None:
        """Forget all callers."""
        with self._lock:
            self._whole_at.clear()


allowance = Allowance()


class Refusals:
    """How long an answer "later" is held back: not at all while there are few, then a little.

    Otherwise a client that retries at once on many connections would keep the process busy with refusals.
    Only finished answers are held, in the event loop, so that no thread is blocked.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._given = Allowance(clock)

    def pause(self) -> float:
        """Seconds for which this one is held; to be asked once for each."""
        return REFUSAL_PAUSE if self._given.take("", rate=REFUSALS_AT_ONCE) else 0.0


refusals = Refusals()


def refuse_too_many(token: int) -> None:
    """Count a request of a token; ``TooMany`` when it has made too many. For views that are not DRF's."""
    seconds = allowance.take(token, rate=settings.API_RATE) if settings.API_RATE else 0.0
    if seconds:
        raise TooMany(seconds=seconds, rate=settings.API_RATE)


class TokenThrottle(BaseThrottle):
    """Bounds requests with a token. People who are signed in are not bounded: their pages ask by themselves."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """True; ``TooMany`` says how long to wait."""
        token = getattr(request.auth, "pk", None)
        if token is not None:
            refuse_too_many(token)
        return True
