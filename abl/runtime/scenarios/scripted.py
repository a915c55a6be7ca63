"""A model that follows a script: for scenarios and tests (docs/spec 12 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any

from abl.expressions.api import Template, compile_template
from abl.expressions.template_parser import Slot
from abl.expressions.values import text
from abl.runtime.flow.variables import nested
from abl.runtime.ports import ModelReply

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""NOW() of a script: fixed, so that a script always gives the same result."""


class ScriptedModel:
    """Gives prepared replies and calls, in order; None when the script is at its end.

    Texts of a line may compute from what the request holds: ``{{result}}`` is the result of the last call since the
    user's message (its error envelope when it failed, null before the first), ``{{results.TOOL}}`` that of a tool,
    ``{{input}}`` the message; ``{{user_memory}}``, ``{{system_reminders}}`` and ``{{variables.NAME}}`` are as in the
    request. A text that is one slot gives the value itself, any other a text.
    """

    def __init__(self, script: Iterable[Mapping[str, Any]] = ()) -> None:
        self._script = [ModelReply(s.get("reply"), s.get("call"), dict(s.get("args") or {})) for s in script]

    def next(self, request: Mapping[str, Any], memory: MutableMapping[str, Any]) -> ModelReply | None:
        """The next line of the script."""
        at = int(memory.get("script", 0))
        if at >= len(self._script):
            return None
        memory["script"] = at + 1
        line, names = self._script[at], names_of(request)
        reply = _filled(line.reply, names)
        return ModelReply(None if reply is None else text(reply), line.call, _filled(dict(line.args), names))


def names_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """What a script line may compute with."""
    calls = list(request.get("calls") or ())
    said = [m["text"] for m in request.get("messages") or () if m.get("from") == "user"]
    return {
        "result": _outcome(calls[-1]) if calls else None,
        "results": {call["tool"]: _outcome(call) for call in calls},
        "input": said[-1] if said else None,
        "variables": _by_path(request.get("variables") or {}),
        "user_memory": list(request.get("user_memory") or ()),
        "system_reminders": list(request.get("system_reminders") or ()),
    }


def _by_path(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables so that a dotted name is found as the path that it is."""
    found = {name: value for name, value in variables.items() if "." not in name}
    for name, value in variables.items():
        root, *rest = name.split(".")
        if rest:
            found[root] = nested(found.get(root), rest, value)
    return found


def _outcome(call: Mapping[str, Any]) -> Any:
    return call["error"] if "error" in call else call.get("result")


def _filled(value: Any, names: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, names) for item in value]
    if not isinstance(value, str):
        return value
    template = compile_template(value)
    if template.is_static:
        return value
    return _single(template, names) if len(template.parts) == 1 else template.render(names, EPOCH)


def _single(template: Template, names: Mapping[str, Any]) -> Any:
    """The value of a template that is one slot, else its text."""
    slot = template.parts[0]
    if not isinstance(slot, Slot) or slot.expression is None or slot.added is not None:
        return template.render(names, EPOCH)
    return slot.expression.evaluate(names, EPOCH)
