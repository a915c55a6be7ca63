"""Conditions in the notation of another language or in prose, and how ABL writes them (docs/spec 05 §3).

A rewriting is offered only where the whole expression can be read with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from abl.expressions import compile_expression
from abl.expressions.errors import ExpressionError

_QUOTES: Final = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
_NAME: Final = r"(?<![\w.])(?P<name>[A-Za-z_][\w.]*+)"
_VALUE: Final = r"(?:\"[^\"]*\"|-?[\w.]+)"


def _like(match: re.Match[str]) -> str:
    pattern = "".join(".*" if c == "%" else "." if c == "_" else re.escape(c) for c in match["pattern"])
    return f'matches "^{pattern}$"'


def _between(match: re.Match[str], last: str) -> str:
    """Two comparisons, in parentheses where something is around them."""
    both = f"{match['name']} >= {match['low']} AND {match['name']} {last} {match['high']}"
    return both if match[0].strip() == match.string.strip() else f"({both})"


_REWRITINGS: Final[tuple[tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    ("Write `matches`", re.compile(r"=~"), "matches"),
    ("Write `IS NOT SET`", re.compile(rf"{_NAME}\s++NOT\s+SET\b"), r"\g<name> IS NOT SET"),
    (
        "Write `NOT` and `matches`",
        re.compile(rf'{_NAME}\s++NOT\s+LIKE\s+"(?P<pattern>[^"]*)"'),
        lambda match: f"NOT ({match['name']} {_like(match)})",
    ),
    (
        "Write `NOT` and two comparisons",
        re.compile(rf"{_NAME}\s++NOT\s+BETWEEN\s+(?P<low>{_VALUE})\s+AND\s+(?P<high>{_VALUE})"),
        lambda match: f"NOT ({match['name']} >= {match['low']} AND {match['name']} <= {match['high']})",
    ),
    ("Write `matches`", re.compile(r'\bLIKE\s+"(?P<pattern>[^"]*)"'), _like),
    (
        "Write two comparisons",
        re.compile(rf"{_NAME}\s++BETWEEN\s+(?P<low>{_VALUE})\s+AND\s+(?P<high>{_VALUE})"),
        lambda match: _between(match, "<="),
    ),
    ("Put the list in brackets", re.compile(rf"\bIN\s+(?P<items>{_VALUE}(?:\s*,\s*{_VALUE})+)"), r"IN [\g<items>]"),
)
FUNCTIONS: Final = {
    "LEN": "LENGTH", "SIZE": "LENGTH", "STRLEN": "LENGTH", "UPPERCASE": "UPPER", "TOUPPER": "UPPER",
    "LOWERCASE": "LOWER", "TOLOWER": "LOWER", "IFNULL": "COALESCE", "NVL": "COALESCE",
}  # fmt: skip
"""Functions of other languages with what they are called here."""
TODAY: Final = 'FORMAT_DATE(NOW(), "YYYY-MM-DD")'
TODAYS: Final = frozenset({"TODAY", "CURRENT_DATE", "CURDATE"})
RANGE: Final = re.compile(rf"{_NAME}\s++IN\s+range\(\s*(?P<low>[\w.]+)\s*,\s*(?P<high>[\w.]+)\s*\)", re.IGNORECASE)


def rewritings(text: str) -> Iterator[tuple[str, str]]:
    """Title and text of what an expression that cannot be read may mean."""
    straight = text.translate(_QUOTES)
    if straight != text and is_readable(straight):
        yield "Write straight quotes", straight
        return
    for title, pattern, better in _REWRITINGS:
        rewritten = pattern.sub(better, straight)
        if rewritten != straight and is_readable(rewritten):
            yield title, rewritten
            return


def is_readable(text: str) -> bool:
    """True for an expression."""
    try:
        compile_expression(text)
    except ExpressionError:
        return False
    return True


def ranged(text: str) -> tuple[str, str] | None:
    """`x IN range(1, 9)` as comparisons, which leave the end out as other languages do."""
    rewritten = RANGE.sub(lambda match: _between(match, "<"), text)
    return ("Write two comparisons", rewritten) if rewritten != text and is_readable(rewritten) else None
