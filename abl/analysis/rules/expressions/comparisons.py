"""2xx about comparisons, patterns, divisors and indexes (docs/spec 02 §5, 05 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.intervals import constant
from abl.analysis.conditions.reading import Reading, at
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.expressions.dates import read_moment
from abl.expressions.regex import regex_problem
from abl.expressions.values import read_number
from abl.source import Span

_REGEX_SIGNS = re.compile(r"[\\^$*+?()\[\]{}|]|\.[*+]")


@rule("ABL212", "plain-pattern", "warning", "Plain text pattern matches anywhere in the value", over=en.Test)
def plain_pattern(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: The pattern of `matches` is plain text.
    Why: `matches` searches, so "gold" also matches "marigold"; for equality use `==`.
    Bad:
        CONSTRAINTS:
          - REQUIRE tier matches "gold"
            ON_FAIL: "Gold members only."
    Good:
        CONSTRAINTS:
          - REQUIRE tier == "gold"
            ON_FAIL: "Gold members only."
    """
    pattern = node.right
    if node.op != "matches" or not isinstance(pattern, en.Literal) or pattern.form != "string":
        return
    if pattern.value and not _REGEX_SIGNS.search(pattern.value):
        whole = fixes.replace(at(pattern), f'"^{pattern.value}$"', "Match the whole value", preferred=False)
        equal = fixes.replace(Span(node.op_start, node.op_end), "==", "Compare with `==`")
        yield found(at(pattern), equal, whole)


