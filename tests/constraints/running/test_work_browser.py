"""The page of turns in a browser, with a real worker: it follows what runs, and stops a turn after asking."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.looks import DRAWN, sideways
from tests.faults.conftest import visiting
from tests.workbench import eventually, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROJECT = "/api/v1/projects/hotel-desk/conversations/"


def test_an_admin_watches_a_turn_and_stops_it(browser, tmp_path):
    settings = {"DJANGO_SETTINGS_MODULE": "tests.faults.unruly.settings", "ABL_TURN_SECONDS": "300"}
    with running(tmp_path, settings) as workbench, visiting(browser, workbench) as visit, workbench.client() as client:
        page = visit.page
        page.goto("/")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Turns").click()
        expect(page.get_by_text("No turn is running.")).to_be_visible()
        address = f"{PROJECT}{client.post(PROJECT, json={}).json()['number']}/turns/"
        eventually(lambda: client.get(f"{address}0/").json()["status"] == "done", what="the conversation begins")
        client.post(address, json={"kind": "say", "text": "hang"})
        stop = page.get_by_role("link", name="Stop turn 1 of conversation")
        expect(stop).to_be_visible()
        for width in (1440, 1024, 768, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(DRAWN)
            height = page.evaluate("document.querySelector('#work th.wraps').getBoundingClientRect().height")
            assert height < 80, f"the turn is broken into pieces at {width}"
            assert sideways(page) == []
            expect(stop).to_be_in_viewport(ratio=1)
        expect(stop).to_be_in_viewport()
        stop.click()
        expect(page.get_by_role("heading", name="Stop turn 1 of conversation")).to_be_visible()
        page.get_by_role("button", name="Stop 1 turn").click()
        expect(page.get_by_text("is being stopped")).to_be_visible()
        expect(page.get_by_text("No turn is running.")).to_be_visible()
        assert client.get(f"{address}1/").json()["status"] == "cancelled"
