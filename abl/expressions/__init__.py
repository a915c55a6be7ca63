"""The expression and template language of ABL (docs/spec 02)."""

from .api import (
    BUILTINS,
    GUARDRAIL_BUILTINS,
    Builtin,
    Condition,
    Expression,
    ExpressionError,
    NameRead,
    Outcome,
    Scope,
    Template,
    Trace,
    compile_expression,
    compile_template,
    read_condition,
    render,
    scan,
)

__all__ = [
    "BUILTINS",
    "GUARDRAIL_BUILTINS",
    "Builtin",
    "Condition",
    "Expression",
    "ExpressionError",
    "NameRead",
    "Outcome",
    "Scope",
    "Template",
    "Trace",
    "compile_expression",
    "compile_template",
    "read_condition",
    "render",
    "scan",
]
