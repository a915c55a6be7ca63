"""Keys with nothing behind or below them, where the declaration asks for a value (docs/spec 05 ABL116).

The parser reports them in the places that have nodes of their own (``parsed``); what is at the same place is told once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis.conformance.closed_places import Whole, walked
from abl.analysis.registry import Found, found
from abl.language import needs_value, takes_text
from abl.source import Source
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery import findings

_OF_RULES: Final = frozenset({"rule", "on_fail"})
"""Places whose keys the parser and ABL405 report where nothing is behind them, in STEP_CONSTRAINTS too."""


def empty_keys(whole: Whole | nodes.Rule | nodes.OnFail, source: Source) -> Iterator[Found]:
    """ABL116 in a section, profile, step, tool or rule. A key that is misspelt is told as that."""
    for place, block in _without_value(whole, source):
        needed = block.colon and needs_value(place, block.key) and (block.value is None or takes_text(place, block.key))
        if needed and source.text[slice(*block.key_span)] == block.key:
            problem = findings.empty_block(source, block.span, block.key)
            yield found(problem.span, *problem.fixes, **problem.data)


def _without_value(whole: Whole | nodes.Rule | nodes.OnFail, source: Source) -> Iterator[tuple[str, Block]]:
    """Keys with nothing or an empty text behind them, and nothing below; in rules the parser tells the former."""
    if isinstance(whole, nodes.Rule | nodes.OnFail):
        place = "rule" if isinstance(whole, nodes.Rule) else "on_fail"
        props = [prop.block for prop in whole.props if prop.block is not None and prop.block.value is not None]
        yield from ((place, block) for block in props if _is_empty(block))
        return
    if isinstance(whole, nodes.Section) and whole.keyword == "BEHAVIOR_PROFILE" and whole.block is not None:
        yield from (("inline_profile", block) for block in whole.block.children if _is_empty(block))
    for stood in walked(source, whole).properties:
        if _is_empty(stood.block) and not (stood.place in _OF_RULES and stood.block.value is None):
            yield stood.place, stood.block


def _is_empty(block: Block) -> bool:
    return not block.children and (block.value is None or not block.value.value.strip())
