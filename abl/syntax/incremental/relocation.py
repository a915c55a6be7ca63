"""The same part of a tree at another place of the text, for texts that differ above it (docs/spec 01 §10).

Copies are lazy: a moved block or node refers to the original and the distance, and each field is copied on first
access. So an edit costs as much as what is read afterwards, not as much as everything below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar, cast
from weakref import ReferenceType, ref

from abl.source import Span, new_span
from abl.syntax.lines.texts import new_text
from abl.syntax.nodes import Block, Comment, Name, Node, Property, Text

AnyValue = TypeVar("AnyValue")
AnyNode = TypeVar("AnyNode", bound=Node)

_OWN_SLOTS: Final = ("origin", "shift", "move")
_BLOCK_FIELDS: Final = frozenset(field.name for field in fields(Block))


class Move:
    """A move of one tree by ``shift`` characters. The same node always gives the same object.

    It keeps the nodes it has moved, and they know it weakly: there are no reference cycles, so that what no text needs
    any more is freed at once. A node that outlives its move (those of a document are in its trail) makes a new one.
    """

    __slots__ = ("__weakref__", "nodes", "shift")

    def __init__(self, shift: int) -> None:
        self.shift = shift
        self.nodes: dict[int, Any] = {}  # by the id of what they stand for, which they keep alive

    def of(self, value: AnyValue) -> AnyValue:
        """A node, text, name, span or tuple of these at its new place; anything else as it is."""
        kind = type(value)
        return cast(AnyValue, (_MOVES.get(kind) or _learn(kind))(value, self))


_Mover = Callable[[Any, Move], Any]


def moved(value: AnyValue, shift: int) -> AnyValue:
    """A node, text, name, span or tuple of these ``shift`` characters further on; anything else as it is."""
    return Move(shift).of(value) if shift else value


# Blocks ---------------------------------------------------------------------------------------------------------


class MovedBlock(Block):
    """``origin``, a block of an earlier tree that is none of these itself, ``shift`` characters further on."""

    __slots__ = ("origin", "shift")

    origin: Block
    shift: int

    def __getattr__(self, name: str) -> Any:
        """Python asks here for what is not set yet: each field is moved when it is asked for."""
        if name not in _BLOCK_FIELDS:
            raise AttributeError(name)
        value = moved(getattr(self.origin, name), self.shift)
        object.__setattr__(self, name, value)
        return value


def origin_of(block: Block) -> tuple[Block, int]:
    """The block that this one stands for, and how far it has moved since."""
    return (block.origin, block.shift) if type(block) is MovedBlock else (block, 0)


def moved_block(block: Block, shift: int) -> Block:
    """The block ``shift`` characters further on."""
    origin, before = origin_of(block)
    shift += before
    if not shift:
        return origin
    copy: MovedBlock = _new(MovedBlock)
    _set_origin(copy, origin)
    _set_shift(copy, shift)
    return copy


# Nodes ----------------------------------------------------------------------------------------------------------


class _Moved:
    """What a moved node has besides the fields of its class: ``origin``, the node it stands for, and its move."""

    __slots__ = ()

    origin: Node
    shift: int
    move: ReferenceType[Move]

    def __getattr__(self, name: str) -> Any:
        """Python asks here for what is not set yet: each field is moved when it is asked for."""
        if name in _OWN_SLOTS:
            raise AttributeError(name)
        value = (self.move() or Move(self.shift)).of(getattr(self.origin, name))
        object.__setattr__(self, name, value)
        return value


def first_of(node: AnyNode) -> AnyNode:
    """The node as it was read; its positions are those of the text in which it was."""
    return cast(AnyNode, node.origin) if isinstance(node, _Moved) else node


def _node_mover(kind: type[Node]) -> _Mover:
    """How to move nodes of a class: to a node that says it is of that class, so that equality holds."""
    claims = property(lambda self: kind)
    body = {"__slots__": _OWN_SLOTS, "__class__": claims, "__doc__": kind.__doc__}
    moved_kind: type[Any] = type(kind.__name__, (_Moved, kind), body)
    set_origin, set_shift, set_move = (moved_kind.__dict__[name].__set__ for name in _OWN_SLOTS)

    def moves(node: Node, move: Move) -> Node:
        known = move.nodes.get(id(node))
        if known is not None:
            return cast(Node, known)
        copy = _new(moved_kind)
        set_origin(copy, node)
        set_shift(copy, move.shift)
        set_move(copy, ref(move))
        return cast(Node, move.nodes.setdefault(id(node), copy))

    def moves_again(node: Any, move: Move) -> Node:
        known = move.nodes.get(id(node))
        if known is not None:
            return cast(Node, known)
        further = Move(node.shift + move.shift)
        move.nodes[id(further)] = further  # which has to live as long
        again: Node = moves(node.origin, further) if further.shift else node.origin
        return cast(Node, move.nodes.setdefault(id(node), again))

    _MOVES[kind], _MOVES[moved_kind] = moves, moves_again
    return moves


# Everything else ------------------------------------------------------------------------------------------------


def _stay(value: Any, move: Move) -> Any:
    return value


def _moved_span(span: Span, move: Move) -> Span:
    shift = move.shift
    return new_span(Span, (span[0] + shift, span[1] + shift))


def _moved_text(text: Text, move: Move) -> Text:
    value, raw, span, inner, style, runs = text
    if runs:
        runs = tuple([(at, source + move.shift) for at, source in runs])
    return new_text(Text, (value, raw, _moved_span(span, move), _moved_span(inner, move), style, runs))


def _moved_name(name: Name, move: Move) -> Name:
    return Name(name.value, _moved_span(name.span, move))


def _moved_property(prop: Property, move: Move) -> Property:
    key, written, span, value, block = prop
    if value is not None:
        value = _moved_text(value, move)
    return _new_property(Property, (key, written, _moved_span(span, move), value, moved_block(block, move.shift)))


def _moved_comment(comment: Comment, move: Move) -> Comment:
    return Comment(comment.text, _moved_span(comment.span, move))


def _moved_block(block: Block, move: Move) -> Block:
    return moved_block(block, move.shift)


def _moved_tuple(values: tuple[Any, ...], move: Move) -> tuple[Any, ...]:
    return tuple([move.of(value) for value in values]) if values else values


def _learn(kind: type) -> _Mover:
    """How to move an instance of a class that is met for the first time."""
    if issubclass(kind, Node):
        return _node_mover(kind)
    mover: _Mover = _copier(kind) if is_dataclass(kind) else _stay
    _MOVES[kind] = mover
    return mover


def _copier(kind: type) -> _Mover:
    """A copy field by field."""
    names = [field.name for field in fields(kind)]
    values = attrgetter(*names)
    puts = [getattr(kind, name).__set__ for name in names]

    def copies(value: Any, move: Move) -> Any:
        copy = _new(kind)
        for put, part in zip(puts, values(value), strict=True):
            put(copy, move.of(part))
        return copy

    return copies


_new: Final = cast(Callable[[type[Any]], Any], object.__new__)
_set_origin: Final = MovedBlock.__dict__["origin"].__set__
_set_shift: Final = MovedBlock.__dict__["shift"].__set__
_new_property: Final = cast(Callable[[type[Property], tuple[Any, ...]], Property], tuple.__new__)
_MOVES: Final[dict[type, _Mover]] = {
    **dict.fromkeys((str, int, float, bool, type(None), list, dict), _stay),  # lists and dicts are values of literals
    Span: _moved_span,
    Text: _moved_text,
    Name: _moved_name,
    Property: _moved_property,
    Comment: _moved_comment,
    Block: _moved_block,
    MovedBlock: _moved_block,
    tuple: _moved_tuple,
}
