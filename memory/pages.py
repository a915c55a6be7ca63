"""What the pages of all memory systems share: who asks and how, the frame, forms, and a form that was refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from editor.models import Project, User
from editor.requests import wants_json
from memory.facts.selectors import may_write
from memory.values import storable_text
from web.errors import AppError, Conflict, Invalid
from web.problems import status_of

SIZE = 50

View = Callable[..., HttpResponse]


def user_of(request: HttpRequest) -> User:
    """The signed-in user; the views of memory are behind ``project_view``."""
    user = request.user
    if not isinstance(user, User):
        raise TypeError("This view is not behind signed_in.")
    return user


def asked_by_htmx(request: HttpRequest) -> bool:
    """Whether a part of a page asks, not a person who goes to an address."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx and not htmx.history_restore_request)


def part_for(request: HttpRequest) -> str:
    """Id of the element that htmx asks for, or "" for a whole page."""
    htmx: Any = getattr(request, "htmx", None)
    return str(htmx.target or "") if asked_by_htmx(request) else ""


def plain(request: HttpRequest) -> bool:
    """Whether a form was sent without scripts: its page is gone, so a refusal has to bring what was typed again."""
    return not getattr(request, "htmx", None) and not wants_json(request)


def by_person(request: HttpRequest) -> bool:
    """Whether the answer is looked at, as a page or as a part of one."""
    return not wants_json(request)


def asked_again(again: View, *, when: Callable[[HttpRequest], bool] = plain) -> Callable[[View], View]:
    """A view whose refused form is asked again: ``again(request, project, error, **kwargs)`` answers a POST for it.

    So what was typed is not lost. Where ``when`` is false the error goes on to who shows it (``ErrorMiddleware``).
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, project: Project, **kwargs: Any) -> HttpResponse:
            try:
                return view(request, project, **kwargs)
            except (Invalid, Conflict) as error:
                if request.method != "POST" or not when(request):
                    raise
                return again(request, project, error, **kwargs)

        return inner

    return decorate


def refused(
    request: HttpRequest, page: str, context: dict[str, Any], error: AppError | None, *, there: Any = None
) -> HttpResponse:
    """The page of one thing, or why a form on it was refused: in place of the page, or by htmx beside the form.

    :param context: what the page needs; ``typed`` is what the fields hold, ``seen`` the version that they are about.
    :param there: the thing as it is now, which a conflict shows; a form that is sent again is about that.
    """
    if error is None:
        return render(request, page, context)
    context = {**context, "error": error, "status": status_of(error), "there": there}
    if not isinstance(error, Conflict):
        context["there"] = None
    context["oob"] = asked_by_htmx(request)
    if asked_by_htmx(request):
        return render(request, "memory/_again.html", context, status=status_of(error))
    return render(request, page, context, status=status_of(error))


def go(request: HttpRequest, address: str) -> HttpResponse:
    """On to another page after a change, by htmx or by itself."""
    if asked_by_htmx(request):
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


def text_in(request: HttpRequest, name: str) -> str:
    """A field of the form without space around it."""
    return str(request.POST.get(name, "")).strip()


def content_in(request: HttpRequest) -> str:
    """The text of the form as it was typed; browsers send CRLF for the end of a line."""
    return str(request.POST.get("content", "")).replace("\r\n", "\n")


def typed(request: HttpRequest, content: str) -> dict[str, str]:
    """What the fields ``content`` and ``reason`` hold: what was sent with a form that had them, else the content."""
    own = content_in(request) if "content" in request.POST else content
    return {"content": own, "reason": str(request.POST.get("reason", "")) if "content" in request.POST else ""}


def version_in(request: HttpRequest) -> int | None:
    """The version that was seen, or None. Raises ``Invalid``."""
    text = str(request.POST.get("version", "")).strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(fields={"version": f"{text[:20]!r} is not a version"})
    return int(text) if text else None


def version_seen(request: HttpRequest) -> int:
    """The version that the form was made from. Raises ``Invalid``, also where there is none."""
    version = version_in(request)
    if version is None:
        raise Invalid(fields={"version": "is missing; send the version that was read"})
    return version


def entry_in(request: HttpRequest) -> int:
    """The entry of the log that a form names as ``seq``. Raises ``Invalid``."""
    text = str(request.POST.get("seq", ""))
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Invalid(fields={"seq": f"{text[:20]!r} is not the number of an entry of the log"})
    return int(text)


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
