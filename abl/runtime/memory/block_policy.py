"""How memory blocks reach an agent: ``memory_policy`` of a request (docs/spec 11 §1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from typing import Any

MODES = ("tool_only", "auto", "off")
MOST_REMINDERS = 100


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """The settings of one request; the defaults are those of docs/spec 11 §1."""

    archival_mode: str = "tool_only"
    archival_limit: int = 10
    archival_min_score: float | None = None
    include_user_core: bool = True
    include_agent_core: bool = True

    @classmethod
    def read(cls, given: Mapping[str, Any] | MemoryPolicy | None, base: MemoryPolicy | None = None) -> MemoryPolicy:
        """The policy of a mapping; what it does not say is as in ``base``. ValueError names the key and what is right.

        Keys: ``archival_mode`` ("tool_only", "auto", "off"), ``archival_limit`` (0 to 100), ``archival_min_score``
        (0 to 1, None = no bound), ``include_user_core``, ``include_agent_core``.
        """
        base = base or cls()
        if given is None:
            return base
        if isinstance(given, MemoryPolicy):
            return given
        if not isinstance(given, Mapping):
            raise ValueError(f"memory_policy is {_kind(given)}; an object with {', '.join(_CHECKS)} is right")
        for key, value in given.items():
            if key not in _CHECKS:
                near = get_close_matches(str(key), list(_CHECKS), n=1)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(_CHECKS)}"
                raise ValueError(f"memory_policy has no {key!r}; {hint}")
            wanted = _CHECKS[key](value)
            if wanted is not None:
                raise ValueError(f"memory_policy.{key} is {value!r}; it is {wanted}")
        return replace(base, **given)

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        return asdict(self)


def _mode(value: Any) -> str | None:
    return None if isinstance(value, str) and value in MODES else "tool_only, auto or off"


def _limit(value: Any) -> str | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_REMINDERS
    return None if fits else f"a whole number from 0 to {MOST_REMINDERS}"


def _score(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1)
    return None if fits else "a number from 0 to 1, or null"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


_CHECKS = {
    "archival_mode": _mode,
    "archival_limit": _limit,
    "archival_min_score": _score,
    "include_user_core": _flag,
    "include_agent_core": _flag,
}


def _kind(value: Any) -> str:
    return {"str": "a text", "list": "a list"}.get(type(value).__name__, f"a {type(value).__name__}")
