"""2xx that one expression's text decides: errors, NOT, AND and OR (docs/spec 05 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.literal_words import placeholder_in
from abl.analysis.conditions.other_notations import is_readable, rewritings
from abl.analysis.conditions.reading import Reading, at
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.expressions.builtins import METHODS
from abl.source import Span

_CEL = {"&&": "AND", "||": "OR", "in": "IN"}


@rule("ABL201", "bad-expression", "error", "Cannot read condition: {reason} at `{text}`", over=Reading, needs="error")
def bad_expression(reading: Reading) -> Iterator[Found]:
    """
    What: The text is no expression.
    Why: A condition that cannot be read never holds, and a value that cannot be read is null.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans <
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Too many loans."
    """
    error = reading.error_of("ABL201")
    held = placeholder_in(reading, error) if error is not None else None
    if held is not None:
        span, repairs = held
        wording = "`{text}` is for messages: an expression names a variable without braces"
        yield found(span, *repairs, text=reading.text[span.start : span.end], wording=wording)
    elif error is not None:
        text = reading.text[error.start : error.end] or reading.text[max(error.start - 12, 0) :]
        yield found(
            reading.error_span, *_rewritten(reading), reason=error.reason, text=text.strip() or reading.text.strip()
        )


def _rewritten(reading: Reading) -> tuple[Fix, ...]:
    """The whole expression as it is written here, where it is in the notation of another language."""
    whole = Span(0, len(reading.text))
    return tuple(fixes.replace(whole, text, title) for title, text in rewritings(reading.text))


def _replaced(reading: Reading, operator: str) -> tuple[Fix, ...]:
    """The operator as it is written here, or the whole expression where more of it cannot be read."""
    span = reading.error_span
    if operator and is_readable(reading.text[: span.start] + operator + reading.text[span.end :]):
        return (fixes.replace(span, operator),)
    return _rewritten(reading)


@rule("ABL202", "wrong-operator", "error", "Operator `{a}` is not valid; use `{b}`", over=Reading, needs="error")
def wrong_operator(reading: Reading) -> Iterator[Found]:
    """
    What: An operator is spelled as in another language.
    Why: The expression cannot be read, so the condition never holds.
    Bad:
        CONSTRAINTS:
          - REQUIRE tier === "gold"
            ON_FAIL: "Gold members only."
    Good:
        CONSTRAINTS:
          - REQUIRE tier == "gold"
            ON_FAIL: "Gold members only."
    """
    error = reading.error_of("ABL202")
    if error is not None:
        span = reading.error_span
        better = error.replacement or ""
        repair = _replaced(reading, better)
        if repair and reading.text[span.start :].startswith("=~"):
            span, better = Span(span.start, span.start + 2), "matches"
        yield found(span, *repair, a=reading.text[span.start : span.end], b=better)


@rule("ABL203", "lowercase-operator", "error", "Write `{OP}` in uppercase", over=Reading, needs="error")
def lowercase_operator(reading: Reading) -> Iterator[Found]:
    """
    What: A word operator such as `and` is in lower case.
    Why: Word operators are upper case; in lower case they are read as names, and the expression breaks.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3 and fines == 0
            ON_FAIL: "Not now."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3 AND fines == 0
            ON_FAIL: "Not now."
    """
    error = reading.error_of("ABL203")
    if error is not None:
        span = reading.error_span
        upper = error.replacement or reading.text[span.start : span.end].upper()
        yield found(span, *_replaced(reading, upper), OP=upper)


@rule("ABL204", "chained-comparison", "error", "Comparisons cannot be chained", over=Reading, needs="error")
def chained_comparison(reading: Reading) -> Iterator[Found]:
    """
    What: Two comparisons share an operand, as in `1 < x < 5`.
    Why: The language has no such form; write both comparisons and join them with AND.
    Bad:
        CONSTRAINTS:
          - REQUIRE 0 < loans < 3
            ON_FAIL: "Between one and two."
    Good:
        CONSTRAINTS:
          - REQUIRE 0 < loans AND loans < 3
            ON_FAIL: "Between one and two."
    """
    if reading.error_of("ABL204") is None:
        return
    pieces = re.fullmatch(r"\s*([\w.]+|-?\d[\d.]*)\s*(<=?|>=?)\s*([\w.]+)\s*(<=?|>=?)\s*([\w.]+)\s*", reading.text)
    whole = Span(0, len(reading.text))
    split = (
        (fixes.replace(whole, f"{pieces[1]} {pieces[2]} {pieces[3]} AND {pieces[3]} {pieces[4]} {pieces[5]}"),)
        if pieces
        else ()
    )
    yield found(reading.error_span, *split)


@rule(
    "ABL205", "not-without-parentheses", "hint", "Add parentheses: `NOT` applies to the whole comparison", over=en.Unary
)
def not_without_parentheses(node: en.Unary, reading: Reading) -> Iterator[Found]:
    """
    What: `NOT` precedes a comparison without parentheses.
    Why: `NOT a == b` means `NOT (a == b)` here, but other readers of the language bind NOT to `a` alone.
    Bad:
        CONSTRAINTS:
          - REQUIRE NOT tier == "gold"
            ON_FAIL: "Not for gold members."
    Good:
        CONSTRAINTS:
          - REQUIRE NOT (tier == "gold")
            ON_FAIL: "Not for gold members."
    """
    operand = node.operand
    if node.op != "NOT" or not isinstance(operand, en.Test) or reading.parenthesised(operand):
        return
    if operand.op in ("==", "!=", "<", ">", "<=", ">=") and not _is_boolean_test(operand):
        yield found(at(node), fixes.replace(at(operand), f"({reading.slice(operand)})", "Add parentheses"))


def _is_boolean_test(test: en.Test) -> bool:
    return isinstance(test.right, en.Literal) and test.right.form == "boolean"


@rule("ABL206", "mixed-and-or", "hint", "Mixed AND/OR without parentheses", over=en.Logical)
def mixed_and_or(node: en.Logical, reading: Reading) -> Iterator[Found]:
    """
    What: AND and OR stand side by side without parentheses.
    Why: AND binds tighter than OR, which readers tend to forget.
    Bad:
        CONSTRAINTS:
          - REQUIRE is_member OR is_staff AND branch_open
            ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          - REQUIRE is_member OR (is_staff AND branch_open)
            ON_FAIL: "Members only."
    """
    if node.op != "OR":
        return
    loose = [o for o in node.operands if isinstance(o, en.Logical) and o.op == "AND" and not reading.parenthesised(o)]
    if loose:
        edits = tuple(fixes.replace(at(o), f"({reading.slice(o)})").edits[0] for o in loose)
        yield found(at(loose[0]), Fix("Add parentheses", edits, True))


@rule("ABL228", "nested-too-deeply", "error", "Functions nested deeper than 32", over=Reading)
def nested_too_deeply(reading: Reading) -> Iterator[Found]:
    """
    What: Calls stand inside the arguments of calls more than 32 levels deep.
    Why: Evaluation stops there with an error.
    Bad:
        CONSTRAINTS:
          (33 calls inside each other: ABS(ABS(ABS(…))) < 3)
    Good:
        CONSTRAINTS:
          - REQUIRE ABS(loans) < 3
            ON_FAIL: "Too many."
    """
    if reading.error_of("ABL228") is not None:
        yield found(reading.error_span)
    elif reading.node is not None and reading.text.count("(") > 32 and (deep := _deep_call(reading.node)):
        yield found(at(deep))


def _deep_call(node: en.Node) -> en.Node | None:
    stack = [(node, 0)]
    while stack:
        current, depth = stack.pop()
        depth += isinstance(current, en.Call | en.Method)
        if depth > 32:
            return current
        stack.extend((child, depth) for child in en.children(current))
    return None


@rule(
    "ABL232",
    "cel-dialect",
    "info",
    "`&&`/`||`/`in`/method syntax is the CEL dialect",
    over=Reading,
    tags=("portability",),
)
def cel_dialect(reading: Reading) -> Iterator[Found]:
    """
    What: An operator is written as in CEL, such as `&&` for AND.
    Why: Both dialects work; one spelling throughout is easier to read.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3 && fines == 0
            ON_FAIL: "Not now."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3 AND fines == 0
            ON_FAIL: "Not now."
    """
    for node in reading.nodes:
        if isinstance(node, en.Logical) and _is_fallback(node) and reading.text[slice(*node.op_spans[0])] in _CEL:
            tried = ", ".join(reading.slice(operand) for operand in node.operands)
            yield found(Span(*node.op_spans[0]), fixes.replace(at(node), f"COALESCE({tried})"))
        elif isinstance(node, en.Logical):
            for start, end in node.op_spans:
                yield from _cel(reading, start, end)
        elif isinstance(node, en.Test):
            if reading.text[node.op_start : node.op_end] in _CEL and not _is_range(node.right):
                yield from _cel(reading, node.op_start, node.op_end)
        elif isinstance(node, en.Method):
            yield from _cel_method(reading, node)


def _cel_method(reading: Reading, node: en.Method) -> Iterator[Found]:
    """``x.contains(y)`` is another spelling of ``x contains y``; other calls are errors of their own."""
    span = Span(node.name_start, node.name_end)
    if node.name in METHODS and len(node.args) == 1 and not _is_message(node):
        text = f"{reading.slice(node.target)} {METHODS[node.name]} {reading.slice(node.args[0])}"
        yield found(span, fixes.replace(at(node), text, preferred=False))


def _is_fallback(node: en.Logical) -> bool:
    """True for ``city || "there"``: a text or number behind names is no condition, but what stands in for them."""
    *names, last = node.operands
    stands_in = isinstance(last, en.Literal) and last.form in ("string", "number")
    return node.op == "OR" and stands_in and all(isinstance(name, en.Path | en.Member | en.Index) for name in names)


def _is_range(node: en.Node | None) -> bool:
    """True for `range(…)` of other languages, which ABL207 reports with its `in`."""
    return isinstance(node, en.Call) and node.name.lower() == "range"


def _is_message(node: en.Method) -> bool:
    """True for ``input.contains(…)``, which the documentation writes."""
    return node.name == "contains" and isinstance(node.target, en.Path) and node.target.parts == ("input",)


def _cel(reading: Reading, start: int, end: int) -> Iterator[Found]:
    words = _CEL.get(reading.text[start:end])
    if words:
        yield found(Span(start, end), fixes.replace(Span(start, end), words))
