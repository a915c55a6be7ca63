"""The broker is away: the page says so, what was said stays, and it is answered when the broker is back."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import expect

from tests.faults.conftest import away, well
from tests.workbench import running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WAITING = "Waiting for a worker"


@pytest.mark.server
def test_what_is_said_while_redis_is_away_is_answered_when_it_is_back(tmp_path, redis, visit_to):
    with running(tmp_path, {"BROKER_URL": redis.url}) as workbench, visit_to(workbench) as visit:
        visit.start_conversation()
        redis.kill()
        visit.say("hello, I am still here")
        expect(visit.page.locator(".bubble--user", has_text="hello, I am still here")).to_be_visible()
        expect(visit.page.get_by_text(WAITING)).to_be_visible()
        away(workbench, "broker")
        visit.page.reload()
        expect(visit.page.locator(".bubble--user", has_text="hello, I am still here")).to_be_visible()
        redis.start()
        visit.answered(1, "hello, I am still here")
        well(workbench)


def test_what_is_said_while_the_embedded_broker_has_no_disk_is_answered_afterwards(tmp_path, visit_to):
    with running(tmp_path) as workbench, visit_to(workbench) as visit:
        visit.start_conversation()
        broker = workbench.var_dir / "broker"
        moved = workbench.var_dir / "moved"
        os.rename(broker, moved)
        broker.write_text("in the way")
        visit.say("is anybody there")
        expect(visit.page.locator(".bubble--user", has_text="is anybody there")).to_be_visible()
        expect(visit.page.get_by_text(WAITING)).to_be_visible()
        away(workbench, "broker")
        broker.unlink()
        os.rename(moved, broker)
        visit.answered(1, "is anybody there")
        well(workbench)
