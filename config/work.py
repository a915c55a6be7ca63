"""The base of our tasks."""

from __future__ import annotations

import logging
from typing import Any

from celery.contrib.django.task import DjangoTask
from django.db import OperationalError

from web.storage import is_full

log = logging.getLogger("abl_workbench.worker")


class Work(DjangoTask):  # type: ignore[misc]
    """A task that a full disk stops with one line in the log: periodic work comes again every second."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the task; None when the disk was full."""
        try:
            return super().__call__(*args, **kwargs)
        except OperationalError as error:
            if not is_full(error):
                raise
            log.error("%s did nothing: the disk is full.", self.name)
            return None
