"""A browser on a workbench whose broker or database a test takes away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.constraints.conversation import settled
from tests.faults.servers import Postgres, Redis
from tests.workbench import Workbench, eventually


class Visit:
    """A page on which somebody works, and what went wrong in it: answers that are mistakes of ours, not "away"."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.mistakes: list[str] = []
        page.on("response", lambda r: self.mistakes.append(f"{r.status} {r.url}") if r.status in (500, 502) else None)
        page.on("pageerror", lambda error: self.mistakes.append(str(error)))

    def start_conversation(self) -> None:
        """A conversation with the desk of the examples, whose first question has come, on a page that is whole."""
        self.page.goto("/p/transfer-desk/test/")
        self.page.get_by_role("button", name="Start a conversation").click()
        settled(self.page)

    @property
    def message(self):
        """The field that messages are written in."""
        return self.page.get_by_label(re.compile("^Message as"))

    def say(self, text: str) -> None:
        self.message.fill(text)
        self.message.press("Enter")

    def answered(self, index: int, text: str) -> None:
        """Wait until a turn is done and the page shows what was said in it, once."""
        expect(self.page.locator(f"#chat-turn-{index}[data-status=done]")).to_be_visible(timeout=90_000)
        expect(self.page.locator(".bubble--user", has_text=text)).to_have_count(1)
        expect(self.page.locator(f"#chat-turn-{index} .bubble--agent").first).to_be_visible()


@contextmanager
def visiting(browser, workbench: Workbench) -> Iterator[Visit]:
    """A browser in which the admin of a workbench is signed in; fails when a page made a mistake."""
    context = browser.new_context(base_url=workbench.url, viewport={"width": 1440, "height": 900})
    context.add_cookies(workbench.cookies())
    visit = Visit(context.new_page())
    try:
        yield visit
        assert visit.mistakes == []
    finally:
        context.close()


@pytest.fixture
def visit_to(browser) -> Callable[[Workbench], object]:
    """Opens a browser on a workbench."""
    return lambda workbench: visiting(browser, workbench)


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    if not Redis.is_here():
        pytest.skip("redis-server is not here")
    server = Redis(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.kill()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if not Postgres.is_here():
        pytest.skip("PostgreSQL is not here")
    server = Postgres().start()
    yield server
    server.remove()


def away(workbench: Workbench, part: str) -> None:
    """Wait until the health page answers 503 and names the part."""

    def named() -> bool:
        answer = httpx.get(f"{workbench.url}/healthz", timeout=30)
        return answer.status_code == 503 and answer.json()[part] != "ok"

    eventually(named, what=f"/healthz names {part}")


def well(workbench: Workbench) -> None:
    """Wait until every part is well."""
    eventually(lambda: workbench.health()["status"] == "ok", 90, "/healthz is well again")
