"""A tour of every page of the product, with something to see on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.constraints.conftest import AGENT
from tests.workbench import Workbench, eventually

PROJECTS = """
from editor import services
from editor.models import User
admin = User.objects.get(username="admin")
User.objects.get_or_create(username="grace")
for name, text in (("Tour", AGENT), ("Detour", AGENT.replace('"30d"', '30 days'))):
    project = services.project_create(user=admin, name=name, slug=name.lower(), description="Pages to look at")
    services.member_set(project=project, username="grace", role="reviewer")
    services.token_create(project=project, user=admin, name="build server")
    document = services.document_create(project=project, user=admin, path="desk.agent.abl", text=text, message="first")
    services.document_save(document=document, user=admin, text=text + "# More\\n", base_revision=1, message="second")
"""

STORES = """
from django.core.files.uploadedfile import SimpleUploadedFile
from editor.models import Project
from memory.stores import services
from memory.stores.selectors import Subject
project = Project.objects.get(slug="tour")
words = {"type": "object", "properties": {"language": {"enum": ["en", "de"]}, "visits": {"type": "integer"}}}
services.store_create(project=project, name="Preferences", technical_name="userPrefs", schema=words, access="user",
                      retention="1_week")
for content in ({"language": "en", "visits": 1}, {"visits": "many"}):
    services.content_set(project=project, name="userPrefs", content=content, subject=Subject("ines"))
