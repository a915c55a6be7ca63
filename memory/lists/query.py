"""What a list of facts is narrowed to, and how it is written in an address or kept as a saved view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta

from django.utils.http import urlencode

from memory import values
from memory.models import Scope
from web.errors import Invalid

STATES = ("live", "expiring", "expired", "forever")
SORTS = ("path", "-path", "time", "-time", "changed", "-changed")
LONGEST = 600
CHOSEN = 500
"""Facts that one request may name."""
_KNOWN = {"scope": tuple(map(str, Scope.values)), "state": STATES, "sort": SORTS}


@dataclass(frozen=True, slots=True)
class FactQuery:
    """The filters of a list and its order; an empty part narrows nothing. All parts are text, as in an address.

    ``below`` is a node of the tree: a path and everything under it; ``prefix`` is plain text that paths begin with.
    ``domain`` is that of docs/spec 03 §5. ``since`` is a time (ISO) or an age such as ``24h``, by the real clock.
    ``search`` is looked for in the values, in any case; sensitive and expired values are never looked into.
    ``sort`` is path, time (left) or changed, with ``-`` the other way; empty: whatever suits the filters.
    """

    scope: str = ""
    owner: str = ""
    below: str = ""
    prefix: str = ""
    domain: str = ""
    state: str = ""
    agent: str = ""
    since: str = ""
    search: str = ""
    sort: str = ""

    @classmethod
    def read(cls, given: Mapping[str, str]) -> FactQuery:
        """From the query string or a saved view; other keys are passed over. Raises ``Invalid`` naming the fields."""
        query = cls(**{part.name: str(given.get(part.name) or "") for part in fields(cls)})
        problems = query.problems()
        if problems:
            raise Invalid(fields=problems)
        return query

    def problems(self) -> dict[str, str]:
        """Field to what is wrong with it."""
        given = asdict(self)
        problems = {
            name: f"{given[name][:40]!r} is not one of {', '.join(known)}"
            for name, known in _KNOWN.items()
            if given[name] and given[name] not in known
        }
        if self.owner and self.scope in ("", Scope.PROJECT):
            problems["owner"] = "counts only with the scope user or execution_tree; give scope too"
        if self.since and read_since(self.since, datetime.now(UTC)) is None:
            problems["since"] = f"{self.since[:40]!r} is neither a time (2026-03-03T09:14Z) nor an age (24h)"
        for name, text in given.items():
            if not values.storable_text(text):
                problems[name] = "has a NUL character or half a surrogate pair"
            elif len(text) > LONGEST:
                problems[name] = f"is longer than {LONGEST} characters"
        return problems

    def params(self, **changes: str) -> dict[str, str]:
        """The parts that are set, some of them changed; ``read`` takes them back."""
        return {name: text for name, text in asdict(replace(self, **changes)).items() if text}

    def text(self, **changes: str) -> str:
        """The query string with some parts changed; ``?`` in front unless it is empty."""
        text = urlencode(self.params(**changes))
        return f"?{text}" if text else ""

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        return self != FactQuery(sort=self.sort)

    @property
    def ordered(self) -> str:
        """The order that the list has: what was asked for, or what suits the filters."""
        if self.sort:
            return self.sort
        if self.state in ("expiring", "expired"):
            return "time"
        return "-changed" if self.since else "path"

    def since_at(self, now: datetime) -> datetime | None:
        """From when on changes count; None for all."""
        return read_since(self.since, now) if self.since else None


def chosen_facts(texts: Sequence[str]) -> dict[int, int | None]:
    """Id to seen version of facts, each named as ``<id>`` or ``<id>:<version>``. Raises ``Invalid``, also for none."""
    chosen: dict[int, int | None] = {}
    for text in texts[: CHOSEN + 1]:
        pk, _, version = text.partition(":")
        if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (pk, version or "0")):
            raise Invalid(fields={"fact": f"{text[:40]!r} is not <id> or <id>:<version>"})
        chosen[int(pk)] = int(version) if version else None
    if not 0 < len(chosen) <= CHOSEN:
        raise Invalid(fields={"fact": f"choose 1 to {CHOSEN} facts"})
    return chosen


def read_since(text: str, now: datetime) -> datetime | None:
    """A time in ISO form, without a zone in UTC, or an age such as ``24h``; None for what is neither."""
    seconds = values.ttl_seconds(text)
    try:
        if seconds is not None:
            return now - timedelta(seconds=seconds)
        # A plus in an address is a space.
        at = datetime.fromisoformat(text.strip().replace(" ", "+") if "T" in text else text.strip())
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
