"""Local recognisers: typed values in the words of a user (docs/spec 07 §3). Deterministic, no model.

A recogniser gives every reading of a text as :class:`Found`, in order; :func:`whole` reads a text that is nothing but
the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

MAX_TEXT = 10_000
"""Characters of a message that are looked at; the rest is ignored."""


class Found(NamedTuple):
    """A value with its half-open range in the text; ``extra`` is the ISO code beside an amount."""

    start: int
    end: int
    value: Any
    extra: str | None = None


SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS = (
    {word: n for n, word in enumerate(SMALL)}
    | {word: 20 + 10 * n for n, word in enumerate(TENS)}
    | {f"{tens}-{SMALL[unit]}": 20 + 10 * n + unit for n, tens in enumerate(TENS) for unit in range(1, 10)}
    | {"hundred": 100, "a hundred": 100, "one hundred": 100}
)
_WORDS = "|".join(sorted((re.escape(w).replace(r"\-", "[- ]") for w in NUMBER_WORDS), key=len, reverse=True))
_DIGITS = r"[+-]?(?:\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
NUMBER = re.compile(rf"(?<![\w.])(?<![^\W\d_]-)(?:({_DIGITS})(?![\d])(?!\.\d)|\b({_WORDS})\b)", re.IGNORECASE)
COMMA_DECIMAL = frozenset({"de", "fr", "es", "it", "nl", "pt", "pl", "da", "sv", "nb", "fi", "cs", "ru", "tr"})
SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
CODES = "USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|CNY|BRL|MXN|ZAR|SGD|HKD|KRW|TRY"
_BEFORE = rf"(?P<before>[$€£¥₹]|\b(?:{CODES})(?![^\W\d_]))\s?"
_AFTER = rf"(?:\s?(?P<after>[$€£¥₹]|(?:{CODES})\b))?"
_CURRENCY = re.compile(rf"(?:{_BEFORE}|(?<![\w.])(?<![^\W\d_]-))(?P<number>{_DIGITS})(?!\d)(?!\.\d){_AFTER}")
_CURRENCY_IN_WORDS = re.compile(rf"(?:{_BEFORE})?\b(?P<number>(?i:{_WORDS}))\b{_AFTER}")
TRUE_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("yes", "yeah", "yep", "true", "y", "ok", "okay", "correct", "sure", "right", "of course"),
    "de": ("ja", "stimmt", "richtig"),
    "fr": ("oui", "d'accord"),
    "es": ("sí", "si", "claro"),
    "it": ("sì", "si"),
    "nl": ("ja",),
    "pt": ("sim",),
}
FALSE_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("no", "nope", "false", "n", "not", "never", "wrong", "incorrect"),
    "de": ("nein", "falsch"), "fr": ("non",), "es": ("no",), "it": ("no",), "nl": ("nee",), "pt": ("não", "nao"),
}  # fmt: skip
EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")  # begins once in a run of letters: linear
PHONE = re.compile(r"(?<!\w)\+?\(?\d[\d\s().\-/]{5,24}\d(?!\w)")
ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
SLASH_DATE = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})\b")
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(f"{m}|{m[:3]}\\.?" for m in MONTHS) + "|sept\\.?"
DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\b(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE)
MONTH_DAY = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE)
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAY = re.compile(rf"\b(?:(next|this|last)\s+)?({'|'.join(WEEKDAYS)})\b", re.IGNORECASE)
RELATIVE = re.compile(r"\b(day after tomorrow|today|tomorrow|yesterday)\b", re.IGNORECASE)
IN_DAYS = re.compile(rf"\bin\s+(\d+|an?|{_WORDS})\s+(day|week|month|year)s?\b", re.IGNORECASE)
TIME = re.compile(
    r"\b(?:at\s+)?(?:([01]?\d|2[0-3]):([0-5]\d)(?:\s*([ap])\.?m\b\.?)?|(1[0-2]|0?[1-9])\s*([ap])\.?m\b\.?)",
    re.IGNORECASE,
)


def parse_number(text: str, language: str = "en") -> float | int | None:
    """The number that ``text`` is, grouping and decimal mark read by the language."""
    word = re.sub(r"\s+", "-", text.strip().lower())
    if word in NUMBER_WORDS or word.replace("-", " ") in NUMBER_WORDS:
        return NUMBER_WORDS.get(word, NUMBER_WORDS.get(word.replace("-", " ")))
    digits = re.sub(r"['\u00a0\u202f ]", "", text.strip())
    decimal, group = (",", ".") if language[:2] in COMMA_DECIMAL else (".", ",")
    if digits.count(decimal) == 1 and group not in digits.split(decimal)[1]:
        digits = digits.replace(group, "").replace(decimal, ".")
    elif re.fullmatch(rf"[+-]?\d{{1,3}}(?:\{group}\d{{3}})+", digits):
        digits = digits.replace(group, "")
    else:
        digits = digits.replace(group, ".")
    try:
        value = float(digits)
    except ValueError:
        return None
    if value in {float("inf"), float("-inf")}:
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def numbers(text: str, language: str, today: date) -> Iterator[Found]:
    """Numbers in digits or in words from zero to hundred."""
    for match in NUMBER.finditer(text):
        value = parse_number(match.group(), language)
        if value is not None:
            yield Found(match.start(), match.end(), value)


def integers(text: str, language: str, today: date) -> Iterator[Found]:
    """Numbers without a fraction."""
    for found in numbers(text, language, today):
        if float(found.value).is_integer():
            yield found._replace(value=int(found.value))


def amounts(text: str, language: str, today: date) -> Iterator[Found]:
    """Numbers with a currency symbol or ISO code before or behind them, or bare; in words where none is in digits."""
    for match in [*_CURRENCY.finditer(text)] or _CURRENCY_IN_WORDS.finditer(text):
        value = parse_number(match["number"], language)
        mark = match["before"] or match["after"]
        if value is not None:
            yield Found(match.start(), match.end(), value, SYMBOLS.get(mark, mark) if mark else None)


def booleans(text: str, language: str, today: date) -> Iterator[Found]:
    """Words of agreement and refusal in English and in the language of the agent."""
    tables = (
        (word, truth)
        for truth, table in ((True, TRUE_WORDS), (False, FALSE_WORDS))
        for lang in {"en", language[:2]}
        for word in table.get(lang, ())
    )
    hits = [
        Found(m.start(), m.end(), truth)
        for word, truth in tables
        for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    ]
    # "not sure" contains both; the refusal counts.
    hits.sort(key=lambda f: (f.value, f.start, -f.end))
    yield from hits


def emails(text: str, language: str, today: date) -> Iterator[Found]:
    """Addresses with one @ and a dot in the domain, the domain in lower case."""
    for match in EMAIL.finditer(text):
        local, _, domain = match.group().rpartition("@")
        yield Found(match.start(), match.end(), f"{local}@{domain.lower().rstrip('.')}")


def phones(text: str, language: str, today: date) -> Iterator[Found]:
    """7 to 15 digits with the usual separators, which become ``-``."""
    for match in PHONE.finditer(text):
        written = match.group()
        if 7 <= sum(c.isdigit() for c in written) <= 15:
            body = re.sub(r"[\s().\-/]+", "-", written.lstrip("+")).strip("-")
            yield Found(match.start(), match.end(), ("+" if written.startswith("+") else "") + body)


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name.lower().rstrip(".")[:3]))


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _yearless(month: int, day: int, today: date, temporal: str) -> date | None:
    """The date nearest to what ``temporal`` wants: the coming one unless it asks for the past; today is today."""
    this = _valid(today.year, month, day)
    if this is None or (this <= today if temporal == "past" else this >= today):
        return this
    return _valid(today.year + (-1 if temporal == "past" else 1), month, day)


def _month_first(language: str) -> bool:
    return language.lower() in {"en", "en-us"}


def dates(text: str, language: str, today: date, temporal: str = "any") -> Iterator[Found]:
    """ISO, numeric by the language's order, month names, weekdays, today and the like, "in N days"."""
    hits: list[tuple[int, int, date | None]] = []
    hits += [(m.start(), m.end(), _valid(int(m[1]), int(m[2]), int(m[3]))) for m in ISO_DATE.finditer(text)]
    for m in SLASH_DATE.finditer(text):
        year = int(m[4]) + (2000 if len(m[4]) == 2 else 0)
        first, second = int(m[1]), int(m[3])
        month, day = (first, second) if _month_first(language) and m[2] != "." and first <= 12 else (second, first)
        hits.append((m.start(), m.end(), _valid(year, month, day)))
    for pattern, day_group, month_group in ((DAY_MONTH, 1, 2), (MONTH_DAY, 2, 1)):
        for m in pattern.finditer(text):
            month, day = _month_number(m[month_group]), int(m[day_group])
            found = _valid(int(m[3]), month, day) if m[3] else _yearless(month, day, today, temporal)
            hits.append((m.start(), m.end(), found))
    for m in RELATIVE.finditer(text):
        shift = {"today": 0, "tomorrow": 1, "yesterday": -1}.get(m[1].lower(), 2)
        hits.append((m.start(), m.end(), today + timedelta(days=shift)))
    hits += [(m.start(), m.end(), _weekday(m, today)) for m in WEEKDAY.finditer(text)]
    hits += [(m.start(), m.end(), _in_days(m, today)) for m in IN_DAYS.finditer(text)]
    if not hits and not language.startswith("en"):
        yield from _foreign_dates(text, language, today)
    end = -1
    for start, stop, value in sorted(hits, key=lambda h: (h[0], -h[1])):
        if start >= end and value is not None:
            end = stop
            yield Found(start, stop, value.isoformat())


