"""The last value that a test conversation gave a name; the editor shows it where the name stands (``editor.ports``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from constraints.models import Conversation, TraceEvent
from editor.ports import LastValue, ports

CONVERSATIONS: Final = 3
EVENTS: Final = 2_000
"""Newest events of each that are looked through: somebody waits for the answer."""


def last_value(project: int, agent: str, name: str, fact: bool) -> LastValue | None:
    """The last value of an agent's variable, or of a fact, in the newest conversations of a project, as traces show it.

    None where none of them gave it one.
    """
    newest = Conversation.objects.filter(project=project).order_by("-id").values_list("pk", "number")
    for pk, number in newest[:CONVERSATIONS]:
        rows = TraceEvent.objects.filter(conversation=pk, folds=True).order_by("-seq")
        for turn, of, data in rows.values_list("number", "agent", "data")[:EVENTS].iterator():
            change = data.get("state") or {}
            found = _fact(change, name) if fact else _variable(change, name) if of == agent else None
            if found is not None:
                value, gone = found
                return LastValue(value, number, turn, gone)
    return None


def _variable(change: Mapping[str, Any], name: str) -> tuple[Any, bool] | None:
    """Value of a variable and whether it is gone, where a change of ``abl.runtime.events.reading`` speaks of it."""
    if name in change.get("unset", ()):
        return None, True
    values = change.get("set", {})
    return (values[name], False) if name in values else None


def _fact(change: Mapping[str, Any], path: str) -> tuple[Any, bool] | None:
    facts = change.get("facts", {})
    return (facts[path], facts[path] is None) if path in facts else None


ports.last_value = last_value
