"""The table of built-in functions (docs/spec 02 §8): what exists, with which arguments, and what it does.

Families live in `functions/`; each registers its functions here with `@builtin(signature, result_type)`. Pure
functions are called with the argument values, impure ones with the `Evaluation` first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Builtin:
    """One function. `max_args` is None when any number may follow; `result_type` is a type tag or `any`."""

    name: str
    min_args: int
    max_args: int | None
    call: Callable[..., Any]
    signature: str
    doc: str
    result_type: str
    impure: bool = False

    def accepts(self, count: int) -> bool:
        """True when the function takes `count` arguments."""
        return self.min_args <= count and (self.max_args is None or count <= self.max_args)

    def arity(self) -> str:
        """How many arguments it takes, in words: `2`, `1 or 2`, `at least 1`."""
        if self.max_args is None:
            return f"at least {self.min_args}"
        if self.max_args == self.min_args:
            return str(self.min_args)
        joint = "or" if self.max_args == self.min_args + 1 else "to"
        return f"{self.min_args} {joint} {self.max_args}"


BUILTINS: Final[dict[str, Builtin]] = {}
"""Upper-case name -> function; the same function is `abl.` + the name in lower case."""

CEL_FUNCTIONS: Final[dict[str, Builtin]] = {}
"""`size` and `has`: lower case, without `abl.`."""

GUARDRAIL_BUILTINS: Final[dict[str, Builtin]] = {}
"""Lower-case name -> function that exists only in guardrail checks (09 §11)."""

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

_PARAMETER = re.compile(r"[a-z_0-9]+\??|…")


def builtin(
    signature: str, result_type: str, *, table: dict[str, Builtin] | None = None, impure: bool = False
) -> Callable[[_Function], _Function]:
    """Register a function under `NAME(a, b?, …)`: `?` marks optional arguments, `…` any number more."""
    name, _, rest = signature.partition("(")
    parameters = _PARAMETER.findall(rest)
    required = [parameter for parameter in parameters if parameter != "…" and not parameter.endswith("?")]
    most = None if "…" in parameters else len(parameters)

    def register(function: _Function) -> _Function:
        doc = " ".join((function.__doc__ or "").split())
        target = BUILTINS if table is None else table
        target[name] = Builtin(name, len(required), most, function, signature, doc, result_type, impure)
        return function

    return register


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


from . import functions  # noqa: E402, F401 - each family registers itself in the tables above
