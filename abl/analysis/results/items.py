"""What TRANSFORM calls the items of its list, wherever it is in that pipeline (docs/spec 06 §5.5).

Such a name is that of its pipeline, a dot and its own: two pipelines may use one word. The places hold the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Name


def items_of(agent: AgentIndex) -> tuple[tuple[Name, bool], ...]:
    """Every name of an item, and whether it is declared there."""
    return tuple(_items(agent))


def _items(agent: AgentIndex) -> Iterator[tuple[Name, bool]]:
    transforms = [transform for transform in agent.all(nodes.Transform) if transform.item is not None]
    uses = uses_within(agent) if transforms else {}
    for transform in transforms:
        item = transform.item
        if item is None:
            continue
        full = full_name(transform, item.value)
        yield Name(full, item.span), True
        for use in uses.get(transform.span, ()):
            for name in use.reading.names if item.value in use.locals else ():
                if name.root == item.value:
                    yield Name(full, use.span(name.start, name.start + len(item.value))), False
        sorted_by = transform.sort_by
        match = re.match(rf"\s*({re.escape(item.value)})\.", sorted_by.value) if sorted_by is not None else None
        if sorted_by is not None and match is not None:
            yield Name(full, sorted_by.span_of(*match.span(1))), False


def full_name(transform: nodes.Transform, word: str) -> str:
    """The name of an item of a pipeline."""
    return f"{transform.path}@{transform.span.start}.{word}"


def uses_within(agent: AgentIndex) -> dict[Span, list[ExpressionUse]]:
    """The expressions of pipelines, by the place of the pipeline."""
    found: dict[Span, list[ExpressionUse]] = {}
    for use in agent.expressions:
        if isinstance(use.owner, nodes.Transform):
            found.setdefault(use.owner.span, []).append(use)
    return found
