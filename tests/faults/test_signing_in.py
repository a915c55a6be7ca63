"""Guessing passwords, and floods of sign-ins."""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.urls import reverse

from tests.factories import UserFactory
from tests.workbench import eventually
from web.errors import Busy
from web.limits import (
    FAILURES,
    FAILURES_FROM_ADDRESS,
    FAILURES_OF_NAME,
    FAILURES_OF_NAME_FROM_ADDRESS,
    SIGN_IN_LINE,
)
from web.sign_in import hashing
from web.sign_in.guessing import counted_address, counted_name, guessing

PASSWORD = "correct horse battery"
OURS = ["web.sign_in.hashing.PBKDF2"]


@pytest.fixture(autouse=True)
def nobody_failed(monkeypatch):
    """Nobody failed yet, and no time passes: on a busy machine a minute's worth would come back meanwhile."""
    guessing.clear()
    monkeypatch.setattr(guessing._failures, "_clock", lambda: 1000.0)
    yield
    guessing.clear()


@pytest.fixture
def grace(db):
    user = UserFactory(username="grace", is_staff=True, is_superuser=True)
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(client, password=PASSWORD, name="grace", address="login", **more):
    return client.post(reverse(address), {"username": name, "password": password}, **more)


@pytest.mark.parametrize("address", ["login", "admin:login"])
def test_who_guesses_has_to_wait_even_with_the_right_password(client, grace, address):
    for n in range(FAILURES_OF_NAME_FROM_ADDRESS):
        assert b"Too many wrong passwords" not in sign_in(client, f"guess {n}", address=address).content
    refused = sign_in(client, address=address)
    words = r"Too many wrong passwords for this user name from this address\. Try again in [1-6] s\."
    assert re.search(words, refused.content.decode())
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 6
    assert "_auth_user_id" not in client.session
    # From elsewhere, and for others, nothing has changed.
    assert sign_in(client, address=address, REMOTE_ADDR="10.1.2.3").status_code == 302


def test_right_passwords_are_not_counted(client, grace):
    for _ in range(2 * FAILURES_OF_NAME_FROM_ADDRESS):
        answer = sign_in(client, "wrong", name="Grace", REMOTE_ADDR="10.1.2.3")
        assert sign_in(client).status_code == 302
        client.logout()
    assert answer.status_code == 429


NAMES = {
    "blanks behind it": "grace" + 7 * " ",
    "blanks before it": "\t grace",
    "full width letters": "\uff47\uff52\uff41\uff43\uff45",
    "small capitals in case": "GRACE",
    "a zero width space": "gra\u200bce",
    "a soft hyphen": "gra\u00adce",
    "a null byte": "grace\x00",
    "a mark of direction": "\u202egrace",
}


def test_every_spelling_of_a_name_counts_for_it(client, grace):
    spellings = list(NAMES.values())
    for n in range(FAILURES_OF_NAME_FROM_ADDRESS):
        assert sign_in(client, "wrong", name=spellings[n % len(spellings)]).status_code == 200
    assert sign_in(client).status_code == 429
    assert [sign_in(client, name=name).status_code for name in spellings] == [429] * len(spellings)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_is_counted_as_the_account_that_django_finds(name):
    assert counted_name(name) == "grace"


def test_a_name_without_end_costs_nothing():
    assert len(counted_name("\ufdfa" * 10_000_000)) <= 150


def test_names_from_everywhere_count(client, grace):
    codes = [sign_in(client, "wrong", REMOTE_ADDR=f"10.0.0.{n}").status_code for n in range(FAILURES_OF_NAME + 1)]
    assert codes == [200] * FAILURES_OF_NAME + [429]
    assert sign_in(client, "wrong", name="alan", REMOTE_ADDR="10.0.0.1").status_code == 200


def test_an_address_counts_whatever_the_names(client, grace):
    codes = [sign_in(client, "wrong", name=f"u{n}").status_code for n in range(FAILURES_FROM_ADDRESS + 1)]
    assert codes == [200] * FAILURES_FROM_ADDRESS + [429]
    assert sign_in(client).status_code == 429
    assert sign_in(client, REMOTE_ADDR="10.1.2.3").status_code == 302


@pytest.mark.full
def test_all_failures_count_together_but_who_was_here_before_still_gets_in(client, grace):
    assert sign_in(client).status_code == 302
    client.logout()
    for n in range(FAILURES):
        assert sign_in(client, "wrong", name=f"u{n}", REMOTE_ADDR=f"10.0.{n}.1").status_code == 200
    assert sign_in(client, REMOTE_ADDR="10.1.2.3").status_code == 429
    assert sign_in(client).status_code == 302
    # That opens no door to guessing: the name is still counted at that address.
    client.logout()
    codes = [sign_in(client, "wrong").status_code for _ in range(FAILURES_OF_NAME_FROM_ADDRESS + 1)]
    assert codes[-1] == 429


