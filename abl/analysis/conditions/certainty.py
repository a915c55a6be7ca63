"""Other outcomes of a condition than true and false: an error, or different results in the same state (docs/spec 02).

An error is neither true nor false (02 §10), so what follows from a condition being false does not follow from its not
holding; and two conditions of one text may differ where they ask for a random number or for an earlier ``match``.
"""

from __future__ import annotations

import re
from typing import Final

from abl.expressions import nodes as en
from abl.expressions.builtins import METHODS, find

_SAFE_CALLS: Final = frozenset({"LENGTH", "SIZE", "COALESCE", "FIRST_NON_EMPTY", "IF"})
_SAFE_RESULTS: Final = frozenset({"boolean", "string"})
_DOING: Final = frozenset({en.Binary, en.Call, en.Method})
_RANDOM: Final = "UNIQUE_ID"
_FLEETING: Final = frozenset({"match", "_constraint_warnings"})
_UNSTEADY_SLOT: Final = re.compile(r"unique_id|\bmatch\b|_constraint_warnings", re.IGNORECASE)


def can_fail(node: en.Node) -> bool:
    """False when evaluating cannot end in an error, whatever the state."""
    return any(_fails(part) for part in en.walk(node) if part.__class__ in _DOING)


def _fails(part: en.Node) -> bool:
    """Arithmetic may divide by zero or leave the finite numbers, calls may be wrong."""
    if isinstance(part, en.Method):
        return part.name not in METHODS or len(part.args) != 1
    if not isinstance(part, en.Call):
        return isinstance(part, en.Binary)
    known = find(part.name, part.prefixed)
    if known is None or not known.accepts(len(part.args)):
        return True
    return known.result_type not in _SAFE_RESULTS and part.name.upper() not in _SAFE_CALLS


def is_ordered(node: en.Node) -> bool:
    """True when the order in which the parts of AND and OR are evaluated may count: for errors, and for ``match``."""
    for part in en.walk(node):
        kind = part.__class__
        if kind is en.Path:
            counts = _reads_match(part)
        else:
            counts = (kind in _DOING and _fails(part)) or _searches(part)
        if counts:
            return True
    return False


def _searches(part: en.Node) -> bool:
    if isinstance(part, en.Method):
        return part.name == "matches"
    return isinstance(part, en.Test) and part.op == "matches"


def is_fleeting(parts: tuple[str, ...]) -> bool:
    """True for what an evaluation itself changes: ``match`` with each search (02 §5.1), the warnings with each WARN."""
    return parts[0] in _FLEETING


def _reads_match(part: en.Node) -> bool:
    return isinstance(part, en.Path) and part.parts[0] == "match"


def varies(node: en.Node) -> bool:
    """True when two evaluations with one state and one clock may differ."""
    return _varies(node, False)


def _varies(node: en.Node, found: bool) -> bool:
    """``found``: a search of the expression itself has succeeded, so that ``match`` is what that search found."""
    if isinstance(node, en.Path):
        return is_fleeting(node.parts) and not (found and _reads_match(node))
    if isinstance(node, en.Literal):
        return isinstance(node.value, str) and "{{" in node.value and _UNSTEADY_SLOT.search(node.value) is not None
    if isinstance(node, en.Call) and node.name.upper() == _RANDOM:
        return True
    if isinstance(node, en.Logical) and node.op != "OR":
        for operand in node.operands:
            if _varies(operand, found):
                return True
            found = found or _searches(operand)
        return False
    return any(_varies(child, found) for child in en.children(node))
