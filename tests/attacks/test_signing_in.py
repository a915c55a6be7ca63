"""Signing in: guesses under other spellings, from other addresses, and so many that nobody else gets through."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.attacks.bounds import LONG, proof
from tests.attacks.flood import flooded
from tests.attacks.people import client_of, populate
from tests.attacks.watching import PAGE_MS, watched
from tests.workbench import Workbench, csrf_token

pytestmark = [pytest.mark.thorough, pytest.mark.attack]

GUESSES = 30
SPELLINGS: dict[str, Callable[[int], str]] = {
    "with blanks behind it": lambda n: "admin" + " " * n,
    "with blanks before it": lambda n: " " * n + "admin",
    "in capitals": lambda n: "".join(c.upper() if n >> k & 1 else c for k, c in enumerate("admin")),
    "in full width": lambda n: "".join(chr(ord(c) + 0xFEE0) if n >> k & 1 else c for k, c in enumerate("admin")),
    "with what nobody sees": lambda n: "admin" + "\u200b" * n,
    "with line breaks": lambda n: "admin" + "\n\t\r\x0b"[n % 4] * (n // 4),
    "behind 150 characters": lambda n: "admin" + " " * (150 + n),
}


def guess(client: httpx.Client, name: str, **headers: str) -> httpx.Response:
    """Try a wrong password."""
    form = {"username": name, "password": "wrong", "csrfmiddlewaretoken": csrf_token(client)}
    return client.post("/login/", data=form, headers=headers)


def allowed_since(began: float) -> int:
    """Ten guesses at once, one more every six seconds, and one for the moment at which a limit is reached."""
    return 11 + int((time.monotonic() - began) / 6)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_name_spelled_otherwise_is_the_same_name(workbench: Workbench, setup: str, spelling: str) -> None:
    with proof(setup, f"wrong passwords for admin {spelling}") as found, client(workbench) as guesser:
        began = time.monotonic()
        refused = sum(guess(guesser, SPELLINGS[spelling](n)).status_code == 429 for n in range(GUESSES))
        # Somebody else, or admin as it is written: either way the guesses were counted together.
        found.at_most("passwords that are looked at", GUESSES - refused, allowed_since(began))


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded"])
def test_an_address_that_the_guesser_names_is_none(workbench: Workbench, setup: str, header: str) -> None:
    with proof(setup, f"wrong passwords, each with another {header}") as found, client(workbench) as guesser:
        name, began = f"somebody-{header.lower()}", time.monotonic()
        values = [f"for=10.0.0.{n}" if header == "Forwarded" else f"10.0.0.{n}" for n in range(GUESSES)]
        refused = sum(guess(guesser, name, **{header: value}).status_code == 429 for value in values)
        found.at_most("passwords that are looked at", GUESSES - refused, allowed_since(began))


def test_the_admin_site_counts_too(workbench: Workbench, setup: str) -> None:
    with proof(setup, "wrong passwords in turn on both sign-in pages") as found, client(workbench) as guesser:
        refused, began = 0, time.monotonic()
        for n in range(GUESSES):
            form = {"username": "both", "password": "wrong", "csrfmiddlewaretoken": csrf_token(guesser)}
            page = ("/login/", "/admin/login/")[n % 2]
            answer = guesser.post(page, data=form)
            refused += answer.status_code == 429 or "Too many" in answer.text
        found.at_most("passwords that are looked at", GUESSES - refused, allowed_since(began))


@contextmanager
def client(workbench: Workbench) -> Iterator[httpx.Client]:
    """A client that has opened the sign-in page."""
    with httpx.Client(base_url=workbench.url, timeout=60) as opened:
        opened.get("/login/")
        yield opened


def test_a_flood_of_sign_ins_keeps_nobody_from_working(workbench: Workbench, setup: str) -> None:
    cookies = populate(workbench, "flooded", worker="editor")
    with (
        proof(setup, "40 connections that post random names to /login/") as found,
        client_of(workbench, cookies["worker"]) as worker,
        client(workbench) as guesser,
    ):
        token = csrf_token(guesser)
        with (
            watched(workbench, {"/": worker, "/p/flooded/": worker, "/p/flooded/test/": worker}) as seen,
            flooded(workbench, 40, dict(guesser.cookies), token),
        ):
            time.sleep(60 if LONG else 15)
        for page in ("/", "/p/flooded/", "/p/flooded/test/"):
            found.at_most(f"{page} of somebody signed in, p95", seen.milliseconds(page, 0.95), PAGE_MS, "ms")
            found.is_one_of(f"{page}, statuses", sorted(seen.statuses(page)), [200])
        seen.judge(found)


def test_somebody_who_knows_the_password_gets_in_during_a_flood(workbench: Workbench, setup: str) -> None:
    with proof(setup, "signing in during a flood of sign-ins") as found, client(workbench) as guesser:
        token, times = csrf_token(guesser), []
        with watched(workbench) as seen, flooded(workbench, 40, dict(guesser.cookies), token):
            threading.Event().wait(3)
            times += [time_to_sign_in(workbench) for _ in range(3)]
        found.at_most("the best of three, from another connection", min(times) / seen.busy, 5.0, "s")


def time_to_sign_in(workbench: Workbench) -> float:
    """Seconds until the admin is in, trying again as a person does; 30 when that does not happen."""
    from tests.workbench import ADMIN, PASSWORD

    began = time.monotonic()
    while time.monotonic() - began < 30:
        with client(workbench) as person:
            form = {"username": ADMIN, "password": PASSWORD, "csrfmiddlewaretoken": csrf_token(person)}
            if person.post("/login/", data=form).status_code == 302:
                return time.monotonic() - began
        time.sleep(0.5)
    return 30.0
