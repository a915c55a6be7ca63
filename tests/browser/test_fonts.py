"""The families in which pages are measured: they are here, Chromium knows no other, and one is wide."""

from __future__ import annotations

import os

import pytest

from tests.browser.fonts import FAMILIES, HERE, drawn_in, installed, missing

REQUIRED = bool(os.environ.get("CI_REQUIRE_SERVERS"))
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not installed() and not REQUIRED, reason="DejaVu and Liberation are not here"),
]

DRAWN = """
() => ["span", "code"].map((tag) => {
  const box = document.createElement(tag);
  box.textContent = "A page that fits in one family has to fit in another. 0123456789";
  box.style.position = "fixed";
  box.style.whiteSpace = "nowrap";
  document.querySelector("main").append(box);
  const found = [getComputedStyle(box).fontFamily.replaceAll('"', ""), box.getBoundingClientRect().width];
  box.remove();
  return found;
})
"""


def test_chromium_knows_both_families_and_no_other(visitor):
    visitor.go("sign in")
    assert missing(visitor.page) == [], "scripts/chromium installs them"
    others = ["Noto Sans", "Ubuntu", "Roboto", "Cantarell", "Segoe UI", "Adwaita Sans", "Ubuntu Mono", "Menlo"]
    assert [name for name in others if visitor.page.evaluate(HERE, name)] == []
    assert not visitor.page.evaluate(HERE, "No Such Family")


def test_a_page_is_drawn_in_a_family_and_back(visitor):
    page = visitor.page
    visitor.go("sign in")
    before = page.evaluate(DRAWN)
    widths = {}
    for name, families in FAMILIES.items():
        with drawn_in(page, name):
            (text, widths[name]), (code, _) = page.evaluate(DRAWN)
            assert (text, code) == families
    assert widths["wide"] > widths["narrow"] * 1.1
    assert page.evaluate(DRAWN) == before
