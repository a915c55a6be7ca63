"""The expression language as the rest of the workbench imports it (docs/spec 02, 12 §1)."""

from __future__ import annotations

from .budget import EXPLORATION, KEYSTROKE, REQUEST, TURN, Budget, BudgetExceeded, Limits
from .builtins import BUILTINS, GUARDRAIL_BUILTINS, Builtin
from .conditions import Condition, read_condition
from .errors import ExpressionError
from .evaluation import Now, Random
from .expression import Expression, NameRead, Outcome, Trace
from .lexer import Highlight, scan
from .reading import compile_expression, compile_template, render
from .scope import Context, ItemScope, Resolver, Scope
from .templates import Conceal, Rendered, Template
from .values import Value, equal, text, truthy, type_tag

__all__ = [
    "BUILTINS",
    "EXPLORATION",
    "GUARDRAIL_BUILTINS",
    "KEYSTROKE",
    "REQUEST",
    "TURN",
    "Budget",
    "BudgetExceeded",
    "Builtin",
    "Conceal",
    "Condition",
    "Context",
    "Expression",
    "ExpressionError",
    "Highlight",
    "ItemScope",
    "Limits",
    "NameRead",
    "Now",
    "Outcome",
    "Random",
    "Rendered",
    "Resolver",
    "Scope",
    "Template",
    "Trace",
    "Value",
    "compile_expression",
    "compile_template",
    "equal",
    "read_condition",
    "render",
    "scan",
    "text",
    "truthy",
    "type_tag",
]
