"""Fixtures for every test: the live workbench, the browser, and the rules for what is left out and what may wait."""

from __future__ import annotations

import gc
import os
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.test import TransactionTestCase, override_settings
from hypothesis import HealthCheck, settings
from playwright.sync_api import expect

from tests.browser.fonts import fontconfig
from tests.chromium import BROWSER_FLAGS, CHROMIUM
from tests.emptying import after_a_test, forget_revisions
from tests.prepared import begin_run, end_run
from tests.recording import declared_events
from tests.workbench import Workbench, running

REQUIRED = bool(os.environ.get("CI_REQUIRE_SERVERS"))

FAST_CASES = 3
"""How many cases of a test ``make test-fast`` tries; what is marked ``full`` beyond them it leaves to ``make test``."""

WHOLE_FILE = re.compile(r"^pytestmark = (.*)", re.MULTILINE)
MARK = re.compile(r"\bmark\.(\w+)")

# What a page has to show it shows soon, but a machine that does other things too may take its time.
expect.set_options(timeout=20_000)
# An example of hypothesis may take as long as the machine takes: by default each that takes 0.2 s fails.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    """A folder that the processes of this run share; the first of them makes it."""
    if not hasattr(config, "workerinput"):
        begin_run()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind."""
    if not hasattr(config, "workerinput"):
        end_run()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what touches the database and what may be tried again, and put the files into an order.

    Files with slow tests come first, so that no worker is left with a long one at the end. Files with browser tests
    come last, and scripts/test runs those tests by themselves: Playwright keeps an event loop running, in which Django
    refuses to use the database.
    """
    slow, browser, cases = set(), set(), Counter[tuple[Path, str]]()
    for item in items:
        test = item.path, item.nodeid.partition("[")[0]
        cases[test] += 1
        if cases[test] > FAST_CASES:
            item.add_marker("full")
        if "_django_db_helper" in item.fixturenames or item.get_closest_marker("django_db"):
            item.add_marker("database")
        if item.get_closest_marker("slow"):
            slow.add(item.path)
        waits = any(item.get_closest_marker(name) for name in ("browser", "server", "slow", "attack"))
        if waits and not item.get_closest_marker("everybody"):
            # They start processes and wait for them, on a machine that may do other things.
            item.add_marker(pytest.mark.flaky(reruns=int(os.environ.get("TEST_RERUNS", "1"))))
        if item.get_closest_marker("browser"):
            browser.add(item.path)
            if CHROMIUM is None and not REQUIRED:
                item.add_marker(pytest.mark.skip(reason="Chromium is not here"))
    items.sort(key=lambda item: (item.path in browser, item.path not in slow))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files without any of the selected tests, unread: importing them and making their tests takes seconds."""
    words = config.getoption("markexpr").split(" and ")
    wanted = {word for word in words if word in ("browser", "server", "thorough")}
    unwanted = {word.removeprefix("not ") for word in words if word.startswith("not ")}
    if not (wanted or unwanted) or not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    lacks_a_wanted_mark = any(f"mark.{name}" not in text for name in wanted)
    marks_of_all = {name for line in WHOLE_FILE.findall(text) for name in MARK.findall(line)}
    return True if lacks_a_wanted_mark or marks_of_all & unwanted else None


def pytest_collection() -> None:
    """Thousands of tests are made now, and all of them stay: looking for garbage among them is in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Take the tests out of what the collector goes through again and again."""
    gc.enable()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Where servers are required, a test that needs one may not be skipped."""
    report = (yield).get_result()
    if REQUIRED and report.skipped and item.get_closest_marker("server"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped although CI_REQUIRE_SERVERS is set: {report.longrepr}"


@pytest.fixture(scope="session", autouse=True)
def quick_settings() -> Iterator[None]:
    """What costs seconds and no test is about.

    A hash that is slow by design, a list of all static files for each client, and all permissions after each test.
    """
    hasher = "django.contrib.auth.hashers.MD5PasswordHasher"
    emptied = patch.object(TransactionTestCase, "_fixture_teardown", after_a_test)
    with emptied, override_settings(PASSWORD_HASHERS=[hasher], WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A database for this run alone, so that runs beside it do not take it away."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if "ABL_TEST_DB" in os.environ:
        return
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
    else:
        database.setdefault("TEST", {})["NAME"] = f"test_{uuid.uuid4().hex[:12]}"
        # What these tests write nobody misses after a crash of the server.
        database.setdefault("OPTIONS", {}).setdefault("options", "-c synchronous_commit=off")


@pytest.fixture(scope="session")
def live_workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """The whole product in processes of its own, with the examples and the user ``admin``."""
    with running(tmp_path_factory.mktemp("workbench")) as workbench:
        yield workbench


@pytest.fixture(scope="session")
def browser_type_launch_args(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Debian's Chromium, which needs no download; it draws in the same letters on every machine."""
    env = {**os.environ, **fontconfig(tmp_path_factory.mktemp("fonts"))}
    return {"executable_path": CHROMIUM, "args": BROWSER_FLAGS, "headless": True, "env": env}


@pytest.fixture(scope="session")
def browser_context_args(live_workbench: Workbench) -> dict[str, Any]:
    """Pages open relative to the live workbench, at the width of the mock-ups."""
    return {"base_url": live_workbench.url, "viewport": {"width": 1440, "height": 900}, "locale": "en-GB"}


@pytest.fixture(scope="session")
def admin_cookies(live_workbench: Workbench) -> list[dict[str, str]]:
    """The cookies of the signed-in admin."""
    return live_workbench.cookies()


@pytest.fixture(scope="session")
def one_context(browser: Any, browser_context_args: dict[str, Any]) -> Iterator[Any]:
    """What Chromium keeps between tests: its processes, and the scripts that it has read. Anew they take a second."""
    context = browser.new_context(**browser_context_args)
    yield context
    context.close()


@pytest.fixture
def context(one_context: Any, admin_cookies: list[dict[str, str]]) -> Iterator[Any]:
    """A browser in which the admin is signed in and nothing is kept of the test before."""
    one_context.clear_cookies()
    one_context.add_cookies(admin_cookies)
    yield one_context
    for page in one_context.pages:
        page.close()
    one_context.unroute_all()
    one_context.set_offline(False)


@pytest.fixture
def admin_page(context: Any, live_workbench: Workbench) -> Any:
    """A page of a browser in which the admin is signed in."""
    page = context.new_page()
    stored = {"origin": live_workbench.url, "storageTypes": "local_storage,indexeddb,cache_storage,service_workers"}
    chromium = context.new_cdp_session(page)
    chromium.send("Storage.clearDataForOrigin", stored)
    chromium.detach()
    return page


@pytest.fixture(autouse=True)
def only_declared_events() -> Iterator[None]:
    """Sessions of every test record declared events only, whoever runs them: a turn, a scenario, a worker."""
    with declared_events():
        yield


@pytest.fixture(autouse=True)
def nothing_kept_of_revisions() -> Iterator[None]:
    """The next test may be given the keys of this one's revisions."""
    yield
    forget_revisions()
