"""Properties that take a number: of the places of ``abl.analysis.shapes``, by place and key (docs/spec 06-09).

Those that a rule of its own looks at (EXECUTION, MULTI_INTENT, MAX_ATTEMPTS, PRIORITY …) are not among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import Final, NamedTuple

from abl.analysis.generic import plain
from abl.analysis.ranges import COUNT, SHARE, Limits

_SECONDS: Final = {"ms": 0.001, "s": 1.0, "sec": 1.0, "seconds": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


class Number(NamedTuple):
    """What may stand there: a number within limits; of a ``unit``, or a time with a unit of its own (``spans``)."""

    limits: Limits
    unit: str = ""
    spans: bool = False

    @property
    def words(self) -> str:
        """How that reads in a message."""
        if self.spans:
            return 'a time such as "15s", or a number of seconds'
        return f"{self.limits.words} ({self.unit})" if self.unit else self.limits.words

    def of_span(self, amount: float, unit: str) -> float | None:
        """A time in the unit of the property."""
        own = {"milliseconds": "ms", "seconds": "s"}.get(self.unit)
        seconds = _SECONDS.get(unit.lower())
        return round(amount * seconds / _SECONDS[own], 6) if own is not None and seconds is not None else None


_FROM_0: Final = Number(Limits(0))
_FROM_1: Final = Number(COUNT)
_ANY: Final = Number(Limits(-inf))
_AMOUNT: Final = Number(Limits(0, whole=False))
_SHARE: Final = Number(SHARE)
_MS: Final = Number(Limits(0), "milliseconds")
_LIMIT_MS: Final = Number(COUNT, "milliseconds")
_LIMIT_S: Final = Number(COUNT, "seconds")
_TIME: Final = Number(Limits(0, whole=False), spans=True)

_NUMBERS: Final[Mapping[str, Mapping[str, Number]]] = {
    "tool": {
        "timeout": _LIMIT_MS, "timeout_ms": _LIMIT_MS, "timeout_seconds": _LIMIT_S, "retry": _FROM_0,
        "retry_delay": _MS, "rate_limit": _AMOUNT, "memory_mb": _FROM_1,
    },
    "tools": {"timeout": _LIMIT_MS, "retry": _FROM_0, "retry_delay": _MS, "rate_limit": _AMOUNT},
    "hints": {"timeout": _LIMIT_MS},
    "retry_policy": {"initial_delay_ms": _MS, "max_delay_ms": _MS, "multiplier": _AMOUNT, "max_retries": _FROM_0},
    "circuit_breaker": {"threshold": _FROM_1, "resetMs": _MS},
    "tool_compaction": {"max_description_length": _FROM_0, "summary_timeout_ms": _MS, "max_search_tokens": _FROM_0},
    "error_handler": {"RETRY": _FROM_0, "RETRY_DELAY": _MS, "RETRY_MAX_DELAY": _MS},
    "field": {"max_retries": _FROM_0, "extraction_group": _FROM_0},
    "validation": {"max_retries": _FROM_0},
    "mask_config": {"showFirst": _FROM_0, "showLast": _FROM_0},
    "lookup": {"timeout_ms": _LIMIT_MS, "fuzzy_threshold": _SHARE},
    "await_attachment": {"TIMEOUT": _LIMIT_S},
    "secure_input": {"MAX_ATTEMPTS": _FROM_1},
    "secure_collect": {"interDigitTimeoutMs": _MS, "asrTimeoutMs": _MS},
    "resolve_sip": {"TIMEOUT_MS": _MS},
    "handoff": {"ASYNC_TIMEOUT": _TIME, "TIMEOUT": _TIME},
    "remote": {"timeout": _TIME},
    "delegate_failure": {"count": _FROM_1},
    "history": {"count": _FROM_1},
    "routing": {"PRIORITY": _ANY},
    "guardrail": {"priority": _ANY, "max_reasks": _FROM_0, "filter_min_length": _FROM_0},
    "embeddings": {"threshold": _SHARE},
    "evaluation": {"confidence_threshold": _SHARE},
    "attachment": {"max_file_size_mb": _AMOUNT, "max_size_mb": _AMOUNT},
    "profile_response": {"max_buttons": _FROM_0, "max_response_length": _FROM_1},
    "voice": {"END_OF_SPEECH_TIMEOUT_MS": _MS},
    "file": {"sizeBytes": _FROM_0},
    "table": {"maxVisibleRows": _FROM_1},
    "feedback": {"expires_after": Number(Limits(30, 86400), "seconds")},
}  # fmt: skip


def number_keys() -> Iterator[tuple[str, str]]:
    """Every place and key that takes one."""
    return ((place, key) for place, keys in _NUMBERS.items() for key in keys)


_BY_KEY: Final = {(place, plain(key)): number for place, keys in _NUMBERS.items() for key, number in keys.items()}


@lru_cache(maxsize=4_096)
def number_at(place: str, key: str) -> Number | None:
    """The number that a property takes; None for one that takes something else."""
    return _BY_KEY.get((place, plain(key)))
