"""ABL as a library (docs/spec 12 §1). Names are loaded on first use, so that ``import abl`` costs nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from abl import runtime
    from abl.analysis import check
    from abl.editing.actions import code_actions
    from abl.editing.complete import complete
    from abl.editing.hover import hover
    from abl.editing.outline import outline
    from abl.editing.tokens import tokens
    from abl.expressions import ExpressionError, compile_expression, render
    from abl.syntax import parse

__all__ = [
    "ExpressionError",
    "check",
    "code_actions",
    "compile_expression",
    "complete",
    "hover",
    "outline",
    "parse",
    "render",
    "runtime",
    "tokens",
]

_HOMES: Final = {
    "parse": "abl.syntax",
    "check": "abl.analysis",
    "compile_expression": "abl.expressions",
    "ExpressionError": "abl.expressions",
    "render": "abl.expressions",
    "tokens": "abl.editing.tokens",
    "complete": "abl.editing.complete",
    "hover": "abl.editing.hover",
    "code_actions": "abl.editing.actions",
    "outline": "abl.editing.outline",
}


def __getattr__(name: str) -> Any:
    if name == "runtime":
        return import_module("abl.runtime")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'abl' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
