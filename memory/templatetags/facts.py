"""How facts are written on a page: time left, time past, values."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from editor.models import Project
from memory.stores.selectors import session_find

register = template.Library()

UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
PREVIEW = 120
_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<string>"(?:[^"\\]|\\.)*")|(?P<number>-?\d[\d.eE+-]*)|(?P<word>true|false|null)|'
    r"(?P<op>[{}\[\],:])|(?P<space>\s+)"
)
_CLASS = {"key": "t-key", "string": "t-string", "number": "t-number", "word": "t-op", "op": "t-op"}


def in_units(seconds: float, units: int) -> str:
    """A time in its largest units, such as ``3d 4h``; the browser's ``timeLeft`` says the same."""
    rest, parts = int(seconds), []
    first = next((n for n, (_, size) in enumerate(UNITS) if rest >= size), None)
    if first is None:
        return "0s"
    for unit, size in UNITS[first : first + units]:
        parts.append(f"{rest // size}{unit}")
        rest %= size
    return " ".join(parts)


@register.simple_tag
def session_address(project: Project, session: str) -> str:
    """Address of the page of a session, or "" where nothing is known of it."""
    return (
        reverse("memory:session", args=[project.slug, session])
        if session_find(project=project, session=session)
        else ""
    )


@register.filter
def time_left(until: datetime, now: datetime) -> str:
    """Time from ``now`` to ``until`` in two units, rounded up to the second as the browser does."""
    return in_units(-((now - until).total_seconds() // 1), 2)


@register.filter
def ago(at: datetime, now: datetime) -> str:
    """Time since ``at`` in one unit."""
    return (
        f"{in_units((now - at).total_seconds(), 1)} ago"
        if at <= now
        else f"in {in_units((at - now).total_seconds(), 1)}"
    )


@register.filter
def preview(value: Any) -> str:
    """A value on one line: objects with bare keys, arrays by their length, long texts cut."""
    if isinstance(value, list):
        return f"[{len(value)} item{'' if len(value) == 1 else 's'}]"
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{key}: {preview(item)}" for key, item in list(value.items())[:8]) + "}"
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= PREVIEW else text[: PREVIEW - 1] + "…"


@register.filter
def json_lines(value: Any) -> list[SafeString]:
    """Indented JSON as coloured lines."""
    return [_coloured(line) for line in json.dumps(value, ensure_ascii=False, indent=2).split("\n")]


def _coloured(line: str) -> SafeString:
    parts = []
    for found in _TOKEN.finditer(line):
        kind = str(found.lastgroup)
        css = _CLASS.get(kind)
        parts.append(format_html('<span class="{}">{}</span>', css, found[0]) if css else format_html("{}", found[0]))
    return mark_safe("".join(parts))  # noqa: S308  every part is escaped above