def _weekday(match: re.Match[str], today: date) -> date:
    ahead = (WEEKDAYS.index(match[2].lower()) - today.weekday()) % 7
    match (match[1] or "").lower():
        case "last":
            return today - timedelta(days=(7 - ahead) if ahead else 7)
        case "next":
            return today + timedelta(days=ahead or 7)
        case _:
            return today + timedelta(days=ahead)


def _in_days(match: re.Match[str], today: date) -> date | None:
    word = match[1].lower()
    count = 1 if word in {"a", "an"} else parse_number(word)
    if count is None or count > 40_000:
        return None
    unit = match[2].lower()
    if unit in {"day", "week"}:
        return today + timedelta(days=int(count) * (7 if unit == "week" else 1))
    months = today.month - 1 + int(count) * (12 if unit == "year" else 1)
    year, month = today.year + months // 12, months % 12 + 1
    return next(
        (d for day in range(today.day, 27, -1) if (d := _valid(year, month, day))),
        _valid(year, month, min(today.day, 28)),
    )


def _foreign_dates(text: str, language: str, today: date) -> Iterator[Found]:
    import dateparser.search

    base = datetime.combine(today, datetime.min.time())
    settings = {"RELATIVE_BASE": base, "REQUIRE_PARTS": ["day"], "RETURN_AS_TIMEZONE_AWARE": False}
    try:
        hits = dateparser.search.search_dates(text[:500], languages=[language[:2]], settings=settings)
    except ValueError:  # a language the library does not know
        return
    at = 0
    for words, moment in hits or ():
        start = text.find(words, at)
        if start >= 0:
            at = start + len(words)
            yield Found(start, at, moment.date().isoformat())


