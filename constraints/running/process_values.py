"""Storing and deleting the values of ``RESET: never`` variables, which the conversations of a project share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from constraints.models import Conversation, ProcessValue
from constraints.traces.storing import storable_json
from editor.models import Project


def process_values_keep(*, conversation: Conversation, values: Mapping[str, Any]) -> None:
    """Store what a turn changed, by "agent.name", inside the caller's transaction; None takes a value away.

    The conversation's user is noted beside those who wrote the value before: it may be derived from theirs.
    """
    for key, value in sorted(values.items()):
        agent, _, name = key.partition(".")
        place: dict[str, Any] = {"project_id": conversation.project_id, "agent": agent, "name": name}
        if value is None:
            _take_away(ProcessValue.objects.filter(**place))
            continue
        kept, _ = ProcessValue.objects.update_or_create(**place, defaults={"value": storable_json(value)})
        kept.sources.get_or_create(user=conversation.user)


def process_values_of(*, project: Project, user: str) -> QuerySet[ProcessValue]:
    """The values that conversations with a user wrote."""
    return ProcessValue.objects.filter(project=project, sources__user=user)


def process_values_forget(*, project: Project, user: str) -> int:
    """Take away the values that conversations with a user wrote, inside the caller's transaction. Returns how many."""
    chosen = list(process_values_of(project=project, user=user).values_list("pk", flat=True))
    return _take_away(ProcessValue.objects.filter(pk__in=chosen))


def _take_away(values: QuerySet[ProcessValue]) -> int:
    # Locked first: a turn that is about to end could note another user beside a value that goes.
    locked = list(values.select_for_update().order_by("agent", "name").values_list("pk", flat=True))
    ProcessValue.objects.filter(pk__in=locked).delete()
    return len(locked)
