"""Floods against a live workbench: people who are signed in continue with their work."""

from __future__ import annotations

import json
import uuid

import httpx
import pytest

from tests.faults.flood import flooding, message, p95, waits
from tests.workbench import busyness, csrf_token, eventually

pytestmark = pytest.mark.slow

PAGES = ["/", "/p/transfer-desk/", "/p/transfer-desk/facts/", "/p/transfer-desk/test/"]
BAR = 0.2
COSTLY_BAR = 1.0
"""Seconds of a page while somebody checks agents all the time: the interpreter serves both by turns."""


def guesses(url: str):
    """Sign-ins with another unknown name each."""
    with httpx.Client(base_url=url) as client:
        client.get("/login/")
        token = csrf_token(client)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())

    def guess(number: int) -> bytes:
        form = f"username={uuid.uuid4().hex}&password=guess-{number}&csrfmiddlewaretoken={token}".encode()
        # That it comes from elsewhere each time is not believed: no proxy is trusted.
        elsewhere = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        kind = "application/x-www-form-urlencoded"
        return message("POST", "/login/", form, Cookie=cookie, Content_Type=kind, X_Forwarded_For=elsewhere)

    return guess


def test_pages_stay_quick_while_forty_connections_try_names(live_workbench):
    with live_workbench.client() as client:
        waits(client, PAGES, 2)
        with flooding(live_workbench.url, guesses(live_workbench.url)) as flood:
            eventually(lambda: flood.answers[429] > 40, what="sign-ins are refused")
            found = waits(client, PAGES, 25)
    assert set(flood.answers) <= {200, 429}
    assert p95(found) <= BAR * busyness(), (found, flood.answers)


AUTHOR, AUTHORS_PASSWORD = "author", "another long password"
MAKE_AUTHOR = f"""
from editor.models import Membership, Project, User
user = User.objects.create_user("{AUTHOR}", password="{AUTHORS_PASSWORD}")
Membership.objects.create(project=Project.objects.get(slug="transfer-desk"), user=user, role="editor")
"""


def checks(client: httpx.Client):
    """Checks of a long agent in the name of somebody who is signed in."""
    steps = "".join(f'  s{n}:\n    REASONING: false\n    RESPOND: "{{{{x{n}}}}}"\n' for n in range(2_000))
    body = json.dumps({"files": {"a.agent.abl": f'AGENT: A\nGOAL: "g"\nFLOW:\n  steps:\n    - s0\n{steps}'}}).encode()
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    token, url = csrf_token(client), str(client.base_url)
    request = message(
        "POST", "/api/v1/check/", body, Cookie=cookie, X_CSRFToken=token, Referer=url, Content_Type="application/json"
    )
    return lambda _number: request


def test_pages_stay_quick_while_one_author_checks_on_forty_connections(live_workbench):
    live_workbench.shell(MAKE_AUTHOR)
    with live_workbench.client() as client, live_workbench.client(AUTHOR, AUTHORS_PASSWORD) as author:
        waits(client, PAGES, 2)
        with flooding(live_workbench.url, checks(author)) as flood:
            eventually(lambda: flood.answers[429] > 40 and flood.answers[200], what="some are answered, others refused")
            found = waits(client, PAGES, 8)
            # Somebody else's check finds its turn meanwhile.
            other = client.post("/api/v1/check/", json={"files": {"a.agent.abl": "AGENT: A\n"}})
            assert other.status_code == 200
    assert set(flood.answers) <= {200, 429}
    assert p95(found) <= COSTLY_BAR * busyness(), (found, flood.answers)
