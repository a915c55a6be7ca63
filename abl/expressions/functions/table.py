"""The tables of built-in functions (docs/spec 02 §8), which each family fills: ``@builtin(signature, result_type)``.

Pure functions are called with the argument values, impure ones with the `Evaluation` first. ``builtins`` imports all
families; functions are looked up there.
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
