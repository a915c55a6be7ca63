"""Quotas of disk space: what a project or an account stores counts, and beyond the quota nothing new is accepted."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from web.errors import TooLarge

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Quota:
    """The bytes that some things may take, and what to do when there is no room left.

    ``things`` in the plural. ``setting`` is the name of the setting in megabytes, as the environment has it.
    ``remedy`` begins the sentence that says what to do; empty: delete some of the things.
    """

    field: str
    things: str
    setting: str
    remedy: str = ""

    @property
    def limit(self) -> int:
        """The bound in bytes."""
        return int(getattr(settings, self.setting.removeprefix("ABL_")) * MEGABYTE)

    def refuse(self, *, new: int, used: int, whose: str, begins: str = "") -> None:
        """Raise ``TooLarge`` (``quota-exceeded``) if ``new`` bytes have no room beside the ``used`` ones."""
        if used + new > self.limit:
            remedy = self.remedy or f"Delete {self.things} that are no longer needed"
            words = (
                f"{begins}{self.things} of {whose} take {used:,} of {self.limit:,} bytes. "
                f"{remedy}, or have {self.setting} raised by who runs the workbench"
            )
            raise TooLarge(fields={self.field: words}, code="quota-exceeded", used=used, limit=self.limit)
