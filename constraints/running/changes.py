"""Counting and announcing changes of a conversation, and sending turns to the broker."""

from __future__ import annotations

import structlog
from celery import current_app
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError

from constraints.models import Conversation
from web.streams import announce

log = structlog.get_logger("abl_workbench.turns")

TASK = "constraints.run_turn"
MESSAGE_SECONDS = 60
"""Seconds after which an undelivered message is dropped: the sweeper has sent others by then."""


def conversation_changed(*, conversation_id: int) -> int:
    """Count one change inside the running transaction, tell the streams, and return the new version."""
    Conversation.objects.filter(pk=conversation_id).update(version=F("version") + 1, unsettled_since=timezone.now())
    announce()
    return int(Conversation.objects.values_list("version", flat=True).get(pk=conversation_id))


def turn_enqueue(*, turn_id: int) -> None:
    """Send the id to a worker when the running transaction commits.

    An unreachable broker is not an error: the row says that there is work, and the sweeper sends the id again.
    """
    transaction.on_commit(lambda: send(turn_id), robust=True)


def send(turn_id: int) -> bool:
    """Send now; False when the broker does not answer."""
    try:
        current_app.send_task(TASK, args=[turn_id], retry=False, expires=MESSAGE_SECONDS)
    except (OperationalError, OSError) as error:
        log.warning("broker away", turn=turn_id, error=str(error))
        return False
    return True
