"""2xx that need the types of names (docs/spec 02 §11, 05 §3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions.chains import chain_of
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en

_RELATIONAL = frozenset({"<", ">", "<=", ">="})
_DATED = frozenset({"date", "datetime"})
_UNDATED = frozenset({"number", "array"})
_SCALARS = frozenset({"string", "number", "boolean", "date", "datetime"})


@rule("ABL216", "type-clash", "error", "`{a}` ({type}) cannot be used with `{op}`", over=ExpressionUse, needs=en.Test)
def type_clash(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An operator gets a type it has no meaning for: the order of booleans or objects, a date against a number
    or a list, `contains` on a number. IN with what is no list is a warning.
    Why: The comparison gives an accidental result; a date is ordered with dates only, and before or after nothing else.
    Bad:
        MEMORY:
          session:
            - is_member
              TYPE: boolean
        CONSTRAINTS:
          - REQUIRE is_member > 1
            ON_FAIL: "Members only."
    Good:
        MEMORY:
          session:
            - is_member
              TYPE: boolean
        CONSTRAINTS:
          - REQUIRE is_member == true
            ON_FAIL: "Members only."
    """
    for test in use.reading.tests:
        if test.op in _RELATIONAL and test.right is not None:
            yield from _clash(use, agent, test, test.left, test.right)
            yield from _clash(use, agent, test, test.right, test.left)
        elif test.op in ("contains", "matches") and agent.types.of(test.left, use.locals) == "number":
            yield found(use.span_of(test.left), a=use.reading.slice(test.left), type="number", op=test.op)
        elif test.op in ("IN", "NOT IN") and test.right is not None:
            yield from _no_list(use, agent, test, test.right)


def _no_list(use: ExpressionUse, agent: AgentIndex, test: en.Test, right: en.Node) -> Iterator[Found]:
    """Nothing is IN a text, a number or a date (02 §5.1); for a part of a text there is `contains`."""
    kind = agent.types.of(right, use.locals)
    if kind not in ("string", "number", "boolean", "date", "datetime"):
        return
    left, whole = use.reading.slice(test.left), use.reading.slice(right)
    negated = "NOT " if test.op == "NOT IN" else ""
    text = f"{negated}{whole} contains {left}"
    repair = (fixes.replace(use.span_of(test), text, preferred=False),) if kind == "string" else ()
    if isinstance(right, en.Literal) and kind == "string":  # a list of one, whose brackets are missing
        repair = (fixes.replace(use.span_of(right), f"[{whole}]", preferred=False),)
    wording = "`{a}` ({type}) is no list: nothing is `IN` it"
    yield found(use.span_of(right), *repair, severity="warning", a=whole, type=kind, op=test.op, wording=wording)


def _clash(use: ExpressionUse, agent: AgentIndex, test: en.Test, side: en.Node, other: en.Node) -> Iterator[Found]:
    kind = agent.types.of(side, use.locals)
    dated = kind in _DATED and agent.types.of(other, use.locals) in _UNDATED
    if kind in ("boolean", "object") or dated:
        yield found(use.span_of(side), a=use.reading.slice(side), type=kind, op=test.op)


