"""What rules may need of a node, so that most nodes are not looked at by rules that have nothing to say on them.

The aspects of a node are words: ``needs`` of ``abl.analysis.registry`` names them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from abl.syntax import nodes


def _of_field(field: nodes.GatherField) -> list[str]:
    return [prop.key for prop in field.props]


def _of_setting(setting: nodes.Setting) -> list[str]:
    return [setting.keyword]


def _of_variable(variable: nodes.SessionVariable) -> list[str]:
    """Its properties in whatever form they are written."""
    given = [("TYPE", variable.type), ("INITIAL", variable.initial), ("RESET", variable.reset)]
    return [*(prop.key for prop in variable.props), *(key for key, value in given if value is not None)]


def _of_rule(checked: nodes.Rule) -> list[str]:
    """Its kind, its properties and the form of its ON_FAIL."""
    form = [checked.on_fail.form] if checked.on_fail is not None else []
    return [checked.kind.value, *(prop.key for prop in checked.props), *form]


def _of_step(step: nodes.Step) -> list[str]:
    """Its directives, and ``reasoning`` where a model leads it."""
    return [*(directive.keyword for directive in step.directives), *(["reasoning"] if step.reasoning else ())]


ASPECTS: Final[dict[type, Callable[[Any], list[str]]]] = {
    nodes.GatherField: _of_field,
    nodes.Rule: _of_rule,
    nodes.SessionVariable: _of_variable,
    nodes.Setting: _of_setting,
    nodes.Step: _of_step,
}
"""What gives the aspects of a node, by its class."""
