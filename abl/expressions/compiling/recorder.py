"""The second compilation: code that evaluates the usual shapes and leaves the records of `explain` behind.

It covers trees of names, literals, comparisons, sums, word operators and AND/OR over values of the usual types, where
every record but its value is known beforehand: a record is then the copy of a prepared one. Where the value is known,
too, so is all below the node, and nothing is copied (`truth_chains`, `known_outcomes`). Whatever else turns up —
another node, a conversion to be noted, a list, ∅ where it matters — is left to `explain.Explainer`, which records
every tree; both give the same records.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ..bounds import MAX_QUICK_TEXT, MAX_TRACED_SIZE
from ..builtins import find
from ..explain import Record, fill_value, prepared_records
from ..nodes import Binary, Call, ListNode, Literal, Logical, Node, Path, Regex, Test, Unary, children, walk
from ..values import double
from .compiler import build, has_slots, is_search
from .fast import ORDER, Unsuited, small_number
from .known_outcomes import known_outcomes, undecided_types
from .native import NUMBERS, comparison, doubtful, subject_types
from .truth_chains import truth_chain

_SCALARS: Final = (int, float, bool, str, type(None))
_TRUTHS: Final = (bool, type(None), int, float)
_MAX_CHAIN: Final = 12
_NAME: Final = re.compile(r"\b[nv][0-9]+\b")
_ONE_DIGIT: Final = 2**30 - 1
"""Python compares ints up to here the quick way."""
_TAG_LENGTH: Final = 9
"""Texts up to this length are neither dates nor large; in a date the character at 4 is a dash."""


def compile_recorder(node: Node, source: str, guardrail: bool) -> Callable[..., Record] | None:
    """A function `(context, now=None, rng=None, full=False)` that gives the record tree, or None for other trees.

    It calls the global name `slow`, which the caller binds, for contexts and values it was not made for.
    """
    recorder = _Recorder(node, source, guardrail)
    try:
        recorder.emit(node, _SCALARS)
    except Unsuited:
        return None
    lines = [*truth_chain(node, recorder), *recorder.lines, f"return n{recorder.number(node)}"]
    body = "\n".join(" " * 12 + line for line in lines)
    body = _NAME.sub(lambda name: recorder.fixed.get(name[0], name[0]), body)
    code = (
        "def explain(context, now=None, rng=None, full=False):\n"
        "    if type(context) is dict and not full:\n"
        "        try:\n"
        "            c = context\n"
        f"{body}\n"
        "        except Exception:\n"
        "            pass\n"
        "    return slow(context, now, rng, full)\n"
    )
    helpers = {"double": double, "fill_value": fill_value}
    return build(code, {**recorder.constants, **helpers}, "explain")


def _constant_value(node: Node) -> Any:
    """The value of a literal, or of a list of such."""
    if isinstance(node, ListNode):
        return [_constant_value(item) for item in node.items]
    if not isinstance(node, Literal):
        raise Unsuited
    return node.value


class _Recorder:
    """Emits, per node, lines that put its value into `v<id>` and its record into `n<id>`."""

    def __init__(self, root: Node, source: str, guardrail: bool) -> None:
        self.records = prepared_records(root, source)
        self.constants: dict[str, Any] = {}
        self.fixed: dict[str, str] = {}  # names of values and records that never change, and what stands for them
        self.lines: list[str] = []
        self.indent = 0
        self.guardrail = guardrail
        self.writes_match = any(is_search(node) for node in walk(root))

    # -- building blocks ---------------------------------------------------------------------------------------

    def line(self, code: str) -> None:
        self.lines.append(" " * self.indent + code)

    def constant(self, value: Any) -> str:
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name

    def number(self, node: Node) -> int:
        number: int = self.records[id(node)]["id"]
        return number

    def prepared(self, node: Node, value: Any) -> Record:
        """The record of a node that has a value, with nothing left to fill in but the children."""
        record = self.records[id(node)].copy()
        fill_value(record, value)
        return record

    def static(self, node: Node) -> Record:
        """The record of a node that never changes: a literal, or a list of literals."""
        if isinstance(node, ListNode):
            items = [self.static(item) for item in node.items]
            record = self.prepared(node, _constant_value(node))
            record["children"] = items
            return record
        if isinstance(node, Regex):
            return self.prepared(node, f"/{node.pattern}/{node.flags}")
        if not isinstance(node, Literal) or has_slots(node):
            raise Unsuited
        return self.prepared(node, node.value)

    def untouched(self, node: Node) -> Record:
        record = self.records[id(node)].copy()
        record["children"] = [self.untouched(child) for child in children(node)]
        return record

    def emit(self, node: Node, types: tuple[type, ...]) -> str:
        """Emit a node whose value has to be one of `types`; gives the name of its record."""
        at = self.number(node)
        if (isinstance(node, (Binary, Call)) and int not in types) or (
            isinstance(node, (Test, Logical, Unary)) and bool not in types
        ):
            raise Unsuited  # such a value would be converted, which is for the Explainer to note
        match node:
            case Literal() | Regex() | ListNode():
                record = self.static(node)
                if not isinstance(node, ListNode) and type(record["value"]) not in types:
                    raise Unsuited
                value = record["value"]
                self.fixed[f"n{at}"] = self.constant(record)
                self.fixed[f"v{at}"] = repr(value) if type(value) in (int, bool) else self.constant(value)
            case Path():
                self.path(node, types)
            case Binary():
                self.sum(node)
            case Test():
                self.test(node)
            case Logical():
                self.logical(node)
            case Unary():
                self.negation(node)
            case Call():
                self.call(node)
            case _:
                raise Unsuited
        return f"n{at}"

    # -- leaves ------------------------------------------------------------------------------------------------

    def path(self, node: Path, types: tuple[type, ...]) -> None:
        self.read(node, types)
        self.leaf_record(node, types)

    def read(self, node: Path, types: tuple[type, ...]) -> None:
        """The value of a name."""
        at = self.number(node)
        parts = node.parts
        if parts[0] == "now" or len(parts) > 2 or (self.writes_match and parts[0] == "match"):
            raise Unsuited
        if len(parts) == 1:
            name = self.constant(parts[0])
            self.line(f"v{at} = c[{name}]" if types == NUMBERS else f"v{at} = c.get({name})")
        else:
            exact, first, second = (self.constant(name) for name in (".".join(parts), *parts))
            self.line(f"v{at} = c[{exact}] if {exact} in c else c[{first}][{second}]")

    def leaf_record(self, node: Path, types: tuple[type, ...]) -> None:
        """The record of `v<at>`; the usual type is asked for first, the others are looked up in a table."""
        at = self.number(node)
        if types == NUMBERS:
            self.line(f"if type(v{at}) is not int and type(v{at}) is not float: give_up()")
            self.line(f"n{at} = {self.constant(self.leaf(node, int))}.copy()")
            self.line(f"n{at}['value'] = v{at}")
            self.line(f"if not v{at}: n{at}['truthy'] = False")
            return
        if str in types:
            self.line(f"if type(v{at}) is str:")
            self.line(f"    n{at} = {self.constant(self.leaf(node, str))}.copy()")
            self.line(f"    n{at}['value'] = v{at}")
            self.line(f"    if not v{at}: n{at}['truthy'] = False")
            dated_or_large = f"len(v{at}) > {_TAG_LENGTH} and (v{at}[4] == '-' or len(v{at}) > {MAX_TRACED_SIZE})"
            self.line(f"    elif v{at} == 'false' or {dated_or_large}:")
            self.line(f"        if len(v{at}) > {MAX_QUICK_TEXT}: give_up()")
            self.line(f"        fill_value(n{at}, v{at})")
        elif bool in types:
            yes, no = (self.constant(self.prepared(node, value)) for value in (True, False))
            self.line(f"if v{at} is True: n{at} = {yes}")
            self.line(f"elif v{at} is False: n{at} = {no}")
        first = str not in types and bool not in types
        if type(None) in types:
            self.line(
                f"{'if' if first else 'elif'} v{at} is None: n{at} = {self.constant(self.leaf(node, type(None)))}"
            )
            first = False
        # Where a type has no prepared record this look-up raises, and the Explainer takes over.
        table = self.constant({kind: self.leaf(node, kind) for kind in types})
        self.line("if True:" if first else "else:")
        self.line(f"    n{at} = {table}[type(v{at})].copy()")
        self.line(f"    n{at}['value'] = v{at}")
        self.line(f"    if not v{at}: n{at}['truthy'] = False")

    def leaf(self, node: Path, kind: type) -> Record:
        if kind is type(None):
            return self.unset(node)
        return self.prepared(node, {int: 1, float: 1.5, bool: True, str: "x"}[kind])

    def unset(self, node: Path) -> Record:
        """The record of a name that is ∅."""
        record = self.prepared(node, None)
        record["null_source"] = ".".join(node.parts)
        return record

    # -- operators ---------------------------------------------------------------------------------------------

    def sum(self, node: Binary) -> None:
        if node.op not in ("+", "-"):
            raise Unsuited
        at, left, right = self.number(node), self.number(node.left), self.number(node.right)
        kids = [self.emit(node.left, NUMBERS), self.emit(node.right, NUMBERS)]
        self.line(f"v{at} = v{left} {node.op} v{right}")
        self.line(f"if type(v{at}) is not int:")
        self.line(f"    if not NM < v{at} < M: give_up()")
        self.line(f"    v{at} = double(v{at})")
        self.line(f"elif not {-_ONE_DIGIT} < v{at} < {_ONE_DIGIT} and not NM < v{at} < M: give_up()")
        self.valued(node, kids)

    def valued(self, node: Node, kids: list[str]) -> None:
        """The record of a number that is not ∅."""
        at = self.number(node)
        self.line(f"n{at} = {self.constant(self.prepared(node, 1))}.copy()")
        self.line(f"n{at}['value'] = v{at}")
        self.line(f"n{at}['children'] = [{', '.join(kids)}]")
        self.line(f"if not v{at}: n{at}['truthy'] = False")

    def decided(self, node: Node, kids: list[str], outcome: bool) -> None:
        """The value and the record of a result that is known here."""
        at = self.number(node)
        self.line(f"v{at} = {outcome}")
        self.line(f"n{at} = {self.constant(self.prepared(node, outcome))}.copy()")
        self.line(f"n{at}['children'] = [{', '.join(kids)}]")

    def branched(self, node: Node, kids: list[str], condition: str, doubts: tuple[str, str] = ("", "")) -> None:
        """The record of a condition; Python is quickest where a comparison is followed by a jump.

        `doubts` are the conditions under which a true, and a false, result is left to the Explainer.
        """
        for head, outcome, doubt in ((f"if {condition}:", True, doubts[0]), ("else:", False, doubts[1])):
            self.line(head)
            self.indent += 1
            if doubt:
                self.line(f"if {doubt}: give_up()")
            self.decided(node, kids, outcome)
            self.indent -= 1

    def test(self, node: Test) -> None:
        is_asked = node.op in ("IS SET", "IS NOT SET")
        if (is_asked and isinstance(node.left, Literal)) or (node.right is None and not is_asked):
            raise Unsuited  # Python warns of `1 is None`
        types = _SCALARS if is_asked else subject_types(node)
        outer = self.indent
        if isinstance(node.left, Path):
            self.read(node.left, types)
            types = self.known_cases(node, node.left, types)
            if types:
                self.leaf_record(node.left, types)
                self.compared(node)
            else:
                self.line("give_up()")
        else:
            self.emit(node.left, types)
            self.compared(node)
        self.indent = outer

    def known_cases(self, node: Test, name: Path, types: tuple[type, ...]) -> tuple[type, ...]:
        """Emit the outcomes that are known beforehand; gives the types whose records are still to be made, after an
        `else`.
        """
        at, head = self.number(node), "if"
        for case in known_outcomes(node, name, f"v{self.number(name)}", types, self):
            self.line(f"{head} {case.condition}: v{at} = {case.outcome}; n{at} = {case.tree}")
            head = "elif"
        if head == "if":
            return types
        self.line("else:")
        self.indent += 1
        return undecided_types(node, types)

    def compared(self, node: Test) -> None:
        """A test of which the left side is recorded already."""
        left = self.number(node.left)
        kids = [f"n{left}"]
        if node.right is None:
            self.branched(node, kids, f"v{left} is {'not ' if node.op == 'IS SET' else ''}None")
            return
        kids.append(self.emit(node.right, NUMBERS if node.op in ORDER else (*NUMBERS, bool, str)))
        right = self.number(node.right)
        doubts = ("", "")
        if node.op in ORDER and not (small_number(node.left) or small_number(node.right)):
            doubts = doubtful(node.op, f"v{left}", f"v{right}")
        self.branched(node, kids, comparison(node, f"v{left}", f"v{right}", self.constant), doubts)

    def negation(self, node: Unary) -> None:
        if node.op == "-":
            raise Unsuited
        kids = [self.emit(node.operand, _TRUTHS)]
        self.branched(node, kids, f"not v{self.number(node.operand)}")

    def call(self, node: Call) -> None:
        function = find(node.name, node.prefixed, guardrail=self.guardrail)
        if function is None or function.name != "LENGTH" or len(node.args) != 1:
            raise Unsuited
        kids = [self.emit(node.args[0], (str, type(None)))]
        at, subject = self.number(node), f"v{self.number(node.args[0])}"
        self.line(f"v{at} = 0 if {subject} is None else len({subject})")
        self.valued(node, kids)

    def logical(self, node: Logical) -> None:
        """AND and OR: one nested `if` per operand; where the chain stops, the rest is recorded as untouched."""
        if node.op == "IMPLIES" or len(node.operands) > _MAX_CHAIN or self.indent > _MAX_CHAIN:
            raise Unsuited
        outer = self.indent
        kids: list[str] = []
        ends: list[tuple[int, list[str]]] = []
        for place, operand in enumerate(node.operands):
            kids.append(self.emit(operand, _TRUTHS))
            rest = [self.constant(self.untouched(later)) for later in node.operands[place + 1 :]]
            going_on = f"v{self.number(operand)}" if node.op == "AND" else f"not v{self.number(operand)}"
            self.line(f"if {going_on}:")
            ends.append((self.indent, [*kids, *rest]))
            self.indent += 1
        self.decided(node, kids, node.op == "AND")
        for indent, all_kids in reversed(ends):
            self.indent = indent
            self.line("else:")
            self.indent += 1
            self.decided(node, all_kids, node.op != "AND")
        self.indent = outer
