"""YAML from users: the size of what a short text expands to is bounded (docs/spec 12 §3)."""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.error import MarkedYAMLError

from abl.limits import MAX_VALUE_DEPTH, MAX_YAML_REPEATED

_SEXAGESIMAL: Final = 100
"""Characters of a number in base 60, such as a duration; PyYAML's time for one grows with the square."""


class UnreadableYaml(ValueError):
    """A text is no YAML, or one that would come to too much. The message is that of the library, or one sentence."""


class BoundedLoader(yaml.SafeLoader):
    """Counts what aliases repeat: each level of them may double the text, so thirty lines come to a billion."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._sizes: dict[int, int] = {}
        self._composed = 0
        self._depth = 0
        self._repeated = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node; an alias counts as all that it stands for."""
        alias = self.check_event(yaml.AliasEvent)
        before = self._composed + self._repeated
        self._depth += 1
        if self._depth > MAX_VALUE_DEPTH:
            raise ComposerError(None, None, f"it is nested deeper than {MAX_VALUE_DEPTH} levels")
        node = super().compose_node(parent, index)
        self._depth -= 1
        if not alias:
            self._composed += 1
            self._sizes[id(node)] = self._composed + self._repeated - before
            return node
        size = self._sizes.get(id(node))
        if size is None:
            raise ComposerError(None, None, "an alias stands inside of what it names")
        self._repeated += size
        if self._repeated > MAX_YAML_REPEATED:
            raise ComposerError(None, None, f"its aliases repeat more than {MAX_YAML_REPEATED:,} values")
        return node


def _number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int | float:
    """A number, unless it is a very long one in base 60."""
    if ":" in node.value and len(node.value) > _SEXAGESIMAL:
        raise ConstructorError(None, None, f"a number in base 60 has more than {_SEXAGESIMAL} characters")
    is_int = node.tag == "tag:yaml.org,2002:int"
    found: int | float = loader.construct_yaml_int(node) if is_int else loader.construct_yaml_float(node)
    return found


BoundedLoader.add_constructor("tag:yaml.org,2002:int", _number)
BoundedLoader.add_constructor("tag:yaml.org,2002:float", _number)


def load_yaml(text: str) -> Any:
    """The value of a YAML text; None for an empty one. Raises UnreadableYaml."""
    try:
        return yaml.load(text, Loader=BoundedLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise UnreadableYaml(str(error)) from error


def yaml_problem(error: UnreadableYaml) -> str:
    """The message to the author of a text that cannot be read: where, or which bound it passes, in our own words."""
    cause = error.__cause__
    if not isinstance(cause, MarkedYAMLError):
        return "is not valid YAML"
    if cause.problem_mark is None:
        return f"is not valid YAML: {cause.problem}"
    return f"is not valid YAML (line {cause.problem_mark.line + 1}, column {cause.problem_mark.column + 1})"


def compose_yaml(text: str) -> yaml.Node | None:
    """The nodes of a YAML text, with their places; None for an empty one. Raises UnreadableYaml."""
    try:
        return yaml.compose(text, Loader=BoundedLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UnreadableYaml(str(error)) from error
