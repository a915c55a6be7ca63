"""ABL as a library (docs/spec 12 §1). Names are loaded on first use, so that ``import abl`` costs nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from abl import runtime
    from abl.analysis import check
    from abl.analysis.parsing import parse
    from abl.editing.actions import code_actions
    from abl.editing.bulk import bulk_actions
    from abl.editing.completion.complete import complete
    from abl.editing.format import format_source
    from abl.editing.hover import hover
    from abl.editing.navigate import definition, references
    from abl.editing.outline import outline
    from abl.editing.rename import rename
    from abl.editing.tokens import tokens
    from abl.expressions import ExpressionError, compile_expression, render
    from abl.language.project_schema import project_schema

__all__ = [
    "ExpressionError",
    "bulk_actions",
    "check",
    "code_actions",
    "compile_expression",
    "complete",
    "definition",
    "format_source",
    "hover",
    "outline",
    "parse",
    "project_schema",
    "references",
    "rename",
    "render",
    "runtime",
    "tokens",
]

_HOMES: Final = {
    "parse": "abl.analysis.parsing",
    "check": "abl.analysis",
    "compile_expression": "abl.expressions",
    "ExpressionError": "abl.expressions",
    "render": "abl.expressions",
    "tokens": "abl.editing.tokens",
    "complete": "abl.editing.completion.complete",
    "format_source": "abl.editing.format",
    "hover": "abl.editing.hover",
    "code_actions": "abl.editing.actions",
    "bulk_actions": "abl.editing.bulk",
    "outline": "abl.editing.outline",
    "definition": "abl.editing.navigate",
    "references": "abl.editing.navigate",
    "rename": "abl.editing.rename",
    "project_schema": "abl.language.project_schema",
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
