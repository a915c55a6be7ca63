"""Evaluation that leaves a record of every node (docs/spec 04 §10), by walking the tree.

Also the evaluator of trees that are too large to compile. It agrees with `compiler` in every value: both call the
same helpers, and a test holds them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from . import bounds, operators
from .budget import BudgetExceeded, current
from .builtins import METHODS, call_problem, find
from .coercions import coercions, negation_coercions
from .compiling.compiler import fixed_pattern, has_slots, method_problem, search
from .errors import EvaluationError
from .evaluation import Evaluation
from .nodes import (
    Binary,
    Call,
    Index,
    ListNode,
    Literal,
    Logical,
    Member,
    Method,
    Node,
    ObjectNode,
    Path,
    Regex,
    Ternary,
    Test,
    Unary,
    children,
    walk,
)
from .regex import Pattern
from .scope import exact_names, index, member
from .values import Value, json_text, text, truthy, type_tag

Record: TypeAlias = dict[str, Any]

_SIZE_LIMIT: Final = 1_000_000


def node_op(node: Node) -> str | None:
    """The `op` of a record: operator, or name of a function or method."""
    match node:
        case Unary() | Binary() | Test() | Logical():
            return node.op
        case Call():
            return node.name.upper() if node.prefixed else node.name
        case Method():
            return node.name
        case Ternary():
            return "?:"
        case _:
            return None


def blank_record(node: Node, source: str, number: int) -> Record:
    """The record of a node that was not evaluated, without children; `number` is its place in pre-order."""
    return {
        "id": number,
        "kind": node.kind,
        "text": source[node.start : node.end],
        "start": node.start,
        "end": node.end,
        "op": node_op(node),
        "value": None,
        "type": "null",
        "truthy": False,
        "status": "not_evaluated",
        "error": None,
        "coercions": [],
        "null_source": None,
        "children": [],
    }


def prepared_records(root: Node, source: str) -> dict[int, Record]:
    """A blank record for every node of a tree, by `id(node)`. A node's number is its place in pre-order."""
    return {id(node): blank_record(node, source, number) for number, node in enumerate(walk(root))}


def fill_value(record: Record, value: Value) -> None:
    """Write a value into a record, cut when it is large."""
    record["type"] = type_tag(value)
    record["truthy"] = bool(value) and value != "false"
    record["status"] = "ok"
    record["value"] = value
    kind = type(value)
    if kind is str:
        if len(value) > bounds.MAX_TRACED_SIZE:
            record["value"] = value[: bounds.MAX_TRACED_SIZE]
            record["size"] = len(value)
    elif kind is list or kind is dict:
        written = json_text(value, bounds.MAX_TRACED_SIZE)
        if len(written) > bounds.MAX_TRACED_SIZE:
            record["value"] = written[: bounds.MAX_TRACED_SIZE]
            record["size"] = len(json_text(value, _SIZE_LIMIT))


