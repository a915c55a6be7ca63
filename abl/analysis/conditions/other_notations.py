"""Conditions in the notation of another language or in prose, and how ABL writes them (docs/spec 05 §3).

A rewriting is offered only where the whole expression can be read with it, and where it groups what the author grouped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from abl.expressions import compile_expression
from abl.expressions.errors import ExpressionError

_LONGEST: Final = 500
"""Characters of an expression beyond which nothing is offered."""
_QUOTES: Final = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
_CURLY: Final = re.compile("[“”„‘’]")
_TEXT: Final = re.compile(
    r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|\'(?:[^\'\\]|\\.)*+(?:\'|\\?\Z)'  # to the end where it is not closed
    r"|(?<=[~s])\s*+(/(?:[^/\\\n]|\\.)++/[ims]*+)"
)
_RESERVED: Final = r"(?!(?:AND|OR|NOT|IN|IS|SET|EXISTS|IMPLIES)\b)"
_NAME: Final = rf"(?<![\w.)\]])(?P<name>{_RESERVED}[A-Z_][\w.]*+(?:\([^()]*+\))?(?:\[[^\[\]]*+\])?)"
_OTHER: Final = _NAME.replace("<name>", "<other>")
_VALUE: Final = r"(?:\"\d++\"|-?[\w.]++(?:\([^()]*+\))?)"
_WORDS: Final = r"[\w.]++(?: ++(?!(?:AND|OR|NOT|IS|IN)\b)[A-Z]\w*+)*+"
_ITEM: Final = rf"(?:\"\d++\"|-?{_WORDS})"
_ITEMS: Final = rf"(?P<items>{_ITEM}(?:\s*+,\s*+{_ITEM})*+)"
_BEFORE: Final = re.compile(r"(?:^|[(!,?:]|\b(?:AND|OR|NOT|IMPLIES)|&&|\|\|)\s*+$", re.IGNORECASE)
_BEHIND: Final = re.compile(r"\s*+(?:$|[),?:]|(?:AND|OR|IMPLIES)\b|&&|\|\|)", re.IGNORECASE)
_OPERATORS: Final = {
    "===": "==", "!==": "!=", "<>": "!=", "=<": "<=", "=>": ">=", "=": "==", "≥": ">=", "≤": "<=", "≠": "!=",
}  # fmt: skip


class _Held(NamedTuple):
    """An expression whose texts are numbers in quotes, so that a pattern looks at what is outside of them only."""

    text: str
    texts: list[str]

    def back(self, text: str) -> str:
        """With the texts in their places."""
        return re.sub(r'"(\d++)"', lambda match: self.texts[int(match[1])], text)

    def add(self, text: str) -> str:
        """What stands for one more text."""
        self.texts.append(text)
        return f'"{len(self.texts) - 1}"'


_Better = str | Callable[[re.Match[str], _Held], str]


def _held(text: str) -> _Held:
    texts: list[str] = []

    def kept(match: re.Match[str]) -> str:
        texts.append(match[1] or match[0])
        return ("" if match[1] is None else " ") + f'"{len(texts) - 1}"'

    return _Held(_TEXT.sub(kept, text), texts)


def _stands_alone(match: re.Match[str]) -> bool:
    """True where no operator beside it takes a part of what is rewritten as its operand."""
    return bool(_BEFORE.search(match.string[: match.start()]) and _BEHIND.match(match.string, match.end()))


def _grouped(text: str, match: re.Match[str]) -> str:
    """In parentheses where something is around it."""
    return text if match[0].strip() == match.string.strip() else f"({text})"


def _pattern(match: re.Match[str], held: _Held) -> str:
    written = held.texts[int(match["pattern"])][1:-1]
    return held.add('"^' + "".join(".*" if c == "%" else "." if c == "_" else re.escape(c) for c in written) + '$"')


def _like(match: re.Match[str], held: _Held) -> str:
    return f"matches {_pattern(match, held)}"


def _not_like(match: re.Match[str], held: _Held) -> str:
    return f"NOT ({match['name']} matches {_pattern(match, held)})" if _stands_alone(match) else match[0]


def _not_matching(match: re.Match[str], held: _Held) -> str:
    return f"NOT ({match['name']} matches {match['value']})" if _stands_alone(match) else match[0]


def _between(match: re.Match[str], last: str = "<=") -> str:
    """Two comparisons, of what stands between no other operators."""
    if not _stands_alone(match):
        return match[0]
    both = f"{match['name']} >= {match['low']} AND {match['name']} {last} {match['high']}"
    return f"NOT ({both})" if match["not"] else _grouped(both, match)


def _unset(match: re.Match[str], held: _Held) -> str:
    name = match["name"] or match["other"]
    return f"{name} IS NOT SET" if _BEHIND.match(match.string, match.end()) else match[0]


def _quoted(words: str, held: _Held) -> str:
    """An item of a list: words with a capital are a text whose quotes are missing."""
    return held.add(f'"{words}"') if words[:1].isupper() else words


def _listed(match: re.Match[str], held: _Held) -> str:
    items = [_quoted(item.strip(), held) for item in match["items"].split(",")]
    return f"IN [{', '.join(items)}]"


def _fitting(match: re.Match[str], held: _Held) -> str:
    """Words in other letters or signs, as operators."""
    return _OPERATORS.get(match[0], match[0].upper())


_REWRITINGS: Final[tuple[tuple[str, str, _Better], ...]] = (
    ("Write `matches`", r"=~", "matches"),
    ("Write `NOT` and `matches`", rf"{_NAME}\s*+!~\s*+(?P<value>{_VALUE})", _not_matching),
    ("Write `IS NOT SET`", rf"{_NAME}\s++NOT\s++(?:SET|EXISTS)\b", r"\g<name> IS NOT SET"),
    ("Write `IS NOT SET`", rf"\bNOT\s++(?:(?:SET|EXISTS)\s++{_NAME}|{_OTHER}\s++SET\b)", _unset),
    ("Write `IS NOT SET`", rf"{_NAME}\s++IS\s++(?:NULL|NIL|NONE|UNDEFINED|UNSET|MISSING)\b", r"\g<name> IS NOT SET"),
    ("Write `IS SET`", rf"{_NAME}\s++IS\s++NOT\s++(?:NULL|NIL|NONE|UNDEFINED|UNSET|MISSING)\b", r"\g<name> IS SET"),
    ("Write `IS SET`", rf"{_NAME}\s++EXISTS\b", r"\g<name> IS SET"),
    ("Write `IS SET`", rf"\bEXISTS\s++{_NAME}(?=\s*+(?:$|\)|AND\b|OR\b))", r"\g<name> IS SET"),
    ("Write `NOT` and `matches`", rf'{_NAME}\s++NOT\s++LIKE\s++"(?P<pattern>\d++)"', _not_like),
    ("Write `matches`", r'\bLIKE\s++"(?P<pattern>\d++)"', _like),
    (
        "Write two comparisons",
        rf"{_NAME}\s++(?P<not>NOT\s++)?(?:BETWEEN\s++\(?(?P<low>{_VALUE})\s*+(?:AND\b|,)\s*+(?P<high>{_VALUE})\)?)",
        lambda match, held: _between(match),
    ),
    (
        "Write two comparisons",
        rf"{_NAME}\s++(?P<not>NOT\s++)?IN\s*+\[?\(?\s*+(?P<low>-?\d++)\s*+\.\.\s*+(?P<high>-?\d++)\s*+\)?\]?",
        lambda match, held: _between(match),
    ),
    ("Put the list in brackets", rf"\bIN\s*+\(\s*+{_ITEMS}\s*+\)", _listed),
    ("Put the list in brackets", rf"\bIN\s++(?=[^,]*+,){_ITEMS}", _listed),
    ("Put the texts in quotes", rf"\bIN\s*+\[\s*+{_ITEMS}\s*+\]", _listed),
    ("Write `startsWith`", r"\bstarts?\s++with\b", "startsWith"),
    ("Write `endsWith`", r"\bends?\s++with\b", "endsWith"),
    (
        "Write `>=`",
        r"\b(?:is\s++)?(?:greater|more)\s++than\s++or\s++equal(?:\s++to)?\b|\b(?:is\s++)?at\s++least\b",
        ">=",
    ),
    ("Write `<=`", r"\b(?:is\s++)?(?:less|fewer)\s++than\s++or\s++equal(?:\s++to)?\b|\b(?:is\s++)?at\s++most\b", "<="),
    ("Write `>`", r"\b(?:is\s++)?(?:greater|more)\s++than\b", ">"),
    ("Write `<`", r"\b(?:is\s++)?(?:less|fewer)\s++than\b", "<"),
    ("Write `!=`", r"\b(?:is\s++not|not)\s++equals?(?:\s++to)?\b|\bIS\s++NOT(?=\s++(?:\"|-?\d|TRUE\b|FALSE\b))", "!="),
    ("Write `==`", r"\b(?:is\s++)?equals?(?:\s++to)?\b|\bIS(?=\s++(?:\"|-?\d|TRUE\b|FALSE\b))", "=="),
    (
        "Put the text in quotes",
        r"(?P<op>[!=]=)\s*+(?P<words>[A-Z]\w*+(?: ++(?-i:(?!(?:AND|OR|NOT|IS|IN)\b)[A-Z])\w*+)++)",
        lambda match, held: f"{match['op']} {_quoted(match['words'], held)}",
    ),
    ("Write the operators of ABL", r"===|!==|<>|=<|=>|(?<![=!<>])=(?![=~>])|[≥≤≠]", _fitting),
    ("Write the operators in uppercase", r"(?<![\w.])(?:and|or|not|implies|is|set|in)(?![\w.(])", _fitting),
    ("Write `COALESCE`", rf"{_NAME}\s*+\?\?\s*+(?P<value>{_VALUE})", r"COALESCE(\g<name>, \g<value>)"),
    (
        "Write a function",
        rf"^\s*+{_NAME}\s*+\|\s*+(?P<function>UPPER|LOWER|TRIM)(?:CASE)?\s*+$",
        lambda match, held: f"{match['function'].upper()}({match['name']})",
    ),
)
_COMPILED: Final = tuple((title, re.compile(pattern, re.IGNORECASE), better) for title, pattern, better in _REWRITINGS)
FUNCTIONS: Final = {
    "LEN": "LENGTH", "SIZE": "LENGTH", "STRLEN": "LENGTH", "UPPERCASE": "UPPER", "TOUPPER": "UPPER",
    "LOWERCASE": "LOWER", "TOLOWER": "LOWER", "IFNULL": "COALESCE", "NVL": "COALESCE",
}  # fmt: skip
"""Functions of other languages with what they are called here."""
SET_TESTS: Final = frozenset({"EXISTS", "ISSET", "DEFINED", "IS_SET", "IS_DEFINED"})
"""Functions of other languages that ask whether a name is set."""
TODAY: Final = 'FORMAT_DATE(NOW(), "YYYY-MM-DD")'
TODAYS: Final = frozenset({"TODAY", "CURRENT_DATE", "CURDATE"})
_RANGE: Final = re.compile(
    rf"{_NAME}\s++(?P<not>NOT\s++)?IN\s++range\(\s*+(?P<low>-?[\w.]++)\s*+,\s*+(?P<high>-?[\w.]++)\s*+\)", re.IGNORECASE
)


def rewritings(text: str) -> Iterator[tuple[str, str]]:
    """Title and text of what an expression that cannot be read may mean: by one rewriting, else by all of them."""
    if len(text) > _LONGEST:
        return
    straight = text.translate(_QUOTES)
    if straight != text and is_readable(straight):
        yield "Write straight quotes", straight
        return
    held = _held(text)
    held = _held(straight) if _CURLY.search(held.text) else held
    together, titles = held.text, []
    for title, pattern, better in _COMPILED:
        alone = _rewritten(pattern, better, held.text, held)
        if alone != held.text and is_readable(held.back(alone)):
            yield title, held.back(alone)
            return
        before, together = together, _rewritten(pattern, better, together, held)
        titles += [title] if together != before else []
    if len(titles) > 1 and is_readable(held.back(together)):
        yield "Write the expression as ABL does", held.back(together)


def _rewritten(pattern: re.Pattern[str], better: _Better, text: str, held: _Held) -> str:
    if isinstance(better, str):
        return pattern.sub(better, text)
    return pattern.sub(lambda match: better(match, held), text)


def is_readable(text: str) -> bool:
    """True for an expression."""
    try:
        compile_expression(text)
    except ExpressionError:
        return False
    return True


def ranged(text: str) -> tuple[str, str] | None:
    """`x IN range(1, 9)` as comparisons, which leave the end out as other languages do."""
    held = _held(text)
    rewritten = held.back(_RANGE.sub(lambda match: _between(match, "<"), held.text))
    return ("Write two comparisons", rewritten) if rewritten != text and is_readable(rewritten) else None
