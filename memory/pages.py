"""What the pages of blocks and banks share: their frame, their forms and the way on after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from editor.models import Project
from memory.selectors import may_write
from memory.values import storable_text
from memory.views import user_of
from web.errors import Invalid

SIZE = 50


def go(request: HttpRequest, address: str) -> HttpResponse:
    """On to another page after a change, by htmx or by itself."""
    htmx: Any = getattr(request, "htmx", None)
    if htmx and not htmx.history_restore_request:
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def frame(request: HttpRequest, project: Project, tab: str) -> dict[str, Any]:
    """What every page of a memory system needs."""
    can_write = may_write(user=user_of(request), project=project)
    return {"project": project, "section": "memory", "memory_tab": tab, "can_write": can_write}


def chosen(given: QueryDict, names: Sequence[str]) -> dict[str, str]:
    """Those parts of an address or form, without space around them. Raises ``Invalid`` for what cannot be stored."""
    found = {name: str(given.get(name, "")).strip() for name in names}
    problems = {n: "has a character that cannot be stored" for n, value in found.items() if not storable_text(value)}
    if problems:
        raise Invalid(fields=problems)
    return found


def content_in(request: HttpRequest) -> str:
    """The text of the form as it was typed; browsers send CRLF for the end of a line."""
    return str(request.POST.get("content", "")).replace("\r\n", "\n")


def page_in(request: HttpRequest) -> int:
    """The page asked for, from 1. Raises ``Invalid``."""
    page = str(request.GET.get("page", "1"))
    if not (page.isascii() and page.isdigit() and 0 < int(page[:9]) <= 10_000 and len(page) < 10):
        raise Invalid(fields={"page": f"{page[:20]!r} is not a page; give 1 to 10000"})
    return int(page)


def address_of(parts: Mapping[str, str], page: int) -> str:
    """The query string of a page of a narrowed list."""
    given = {name: value for name, value in parts.items() if value} | ({"page": str(page)} if page > 1 else {})
    return f"?{urlencode(given)}"
