"""A seal over the value of a sensitive fact, which the log keeps masked only and so cannot vouch for.

A mask may hide every change of a value. The seal is keyed by the secret of the installation, so whoever changes a row
by hand cannot make one that fits; it lies beside the value and goes with it.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from memory.log.chain import moment

Place = tuple[int, str, str, str]
"""Project, scope, owner and path."""


def seal_of(place: Place, recorded_at: datetime, text: str) -> str:
    """The seal of a value, ``text`` being its canonical JSON, as it was written at a place at that time."""
    return _seal(place, recorded_at, text, settings.SECRET_KEY)


def seal_fits(seal: str, place: Place, recorded_at: datetime, text: str) -> bool:
    """Whether a seal is that of the value, under the secret key or one that it replaced."""
    keys = [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]
    return any(constant_time_compare(seal, _seal(place, recorded_at, text, key)) for key in keys)


def _seal(place: Place, recorded_at: datetime, text: str, key: str) -> str:
    project_id, *names = place
    said = "\0".join((str(project_id), *names, str(moment(recorded_at)), text))
    return salted_hmac("memory.seals", said, secret=key, algorithm="sha256").hexdigest()
