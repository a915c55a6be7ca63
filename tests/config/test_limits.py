"""The table of what one user may use: complete, and what the code says."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import resolve_name

import pytest

from config.limits import APPS, INTERNAL, LIMITS, NO_BOUND, SHOWN_ONLY, WHOLE, Limit, page, words_of
from config.options import KNOWN
from tests.workbench import ROOT

ROWS = [limit for limits in LIMITS.values() for limit in limits]


@pytest.mark.parametrize("module", WHOLE)
def test_every_bound_has_its_row(module):
    bounds = {f"{module}.{name}" for name in vars(import_module(module)) if name.isupper()}
    assert bounds
    assert bounds - {row.of for row in ROWS} - INTERNAL == set()


def test_every_bound_of_an_application_has_its_row():
    bounds = set(constants_of_applications())
    assert len(bounds) > 50
    assert bounds - {row.of for row in ROWS} - SHOWN_ONLY == set()
    assert bounds >= SHOWN_ONLY, "one that is gone"
    assert SHOWN_ONLY.isdisjoint(row.of for row in ROWS)


def constants_of_applications():
    """Dotted names of the constants that are called as bounds are."""
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for name in re.findall(
                r"^((?:MAX|MOST|LONGEST|LARGEST)(?:_[A-Z_]+)?|[A-Z_]+_AT_MOST)(?:: \w+)? =", path.read_text(), re.M
            ):
                if module not in WHOLE:
                    yield f"{module}.{name}"


def test_every_setting_that_bounds_something_has_its_row():
    numbers = {name for name in settings_read() if name.startswith("ABL_")}
    rows = {row.setting for row in ROWS if row.setting}
    assert numbers - rows - NO_BOUND == set()
    assert rows | NO_BOUND <= numbers


def test_the_default_of_a_setting_is_the_one_that_is_read():
    for name, default in settings_read().items():
        assert int(KNOWN[name].partition(" Default: ")[2].rstrip(".")) == default, name


def settings_read():
    """Settings that are numbers, with the default that config/settings.py gives them."""
    found = re.findall(r'env\.number\("(\w+)", ([\d_]+),', (ROOT / "config/settings.py").read_text())
    assert len(found) > 15
    return {name: int(default) for name, default in found}


def test_what_is_no_limit_for_anybody_has_no_row_and_is_there():
    assert INTERNAL.isdisjoint(row.of for row in ROWS)
    for name in INTERNAL:
        assert resolve_name(name)


def test_every_row_is_of_one_bound_and_says_what_is_bounded():
    assert len({row.of for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row.words.endswith((".", "…")), row.of
        assert row.value, row.of
        assert row.setting in ("", *KNOWN)
        assert re.search(r"[a-z0-9]{3}", row.answer), f"{row.of}: say what happens beyond it"


@pytest.mark.parametrize(
    "of",
    [
        "constraints.running.sweeping.MAX_KILLS",
        "ABL_HANG_SECONDS",
        "memory.stores.services.artifacts.MOST_FILES",
        "ABL_PROJECT_FILES_MB",
        "ABL_USER_FILES_MB",
    ],
)
def test_limits_that_people_meet_have_their_row(of):
    (row,) = (row for row in ROWS if row.of == of)
    assert f"| {row.words} | {row.value} |" in page()


def test_a_row_shows_what_stands_in_the_code(monkeypatch):
    monkeypatch.setattr("web.limits.MAX_BODY", 1234567)
    row = Limit("web.limits.MAX_BODY", "413")
    assert row.value == "1,234,567"
    assert row.words == words_of("web.limits")["MAX_BODY"]
    assert f"| {row.words} | 1,234,567 | — | 413 `too-large` |" in page()


def test_the_defaults_of_settings_are_those_of_the_settings():
    assert Limit("ABL_API_RATE", "").value == "600"
    assert "| 600 | `ABL_API_RATE` | 429 `throttled` |" in page()
