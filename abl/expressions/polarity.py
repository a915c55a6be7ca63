"""On which verdict the check of a guardrail fires (docs/spec 09 §11)."""

from __future__ import annotations

from typing import Final

from . import nodes as en

_COUNTS: Final = ("length", "count", "score", "size")


def fires_on(node: en.Node) -> bool | None:
    """The verdict by the outermost part of a check; None where only the rule "else false" is left."""
    if isinstance(node, en.Call):
        name = node.name.lower()
        if name.startswith("not_"):
            return False
        return True if name.startswith(("contains_", "matches_", "detect_")) else None
    if isinstance(node, en.Test) and node.op in ("<", "<=", ">", ">="):
        sides = (node.left, node.right)
        if any(isinstance(s, en.Call | en.Method) and any(w in s.name.lower() for w in _COUNTS) for s in sides):
            return node.op in (">", ">=")
    return None
