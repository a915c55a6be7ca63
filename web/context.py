"""The template context that the frame of every page needs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone


def frame(request: HttpRequest) -> dict[str, Any]:
    """``server_now``: the server's clock as ISO text, from which countdowns are reckoned (docs/architecture.md §5)."""
    return {"server_now": timezone.now().isoformat()}
