"""2xx about calls of functions (docs/spec 02 §8, 05 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions import methods
from abl.analysis.conditions.other_notations import FUNCTIONS, SET_TESTS, TODAY, TODAYS, ranged
from abl.analysis.conditions.reading import Reading, at
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions import nodes as en
from abl.expressions.builtins import BUILTINS, CEL_FUNCTIONS, GUARDRAIL_BUILTINS, METHODS, OPERATOR_CALLS, find
from abl.source import Span
from abl.syntax.recovery.suggest import closest

_MASK = re.compile(r"last4|first4|\d+\*\d+")
_DATE_TOKEN = re.compile(r"[A-Za-z]+")
_DATE_TOKENS = frozenset({"YYYY", "MM", "DD", "HH", "mm", "ss", "MMM", "MMMM"})


@rule("ABL207", "unknown-function", "error", "Unknown function `{f}`. Did you mean `{y}`?", over=(en.Call, en.Method))
def unknown_function(node: en.Call | en.Method, reading: Reading) -> Iterator[Found]:
    """
    What: A function or a method is called that the language does not have. The methods are `contains`, `startsWith`,
        `endsWith` and `matches`; `.length` stands without parentheses.
    Why: The expression fails when it is evaluated: a condition does not hold, a value is null.
    Bad:
        CONSTRAINTS:
          - REQUIRE LENGHT(loan_ids) < 3
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE LENGTH(loan_ids) < 3
            ON_FAIL: "Too many loans."
    """
    if isinstance(node, en.Method):
        yield from _unknown_method(node, reading)
        return
    if find(node.name, node.prefixed, guardrail=True) is not None:
        return
    if not node.prefixed and (node.name in OPERATOR_CALLS or node.name.upper() in BUILTINS):
        return
    names = [name.lower() for name in BUILTINS] if node.prefixed else [*BUILTINS, *CEL_FUNCTIONS]
    span = Span(node.name_start, node.name_end)
    if node.name.upper() in TODAYS and not node.args:
        yield found(span, fixes.replace(at(node), TODAY, f"Change to `{TODAY}`"), f=node.name, y=TODAY)
        return
    if node.name.lower() == "range" and (comparisons := ranged(reading.text)) is not None:
        title, text = comparisons
        whole = fixes.replace(Span(0, len(reading.text)), text, title, preferred=False)
        yield found(span, whole, f=node.name, y="")
        return
    if node.name.upper() in SET_TESTS and len(node.args) == 1:
        better = f"{reading.slice(node.args[0])} IS SET"
        yield found(span, fixes.replace(at(node), better), f=node.name, y=better)
        return
    known = FUNCTIONS.get(node.name.upper())
    close = (known,) if known is not None else closest(node.name, names)
    yield found(span, *fixes.rename_fixes(span, close), f=node.name, y=close[0] if close else "")


def _unknown_method(node: en.Method, reading: Reading) -> Iterator[Found]:
    if methods.is_known(node):
        return
    intended = methods.intended(node, reading)
    wording = "Unknown method `{f}`. Did you mean `{y}`?"
    if not intended.y:
        wording = f"Unknown method `{{f}}`; there are {', '.join(METHODS)}"
    yield found(Span(node.name_start, node.name_end), *intended.fixes, f=node.name, y=intended.y, wording=wording)


@rule("ABL208", "wrong-arity", "error", "`{f}` takes {n}, got {m}", over=(en.Call, en.Method))
def wrong_arity(node: en.Call | en.Method, reading: Reading) -> Iterator[Found]:
    """
    What: A function or a method gets too few or too many arguments.
    Why: The call fails when it is evaluated.
    Bad:
        CONSTRAINTS:
          - REQUIRE LENGTH(loan_ids, 3) < 3
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE LENGTH(loan_ids) < 3
            ON_FAIL: "Too many loans."
    """
    if isinstance(node, en.Method):
        if methods.is_known(node) and len(node.args) != 1:
            yield found(at(node), f=node.name, n=_arguments("1"), m=len(node.args))
        return
    function = find(node.name, node.prefixed, guardrail=True)
    if function is not None and not function.accepts(len(node.args)):
        yield found(at(node), f=node.name, n=_arguments(function.arity()), m=len(node.args))


def _arguments(count: str) -> str:
    return f"{count} argument{'' if count == '1' else 's'}"


@rule("ABL209", "lowercase-function", "error", "Built-in names are uppercase: `{F}`", over=en.Call)
def lowercase_function(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: A built-in function is called in lower case without `abl.` before it.
    Why: Such a call is an unknown function when it is evaluated.
    Bad:
        CONSTRAINTS:
          - REQUIRE length(loan_ids) < 3
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE LENGTH(loan_ids) < 3
            ON_FAIL: "Too many loans."
    """
    upper = node.name.upper()
    if not node.prefixed and node.name != upper and upper in BUILTINS and find(node.name, False) is None:
        span = Span(node.name_start, node.name_end)
        yield found(span, fixes.replace(span, upper), F=upper)


