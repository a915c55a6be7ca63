"""The two families of letters in which every page has to fit, whatever else a machine has installed.

``scripts/chromium`` installs both. DejaVu is about a sixth wider than Liberation, whose letters are as wide as Arial's;
between them lies what people have. Chromium knows these two alone, and takes the wide one where a page names neither.
A machine that lacks one, and on which nobody may install it, measures in what it has; ``scripts/test`` says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from playwright.sync_api import Page

FAMILIES = {
    "wide": ("DejaVu Sans", "DejaVu Sans Mono"),
    "narrow": ("Liberation Sans", "Liberation Mono"),
}
"""For text and for code."""

FONTCONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><dir prefix="xdg">fonts</dir>
  <cachedir>{cache}</cachedir>
  <selectfont>
    <rejectfont><glob>*.?t?</glob><glob>*.pf?</glob><glob>*.gz</glob><glob>*.woff*</glob></rejectfont>
    <acceptfont><glob>*/DejaVuSans*</glob><glob>*/LiberationSans-*</glob><glob>*/LiberationMono-*</glob></acceptfont>
  </selectfont>
  <alias binding="same"><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""

# A family that is not there is drawn in the one behind it: as wide as that one alone, whichever is there.
HERE = """
(family) => {
  const pen = document.createElement("canvas").getContext("2d");
  const wide = (font) => {
    pen.font = `40px ${font}`;
    return pen.measureText("Each page fits, 0123456789 mmm iii").width;
  };
  return ["sans-serif", "serif", "monospace"].some((other) => wide(`"${family}", ${other}`) !== wide(other));
}
"""
TAKE = """
async ([text, code]) => {
  const root = document.documentElement.style;
  for (const [name, family] of [["--font-ui", text], ["--font-mono", code]]) {
    if (family) root.setProperty(name, `"${family}"`); else root.removeProperty(name);
  }
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}
"""


def installed() -> bool:
    """Whether files of both families are where fonts lie."""
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    names = [f"{family.replace(' ', '')}*.ttf" for pair in FAMILIES.values() for family in pair]
    return all(any(next(folder.rglob(name), None) for folder in folders) for name in names)


def fontconfig(folder: Path) -> dict[str, str]:
    """The setting with which a browser knows the two families alone, if they are here. It reads ``folder``."""
    if not installed():
        return {}
    file = folder / "fonts.conf"
    file.write_text(FONTCONFIG.format(cache=folder / "cache"), encoding="utf-8")
    return {"FONTCONFIG_FILE": str(file)}


def missing(page: Page) -> list[str]:
    """The families that this browser has not. Where ``CI_REQUIRE_SERVERS`` is set, one that is missing is a failure."""
    lacking = [name for pair in FAMILIES.values() for name in pair if not page.evaluate(HERE, name)]
    assert not lacking or not os.environ.get("CI_REQUIRE_SERVERS"), f"scripts/chromium installs {', '.join(lacking)}"
    return lacking


def in_each_family(page: Page) -> Iterator[str]:
    """Draw a page in one family after the other, and give their names; as it is where neither is here."""
    lacking = set(missing(page))
    here = [name for name, pair in FAMILIES.items() if not lacking & set(pair)]
    for name in here or ["own"]:
        with drawn_in(page, name) if here else nullcontext():
            yield name


@contextmanager
def drawn_in(page: Page, name: str) -> Iterator[None]:
    """A page in the letters of a family, for the length of a ``with`` block."""
    page.evaluate(TAKE, list(FAMILIES[name]))
    try:
        yield
    finally:
        page.evaluate(TAKE, ["", ""])