services.session_begin(project=project, session="tour", user="ines", metadata={"channel": "web"})
services.artifact_add(project=project, session="tour", file=SimpleUploadedFile("plan.txt", b"The plan"))
"""

FACTS: list[dict[str, Any]] = [
    {"path": "user.branch", "value": "north"},
    {"path": "user.address", "value": {"city": "Graz", "street": "Hauptplatz 1"}},
    {"path": "user.card", "value": "4111 1111 1111 1111", "sensitive": True},
    {"path": "user.visit", "value": True, "ttl": "90d"},
    {"path": "user.code", "value": 4711, "ttl": "1s"},
]


@dataclass(frozen=True)
class Stop:
    """A page of the tour: its address, what shows that it is whole, and what must be in reach at every width."""

    path: str
    whole: str = "h1"
    controls: tuple[str, ...] = ()
    status: int = 200
    signed_in: bool = True


@dataclass
class Tour:
    """The pages by name."""

    stops: dict[str, Stop] = field(default_factory=dict)


def prepare(workbench: Workbench) -> tuple[int, int, int]:
    """Make what the pages show. Returns a step of conversation 1 in which a rule failed, a fact and a record."""
    workbench.shell(f"AGENT = {AGENT!r}\n{PROJECTS}\n{STORES}")
    with workbench.client() as client:
        facts = [
            client.put("/api/v1/projects/tour/facts/", json={"scope": "user", "owner": "ines", **fact}).json()
            for fact in FACTS
        ]
        leaver = {"scope": "user", "owner": "leaver", "path": "user.tier", "value": "gold"}
        assert client.put("/api/v1/projects/tour/facts/", json=leaver).status_code == 201
        erased = client.post("/api/v1/projects/tour/erasures/", json={"owner": "leaver", "reason": "request 12"})
        assert erased.json()["finished_at"]
        client.put(f"/api/v1/projects/tour/facts/{facts[0]['id']}/", json={"value": "south", "expected_version": 1})
        talk = "/api/v1/projects/tour/conversations/"
        assert client.post(talk, json={}).status_code == 201
        for text in ("1", "3"):
            assert client.post(f"{talk}1/turns/", json={"kind": "say", "text": text}).status_code == 202

        def failed() -> list[int]:
            events = client.get(f"{talk}1/events/", params={"page_size": 200}).json()["results"]
            return [e["seq"] for e in events if e["kind"] == "constraint" and e["status"] == "failed"]

        record = client.get("/api/v1/projects/tour/records/").json()["results"][0]["id"]
        return eventually(failed, 90, "a rule failed")[0], facts[1]["id"], record


STARTED = "#problem-list [data-state=error]"


@pytest.fixture(scope="session")
def tour(live_workbench: Workbench) -> Tour:
    """Every page, in two projects of its own; the agent of one of them has a mistake."""
    step, fact, record = prepare(live_workbench)
    document = "desk.agent.abl"
    tour = Tour(
        {
            "sign in": Stop("/login/", "#id_username", ("#id_password", "main [type=submit]"), signed_in=False),
            "projects": Stop("/", "h1", (".page-bar .btn--main",)),
            "new project": Stop("/projects/new/", "h1", ("main [type=submit]",)),
            "project": Stop("/p/tour/", ".documents", (".page-bar .btn--main",)),
            "new document": Stop("/p/tour/new/", "h1", ("main [type=submit]",)),
            "editor": Stop(f"/p/detour/edit/{document}", STARTED, ("#save", ".cm-content")),
            "editor with hints": Stop(f"/p/tour/edit/{document}", "#status-took:not(:empty)", ("#save",)),
            "revisions": Stop(f"/p/tour/edit/{document}/revisions/", "h1"),
            "revision": Stop(f"/p/tour/edit/{document}/revisions/1/", "h1"),
            "about a problem": Stop("/diagnostics/ABL346/", "h1"),
            "conversations": Stop("/p/tour/test/", ".conversations", ("main [type=submit]",)),
            "conversation": Stop(f"/p/tour/test/1/events/{step}/", "#step .badge[data-state=failed]", (".stepper",)),
            "facts": Stop("/p/tour/facts/?scope=user&owner=ines", "#facts-list tr", ("#facts-prefix",)),
            "fact": Stop(f"/p/tour/facts/{fact}/?scope=user&owner=ines", "[data-pane=detail] h2"),
            "write a fact": Stop("/p/tour/facts/write/", "main form", ("main [type=submit]",)),
            "changes": Stop("/p/tour/facts/changes/", "table"),
            "erasures": Stop("/p/tour/erasures/", "table", ("main [type=submit]",)),
            "erase a user": Stop("/p/tour/erasures/new/?owner=ines", "table", ("[name=typed]", "main [type=submit]")),
            "receipt": Stop("/p/tour/erasures/1/", "table"),
            "stores": Stop("/p/tour/stores/", "table", (".page-bar .btn--main",)),
            "new store": Stop("/p/tour/stores/new/", "#schema", ("[name=technical_name]", ".page-bar .btn--main")),
            "store": Stop("/p/tour/store/userPrefs/", "#schema", (".page-bar .btn--main",)),
            "delete a store": Stop("/p/tour/store/userPrefs/delete/", "main form", ("main [type=submit]",)),
            "import stores": Stop("/p/tour/stores/import/", "main form", ("main [type=submit]",)),
            "records": Stop("/p/tour/records/?store=userPrefs", "table", ("main [type=submit]",)),
            "record": Stop(f"/p/tour/records/{record}/", ".notice", ("main [type=submit]",)),
            "session": Stop("/p/tour/sessions/tour/", "table", ("main [type=file]",)),
            "settings": Stop("/p/tour/settings/", "h1", ("main [type=submit]",)),
            "nothing found": Stop("/p/nowhere/", "h1", ("main .btn--main",), status=404),
        }
    )
    assert list(tour.stops) == NAMES
    return tour


NAMES = [
    "sign in", "projects", "new project", "project", "new document", "editor", "editor with hints", "revisions",
    "revision", "about a problem", "conversations", "conversation", "facts", "fact", "write a fact", "changes",
    "erasures", "erase a user", "receipt",
    "stores", "new store", "store", "delete a store", "import stores", "records", "record", "session",
    "settings", "nothing found",
]  # fmt: skip


class Visitor:
    """A page that continues the tour and writes down what went wrong on the way."""

    def __init__(self, page: Page, tour: Tour, cookies: list[dict[str, str]]) -> None:
        self.page = page
        self.tour = tour
        self.cookies = cookies
        self.wrong: list[str] = []
        self.listeners = {"pageerror": self._failed, "console": self._said, "request": self._asked}
        for event, listener in self.listeners.items():
            page.on(event, listener)  # type: ignore[call-overload]
        # What the page of the test before says on its way out is not ours.
        page.once("framenavigated", lambda _: self.wrong.clear())

    def leave(self) -> None:
        """Leave the page as it was found: nothing kept in the browser, nobody listening. The address may stay."""
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        if self.page.url.startswith("http"):
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        self.page.set_viewport_size(DESK)

    def _failed(self, error: Any) -> None:
        self.wrong.append(f"script: {error}")

    def _said(self, message: Any) -> None:
        # A page that is not there is a page too; Chromium calls its status an error.
        if message.type in ("error", "warning") and "status of 404" not in message.text:
            self.wrong.append(f"console: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.wrong.append(f"request elsewhere: {request.url}")

    def go(self, name: str) -> Stop:
        """Open a page and wait until it is whole."""
        stop = self.tour.stops[name]
        if stop.signed_in:
            self.page.context.add_cookies(self.cookies)
        else:
            self.page.context.clear_cookies()
        answer = self.page.goto(stop.path)
        assert answer is not None
        assert answer.status == stop.status
        expect(self.page.locator(stop.whole).first).to_be_attached()
        expect(self.page.locator(".skeleton, .htmx-request")).to_have_count(0)
        return stop


DESK = {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def touring_page(browser: Browser, live_workbench: Workbench) -> Iterator[Page]:
    """One page for the whole tour: starting processes of Chromium takes longer than most of its tests."""
    context = browser.new_context(base_url=live_workbench.url, viewport=DESK, locale="en-GB")  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


@pytest.fixture
def visitor(touring_page: Page, tour: Tour, admin_cookies: list[dict[str, str]]) -> Iterator[Visitor]:
    """Fails the test for an error of a script, a breach of the policy for content, or a request to another host."""
    visitor = Visitor(touring_page, tour, admin_cookies)
    yield visitor
    visitor.leave()
    assert visitor.wrong == []