def test_addresses_of_one_network_of_ipv6_are_one():
    assert counted_address("2001:db8:1:2::7") == counted_address("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert counted_address("2001:db8:1:3::7") != counted_address("2001:db8:1:2::7")
    assert counted_address("::ffff:10.1.2.3") == counted_address("10.1.2.3") == "10.1.2.3"
    assert counted_address("") == ""


def test_the_old_password_is_not_guessed_faster_where_one_changes_it(client, grace):
    client.force_login(grace)
    form = {"old_password": "wrong", "new_password1": "another long one", "new_password2": "another long one"}
    address = reverse("admin:password_change")
    codes = [client.post(address, form).status_code for _ in range(FAILURES_OF_NAME_FROM_ADDRESS + 1)]
    assert codes == [200] * FAILURES_OF_NAME_FROM_ADDRESS + [429]
    assert client.post(address, form | {"old_password": PASSWORD}).status_code == 429
    guessing.clear()
    assert client.post(address, form | {"old_password": PASSWORD}).status_code == 302
    grace.refresh_from_db()
    assert grace.check_password("another long one")


def test_a_form_without_name_or_password_says_so(client, grace):
    answer = client.post(reverse("login"), {"username": "grace"})
    assert "Enter your user name and your password" in answer.content.decode()


class Held:
    """Hashing that does not end until a test says so; ``begun`` is released once by each."""

    def __init__(self, monkeypatch) -> None:
        self.begun, self.go_on = threading.Semaphore(0), threading.Event()
        make = hashing.PBKDF2PasswordHasher.encode

        def encode(hasher, password, salt, iterations=None):
            self.begun.release()
            assert self.go_on.wait(30)
            return make(hasher, password, salt, 1)

        monkeypatch.setattr(hashing.PBKDF2PasswordHasher, "encode", encode)


def test_what_was_hashed_before_is_read(settings, monkeypatch):
    monkeypatch.setattr(hashing.PBKDF2PasswordHasher, "iterations", 1_000)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    before = make_password(PASSWORD)
    settings.PASSWORD_HASHERS = OURS
    assert check_password(PASSWORD, before)
    assert not check_password("wrong", before)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]


def test_a_full_line_is_told_at_once(settings, monkeypatch):
    settings.PASSWORD_HASHERS = OURS
    held = Held(monkeypatch)
    with ThreadPoolExecutor(SIGN_IN_LINE) as pool:
        hashed = [pool.submit(make_password, PASSWORD) for _ in range(SIGN_IN_LINE)]
        for _ in range(hashing.HASHING):
            assert held.begun.acquire(timeout=30)
        eventually(lambda: hashing.line.free == 0, what="the line is full")
        with pytest.raises(Busy) as refused:
            make_password("another")
        assert refused.value.data["retry_after"] >= 1
        held.go_on.set()
        assert all(check_password(PASSWORD, each.result(30)) for each in hashed)
    assert hashing.line.free == SIGN_IN_LINE


def test_a_sign_in_beyond_the_line_is_429_and_not_counted(grace, settings, monkeypatch, client):
    settings.PASSWORD_HASHERS = OURS
    held = Held(monkeypatch)
    with monkeypatch.context() as full:
        full.setattr(hashing.line, "total", 0)
        answer = sign_in(client)
        codes = {sign_in(client, "wrong").status_code for _ in range(2 * FAILURES_OF_NAME_FROM_ADDRESS)}
    assert answer.status_code == 429
    assert "Too many people are signing in" in answer.content.decode()
    assert int(answer["Retry-After"]) >= 1
    assert codes == {429}
    held.go_on.set()
    assert sign_in(client, "wrong").status_code == 200, "nobody had guessed yet"


def test_an_unknown_name_is_hashed_as_often_as_a_known_one(grace, settings, monkeypatch, client):
    settings.PASSWORD_HASHERS = OURS
    monkeypatch.setattr(hashing.PBKDF2, "iterations", 1_000)  # what is compared are counts
    grace.set_password(PASSWORD)
    grace.save()
    made = []
    make = hashing.PBKDF2PasswordHasher.encode

    def encode(hasher, password, salt, iterations=None):
        made.append(iterations or hasher.iterations)
        return make(hasher, password, salt, iterations)

    monkeypatch.setattr(hashing.PBKDF2PasswordHasher, "encode", encode)
    UserFactory(username="idle", is_active=False, password=grace.password)
    UserFactory(username="never", password="!")
    costs = {}
    for name in ("grace", "nobody", "idle", "never"):
        made.clear()
        assert sign_in(client, "wrong", name=name).status_code == 200
        costs[name] = list(made)
    assert set(map(tuple, costs.values())) == {(hashing.PBKDF2.iterations,)}, costs


def test_hashing_stands_back_behind_what_answers():
    ours = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    found = []

    def look():
        hashing.stand_back()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [min(ours + hashing.NICENESS, 19)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == ours
    assert max(2, os.cpu_count() or 1) > hashing.HASHING


def test_the_admin_is_told_when_a_new_password_finds_no_room(grace, settings, client, monkeypatch):
    settings.PASSWORD_HASHERS = OURS
    client.force_login(grace)
    form = {"password1": "another long one", "password2": "another long one", "usable_password": "true"}
    monkeypatch.setattr(hashing.line, "total", 0)
    answer = client.post(reverse("admin:auth_user_password_change", args=[grace.pk]), form)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
