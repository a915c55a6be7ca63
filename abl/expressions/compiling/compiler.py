"""Expressions as Python functions. This is the only place where code is generated and executed.

The source is built from our own tree: names, texts, numbers and functions of the expression become entries of a
constants table (`k0`, `k1`, …), so nothing a user wrote is ever part of Python source.

The *general* translation here calls the helpers of `operators` and holds for every tree, value and context; `fast`
builds a quicker one for the usual case on top of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn

from .. import bounds, operators
from ..builtins import METHODS, call_problem, find
from ..errors import EvaluationError
from ..evaluation import Evaluation
from ..nodes import (
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
    height,
    walk,
)
from ..regex import Pattern, compile_pattern
from ..scope import index, member, read
from ..values import Value, equal, text, truthy


class Code(NamedTuple):
    """A piece of Python and what is known of its value: `bool` or `any`."""

    source: str
    type: str = "any"


def give_up() -> NoReturn:
    """Called by fast code that met a value it was not made for."""
    raise TypeError


def fail(reason: str) -> NoReturn:
    """Called by general code in place of a call that cannot be made."""
    raise EvaluationError(reason)


def search(evaluation: Evaluation, subject: Value, pattern: Pattern | None) -> bool:
    """`matches`: ∅ and invalid patterns never match; a hit sets `match` for the rest of the evaluation."""
    if subject is None or pattern is None:
        return False
    found = pattern.search(text(subject))
    if found is None:
        return False
    evaluation.matched(found)
    return True


_HELPERS: Final[dict[str, Any]] = {
    "__builtins__": {},
    "type": type,
    "len": len,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "dict": dict,
    "Exception": Exception,
    "Evaluation": Evaluation,
    "EvaluationError": EvaluationError,
    "M": bounds.EXACT_INTEGER,
    "NM": -bounds.EXACT_INTEGER,
    "INF": float("inf"),
    "NINF": float("-inf"),
    "read": read,
    "member": member,
    "index": index,
    "equal": equal,
    "truthy": truthy,
    "negate": operators.negate,
    "pattern_of": operators.pattern_of,
    "search": search,
    "fail": fail,
    "give_up": give_up,
}


def compile_general(node: Node, render: Callable[[str], Any], guardrail: bool) -> Callable[[Evaluation], Value]:
    """A function of an Evaluation that gives the value or raises EvaluationError. Needs `is_compilable(node)`.

    `render` turns a string literal with slots into an object with `render_in(evaluation)`.
    """
    translation = General(node, render, guardrail)
    source = f"def run(ev):\n    c = ev.context\n    return {translation.code(node).source}\n"
    return build(source, translation.constants, "run")


def build(source: str, constants: dict[str, Any], name: str) -> Callable[..., Any]:
    """The function `name` of generated source; its globals are the helpers and the constants table."""
    namespace = {**_HELPERS, **constants}
    exec(compile(source, "<expression>", "exec"), namespace)  # noqa: S102 - generated from our own tree
    function: Callable[..., Any] = namespace[name]
    return function


def is_compilable(node: Node, most: int = bounds.MAX_COMPILED_NODES) -> bool:
    """False for trees that would overtax Python's own compiler, or have more than `most` nodes."""
    if height(node) > bounds.MAX_COMPILED_HEIGHT:
        return False
    return sum(1 for _ in walk(node)) <= most


