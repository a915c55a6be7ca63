"""Money and dates for readers (docs/spec 02 §8). Babel is imported on first use: it is slow to load."""

from __future__ import annotations

import decimal
import re
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from .. import bounds
from ..budget import writes
from ..dates import is_date_only, read_moment, to_datetime
from ..values import Value, number_text, text, to_number
from .table import builtin

DATE_TOKENS = re.compile(r"YYYY|MMMM|MMM|MM|DD|HH|mm|ss")
_LONGEST_NAME = 200
"""Characters of the name of a currency, a locale or a time zone; none is longer."""
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


@builtin("FORMAT_CURRENCY(n, currency, locale?)", "string")
def format_currency(value: Value, currency: Value, *locale: Value) -> Value:
    """An amount of money as a locale writes it, by default `en-US`; plain text when currency or locale is unknown."""
    from babel import Locale, UnknownLocaleError
    from babel import numbers as money

    number = to_number(value)
    if number is None:
        return None
    code = text(currency)[:_LONGEST_NAME].strip().upper()
    place = text(locale[0])[:_LONGEST_NAME] if locale else "en-US"
    try:
        known = Locale.parse(place.replace("-", "_"))
        if not money.is_currency(code):
            return number_text(number)
        return money.format_currency(decimal.Decimal(repr(number)), code, locale=known)
    except (UnknownLocaleError, ValueError, TypeError, AttributeError, decimal.InvalidOperation):
        return number_text(number)


@builtin("FORMAT_DATE(d, format, tz?)", "string")
def format_date(value: Value, template: Value, *zone: Value) -> Value:
    """A date by the tokens YYYY MM MMM MMMM DD HH mm ss, in UTC or a named time zone; unreadable d: its text."""
    written = text(value)
    moment = read_moment(written)
    when = to_datetime(moment) if moment is not None else None
    if when is None:
        return written
    if zone and not is_date_only(written):
        try:
            when = when.astimezone(_time_zone(text(zone[0])))
        except OverflowError:
            return written
    parts = _date_parts(when)
    layout = text(template)[: 2 * bounds.MAX_TEXT]  # a token of four letters may become a month of three
    writes(len(layout))
    return DATE_TOKENS.sub(lambda token: parts[token.group()], layout)[: bounds.MAX_TEXT]


def _time_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name if len(name) <= _LONGEST_NAME else "")
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def _date_parts(when: datetime) -> dict[str, str]:
    month = _MONTHS[when.month - 1]
    return {
        "YYYY": f"{when.year:04}",
        "MMMM": month,
        "MMM": month[:3],
        "MM": f"{when.month:02}",
        "DD": f"{when.day:02}",
        "HH": f"{when.hour:02}",
        "mm": f"{when.minute:02}",
        "ss": f"{when.second:02}",
    }
