"""Dates and date-times as ABL knows them: texts of two exact shapes (docs/spec 02 §2)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

_SHAPE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_SHORTEST: Final = 10
_LONGEST: Final = 64
_DAY: Final = 86_400


class Moment(NamedTuple):
    """A point in time that can be compared: whole seconds since year 1 in UTC, then the decimals of the second.

    `fraction` holds digits without trailing zeros; digits of any number order correctly as text.
    """

    seconds: int
    fraction: str


def read_moment(text: str) -> Moment | None:
    """The moment a text names, a date counting as its UTC midnight; None for every other text."""
    if not _SHORTEST <= len(text) <= _LONGEST or text[4] != "-" or text[7] != "-":
        return None
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal()
    except ValueError:
        return None
    offset = _zone_seconds(zone)
    clock = (int(hour or 0), int(minute or 0), int(second or 0))
    if offset is None or clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        return None
    seconds = days * _DAY + clock[0] * 3600 + clock[1] * 60 + clock[2] - offset
    return Moment(seconds, (fraction or "").rstrip("0"))


def _zone_seconds(zone: str | None) -> int | None:
    if zone is None or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        return None
    return (1 if zone[0] == "+" else -1) * (hours * 3600 + minutes * 60)


def is_date_only(text: str) -> bool:
    """True for the shape `YYYY-MM-DD`; the caller knows already that the text is a moment."""
    return len(text) == _SHORTEST


def to_datetime(moment: Moment) -> datetime | None:
    """The moment as an aware UTC datetime, decimals cut to microseconds; None outside the years 1 to 9999."""
    try:
        start = datetime.fromordinal(moment.seconds // _DAY).replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    micro = int((moment.fraction + "000000")[:6])
    return start + timedelta(seconds=moment.seconds % _DAY, microseconds=micro)


def timestamp_text(moment: datetime) -> str:
    """ISO-8601 in UTC with milliseconds, as `NOW()` gives it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
