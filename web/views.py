"""The pages for errors that no view handled."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from web.context import frame
from web.errors import AppError, Forbidden, Invalid
from web.problems import as_app_error, headers_of, nothing_at, problem_response, status_of


def error_page(request: HttpRequest, error: AppError, status: int) -> HttpResponse:
    """An error as a page of the product. From 500 on it does not ask who is signed in: the database may be away."""
    context = {"error": error, "status": status, **frame(request)}
    page = render_to_string("web/error.html", context, request if status < 500 else None)
    return HttpResponse(page, status=status, headers=headers_of(error))


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks: its errors are problem objects."""
    return f"{request.path_info}/".startswith("/api/")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    error = nothing_at(request)
    return problem_response(request, error) if is_api(request) else error_page(request, error, 404)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403, also for a form whose token ran out."""
    error = Forbidden("You don't have permission to do that.")
    return problem_response(request, error) if is_api(request) else error_page(request, error, 403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form without its token, or with one from before the last sign-in."""
    words = "This form has expired. Reload the page and try again."
    error = Forbidden(words, code="csrf-failed")
    if is_api(request) or "json" in request.headers.get("Accept", ""):
        return problem_response(request, error)
    return error_page(request, error, 403)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400, or 413 for a form that is too large."""
    known = as_app_error(exception) if exception is not None else None
    error = known or Invalid("The request could not be read.")
    status = status_of(error)
    return problem_response(request, error) if is_api(request) else error_page(request, error, status)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, a mistake of ours; or 503 where a middleware found the database away, before any view."""
    cause = sys.exc_info()[1]
    error = as_app_error(cause) if isinstance(cause, Exception) else None
    status = status_of(error) if error is not None else 500
    if error is None:
        words = "Internal error. Details are in the log under the request ID of this response."
        error = AppError(words, code="internal")
    return problem_response(request, error, status) if is_api(request) else error_page(request, error, status)