def datetimes(text: str, language: str, today: date, temporal: str = "any") -> Iterator[Found]:
    """A date with a time of day behind or before it."""
    clock = TIME.search(text)
    day = next(iter(dates(text, language, today, temporal)), None)
    if clock is None or day is None:
        return
    hour, minute = int(clock[1] or clock[4]), int(clock[2] or 0)
    half = (clock[3] or clock[5] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    yield Found(min(day.start, clock.start()), max(day.end, clock.end()), f"{day.value}T{hour:02d}:{minute:02d}:00Z")


Recogniser = Callable[[str, str, date], Iterator[Found]]
RECOGNISERS: dict[str, Recogniser] = {
    "number": numbers, "float": numbers, "integer": integers, "currency": amounts, "boolean": booleans,
    "date": dates, "datetime": datetimes, "email": emails, "phone": phones,
}  # fmt: skip


def recognise(kind: str, text: str, language: str, today: date, temporal: str = "any") -> list[Found]:
    """Every reading of ``text`` as ``kind``; none for types without a recogniser."""
    text = text[:MAX_TEXT]
    if kind == "date":
        return list(dates(text, language, today, temporal))
    if kind == "datetime":
        return list(datetimes(text, language, today, temporal))
    finder = RECOGNISERS.get(kind)
    return list(finder(text, language, today)) if finder else []


def whole(kind: str, text: str, language: str, today: date, temporal: str = "any") -> Found | None:
    """The reading of a text that holds nothing else but blanks and closing punctuation."""
    core = text.strip().rstrip(".!?,")
    lead = len(text) - len(text.lstrip())
    for found in recognise(kind, core, language, today, temporal):
        if found.start == 0 and found.end == len(core):
            return found._replace(start=lead, end=lead + len(core))
    return None
