"""What events of variables and facts were about, in one line (docs/spec 03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints.traces.values import literal
from constraints.traces.wording import SKIPPED, names

Data = Mapping[str, Any]


def change(data: Data) -> str:
    """``name = value`` of an assignment; a name that has no value now says so."""
    name = str(data.get("name") or data.get("path") or data.get("field") or "")
    for key in ("new", "value"):
        if key in data:
            return f"{name} = {literal(data[key])}" if data[key] is not None else f"{name} is unset"
    return name


def cleared(data: Data) -> str:
    """A name that lost its value; a fact is hidden, not deleted."""
    return f"{data.get('name')}, hidden in this session" if data.get("hidden") else str(data.get("name") or "")


def remembered(data: Data) -> str:
    """``path = value`` of what was stored, or why it was not."""
    path = str(data.get("path") or "")
    if data.get("skipped"):
        return f"{path}: {SKIPPED.get(str(data['skipped']), data['skipped'])}"
    return f"{path} = {literal(data['new'])}" if data.get("new") is not None else path


def written(data: Data) -> str:
    """``path = value`` of a fact, or that it went with its handoff tree."""
    return f"{data.get('path')}: deleted with its execution tree" if data.get("cause") == "tree_end" else change(data)


def refused(data: Data) -> str:
    """Which fact was not written and why."""
    return f"{data.get('path')}: {data.get('why')}"


def recalled(data: Data) -> str:
    """When, and what came of it."""
    found = data.get("loaded")
    what = names(found) if found else data.get("instruction") or names(data.get("paths") or ()) or data.get("domain")
    return f"{data.get('event')}: {what or 'nothing'}"


def transformed(data: Data) -> str:
    """From what into what, and how many of the items are left."""
    counts = [n for n in (data.get("counts") or {}).values() if isinstance(n, int)]
    left = f", {counts[-1]} of {counts[0]} items" if counts else ""
    return f"{data.get('source')} into {data.get('into')}{left}"


def first_values(data: Data) -> str:
    """The variables that begin with a value, or how much memory put into the request of a model."""
    memory = data.get("memory")
    if isinstance(memory, Mapping):
        put, cut = len(memory.get("injected") or ()), len(memory.get("cut") or ())
        return f"{put} line{'' if put == 1 else 's'} in the request, {cut} left out"
    initial = data.get("initial") or {}
    return ", ".join(f"{name} = {literal(value)}" for name, value in initial.items()) or "no initial values"