class General:
    """Translates every tree; the code calls a helper for each operator and reads names from any context."""

    def __init__(self, root: Node, render: Callable[[str], Any], guardrail: bool) -> None:
        self.constants: dict[str, Any] = {}
        self.render = render
        self.guardrail = guardrail
        self.writes_match = any(is_search(node) for node in walk(root))
        self.temporaries = 0

    def constant(self, value: Any) -> str:
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def truth(self, code: Code) -> str:
        """Code for the truth of a value (02 §6)."""
        if code.type == "bool":
            return code.source
        name = self.temporary()
        return f"(({name} := {code.source}) is True or {name} is not False and truthy({name}))"

    def code(self, node: Node) -> Code:
        """Code for a value."""
        match node:
            case Literal():
                return self.literal(node)
            case Regex():
                return Code(self.constant(f"/{node.pattern}/{node.flags}"))
            case Path():
                return self.path(node)
            case Call() | Method():
                return self.call(node)
            case Unary():
                return self.unary(node)
            case Binary():
                return self.binary(node)
            case Test():
                return self.test(node)
            case Logical():
                return self.logical(node)
            case Ternary():
                condition = self.truth(self.code(node.condition))
                then, otherwise = self.code(node.then), self.code(node.otherwise)
                kind = then.type if then.type == otherwise.type == "bool" else "any"
                return Code(f"({then.source} if {condition} else {otherwise.source})", kind)
            case _:
                return self.structure(node)

    def structure(self, node: Member | Index | ListNode | ObjectNode) -> Code:
        parts = [self.code(child).source for child in children(node)]
        match node:
            case Member():
                return Code(f"member({parts[0]}, {self.constant(node.name)})")
            case Index():
                return Code(f"index({parts[0]}, {parts[1]})")
            case ListNode():
                return Code(f"[{', '.join(parts)}]")
            case ObjectNode():
                pairs = (f"{self.constant(key)}: {part}" for key, part in zip(node.keys, parts, strict=True))
                return Code(f"{{{', '.join(pairs)}}}")

    def literal(self, node: Literal) -> Code:
        if node.form == "boolean":
            return Code("True" if node.value else "False", "bool")
        if node.form == "null":
            return Code("None")
        if has_slots(node):
            return self.slots(node)
        return Code(self.constant(node.value))

    def slots(self, node: Literal) -> Code:
        return Code(f"{self.constant(self.render(node.value))}.render_in(ev)")

    def path(self, node: Path) -> Code:
        if node.parts == ("now",):
            return Code("ev.now_or_variable()")
        reader = "ev.read(" if node.parts[0] == "match" else "read(c, "
        return Code(f"{reader}{self.constant(node.parts)})")

    def call(self, node: Call | Method) -> Code:
        if isinstance(node, Method):
            return self.method(node)
        reason = call_problem(node.name, node.prefixed, len(node.args), guardrail=self.guardrail)
        function = find(node.name, node.prefixed, guardrail=self.guardrail)
        if reason is not None or function is None:
            return Code(f"fail({self.constant(reason)})")
        arguments = [self.code(argument).source for argument in node.args]
        if function.impure:
            arguments.insert(0, self.evaluation())
        return Code(f"{self.constant(function.call)}({', '.join(arguments)})")

    def evaluation(self) -> str:
        return "ev"

    def method(self, node: Method) -> Code:
        reason = method_problem(node)
        if reason is not None:
            return Code(f"fail({self.constant(reason)})")
        return self.pair(METHODS[node.name], node.target, node.args[0])

    def unary(self, node: Unary) -> Code:
        operand = self.code(node.operand)
        if node.op == "-":
            return Code(f"negate({operand.source})")
        return Code(f"(not {self.truth(operand)})", "bool")

    def binary(self, node: Binary) -> Code:
        helper = self.constant(operators.BINARY[node.op])
        return Code(f"{helper}({self.code(node.left).source}, {self.code(node.right).source})")

    def test(self, node: Test) -> Code:
        if node.right is None:
            operand = self.code(node.left).source
            if node.op in ("IS SET", "IS NOT SET"):
                return Code(f"({operand} is {'not ' if node.op == 'IS SET' else ''}None)", "bool")
            return Code(f"{self.constant(operators.QUESTIONS[node.op])}({operand})", "bool")
        return self.pair(node.op, node.left, node.right)

    def pair(self, op: str, left: Node, right: Node) -> Code:
        """A test with two sides."""
        subject = self.code(left).source
        if op == "matches":
            return Code(f"search(ev, {subject}, {self.pattern(right)})", "bool")
        helper = self.constant(operators.TESTS[op])
        return Code(f"{helper}({subject}, {self.code(right).source})", "bool")

    def pattern(self, node: Node) -> str:
        pattern, flags = fixed_pattern(node) or (None, "")
        if pattern is None:
            return f"pattern_of(ev, {self.code(node).source})"
        compiled = compile_pattern(pattern, flags)
        if compiled is None:
            return f"pattern_of(ev, {self.constant(pattern)}, {self.constant(flags)})"
        return self.constant(compiled)

    def logical(self, node: Logical) -> Code:
        truths = [self.truth(self.code(operand)) for operand in node.operands]
        if node.op == "IMPLIES":
            return Code(f"(not {truths[0]} or {truths[1]})", "bool")
        return Code(f"({f' {node.op.lower()} '.join(truths)})", "bool")


def is_search(node: Node) -> bool:
    """Whether evaluating the node itself may write `match`."""
    return (isinstance(node, Test) and node.op == "matches") or (isinstance(node, Method) and node.name == "matches")


def has_slots(node: Literal) -> bool:
    """Whether a literal is a text that is rendered as a template (02 §3)."""
    return node.form == "string" and "{{" in node.value


def fixed_pattern(node: Node) -> tuple[str, str] | None:
    """Pattern and flags of a literal right side of `matches`; None when it is computed."""
    if isinstance(node, Regex):
        return node.pattern, node.flags
    if isinstance(node, Literal) and node.form == "string" and not has_slots(node):
        return node.value, ""
    return None


def method_problem(node: Method) -> str | None:
    """Why a method call is an error when it is evaluated; None when it is none."""
    if node.name not in METHODS:
        return f"unknown method `{node.name}`; there are {', '.join(METHODS)}"
    if len(node.args) != 1:
        return f"`{node.name}` takes 1 argument, got {len(node.args)}"
    return None