class Explainer:
    """One explained evaluation over `prepared_records`.

    With `full`, operands that the evaluation skips are evaluated too, as hypothetical.
    """

    def __init__(
        self,
        prepared: Mapping[int, Record],
        evaluation: Evaluation,
        *,
        render: Callable[[str], Any],
        full: bool = False,
        guardrail: bool = False,
    ) -> None:
        self.prepared = prepared
        self.evaluation = evaluation
        self.render = render
        self.full = full
        self.guardrail = guardrail
        self.spend = current().spend
        self.calls = 0
        self.hypothetical = False

    def visit(self, node: Node) -> tuple[Value, Record]:
        """Evaluate a node and record it; a failure is in the record, and the value None."""
        record = self.blank(node)
        try:
            self.spend()
            value = self.evaluators[type(node)](self, node, record)
            fill_value(record, value)
        except EvaluationError as problem:
            record["status"] = "error"
            record["error"] = str(problem)
            return None, record
        except BudgetExceeded as problem:
            record["status"] = "error"
            record["error"] = str(problem)
            self.evaluation.exceeded = problem
            return None, record
        if value is None:
            record["null_source"] = self.null_source(node, record)
        return value, record

    def blank(self, node: Node) -> Record:
        record = self.prepared[id(node)].copy()
        record["children"] = []
        if self.hypothetical:
            record["hypothetical"] = True
        return record

    # -- operands ----------------------------------------------------------------------------------------------

    def operands(self, nodes: tuple[Node, ...], record: Record) -> list[Value]:
        """The values of children; the failure of one is that of the parent, and the others are skipped."""
        values = []
        for place in range(len(nodes)):  # no comprehension: it would cost a stack frame per level of the tree
            values.append(self.operand(nodes, place, record))  # noqa: PERF401
        return values

    def operand(self, nodes: tuple[Node, ...], place: int, record: Record) -> Value:
        """The value of one of the children `nodes`."""
        value, child = self.visit(nodes[place])
        record["children"].append(child)
        if child["status"] == "error":
            self.skip(nodes[place + 1 :], record)
            raise EvaluationError(child["error"])
        return value

    def skip(self, nodes: tuple[Node, ...], record: Record) -> None:
        """Record operands that the evaluation does not reach; `full` evaluates them aside, without effects."""
        for node in nodes:
            record["children"].append(self.aside(node) if self.full else self.untouched(node))

    def untouched(self, node: Node) -> Record:
        self.spend()
        record = self.blank(node)
        record["children"] = [self.untouched(child) for child in children(node)]
        return record

    def aside(self, node: Node) -> Record:
        match, notes, hypothetical = self.evaluation.match, self.evaluation.notes, self.hypothetical
        self.evaluation.notes, self.hypothetical = [], True
        _, record = self.visit(node)
        self.evaluation.match, self.evaluation.notes, self.hypothetical = match, notes, hypothetical
        return record

    # -- values ------------------------------------------------------------------------------------------------

    def literal(self, node: Literal, record: Record) -> Value:
        return self.render(node.value).render_in(self.evaluation) if has_slots(node) else node.value

    def regex(self, node: Regex, record: Record) -> Value:
        return f"/{node.pattern}/{node.flags}"

    def path(self, node: Path, record: Record) -> Value:
        if node.parts == ("now",):
            return self.evaluation.now_or_variable()
        return self.evaluation.read(node.parts)

    def structure(self, node: Member | Index | ListNode | ObjectNode, record: Record) -> Value:
        values = self.operands(children(node), record)
        match node:
            case Member():
                return member(values[0], node.name)
            case Index():
                return index(values[0], values[1])
            case ListNode():
                return values
            case ObjectNode():
                return dict(zip(node.keys, values, strict=True))

    def call(self, node: Call | Method, record: Record) -> Value:
        if self.calls >= bounds.MAX_FUNCTION_DEPTH:
            reason: str | None = f"functions nest deeper than {bounds.MAX_FUNCTION_DEPTH}"
        elif isinstance(node, Method):
            reason = method_problem(node)
        else:
            reason = call_problem(node.name, node.prefixed, len(node.args), guardrail=self.guardrail)
        if reason is not None:
            self.skip(children(node), record)
            raise EvaluationError(reason)
        self.calls += 1
        try:
            if isinstance(node, Method):
                return self.asked(METHODS[node.name], children(node), record)
            values = self.operands(node.args, record)
        finally:
            self.calls -= 1
        return self.apply(node, values, record)

    def apply(self, node: Call, values: list[Value], record: Record) -> Value:
        function = find(node.name, node.prefixed, guardrail=self.guardrail)
        if function is None:
            raise EvaluationError(f"unknown function `{node.name}`")
        if function.name in ("REGEX_REPLACE", "REGEX_EXTRACT"):
            self.pattern(node.args[1], values[1], record)
        return function.call(self.evaluation, *values) if function.impure else function.call(*values)

    def unary(self, node: Unary, record: Record) -> Value:
        value = self.operand((node.operand,), 0, record)
        if node.op != "-":
            return not truthy(value)
        record["coercions"] = negation_coercions(value)
        return operators.negate(value)

    def binary(self, node: Binary, record: Record) -> Value:
        left, right = self.operands((node.left, node.right), record)
        record["coercions"] = coercions(node.op, left, right)
        return operators.BINARY[node.op](left, right)

    def test(self, node: Test, record: Record) -> Value:
        return self.asked(node.op, children(node), record)

    def asked(self, op: str, nodes: tuple[Node, ...], record: Record) -> Value:
        """A test, or the method that is another form of it."""
        values = self.operands(nodes, record)
        if len(values) == 1:
            return operators.QUESTIONS[op](values[0])
        record["coercions"] = coercions(op, values[0], values[1])
        if op == "matches":
            return search(self.evaluation, values[0], self.pattern(nodes[1], values[1], record))
        return operators.TESTS[op](values[0], values[1])

    def pattern(self, node: Node, value: Value, record: Record) -> Pattern | None:
        if value is None:
            return None
        pattern, flags = fixed_pattern(node) or (text(value), "")
        before = len(self.evaluation.notes)
        compiled = operators.pattern_of(self.evaluation, pattern, flags)
        if compiled is None:
            record["notes"] = self.evaluation.notes[before:]
        return compiled

    def logical(self, node: Logical, record: Record) -> bool:
        """AND, OR and IMPLIES stop at the operand that decides."""
        decides = node.op != "AND"
        for place in range(len(node.operands)):
            holds = truthy(self.operand(node.operands, place, record))
            if node.op == "IMPLIES" and place == 0:
                holds = not holds
            if holds is decides:
                self.skip(node.operands[place + 1 :], record)
                return decides
        return not decides

    def ternary(self, node: Ternary, record: Record) -> Value:
        nodes = children(node)
        if truthy(self.operand(nodes, 0, record)):
            value = self.operand(nodes, 1, record)
            self.skip(nodes[2:], record)
            return value
        self.skip(nodes[1:2], record)
        return self.operand(nodes, 2, record)

    # -- ∅ -----------------------------------------------------------------------------------------------------

    def null_source(self, node: Node, record: Record) -> str | None:
        """The text of the first segment that is ∅ (04 §10)."""
        if isinstance(node, Path):
            known, exact = len(node.parts), exact_names(self.evaluation.context, node.parts)
            while known > exact and self.evaluation.read(node.parts[: known - 1]) is None:
                known -= 1
            return ".".join(node.parts[:known])
        inner = [child["null_source"] for child in record["children"] if child["null_source"] is not None]
        if inner:
            return str(inner[0])
        return str(record["text"]) if isinstance(node, (Member, Index)) else None

    evaluators: ClassVar[dict[type, Callable[[Any, Any, Record], Value]]] = {
        Literal: literal,
        Regex: regex,
        Path: path,
        Member: structure,
        Index: structure,
        Call: call,
        Method: call,
        Unary: unary,
        Binary: binary,
        Test: test,
        Logical: logical,
        Ternary: ternary,
        ListNode: structure,
        ObjectNode: structure,
    }


def references(node: Node, evaluation: Evaluation) -> list[tuple[Path, Value]]:
    """Every path the tree mentions with its value, each once (04 §10 `refs`)."""
    found: dict[tuple[str, ...], tuple[Path, Value]] = {}
    for part in walk(node):
        if isinstance(part, Path) and part.parts not in found:
            found[part.parts] = (part, evaluation.read(part.parts))
    return list(found.values())