@rule("ABL213", "invalid-regex", "error", "Invalid regular expression: {reason}", over=en.Test)
def invalid_regex(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: A pattern is no regular expression of the supported (RE2) kind.
    Why: An invalid pattern matches nothing. Look-around and back references are not supported.
    Bad:
        CONSTRAINTS:
          - REQUIRE card_number matches "[0-9"
            ON_FAIL: "Card numbers have eight digits."
    Good:
        CONSTRAINTS:
          - REQUIRE card_number matches "^[0-9]{8}$"
            ON_FAIL: "Card numbers have eight digits."
    """
    if node.op != "matches":
        return
    if isinstance(node.right, en.Regex):
        reason = regex_problem(node.right.pattern, node.right.flags)
    elif isinstance(node.right, en.Literal) and node.right.form == "string" and "{{" not in node.right.value:
        reason = regex_problem(node.right.value, "")
    else:
        return
    if reason:
        yield found(at(node.right), reason=reason)


@rule(
    "ABL217",
    "unordered-text",
    "warning",
    "Comparing {type} text with `{op}`: it is neither a number nor a date",
    over=en.Test,
)
def unordered_text(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: `<`, `>`, `<=` or `>=` compares with text that is neither a number nor a date that there is.
    Why: Order is defined for numbers and dates; any other text counts as 0, and is neither before nor
    after a date.
    Bad:
        CONSTRAINTS:
          - REQUIRE tier > "silver"
            ON_FAIL: "Gold members only."
    Good:
        CONSTRAINTS:
          - REQUIRE tier IN ["gold", "platinum"]
            ON_FAIL: "Gold members only."
    """
    if node.op not in ("<", ">", "<=", ">="):
        return
    for side in (node.left, node.right):
        if (
            isinstance(side, en.Literal)
            and side.form == "string"
            and "{{" not in side.value
            and not _orderable(side.value)
        ):
            yield found(at(side), type="plain", op=node.op)


def _orderable(text: str) -> bool:
    return read_number(text) is not None or read_moment(text) is not None


@rule("ABL219", "division-by-zero", "error", "Division by zero", over=en.Binary)
def division_by_zero(node: en.Binary, reading: Reading) -> Iterator[Found]:
    """
    What: The divisor is always 0.
    Why: The expression fails: a condition does not hold, a value is null. `DIV(a, b)` gives null instead of failing.
    Bad:
        CONSTRAINTS:
          - REQUIRE fines / 0 < 1
            ON_FAIL: "Pay first."
    Good:
        CONSTRAINTS:
          - REQUIRE DIV(fines, loans) < 1
            ON_FAIL: "Pay first."
    """
    if (
        node.op in ("/", "%")
        and isinstance(node.right, en.Literal)
        and node.right.form == "number"
        and node.right.value == 0
    ):
        repair: tuple[Fix, ...] = ()
        if node.op == "/":
            text = f"DIV({reading.slice(node.left)}, {reading.slice(node.right)})"
            repair = (fixes.replace(at(node), text, preferred=False),)
        yield found(at(node.right), *repair)


@rule("ABL222", "null-comparison", "warning", "Comparison with null: use `IS SET` / `IS NOT SET`", over=en.Test)
def null_comparison(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: A value is compared with null.
    Why: Whether something has a value is asked with `IS SET`; it reads better and means the same everywhere.
    Bad:
        CONSTRAINTS:
          - REQUIRE tier != null
            ON_FAIL: "Which tier?"
    Good:
        CONSTRAINTS:
          - REQUIRE tier IS SET
            ON_FAIL: "Which tier?"
    """
    if node.op not in ("==", "!=") or node.right is None:
        return
    for value, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(value, en.Literal) and value.form == "null" and not isinstance(other, en.Literal):
            words = "IS SET" if node.op == "!=" else "IS NOT SET"
            yield found(at(node), fixes.replace(at(node), f"{reading.slice(other)} {words}"))
            return


_HOLDS = '`{x} != ""` holds while the value is unset'


@rule("ABL223", "empty-comparison", "info", '`{x} == ""` is false when the value is unset', over=en.Test)
def empty_comparison(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: A value is compared with the empty text.
    Why: A value that was never set is not the empty text: `==` is false and `!=` holds. Ask for both if both are meant.
    Bad:
        CONSTRAINTS:
          - RESTRICT note == ""
            ON_FAIL: "Please add a note."
    Good:
        CONSTRAINTS:
          - REQUIRE note IS SET AND note != ""
            ON_FAIL: "Please add a note."
    """
    if node.op not in ("==", "!=") or not isinstance(node.left, en.Path | en.Index | en.Member):
        return
    if isinstance(node.right, en.Literal) and node.right.value == "" and node.right.form == "string":
        name = reading.slice(node.left)
        if f"{name} IS" not in reading.text:
            if node.op == "!=":  # in a RESTRICT asking for both would guard less, so that there is no fix
                yield found(at(node), severity="hint", x=name, wording=_HOLDS)
                return
            both = fixes.replace(at(node), f'({name} IS NOT SET OR {name} == "")', preferred=False)
            yield found(at(node), both, x=name)


@rule("ABL235", "bad-array-index", "warning", "Array index `{i}` is out of range / not whole", over=en.Index)
def bad_array_index(node: en.Index, reading: Reading) -> Iterator[Found]:
    """
    What: An array index is negative or has a fraction.
    Why: There is no such element, so the value is always unset. Counting starts at 0.
    Bad:
        CONSTRAINTS:
          - REQUIRE loan_ids[-1] IS SET
            ON_FAIL: "No loans yet."
    Good:
        CONSTRAINTS:
          - REQUIRE loan_ids[0] IS SET
            ON_FAIL: "No loans yet."
    """
    value = constant(node.index)
    number = value.value if value is not None else None
    if isinstance(number, int | float) and not isinstance(number, bool) and (number < 0 or number != int(number)):
        yield found(at(node.index), i=reading.slice(node.index))


@rule("ABL236", "empty-test", "info", "`EMPTY` tests are not portable", over=en.Test, tags=("portability",))
def empty_test(node: en.Test, reading: Reading) -> Iterator[Found]:
    """
    What: `IS EMPTY` or `EMPTY x` is used.
    Why: Not every reader of the language knows it; LENGTH does the same for lists and texts.
    Bad:
        CONSTRAINTS:
          - REQUIRE loan_ids IS EMPTY
            ON_FAIL: "Return your books first."
    Good:
        CONSTRAINTS:
          - REQUIRE LENGTH(loan_ids) == 0
            ON_FAIL: "Return your books first."
    """
    if node.op in ("IS EMPTY", "EMPTY", "IS NOT EMPTY"):
        sign = "> 0" if node.op == "IS NOT EMPTY" else "== 0"
        text = f"LENGTH({reading.slice(node.left)}) {sign}"
        yield found(at(node), fixes.replace(at(node), text, preferred=False))
