"""What a write of a record is, and the check of its content against the schema (docs/spec 11 §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.facts.services import ANY, Expected
from memory.models import StoreDefinition
from memory.stores.content import SchemaRefused
from memory.stores.keywords import STEPS, TooMuchWork
from memory.stores.validation import TOO_MUCH, Problem, errors_within
from web.errors import Invalid


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies, and the session at whose end it goes ("" for none)."""

    store: StoreDefinition
    owner: str
    session: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What is written. ``merge``: fields that are not sent stay; else the content is replaced as a whole.

    :param expected: version that must be there, None for no live record, ``ANY`` for no condition.
    :param at: the writer's clock, which is not the real one when ``virtual_clock``.
    :param steps: of a schema check that has to be made under the lock; ``TooMuchWork`` beyond them.
    """

    content: Mapping[str, Any]
    at: datetime
    merge: bool = True
    expected: int | Expected | None = ANY
    virtual_clock: bool = False
    source: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    steps: int = STEPS


def schema_errors(store: StoreDefinition, content: Mapping[str, Any]) -> list[Problem]:
    """What in a content breaks the schema. ``Invalid`` when that takes too long to say, in whatever store."""
    try:
        return errors_within(store.schema, content)
    except TooMuchWork:
        raise Invalid(fields={"content": TOO_MUCH}) from None


def checked(store: StoreDefinition, content: Mapping[str, Any], steps: int = STEPS) -> list[Problem]:
    """The schema errors of a content. A strict store takes none that has any: ``SchemaRefused``.

    With fewer ``steps`` than a check may take ``TooMuchWork`` is raised beyond them.
    """
    errors = schema_errors(store, content) if steps >= STEPS else errors_within(store.schema, content, steps)
    if errors and store.strict:
        words = "; ".join(f"at {error['path'] or 'the root'}: {error['message']}" for error in errors[:3])
        raise SchemaRefused(f"{store.technical_name} is strict. {words}", fields={"content": words}, errors=errors)
    return errors
