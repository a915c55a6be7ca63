"""The built-in functions (docs/spec 02 §8): what exists, and what a call means.

Families live in `functions/`; each registers its functions in the tables, which are full once this module is imported.
"""

from __future__ import annotations

from typing import Final

from . import functions  # noqa: F401 - each family registers itself in the tables
from .functions.table import BUILTINS, CEL_FUNCTIONS, GUARDRAIL_BUILTINS, Builtin

__all__ = [
    "BUILTINS",
    "CEL_FUNCTIONS",
    "GUARDRAIL_BUILTINS",
    "METHODS",
    "OPERATOR_CALLS",
    "Builtin",
    "call_problem",
    "find",
]

METHODS: Final[dict[str, str]] = {
    "contains": "contains",
    "startsWith": "startsWith",
    "endsWith": "endsWith",
    "matches": "matches",
}
"""Method name -> the operator that it is another form of."""

OPERATOR_CALLS: Final[dict[str, str]] = {
    "CONTAINS": "contains",
    "STARTS_WITH": "startsWith",
    "ENDS_WITH": "endsWith",
}
"""Calls that never hold on the platform, and the operator that is meant (ABL210)."""


def find(name: str, prefixed: bool, *, guardrail: bool = False) -> Builtin | None:
    """The function a call means, or None. `prefixed` = written `abl.name`; `guardrail` = inside a guardrail check."""
    if prefixed:
        if name != name.lower():
            return None
        return BUILTINS.get(name.upper()) or GUARDRAIL_BUILTINS.get(name)
    found = BUILTINS.get(name) or CEL_FUNCTIONS.get(name)
    if found is None and guardrail:
        return GUARDRAIL_BUILTINS.get(name)
    return found


def call_problem(name: str, prefixed: bool, count: int, *, guardrail: bool = False) -> str | None:
    """Why a call with `count` arguments is an error when it is evaluated; None when it is none (02 §10)."""
    function = find(name, prefixed, guardrail=guardrail)
    written = f"abl.{name}" if prefixed else name
    if function is None:
        if not prefixed and name in OPERATOR_CALLS:
            return f"`{name}` is an operator, not a function; write `a {OPERATOR_CALLS[name]} b`"
        if not prefixed and name.upper() in BUILTINS:
            return f"built-in names are uppercase: `{name.upper()}`"
        return f"unknown function `{written}`"
    if not function.accepts(count):
        arguments = "argument" if function.arity() == "1" else "arguments"
        return f"`{written}` takes {function.arity()} {arguments}, got {count}"
    return None
