"""Single values of a project file: whether they fit, how a message shows them, and what would be right."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime
from typing import Any, Final

import yaml

from abl.analysis.index.languages import is_tag
from abl.expressions.errors import ExpressionError
from abl.expressions.reading import compile_expression
from abl.language.project_file import ValueType
from abl.syntax.recovery.suggest import closest

_TAG: Final = "tag:yaml.org,2002:"
_WRITTEN: Final = frozenset({"language", "moment", "condition"})
"""Texts that YAML may take for something else: ``no``, a date, ``true``."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_YEARS: Final = (1000, 8999)
_LONGEST: Final = 60


def scalar(node: yaml.ScalarNode, value_type: ValueType, loader: yaml.SafeLoader) -> tuple[bool, Any]:
    """Whether a value fits, and as what it is taken."""
    value = _constructed(node, loader)
    match value_type.kind:
        case "text":
            return _text(node, value_type, value)
        case "word":
            return node.value in dict(value_type.words), node.value
        case "flag":
            return isinstance(value, bool), value
        case "whole":
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and _within(value, value_type), value
        case "number":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and math.isfinite(value) and _within(value, value_type), value
    return value is not _NOTHING and not (isinstance(value, float) and not math.isfinite(value)), plain(value)


_NOTHING: Final = object()


def _constructed(node: yaml.ScalarNode, loader: yaml.SafeLoader) -> Any:
    try:
        value = loader.construct_object(node)
    except (yaml.YAMLError, ValueError, OverflowError):
        return _NOTHING
    return _NOTHING if isinstance(value, bytes) else value


def plain(value: Any) -> Any:
    """YAML's dates and times as ISO text; everything else as it is."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def _within(value: float, value_type: ValueType) -> bool:
    return (value_type.least is None or value >= value_type.least) and (
        value_type.most is None or value <= value_type.most
    )


def _text(node: yaml.ScalarNode, value_type: ValueType, value: Any) -> tuple[bool, Any]:
    written = node.value.strip()
    if value_type.names in _WRITTEN:
        return value is not None and _FITTING[value_type.names](written), written
    fits = value_type.names != "identifier" or _IDENTIFIER.fullmatch(node.value) is not None
    return isinstance(value, str) and fits and (not value_type.names or bool(written)), node.value


def _is_moment(text: str) -> bool:
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return _YEARS[0] <= moment.year <= _YEARS[1]


def _is_condition(text: str) -> bool:
    try:
        compile_expression(text)
    except ExpressionError:
        return False
    return True


_FITTING: Final = {"language": is_tag, "moment": _is_moment, "condition": _is_condition}


def shown(node: yaml.Node) -> str:
    """A value as a message names it."""
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    if node.tag == f"{_TAG}null":
        return "empty"
    text = str(node.value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"`{text}`"


def problem_of(node: yaml.Node, value_type: ValueType) -> tuple[str, tuple[str, ...]]:
    """What would be right in the place of a value, and texts that may stand there instead."""
    right = f"{value_type.right} is right"
    written = node.value.strip() if isinstance(node, yaml.ScalarNode) else ""
    if value_type.kind == "word":
        near = closest(written, [word for word, _ in value_type.words])
        return (f"{right}; did you mean {near[0]}?" if near else right), near
    if value_type.kind == "flag" and written.casefold() in ("yes", "no", "on", "off", "true", "false"):
        return right, ("true" if written.casefold() in ("yes", "on", "true") else "false",)
    if value_type.kind == "text" and not value_type.names and written and "`" not in written and '"' not in written:
        return f'{right}, such as "{written[:_LONGEST]}"', (f'"{written}"',) if "\n" not in written else ()
    if value_type.kind == "whole" and written.isascii() and written.isdigit() and len(written) < 10:
        value = int(written)
        if _within(value, value_type):
            return right, (written,)
    return right, ()
