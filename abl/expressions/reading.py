"""Reads expressions and templates, which contain each other: a text in an expression may be a template with slots that
are expressions.
"""

from __future__ import annotations

from functools import partial

from abl.remembered import remembered

from . import bounds
from .evaluation import Now, Random
from .expression import Expression
from .parser import parse
from .scope import Context
from .template_parser import Problem, Text, read_template
from .templates import Template


@remembered(8_192)
def compile_expression(text: str, *, in_template: bool = False, depth: int = 0, guardrail: bool = False) -> Expression:
    """Read an expression; the last few thousand are remembered. Raises ExpressionError with code and span.

    `in_template` allows `@index`, `@first`, `@last`; `depth` counts the string literals around it; `guardrail` makes
    the functions of guardrail checks legal without `abl.` (09 §11).
    """
    return Expression(text, parse(text, in_template=in_template), compile_template, depth=depth, guardrail=guardrail)


@remembered(4_096)
def compile_template(text: str, depth: int = 0) -> Template:
    """Read a template; the last few thousand are remembered. `depth` counts the string literals around it."""
    if depth > bounds.MAX_TEMPLATE_DEPTH:
        return Template(text, (Text(0, len(text), text),), (), ())
    if len(text) > bounds.MAX_TEMPLATE_LENGTH:
        reason = f"a template has at most {bounds.MAX_TEMPLATE_LENGTH:,} characters"
        return Template(text, (Text(0, len(text), text),), (Problem("ABL201", 0, len(text), reason),), ())
    return Template(text, *read_template(text, partial(compile_expression, in_template=True, depth=depth)))


def render(template: str, context: Context, now: Now = None, rng: Random | None = None) -> str:
    """The text of a template for a context (02 §9); `context` is not changed.

    Raises nothing but BudgetExceeded.
    """
    return compile_template(template).render(context, now, rng)
