"""Guessing passwords."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.factories import UserFactory
from web.signin import FAILURES_A_MINUTE, failures

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_failed():
    failures.clear()
    yield
    failures.clear()


@pytest.fixture
def grace():
    user = UserFactory(username="grace", is_staff=True, is_superuser=True)
    user.set_password("correct horse battery")
    user.save()
    return user


@pytest.mark.parametrize("address", ["login", "admin:login"])
def test_who_guesses_has_to_wait_even_with_the_right_password(client, grace, address):
    def sign_in(password, **more):
        return client.post(reverse(address), {"username": "grace", "password": password}, **more)

    for n in range(FAILURES_A_MINUTE):
        assert b"Too many wrong passwords" not in sign_in(f"guess {n}").content
    refused = sign_in("correct horse battery")
    words = r"Too many wrong passwords for this name from here\. Try again in [1-6] s\."
    assert re.search(words, refused.content.decode())
    assert refused.status_code == (429 if address == "login" else 200)
    assert "_auth_user_id" not in client.session
    # From elsewhere, and for others, nothing has changed.
    assert sign_in("correct horse battery", REMOTE_ADDR="10.1.2.3").status_code == 302


def test_right_passwords_are_not_counted(client, grace):
    for _ in range(2 * FAILURES_A_MINUTE):
        answer = client.post(reverse("login"), {"username": "Grace", "password": "wrong"}, REMOTE_ADDR="10.1.2.3")
        assert (
            client.post(reverse("login"), {"username": "grace", "password": "correct horse battery"}).status_code == 302
        )
        client.logout()
    assert answer.status_code == 429
