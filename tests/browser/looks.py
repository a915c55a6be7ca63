"""What a page looks like: whether axe finds something, and whether it fits its window, in light and dark at any width.

It has to fit in a wide and in a narrow family of letters: ``tests/browser/fonts.py``.

A page is opened once for all of it. What the scripts of a page decide when they begin, they decide for a phone or for a
desk, so that is two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.fonts import in_each_family

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": RULES}}
SCHEMES = ("light", "dark")
WIDTHS = {1440: 900, 1024: 768, 1000: 800, 768: 1024, 390: 844}
"""Width and height of a desk, of a tablet that lies or stands, and of a phone."""
DESKS, PHONES = (1440, 1024, 768), (390,)
"""The widths of either layout: what the scripts of a page decide when they begin, they decide for one of them."""
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

axe = Axe()


def violations(page: Page, within: str | None = None) -> list[str]:
    """What axe finds, one line for each element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    found = page.evaluate("([where, options]) => axe.run(where ?? document, options)", [within, OPTIONS])["violations"]
    return [line_of(rule, node) for rule in found for node in rule["nodes"]]


def line_of(rule: dict[str, Any], node: dict[str, Any]) -> str:
    """Rule, element, and what axe says about it."""
    why = [check["message"] for kind in ("any", "all", "none") for check in node[kind]]
    return f"{rule['id']}: {node['html'][:160]} {why[:1]}"


def beyond_the_edge(page: Page) -> list[str]:
    """What makes a page scroll sideways in one of the families, each line with the name of the family."""
    return [f"{family}: {line}" for family in in_each_family(page) for line in sideways(page)]


def sideways(page: Page) -> list[str]:
    """What makes a page scroll sideways as it is drawn now."""
    return page.evaluate(
        """() => {
          const root = document.scrollingElement, width = root.clientWidth;
          if (root.scrollWidth <= width && innerWidth >= width) return [];
          const wide = (e) => e.getBoundingClientRect().right > width + 1;
          const found = [...document.querySelectorAll("body *")].filter(wide).slice(0, 8);
          return [`${root.scrollWidth} of ${width}`, ...found.map((e) => e.outerHTML.slice(0, 120))];
        }"""
    )


def widen(page: Page, width: int) -> None:
    """Give the window a width, and wait until the page is drawn in it."""
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.evaluate(DRAWN)


def in_each_scheme(page: Page, within: str | None = None) -> dict[str, list[str]]:
    """What axe finds in light and in dark; empty when it finds nothing."""
    found = {}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found[scheme] = violations(page, within)
    return {scheme: lines for scheme, lines in found.items() if lines}


def at_each_width(page: Page, widths: Iterable[int] = WIDTHS) -> dict[str, Any]:
    """What axe finds in light and in dark, and what does not fit, at each width; empty when all is well."""
    found: dict[str, Any] = {}
    for width in widths:
        widen(page, width)
        found[f"axe at {width}"] = in_each_scheme(page)
        found[f"beyond the edge at {width}"] = beyond_the_edge(page)
    return {what: lines for what, lines in found.items() if lines}
