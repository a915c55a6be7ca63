"""What events of calls, agents and models were about, in one line (docs/spec 08, 09, 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints.traces.values import literal
from constraints.traces.wording import names, words

Data = Mapping[str, Any]


def call(data: Data) -> str:
    """``tool(args)``."""
    given = data.get("args") or {}
    pairs = given.items() if isinstance(given, Mapping) else ()
    return f"{data.get('tool')}({', '.join(f'{name}: {literal(value)}' for name, value in pairs)})"


def result(data: Data) -> str:
    """``tool: result`` of the end of a call, or what went wrong."""
    if data.get("error"):
        return f"{data.get('tool')}: {error_of(data['error'])}"
    return f"{data.get('tool')}: {literal(data['result'])}" if "result" in data else str(data.get("tool") or "")


def error_of(error: Any) -> str:
    """The error of a call in words; ``error`` is the envelope of docs/spec 08 or a text."""
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    if not isinstance(inner, Mapping):
        return words(inner)
    name, message = str(inner.get("subtype") or inner.get("type") or ""), str(inner.get("message") or "")
    return name if message in ("", name) else f"{name}: {message}" if name else message


def retried(data: Data) -> str:
    """The attempt that begins."""
    pause = f" after {data['delay']} ms" if data.get("delay") else ""
    return f"{data.get('tool')}, attempt {int(data.get('n') or 0) + 1}{pause}"


def bound(data: Data) -> str:
    """The name that the author gave a result, and how many others have it too."""
    listed = [str(name) for name in data.get("names") or ()]
    return f"{listed[0]} and {len(listed) - 1} more names" if len(listed) > 2 else names(listed)


def processed(data: Data) -> str:
    """What a transform around a call changed."""
    changed = data.get("changed")
    what = literal(changed) if changed else "nothing changed"
    return f"{data.get('tool')}, {data.get('stage')} the call: {what}"


def differs(data: Data) -> str:
    """Where a result is not what its tool declares, the first place of them."""
    found = list(data.get("differences") or [])
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    told = f"{found[0].get('path')} is {found[0].get('found')}, declared is {found[0].get('expected')}" if found else ""
    return f"{data.get('tool')}: {told}{more}"


def handed(data: Data) -> str:
    """The target, and what is passed to it."""
    passed = (data.get("handoff_context_pass_resolved") or {}).get("passed") or ()
    to = f"to {data.get('to')}" + (", once the flow ends" if data.get("suppressed") else "")
    return f"{to}, with {names(passed)}" if passed else to


def returned(data: Data) -> str:
    """From whom to whom."""
    return f"from {data.get('from')} to {data.get('to')}"


def completed(data: Data) -> str:
    """What made the agent complete."""
    condition = data.get("condition")
    if isinstance(condition, Mapping):
        return str(condition.get("condition_text") or "")
    if "index" not in data:
        return "not applied while a rule fails"
    return "the flow ended" if data.get("reason") == "flow" else ""


def asked_model(data: Data) -> str:
    """How much the model was given."""
    counts = ((len(data.get(key) or ()), key[:-1]) for key in ("messages", "tools"))
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


def answered(data: Data) -> str:
    """The reply of the model, or the call that it wants."""
    reply = data.get("reply") or ""
    return call({"tool": data["call"], "args": data.get("args")}) if data.get("call") else f'"{reply}"'
