"""The database is away: pages say so, what was typed stays, and work continues when the database is back."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.faults.conftest import away, well
from tests.workbench import Workbench, eventually, running

pytestmark = [pytest.mark.browser, pytest.mark.server, pytest.mark.slow]

DOCUMENT = "/p/transfer-desk/edit/transfer_desk.agent.abl"


@pytest.fixture(scope="module")
def workbench(tmp_path_factory, postgres):
    with running(tmp_path_factory.mktemp("database"), {"DATABASE_URL": postgres.url}) as workbench:
        yield workbench


@pytest.fixture
def gone(workbench, postgres):
    """Takes the database away; it is back after the test in any case."""
    stopped = []

    def stop() -> None:
        postgres.stop()
        stopped.append(True)
        away(workbench, "database")

    def back() -> None:
        stopped.clear()
        postgres.start()

    stop.back = back
    yield stop
    if stopped:
        back()
        well(workbench)


def opened(page: Page) -> None:
    """Open the document and put the cursor into its code."""
    page.goto(DOCUMENT)
    expect(page.locator("#status-took")).not_to_be_empty()
    expect(page.locator("#status-connection")).to_contain_text("Connected")
    page.locator(".cm-content").focus()


def test_the_editor_keeps_what_is_typed_and_goes_on(workbench, gone, visit_to):
    with visit_to(workbench) as visit:
        page = visit.page
        opened(page)
        gone()
        page.keyboard.press("Control+End")
        page.keyboard.type("# typed while it was away\n")
        expect(page.locator("#draft-state")).to_contain_text("kept in this browser")
        expect(page.locator("#status-connection")).to_contain_text("Offline")
        page.keyboard.press("Control+s")
        expect(page.locator("#draft-state")).to_contain_text("Not saved yet: saving resumes when the server is back")
        expect(page.locator(".cm-content")).to_contain_text("# typed while it was away")
        gone.back()
        expect(page.locator("#draft-state")).to_contain_text("Saved, revision 2", timeout=60_000)
        expect(page.locator("#status-connection")).to_contain_text("Connected", timeout=60_000)
        opened(page)
        page.keyboard.press("Control+End")
        expect(page.locator(".cm-content")).to_contain_text("# typed while it was away")


def test_a_message_is_sent_when_the_database_is_back_and_answered_once(workbench, gone, visit_to):
    with visit_to(workbench) as visit:
        visit.start_conversation()
        gone()
        expect(visit.page.locator("[data-connection]")).to_contain_text("reconnecting")
        visit.say("can you hear me")
        expect(visit.page.locator("[data-unsent-text]")).to_contain_text("Not sent yet")
        expect(visit.message).to_have_value("can you hear me")
        gone.back()
        visit.answered(1, "can you hear me")
        expect(visit.message).to_have_value("")
        expect(visit.page.locator("[data-unsent]")).to_be_hidden()
        expect(visit.page.locator("[data-connection]")).to_contain_text("Connected")
        well(workbench)


ADDRESSES = [
    "/",
    "/login/",
    "/p/transfer-desk/",
    DOCUMENT,
    "/p/transfer-desk/test/",
    "/p/transfer-desk/facts/",
    "/admin/",
]


def answers(client: httpx.Client) -> dict[str, int]:
    """Statuses by address."""
    return {address: client.get(address).status_code for address in ADDRESSES}


def test_every_page_says_that_the_database_is_away_and_works_again_by_itself(workbench: Workbench, gone):
    with workbench.client() as client:
        gone()
        for address in ADDRESSES:
            answer = client.get(address)
            assert answer.status_code == 503, address
            assert "The database is not responding" in answer.text, address
            assert "Traceback" not in answer.text
        api = client.get("/api/v1/projects/")
        assert api.status_code == 503
        assert api.headers["content-type"] == "application/problem+json"
        assert api.json()["what"] == "database"
        stream = client.get("/p/transfer-desk/test/1/stream/")
        assert stream.status_code == 503
        gone.back()
        eventually(lambda: set(answers(client).values()) == {200}, 90, "every page is back")
        assert client.get("/api/v1/projects/").status_code == 200
    well(workbench)
