"""The tree of an expression. Node kinds are those of the trace record (docs/spec 04 §10); trees are immutable.

`start` and `end` are offsets in code points into the text that was compiled, parentheses around a node excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeAlias

from abl.quick import make_quickly


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `form` is `string`, `number`, `boolean` or `null`; `value` is the Python value, escapes undone."""

    kind: ClassVar[str] = "literal"
    start: int
    end: int
    value: Any
    form: str


@dataclass(frozen=True, slots=True)
class Regex:
    """`/pattern/flags`, only on the right of `matches`."""

    kind: ClassVar[str] = "literal"
    start: int
    end: int
    pattern: str
    flags: str


@dataclass(frozen=True, slots=True)
class Path:
    """A name and the names and digits after its dots: `user.tier` is `("user", "tier")`."""

    kind: ClassVar[str] = "path"
    start: int
    end: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """`.name` or `.0` behind something that is no plain path: `hotels[0].price`."""

    kind: ClassVar[str] = "path"
    start: int
    end: int
    target: Node
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """`target[index]`."""

    kind: ClassVar[str] = "index"
    start: int
    end: int
    target: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Call:
    """`NAME(args)` or, with `prefixed`, `abl.name(args)`; `name` is spelled as written, without `abl.`."""

    kind: ClassVar[str] = "call"
    start: int
    end: int
    name: str
    args: tuple[Node, ...]
    prefixed: bool
    name_start: int
    name_end: int


@dataclass(frozen=True, slots=True)
class Method:
    """`target.name(args)`."""

    kind: ClassVar[str] = "call"
    start: int
    end: int
    target: Node
    name: str
    args: tuple[Node, ...]
    name_start: int
    name_end: int


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `!x` or `NOT x`; `op` is `-`, `!` or `NOT`."""

    kind: ClassVar[str] = "unary"
    start: int
    end: int
    op: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic; `op` is one of `+ - * / %`."""

    kind: ClassVar[str] = "binary"
    start: int
    end: int
    op: str
    left: Node
    right: Node
    op_start: int
    op_end: int


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison or another yes/no question.

    `op` is one of `== != < > <= >= IN NOT IN contains matches startsWith endsWith IS SET IS NOT SET IS EMPTY
    IS NOT EMPTY EMPTY is_number`; `op_start` and `op_end` show how it was spelled. `right` is None for the last six.
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "test"
    start: int
    end: int
    op: str
    left: Node
    right: Node | None
    op_start: int
    op_end: int


@dataclass(frozen=True, slots=True)
class Logical:
    """`AND`, `OR` (two or more operands, a chain is one node) or `IMPLIES` (two operands).

    `op_spans` holds the place of each operator, so that `&&` can be distinguished from `AND`.
    """

    kind: ClassVar[str] = "logical"
    start: int
    end: int
    op: str
    operands: tuple[Node, ...]
    op_spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Ternary:
    """`condition ? then : otherwise`."""

    kind: ClassVar[str] = "ternary"
    start: int
    end: int
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class ListNode:
    """`[a, b]`."""

    kind: ClassVar[str] = "list"
    start: int
    end: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ObjectNode:
    """`{key: value, …}`; `{a, b}` is short for `{a: a, b: b}`. A key given twice keeps its last value."""

    kind: ClassVar[str] = "object"
    start: int
    end: int
    keys: tuple[str, ...]
    values: tuple[Node, ...]


Node: TypeAlias = (
    Literal
    | Regex
    | Path
    | Member
    | Index
    | Call
    | Method
    | Unary
    | Binary
    | Test
    | Logical
    | Ternary
    | ListNode
    | ObjectNode
)


make_quickly(vars().copy().values())


def _sides(node: Test) -> tuple[Node, ...]:
    return (node.left,) if node.right is None else (node.left, node.right)


_CHILDREN: Final[dict[type, Callable[[Any], tuple[Node, ...]]]] = {
    Member: lambda node: (node.target,),
    Index: attrgetter("target", "index"),
    Call: attrgetter("args"),
    Method: lambda node: (node.target, *node.args),
    Unary: lambda node: (node.operand,),
    Binary: attrgetter("left", "right"),
    Test: _sides,
    Logical: attrgetter("operands"),
    Ternary: attrgetter("condition", "then", "otherwise"),
    ListNode: attrgetter("items"),
    ObjectNode: attrgetter("values"),
}
"""What gives the operands of a node, by its class; the others have none. Every tree is walked, so this is quick."""


def children(node: Node) -> tuple[Node, ...]:
    """The operands of a node, in the order in which they are evaluated."""
    operands = _CHILDREN.get(node.__class__)
    return () if operands is None else operands(node)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first, in the order of the text."""
    return _walk(node) if node.__class__ in _CHILDREN else iter((node,))


def _walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        operands = _CHILDREN.get(current.__class__)
        if operands is not None:
            stack.extend(operands(current)[::-1])


def height(node: Node) -> int:
    """Levels of the tree; a literal has one. Needs no recursion, so it may be asked of any tree."""
    levels = 0
    level: list[Node] = [node]
    while level:
        levels += 1
        level = [
            child
            for current in level
            if (operands := _CHILDREN.get(current.__class__)) is not None
            for child in operands(current)
        ]
    return levels