@rule(
    "ABL210", "operator-as-function", "warning", "`{op}` is an operator, not a function; this never holds", over=en.Call
)
def operator_as_function(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: A word operator is written like a function.
    Why: There is no such function, so the test never holds.
    Bad:
        CONSTRAINTS:
          - REQUIRE CONTAINS(note, "rare")
            ON_FAIL: "Say which rare book."
    Good:
        CONSTRAINTS:
          - REQUIRE note contains "rare"
            ON_FAIL: "Say which rare book."
    """
    operator = OPERATOR_CALLS.get(node.name) if not node.prefixed else None
    if operator is None:
        return
    repair: tuple[Fix, ...] = ()
    if len(node.args) == 2:
        left, right = (reading.slice(argument) for argument in node.args)
        repair = (fixes.replace(at(node), f"{left} {operator} {right}"),)
    yield found(Span(node.name_start, node.name_end), *repair, op=node.name)


@rule(
    "ABL211",
    "matches-regex-call",
    "warning",
    '`MATCHES(…)` compares similarity; for a pattern use `a matches "…"`',
    over=en.Call,
)
def matches_regex_call(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: MATCHES is called with something that looks like a regular expression.
    Why: The function compares how alike two texts are; the operator `matches` is the one that takes a pattern.
    Bad:
        CONSTRAINTS:
          - REQUIRE MATCHES(card_number, "^[0-9]{8}$")
            ON_FAIL: "Card numbers have eight digits."
    Good:
        CONSTRAINTS:
          - REQUIRE card_number matches "^[0-9]{8}$"
            ON_FAIL: "Card numbers have eight digits."
    """
    if node.name.upper() != "MATCHES" or len(node.args) < 2:
        return
    left, right = node.args[:2]
    if isinstance(right, en.Literal) and right.form == "string" and re.search(r"[\\^$\[\]{}|]|\.[*+]", right.value):
        text = f"{reading.slice(left)} matches {reading.slice(right)}"
        yield found(at(node), fixes.replace(at(node), text))


@rule("ABL229", "unknown-mask", "warning", "Mask pattern `{p}` is unknown; value would be shown unmasked", over=en.Call)
def unknown_mask(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: MASK gets a pattern other than `last4`, `first4` or `N*M`.
    Why: With an unknown pattern the value is shown in full.
    Bad:
        CONSTRAINTS:
          - REQUIRE fines == 0
            ON_FAIL: "Card {{MASK(card_number, \\"middle\\")}} has fines."
    Good:
        CONSTRAINTS:
          - REQUIRE fines == 0
            ON_FAIL: "Card {{MASK(card_number, \\"last4\\")}} has fines."
    """
    if node.name.upper() == "MASK" and len(node.args) >= 2:
        pattern = node.args[1]
        if isinstance(pattern, en.Literal) and not _MASK.fullmatch(str(pattern.value)):
            yield found(at(pattern), fixes.replace(at(pattern), '"last4"'), p=pattern.value)


@rule("ABL230", "unknown-date-token", "warning", "Date format token `{t}` is not documented", over=en.Call)
def unknown_date_token(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: FORMAT_DATE gets a format with letters that are no documented token.
    Why: The letters are printed as they are. Tokens are YYYY MM DD HH mm ss, and MMM MMMM for month names.
    Bad:
        CONSTRAINTS:
          - REQUIRE fines == 0
            ON_FAIL: "Due {{FORMAT_DATE(due_date, 'dd.MM.YYYY')}}"
    Good:
        CONSTRAINTS:
          - REQUIRE fines == 0
            ON_FAIL: "Due {{FORMAT_DATE(due_date, 'DD.MM.YYYY')}}"
    """
    if node.name.upper() != "FORMAT_DATE" or len(node.args) < 2:
        return
    pattern = node.args[1]
    if not isinstance(pattern, en.Literal) or pattern.form != "string":
        return
    unknown = next(
        (t for t in _DATE_TOKEN.findall(pattern.value) if t not in _DATE_TOKENS and not _all_tokens(t)), None
    )
    if unknown:
        yield found(at(pattern), t=unknown)


def _all_tokens(word: str) -> bool:
    return re.fullmatch(r"(YYYY|MMMM|MMM|MM|DD|HH|mm|ss|T|Z)+", word) is not None


@rule(
    "ABL231",
    "guardrail-function",
    "warning",
    "`abl.{f}` exists only in guardrail checks",
    over=en.Call,
    tags=("portability",),
)
def guardrail_function(node: en.Call, reading: Reading) -> Iterator[Found]:
    """
    What: A content check of GUARDRAILS is called in an ordinary expression.
    Why: These functions exist in guardrail checks only; elsewhere the call fails.
    Bad:
        CONSTRAINTS:
          - RESTRICT abl.contains_pii(note)
            ON_FAIL: "No personal data, please."
    Good:
        CONSTRAINTS:
          - RESTRICT note matches "[0-9]{8}"
            ON_FAIL: "No card numbers, please."
    """
    if node.name == "pii_equal":  # documented for rules, too
        return
    if node.name in GUARDRAIL_BUILTINS and find(node.name, node.prefixed) is GUARDRAIL_BUILTINS[node.name]:
        yield found(at(node), f=node.name)