@rule(
    "ABL238",
    "today-is-before-now",
    "hint",
    "`{text}` takes today for the past: a date counts from midnight",
    over=ExpressionUse,
    needs=en.Test,
)
def today_is_before_now(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A date without a time is compared with the present moment by `>=` or `<`.
    Why: A date counts as its midnight, so today's date is before now all day long.
    Bad:
        MEMORY:
          session:
            - pickup_day
              TYPE: date
        CONSTRAINTS:
          - REQUIRE pickup_day >= NOW()
            ON_FAIL: "That day is over."
    Good:
        MEMORY:
          session:
            - pickup_day
              TYPE: date
        CONSTRAINTS:
          - REQUIRE pickup_day >= FORMAT_DATE(NOW(), "YYYY-MM-DD")
            ON_FAIL: "That day is over."
    """
    for test in use.reading.tests:
        if test.op not in _RELATIONAL or test.right is None:
            continue
        day, moment = (test.left, test.right) if test.op in (">=", "<") else (test.right, test.left)
        if _is_now(moment) and not isinstance(day, en.Literal) and agent.types.of(day, use.locals) == "date":
            span, text = use.span_of(moment), use.reading.slice(test)
            repair = fixes.replace(span, 'FORMAT_DATE(NOW(), "YYYY-MM-DD")', "Compare with today's date")
            yield found(span, repair, text=text)


def _is_now(node: en.Node) -> bool:
    if isinstance(node, en.Path):
        return node.parts == ("now",)
    return isinstance(node, en.Call) and node.name.upper() == "NOW" and not node.args


_NUMBERED = frozenset({"number", "boolean", "date", "datetime"})
"""Types that nobody joins to a date to make a text."""


@rule("ABL218", "odd-arithmetic", "warning", "Arithmetic on {type} `{a}`", over=ExpressionUse, needs=en.Binary)
def odd_arithmetic(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A boolean, list, object or date is added, subtracted, multiplied or divided.
    Why: Booleans count as 1 and 0, and with a list or object the result is null. A date is a text: `NOW() + 1` puts a 1
        behind it, which makes it no date any more, and in any other calculation it counts as 0.
    Bad:
        MEMORY:
          session:
            - loan_ids
              TYPE: array
        CONSTRAINTS:
          - REQUIRE loan_ids + 1 <= 3
            ON_FAIL: "Too many loans."
    Good:
        MEMORY:
          session:
            - loan_ids
              TYPE: array
        CONSTRAINTS:
          - REQUIRE loan_ids.length + 1 <= 3
            ON_FAIL: "Too many loans."
    """
    for node in use.reading.nodes:
        if not isinstance(node, en.Binary):
            continue
        kinds = [agent.types.of(side, use.locals) for side in (node.left, node.right)]
        if node.op == "+" and "string" in kinds:
            continue
        is_joined = node.op == "+" and not set(kinds) <= _NUMBERED
        for side, kind in zip((node.left, node.right), kinds, strict=True):
            if kind in ("date", "datetime") and not is_joined:
                yield found(use.span_of(side), a=use.reading.slice(side), type=kind)
            if kind in ("boolean", "array", "object"):
                text = use.reading.slice(side)
                better = f"{text}.length" if kind == "array" and isinstance(side, en.Path) else f"TO_NUMBER({text})"
                repair = () if kind == "object" else (fixes.replace(use.span_of(side), better, preferred=False),)
                yield found(use.span_of(side), *repair, a=text, type=kind)


@rule(
    "ABL220",
    "unlike-comparison",
    "warning",
    "`{a}` ({ta}) is compared with `{b}` ({tb})",
    over=ExpressionUse,
    needs=en.Test,
)
def unlike_comparison(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `==` or `!=` compares two different known types.
    Why: Apart from numeric text with numbers and "true" with booleans they are never equal.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: number
        CONSTRAINTS:
          - REQUIRE loans == "none"
            ON_FAIL: "Return your books first."
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
        CONSTRAINTS:
          - REQUIRE loans == 0
            ON_FAIL: "Return your books first."
    """
    for test in use.reading.tests:
        if test.op not in ("==", "!=") or test.right is None:
            continue
        left, right = agent.types.of(test.left, use.locals), agent.types.of(test.right, use.locals)
        if left in _SCALARS and right in _SCALARS and not _comparable(test.left, left, test.right, right):
            a, b = use.reading.slice(test.left), use.reading.slice(test.right)
            yield found(use.span_of(test), *_converted(use, test, left), a=a, ta=left, b=b, tb=right)


def _comparable(left: en.Node, left_type: str | None, right: en.Node, right_type: str | None) -> bool:
    if left_type == right_type or {left_type, right_type} <= {"date", "datetime", "string"}:
        return True
    for node, kind, other in ((left, left_type, right_type), (right, right_type, left_type)):
        if kind == "string" and isinstance(node, en.Literal):
            text = str(node.value).strip()
            return (other == "number" and _numeric(text)) or (other == "boolean" and text in ("true", "false"))
    return False


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _converted(use: ExpressionUse, test: en.Test, left_type: str | None) -> tuple[Fix, ...]:
    right = test.right
    if left_type == "string" and isinstance(right, en.Literal) and right.form in ("number", "boolean"):
        return (fixes.replace(use.span_of(right), f'"{use.reading.slice(right)}"', preferred=False),)
    return ()


_SAID: Final = {"array": "LENGTH({}) > 0", "number": "{0} IS SET AND {0} != 0", "object": "{} IS NOT EMPTY"}
"""What says of a value that it is not empty: `[]`, `{}` and 0 are set (docs/spec 02 §5.1)."""


@rule(
    "ABL221",
    "non-boolean-condition",
    "hint",
    "Condition is a {type}; true when not empty",
    over=ExpressionUse,
    needs="condition",
)
def non_boolean_condition(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A condition is a value whose type is known and not boolean.
    Why: It holds when the value is not empty and not 0; a comparison says what is meant.
    Bad:
        MEMORY:
          session:
            - note
              TYPE: string
        CONSTRAINTS:
          - REQUIRE note
            ON_FAIL: "Please add a note."
    Good:
        MEMORY:
          session:
            - note
              TYPE: string
        CONSTRAINTS:
          - REQUIRE note IS SET
            ON_FAIL: "Please add a note."
    """
    node = use.reading.node
    if node is None or isinstance(node, en.Literal) or use.place == "COMPLETE_WHEN":
        return
    kind = agent.types.of(node, use.locals)
    if kind not in (None, "boolean", "null"):
        pattern = _SAID.get(kind, "{} IS SET") if isinstance(node, en.Path) else ""
        repair = (fixes.replace(use.whole, pattern.format(use.reading.text), preferred=False),) if pattern else ()
        yield found(use.whole, *repair, type=kind)


@rule(
    "ABL227",
    "unknown-option",
    "warning",
    "Unknown enum value `{v}` compared with `{field}`. Did you mean `{y}`?",
    over=ExpressionUse,
    needs=en.Test,
)
def unknown_option(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field with a list of options, or a variable or result of an `enum` type, is compared with a text that is
        not among them.
    Why: The comparison never holds.
    Bad:
        GATHER:
          branch:
            prompt: "Which branch?"
            type: enum
            options: [central, harbour]
        CONSTRAINTS:
          - REQUIRE branch == "harbor"
            ON_FAIL: "Harbour only."
    Good:
        GATHER:
          branch:
            prompt: "Which branch?"
            type: enum
            options: [central, harbour]
        CONSTRAINTS:
          - REQUIRE branch == "harbour"
            ON_FAIL: "Harbour only."
    """
    for test in use.reading.tests:
        left, right = test.left, test.right
        if test.op in ("==", "!=") and isinstance(left, en.Literal) and right is not None:
            left, right = right, left
        if test.op not in ("==", "!=", "IN", "NOT IN") or right is None:
            continue
        items = right.items if isinstance(right, en.ListNode) else (right,)
        texts = [item for item in items if isinstance(item, en.Literal) and item.form == "string" and item.value]
        options = _options_of(left, use, agent) if texts else ()
        for literal in texts if options else ():
            if literal.value not in options:
                inner = use.span(literal.start + 1, literal.end - 1)
                best, renames = fixes.rename_to(inner, literal.value, options)
                yield found(use.span_of(literal), *renames, v=literal.value, field=use.reading.slice(left), y=best)


def _options_of(node: en.Node, use: ExpressionUse, agent: AgentIndex) -> tuple[str, ...]:
    """The texts that a path may have: by the options of its field, or by its declared type."""
    if not isinstance(node, en.Path | en.Member | en.Index):
        return ()
    chain = chain_of(node, use.reading.text)
    if chain is None or chain.root in use.locals:
        return ()
    path = ".".join((chain.root, *(step.name or "" for step in chain.steps)))
    return agent.options.get(path) or agent.types.options_of(chain)
