"""Keys of locale catalogues, each with its place and text, and where documents take them (docs/spec 06 §5.1, §5.8)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import yaml

from abl.analysis.index.model import AgentIndex
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Name
from abl.yaml_reader import UnreadableYaml, compose_yaml

_KEY: Final = "MESSAGE_KEY"
_PREFIX: Final = "locale."
_WITH_MESSAGE_KEY: Final[tuple[type[nodes.Node], ...]] = (
    nodes.Respond, nodes.Gather, nodes.GatherField, nodes.Completion, nodes.IntentHandler, nodes.ActionHandler,
)  # fmt: skip


class CatalogueKey(NamedTuple):
    """A key of a text. Where it is nested, such as ``ask`` of ``order.ask``, the span holds its last word only."""

    name: str
    span: Span
    text: str


@lru_cache(maxsize=64)
def keys_in(text: str) -> tuple[CatalogueKey, ...] | None:
    """The keys of a catalogue that stand for a text; None if it cannot be read."""
    try:
        tree = compose_yaml(text)
        return tuple(_keys(tree, "", set())) if tree is not None else ()
    except (UnreadableYaml, RecursionError):
        return None


def _keys(node: yaml.Node, prefix: str, seen: set[int]) -> Iterator[CatalogueKey]:
    """The keys of a node; an alias is looked at once, as it may hold itself."""
    if id(node) in seen or not isinstance(node, yaml.MappingNode):
        return
    seen.add(id(node))
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if isinstance(value, yaml.ScalarNode):
            quoted = 1 if key.style in ("'", '"') else 0
            span = Span(key.start_mark.index + quoted, key.end_mark.index - quoted)
            yield CatalogueKey(f"{prefix}{key.value}", span, value.value)
        else:
            yield from _keys(value, f"{prefix}{key.value}.", seen)


def taken_keys(agent: AgentIndex) -> tuple[Name, ...]:
    """The keys that an agent names with MESSAGE_KEY or ``locale.KEY``; those that are made while it runs are not
    known."""
    return tuple(_taken(agent))


def _taken(agent: AgentIndex) -> Iterator[Name]:
    settings = [node.value for node in agent.all(nodes.Setting) if node.keyword == _KEY]
    props = [node.prop(_KEY) for kind in _WITH_MESSAGE_KEY for node in agent.all(kind) if node.props]
    for text in (*settings, *(prop.value for prop in props if prop is not None)):
        if text is not None and text.value.strip() and "{" not in text.value:
            yield Name(text.value.strip(), text.inner)
    for read in agent.reads:
        if read.path.startswith(_PREFIX):
            yield Name(read.path[len(_PREFIX) :], Span(read.span.start + len(_PREFIX), read.span.end))
