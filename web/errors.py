"""The one hierarchy of errors of domain code. It knows no HTTP; ``web.problems`` maps it (docs/architecture.md §1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


class AppError(Exception):
    """A failure that a caller can understand. ``code`` is stable, ``detail`` is for people, ``data`` for programs."""

    code = "error"
    title = "Something went wrong"

    def __init__(self, detail: str = "", *, code: str | None = None, **data: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        if code is not None:
            self.code = code
        self.data = data


class NotFound(AppError):
    """The object does not exist, or the caller may not know that it does."""

    code = "not-found"
    title = "Not found"


class Forbidden(AppError):
    """The caller may see the object but not do this with it."""

    code = "forbidden"
    title = "You don't have permission to do that"


class Invalid(AppError):
    """Bad input. ``fields`` maps the field to what is wrong, what was given and what would be right."""

    code = "invalid"
    title = "The input is not valid"

    def __init__(self, detail: str = "", *, fields: Mapping[str, str] | None = None, **data: Any) -> None:
        super().__init__(detail or "; ".join(f"{k}: {v}" for k, v in (fields or {}).items()), **data)
        self.fields = dict(fields or {})


class TooLarge(Invalid):
    """The request is larger than anything that is taken."""

    code = "too-large"
    title = "The request is too large"


class AddressTooLong(Invalid):
    """The address of a request, with its query, is longer than any of the product; both sizes in bytes."""

    code = "address-too-long"
    title = "The address is too long"

    def __init__(self, size: int, most: int) -> None:
        super().__init__(fields={"address": f"has {size:,} bytes with its query; the limit is {most:,}."})


class HeaderTooLarge(Invalid):
    """The headers of a request are larger than any that are read."""

    code = "header-too-large"
    title = "The request's headers are too large"


class TooSlow(AppError):
    """A request did not arrive in time. ``part`` is what was awaited: its header or its body."""

    code = "too-slow"
    title = "The request took too long to arrive"

    def __init__(self, part: str, seconds: float, *, idle: bool = False) -> None:
        within = f"nothing of it came for {seconds:g} s" if idle else f"it has to arrive within {seconds:g} s"
        super().__init__(f"The {part} of the request was not complete: {within}.", part=part, seconds=seconds)


class OverBudget(AppError):
    """What was asked takes more computing than one request may; ``what`` ran out at ``limit`` (docs/spec 02 §8)."""

    code = "budget-exceeded"
    title = "The computation limit was exceeded"


class TooMany(AppError):
    """The caller asks too often. ``retry_after`` are the seconds until the next request is taken, rounded up."""

    code = "throttled"
    title = "Too many requests"

    def __init__(self, *, seconds: float, rate: int) -> None:
        wait = math.ceil(seconds)
        super().__init__(
            f"A token may make {rate} requests a minute. Wait {wait} s and send this one again.", retry_after=wait
        )


class Busy(AppError):
    """Too much is done at once, of the caller or of all. ``retry_after``: seconds after which a place may be free."""

    code = "busy"
    title = "Too much at once"

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail, retry_after=retry_after)


class Conflict(AppError):
    """The object changed since it was read. ``current`` is what it is now, in the shape that a read gives, or None."""

    code = "conflict"
    title = "Someone else changed this in the meantime"

    def __init__(self, detail: str = "", *, current: Any = None, **data: Any) -> None:
        super().__init__(detail, **data)
        self.current = current


class Unavailable(AppError):
    """A part that the work needs (database, broker) is unavailable; a later attempt can succeed."""

    code = "unavailable"
    title = "A service is unavailable"


class StorageFull(AppError):
    """The disk is full. Nothing was changed, and reading still works."""

    code = "storage-full"
    title = "The disk is full"
    WORDS = (
        "There is no space left on the data disk, so nothing was written. Existing data is safe. "
        "Ask an administrator to free up disk space, then try again."
    )

    def __init__(self) -> None:
        super().__init__(self.WORDS)
