"""The first steps of views of a project: authenticate, find the project, read the body."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from editor import selectors
from web.api.parsers import MAX_BODY, ManyValues, json_problem, json_value, too_large
from web.errors import AddressTooLong, Forbidden, Invalid, TooLarge
from web.limits import MAX_TARGET

View = Callable[..., HttpResponse]


class SignedOut(Forbidden):
    """A script sent a request without a session; the page says so and keeps what was typed."""

    code = "signed-out"
    title = "You are signed out"


def wants_json(request: HttpRequest) -> bool:
    """True for a script that reads JSON, False for a person who reads pages."""
    return "json" in request.headers.get("Accept", "")


def signed_in(view: View) -> View:
    """Sends people to the sign-in page and tells scripts that they are signed out."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if wants_json(request):
            raise SignedOut("Your session has ended. Sign in again in another tab. Your changes are kept.")
        address = request.get_full_path()
        if len(address) > MAX_TARGET:  # an address without escapes is shorter than it is when it is sent back
            raise AddressTooLong(len(address), MAX_TARGET)
        return redirect_to_login(address)

    return inner


def project_view(permission: str = "project.view") -> Callable[[View], View]:
    """A view ``(request, project, …)`` of a project in which the user holds the permission; 404 for strangers."""

    def decorate(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
            project = selectors.project_get(user=request.user, slug=slug, permission=permission)  # type: ignore[arg-type]
            return view(request, project, **kwargs)

        return signed_in(inner)

    return decorate


def document_view(permission: str = "project.view") -> Callable[[View], View]:
    """A view ``(request, document, …)`` of a document of such a project."""

    def decorate(view: View) -> View:
        @wraps(view)
        def inner(request: HttpRequest, project: Any, path: str, **kwargs: Any) -> HttpResponse:
            document = selectors.document_get(project=project, path=path)
            document.project = project
            return view(request, document, **kwargs)

        return project_view(permission)(inner)

    return decorate


def json_body(request: HttpRequest) -> dict[str, Any]:
    """The JSON object of a request. Read from the stream, so that this bound holds and not Django's one for forms."""
    size = request.headers.get("Content-Length", "")
    if size.isdigit() and int(size) > MAX_BODY:
        raise too_large(int(size))
    raw = request.read(MAX_BODY + 1)
    if len(raw) > MAX_BODY:
        raise too_large(len(raw))
    try:
        data = json_value(raw)
    except ManyValues as error:
        raise TooLarge(fields={"body": str(error)}) from None
    except ValueError as error:
        raise Invalid("Send one JSON object.", fields={"body": json_problem(error)}) from None
    if not isinstance(data, dict):
        raise Invalid("Send one JSON object.", fields={"body": "is not an object"})
    return data


def text_in(data: dict[str, Any], field: str, default: str | None = None) -> str:
    """A text field of a body."""
    value = data.get(field, default)
    if not isinstance(value, str):
        raise Invalid(fields={field: f"is {'missing' if value is None else type(value).__name__}; send a text."})
    return value


def number_in(data: dict[str, Any], field: str) -> int | None:
    """A whole number of at least 0, or None where the field is absent, null or empty."""
    value = data.get(field)
    if value in (None, ""):
        return None
    if isinstance(value, bool) or not str(value).isascii() or not str(value).isdigit() or len(str(value)) > 9:
        raise Invalid(fields={field: f"{str(value)[:40]!r} is not a whole number of at least 0."})
    return int(value)


def pair_in(data: dict[str, Any], field: str) -> tuple[int, int] | None:
    """Two offsets in order, or None where the field is absent or null."""
    value = data.get(field)
    if value is None:
        return None
    if not (
        isinstance(value, list) and len(value) == 2 and all(type(x) is int for x in value) and 0 <= value[0] <= value[1]
    ):
        raise Invalid(fields={field: "is not [from, to] with 0 <= from <= to."})
    return value[0], value[1]
