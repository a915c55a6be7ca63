"""Whether two texts say the same: their trees compared without places, quotes of comments and layout left aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from abl.source import Span
from abl.syntax import nodes, vocabulary

_NOT_SAID: Final = frozenset({"span", "key_span", "block", "written"})
"""Fields of nodes that hold where or in which case something was written; blocks are compared by themselves."""


def same_tree(one: nodes.Document, two: nodes.Document) -> bool:
    """True when both hold the same documents, comments and unreadable lines, and the second has no new problem."""
    return not different_blocks(one, two) and one.yaml == two.yaml and _said(one) == _said(two) and not _new(one, two)


def different_blocks(one: nodes.Document, two: nodes.Document) -> list[int]:
    """Numbers of the column-0 blocks of the first document that are not the same in the second."""
    if len(one.blocks) != len(two.blocks):
        return list(range(len(one.blocks)))
    pairs = zip(one.blocks, two.blocks, strict=True)
    return [at for at, (first, second) in enumerate(pairs) if _block(first) != _block(second)]


def _said(document: nodes.Document) -> Any:
    parts = (document.agents, document.fragments, document.profiles, document.tool_files, document.unknown)
    return [comment.text for comment in document.comments], _sign(parts)


def _new(one: nodes.Document, two: nodes.Document) -> bool:
    """True when the parser notices more in the second."""
    return bool(Counter(f.code for f in two.findings) - Counter(f.code for f in one.findings))


def _block(block: nodes.Block) -> Any:
    comments = [comment.text for comment in block.comments]
    children = [_block(child) for child in block.children]
    return vocabulary.canonical_key(block.key), _sign(block.value), block.item, block.colon, comments, children


def _sign(value: Any) -> Any:
    return _signer(value.__class__)(value)


@cache
def _signer(kind: type) -> Callable[[Any], Any]:
    """How to compare what a value of a class says, without its places."""
    if kind is nodes.Text:
        return _text
    if kind is Span:
        return _nothing
    if kind is str:
        return _lines
    if kind is nodes.Block:
        return _block
    if kind is nodes.Property:
        return lambda prop: (prop.key, _sign(prop.value))
    if issubclass(kind, tuple):
        return _items
    if is_dataclass(kind):
        return _node_signer(kind)
    return lambda value: value


def _node_signer(kind: type) -> Callable[[Any], Any]:
    names = [field.name for field in fields(kind) if field.name not in _NOT_SAID]
    title = kind.__name__

    def sign(node: Any) -> Any:
        return title, [_sign(getattr(node, name)) for name in names]

    return sign


def _items(values: Sequence[Any]) -> Any:
    return [_sign(value) for value in values if value.__class__ is not Span]


def _nothing(span: Span) -> Any:
    return None


def _text(text: nodes.Text) -> Any:
    """The value and how it is quoted. In a value over several lines the indentation of each says nothing."""
    return (text.value if text.style != "bare" else _lines(text.value)), text.style


def _lines(text: str) -> Any:
    return [line.strip() for line in text.split("\n")] if "\n" in text else text
