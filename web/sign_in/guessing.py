"""Counting wrong passwords: tolerant of typing mistakes, strict against guessing (docs/reference/limits.md).

Counted are a name from an address, a name, an address, and all together. For a name that has signed in from an address
before, only the first count applies there, so that flooding the sign-in with names or from many addresses does not
lock out known users.
"""

from __future__ import annotations

import ipaddress
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

from django.core.exceptions import ValidationError

from web.errors import AppError
from web.limits import (
    FAILURES,
    FAILURES_FROM_ADDRESS,
    FAILURES_OF_NAME,
    FAILURES_OF_NAME_FROM_ADDRESS,
    SIGN_IN_LINE,
    SIGN_INS_FROM_ADDRESS,
)
from web.places import Caller, Places
from web.throttling import REMEMBERED, Allowance

LONGEST_NAME = 150
"""Characters of a user name; no account has a longer one, so the rest need not be looked at."""
NETWORK_OF_ONE = 64
"""Bits of an IPv6 address that one customer of a network provider has: the others are theirs to choose."""


class SlowDown(AppError):
    """Too many wrong passwords. ``retry_after``: seconds until another is looked at."""

    code = "slowed-down"
    title = "Too many wrong passwords"


@dataclass(frozen=True, slots=True)
class Count:
    """One of the counts of an attempt: whose, how many failures a minute it may have, and what is said beyond it."""

    key: tuple[str, ...]
    rate: int
    words: str


class Guessing:
    """The counts of this process."""

    def __init__(self) -> None:
        self._failures = Allowance()
        self._attempts = Places(SIGN_IN_LINE, "Too many people are signing in. Try again in a few seconds.")
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def attempt(self, name: str, address: str) -> Iterator[None]:
        """A look at a password, in a ``with`` block that raises ``ValidationError`` where it is wrong.

        Raises ``SlowDown`` or ``Busy`` without running the block. An attempt counts from its beginning, so that many
        at once are not more than one after the other; a right one, and one that found no room, is taken back.
        """
        name, address = counted_name(name), counted_address(address)
        words = "Other sign-ins from this address are in progress. Try again in a moment."
        in_flight = Caller(address, SIGN_INS_FROM_ADDRESS, words)
        with self._attempts.taken(in_flight):
            counts = self._counts(name, address)
            self._count(counts)
            try:
                yield
            except ValidationError:
                raise
            except BaseException:  # no room for it, or the database is away: nobody guessed
                self._take_back(counts)
                raise
            self._take_back(counts)
            self._remember(name, address)

    def _counts(self, name: str, address: str) -> list[Count]:
        here = Count(
            ("name from address", name, address),
            FAILURES_OF_NAME_FROM_ADDRESS,
            "Too many wrong passwords for this user name from this address.",
        )
        if (name, address) in self._known:
            return [here]
        return [
            here,
            Count(("name", name), FAILURES_OF_NAME, "Too many wrong passwords for this user name."),
            Count(("address", address), FAILURES_FROM_ADDRESS, "Too many wrong passwords from this address."),
            Count(("all",), FAILURES, "Too many failed sign-in attempts."),
        ]

    def _count(self, counts: list[Count]) -> None:
        """Count the attempt everywhere, or nowhere and raise ``SlowDown``."""
        taken: list[Count] = []
        for count in counts:
            seconds = ceil(self._failures.take(count.key, rate=count.rate))
            if seconds:
                self._take_back(taken)
                raise SlowDown(f"{count.words} Try again in {seconds} s.", retry_after=seconds)
            taken.append(count)

    def _take_back(self, counts: list[Count]) -> None:
        for count in counts:
            self._failures.give_back(count.key, rate=count.rate)

    def _remember(self, name: str, address: str) -> None:
        with self._lock:
            self._known[name, address] = None
            self._known.move_to_end((name, address))
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def clear(self) -> None:
        """Forget who failed and who signed in."""
        self._failures.clear()
        with self._lock:
            self._known.clear()


guessing = Guessing()


def counted_name(name: str) -> str:
    """A user name as it is counted: all spellings that Django takes for one account are one, and some more.

    Django cuts blanks off and takes the NFKC form; here case, blanks and what cannot be seen do not count either.
    """
    folded = unicodedata.normalize("NFKC", name[:LONGEST_NAME]).casefold()
    seen = "".join(c for c in folded if unicodedata.category(c)[0] not in "CZ")
    return unicodedata.normalize("NFKC", seen)[:LONGEST_NAME]


def counted_address(address: str) -> str:
    """An address as it is counted: of IPv6 the network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, NETWORK_OF_ONE), strict=False))
