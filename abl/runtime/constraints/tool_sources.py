"""Names that hold the result of a tool, or values computed from one (docs/spec 04 §6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abl.runtime.state import Thread

ORIGIN = "tool_result"
"""Origin of a variable to which a call bound its result."""


def from_tool(thread: Thread, names: Iterable[str], local: Mapping[str, Any] | None = None) -> bool:
    """True when one of the names holds what a tool gave, or what was computed from it."""
    return any(_is_from_tool(thread, name.split("."), local or {}) for name in names)


def _is_from_tool(thread: Thread, parts: list[str], local: Mapping[str, Any]) -> bool:
    root = parts[0]
    if root in local:
        return root in {"result", "error"}  # of the block of a tool (08 §7)
    if thread.origins.get(root) == ORIGIN:
        return True
    if any(".".join(parts[:size]) in thread.derived for size in range(1, len(parts) + 1)):
        return True
    if any(path.startswith(".".join(parts) + ".") for path in thread.derived):
        return True
    result = thread.variables.get("call_result")
    return root not in thread.variables and isinstance(result, dict) and root in result  # 06 §5.8, last resort


def note_source(thread: Thread, path: str, derived: bool) -> None:
    """Keep whether the value of a path was computed from what a tool gave."""
    if derived:
        if path not in thread.derived:
            thread.derived.append(path)
    elif thread.derived:
        thread.derived = [known for known in thread.derived if known != path and not known.startswith(path + ".")]
