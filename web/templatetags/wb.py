"""Template tags of the frame: icons and the state language of the design (icon + word + colour)."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

register = template.Library()

# State word -> (data-state, icon, words for people). The state language is fixed by the design.
STATES: dict[str, tuple[str, str, str]] = {
    "passed": ("passed", "passed", "passed"),
    "failed": ("failed", "failed", "failed"),
    "warned": ("warned", "warned", "warned"),
    "error": ("error", "error", "error"),
    "gated": ("gated", "gated", "gated out"),
    "gated_when": ("gated", "gated", "gated out"),
    "gated_checkpoint": ("gated", "gated", "gated out"),
    "inert": ("skipped", "skipped", "no effect"),
    "skipped": ("skipped", "skipped", "skipped"),
    "skipped_unset": ("skipped", "skipped", "skipped"),
    "unset": ("unset", "unset", "unset"),
    "not_reached": ("not-reached", "not-reached", "not reached"),
    "not_executed": ("skipped", "mock", "not executed"),
    "warning": ("warning", "warned", "warning"),
    "info": ("info", "info", "info"),
    "hint": ("hint", "hint", "hint"),
    "live": ("live", "live", "live"),
    "expiring": ("expiring", "expiring", "expiring"),
    "expired": ("expired", "expired", "expired"),
    "forever": ("forever", "forever", "no expiry"),
}


@register.simple_tag
def icon(name: str, css: str = "i") -> SafeString:
    """An icon of the sprite by name, hidden from screen readers: the word is beside it."""
    return format_html('<svg class="{}" aria-hidden="true"><use href="{}#i-{}"/></svg>', css, static("icons.svg"), name)


@register.simple_tag
def state(name: str, css: str = "state", words: str = "") -> SafeString:
    """Icon and word of a state; ``css`` is ``state`` or ``badge``."""
    value, symbol, word = STATES.get(name, ("", "info", name))
    return format_html('<span class="{}" data-state="{}">{}{}</span>', css, value, icon(symbol), words or word)


@register.filter
def state_attr(name: str) -> str:
    """Value of ``data-state`` for a state word."""
    return STATES.get(name, ("", "", ""))[0]


@register.filter
def state_icon(name: str) -> str:
    """Icon name of a state word."""
    return STATES.get(name, ("", "info", ""))[1]


@register.filter
def state_word(name: str) -> str:
    """The word people read for a state."""
    return STATES.get(name, ("", "", name))[2]


@register.filter
def as_json(value: Any) -> str:
    """Compact JSON of a value, as people read it in a table cell."""
    return json.dumps(value, ensure_ascii=False, default=str)


@register.filter
def pretty_json(value: Any) -> str:
    """Indented JSON of a value."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


@register.filter
def since(at: datetime) -> str:
    """How long ago, in the largest two units; "just now" within the first minute."""
    return "just now" if timezone.now() - at < timedelta(minutes=1) else f"{timesince(at)} ago"
