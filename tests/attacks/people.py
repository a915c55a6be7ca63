"""People of an attacked workbench and their agents, made beside the pages: signing in is slow by design."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from tests.workbench import Workbench, csrf_token, eventually

MAKE = """
import json
from django.conf import settings
from editor import services
from editor.models import Document, Membership, Project, User
from tests.factories import sign_in

class Holder:
    cookies = {{}}

given = json.loads({given!r})
admin = User.objects.get(username="admin")
project = Project.objects.filter(slug=given["project"]).first()
if project is None:
    project = services.project_create(user=admin, name=given["project"], slug=given["project"], description="")
for path, text in given["agents"].items():
    if not Document.objects.filter(project=project, path=path).exists():
        services.document_create(project=project, user=admin, path=path, text=text, message="")
for name, role in given["people"].items():
    user, _ = User.objects.get_or_create(username=name)
    if name != "admin":
        Membership.objects.update_or_create(project=project, user=user, defaults={{"role": role}})
    sign_in(Holder, user)
    print(json.dumps([name, Holder.cookies]))
"""


def populate(
    workbench: Workbench, project: str, agents: Mapping[str, str] | None = None, **people: str
) -> dict[str, dict[str, str]]:
    """Make a project with agents (text by path) and people (role by name); the cookies of each, signed in."""
    given = json.dumps({"project": project, "agents": dict(agents or {}), "people": people})
    lines = workbench.shell(MAKE.format(given=given)).splitlines()
    return dict(json.loads(line) for line in lines)


@contextmanager
def client_of(workbench: Workbench, cookies: Mapping[str, str], **more: object) -> Iterator[httpx.Client]:
    """A client with the cookies of somebody who is signed in; its unsafe requests carry the CSRF token."""
    with httpx.Client(base_url=workbench.url, timeout=60, follow_redirects=True, cookies=dict(cookies)) as client:
        client.get("/")
        client.headers.update({"X-CSRFToken": csrf_token(client), "Referer": workbench.url})
        yield client


def conversation(client: httpx.Client, project: str, **settings: object) -> str:
    """The address of a new conversation."""
    answer = client.post(f"/api/v1/projects/{project}/conversations/", json=settings)
    assert answer.status_code == 201, answer.text
    return f"/api/v1/projects/{project}/conversations/{answer.json()['number']}/"


def turn(client: httpx.Client, address: str, index: int) -> dict[str, object]:
    """A turn of a conversation as the API tells it."""
    return dict(client.get(f"{address}turns/{index}/").json())


def over(client: httpx.Client, address: str, index: int, seconds: float = 60.0) -> dict[str, object]:
    """The turn once it is over, or as it is when the time is."""
    found: dict[str, object] = {}

    def ended() -> bool:
        found.update(turn(client, address, index))
        return found["status"] not in ("queued", "running")

    try:
        eventually(ended, seconds)
    except AssertionError:
        found["status"] = f"{found.get('status')} after {seconds:g} s"
    return found
