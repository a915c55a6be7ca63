"""Colours keep the contrast that static/css/tokens.css promises, in both themes (WCAG 2.2 AA)."""

from __future__ import annotations

import re

import pytest

from tests.workbench import ROOT

TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)",
        (ROOT / "static/css/tokens.css").read_text().partition("@media")[0],
    )
}
SURFACES = ["surface-page", "surface", "surface-sunk", "surface-hover", "surface-raised"]
STATES = ["passed", "failed", "warned", "gated", "unset", "not-reached"]
WITH_SOFT = ["accent", *STATES, "diff-a", "diff-b"]
CODE_GROUNDS = ["surface-code", "code-line", "code-mark", "code-span"]
CODE = [name for name in TOKENS if name.startswith("t-")]

TEXT = [
    *((ink, ground) for ink in ("ink", "ink-2", "ink-3", *WITH_SOFT) for ground in SURFACES),
    *((name, f"{name}-soft") for name in WITH_SOFT),
    *(("ink", f"{name}-soft") for name in WITH_SOFT),
    *(("ink-on-fill", fill) for fill in ("accent-fill", "accent-fill-hover", "danger-fill", *STATES)),
    *((name, ground) for name in CODE for ground in CODE_GROUNDS),
]
MARKS = [(mark, ground) for mark in ("line-field", "focus") for ground in SURFACES]


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb by the definition of WCAG."""
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def too_faint(pairs: list[tuple[str, str]], least: float, theme: int) -> list[str]:
    """Pairs below the least contrast, with what they have."""
    measured = [(ink, ground, contrast(TOKENS[ink][theme], TOKENS[ground][theme])) for ink, ground in pairs]
    return [f"--{ink} on --{ground}: {value:.2f}" for ink, ground, value in measured if value < least]


def test_the_measure_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground_it_stands_on(theme):
    assert too_faint(TEXT, 4.5, theme) == []


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_fields_and_focus_can_be_seen_on_every_surface(theme):
    assert too_faint(MARKS, 3.0, theme) == []


def test_every_state_has_a_ground_and_a_line():
    assert [f"{name}{part}" for name in STATES for part in ("-soft", "-line") if f"{name}{part}" not in TOKENS] == []
