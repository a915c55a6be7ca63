"""What a step shows that can be pressed or filled in, by blocks (docs/spec 09 §14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.analysis.collect.content import is_shown
from abl.analysis.index.action_elements import elements
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, same_key
from abl.syntax.readers.content import content_of


class Element(NamedTuple):
    """An element of ACTIONS with an id: its type, whether it opens a link, and where its id stands."""

    id: str
    kind: str
    link: bool
    span: Span


def shown_blocks(step: nodes.Step) -> Iterator[Block]:
    """ACTIONS, FORMATS and the like of a step, at its messages and in their branches."""
    settings = (directive for directive in step.directives if isinstance(directive, nodes.Setting))
    read = {setting.span.start: setting.block for setting in settings if is_shown(setting.keyword)}
    yield from (block for block in read.values() if block is not None)  # with the colons that they lack
    if step.block is not None:
        yield from (block for block in step.block.walk() if is_shown(block.key) and block.span.start not in read)


def elements_of(block: Block) -> list[Element] | None:
    """The elements with an id; None when they come from a path."""
    content = content_of(block)
    if content.get("from") is not None or (content.text is not None and not content.items):
        return None
    return [
        Element(e.id.value, e.type, e.content.get("url", "link", "web_url") is not None, e.id.span)
        for e in elements(content)
        if e.id is not None
    ]


def ids_in(block: Block) -> set[str]:
    """Every id below a block: of elements, quick replies, fields of forms."""
    content = content_of(block)
    ids = {part.word_of() for part in content.walk() if same_key(part.key) == "id" and part.text is not None}
    return ids | {element.id for element in elements_of(block) or ()}
