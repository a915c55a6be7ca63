"""Errors as ``application/problem+json`` (docs/spec 12 §5): the one place that maps them to HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import DatabaseError, DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import Resolver404, resolve
from django.views.decorators.csrf import csrf_exempt
from kombu.exceptions import OperationalError as BrokerError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from abl.expressions.budget import BudgetExceeded
from web.errors import (
    AddressTooLong,
    AppError,
    Busy,
    Conflict,
    Forbidden,
    HeaderTooLarge,
    Invalid,
    NotFound,
    OverBudget,
    StorageFull,
    TooLarge,
    TooMany,
    TooSlow,
    Unavailable,
)
from web.limits import MAX_BODY
from web.storage import is_full

STATUS: dict[type[AppError], int] = {
    Invalid: 400,
    Forbidden: 403,
    NotFound: 404,
    TooSlow: 408,
    Conflict: 409,
    TooLarge: 413,
    AddressTooLong: 414,
    OverBudget: 422,
    TooMany: 429,
    Busy: 429,
    HeaderTooLarge: 431,
    Unavailable: 503,
    StorageFull: 507,
}
CONTENT_TYPE = "application/problem+json"
AWAY = "The {} is not responding. Your input is not lost. Try again in a moment."


def status_of(error: AppError) -> int:
    """HTTP status of an error by the nearest class that has one."""
    return next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), 400)


def headers_of(error: AppError) -> dict[str, str]:
    """Headers that belong to an error."""
    return {"Retry-After": str(error.data["retry_after"])} if "retry_after" in error.data else {}


def body_of(error: AppError, status: int) -> dict[str, Any]:
    """The problem object of an error."""
    body: dict[str, Any] = {
        "type": f"urn:abl-workbench:problem:{error.code}",
        "title": error.title,
        "status": status,
        "detail": error.detail,
        "code": error.code,
        **error.data,
    }
    if isinstance(error, Invalid):
        body["fields"] = error.fields
    if isinstance(error, Conflict):
        body["current"] = error.current
    return body


def over_budget(exc: BudgetExceeded) -> OverBudget:
    """What ran out, as a sentence and as data."""
    return OverBudget(f"{str(exc)[:1].upper()}{str(exc)[1:]}.", **exc.as_json())


def as_app_error(exc: Exception) -> AppError | None:
    """The error of ours that says the same as one of a framework's, or None for a programming mistake."""
    if isinstance(exc, AppError):
        return exc
    if isinstance(exc, BudgetExceeded):
        return over_budget(exc)
    if isinstance(exc, Http404):
        return NotFound(str(exc) or "Not found")
    if isinstance(exc, PermissionDenied):
        return Forbidden(str(exc))
    if isinstance(exc, RequestDataTooBig):
        return TooLarge(fields={"body": f"has more than the limit of {MAX_BODY:,} bytes."})
    if isinstance(exc, (DatabaseError, BrokerError, OSError)) and is_full(exc):
        return StorageFull()
    if isinstance(exc, DataError):
        # Checks in front of the database name the field; this is the net below them.
        return Invalid("A value that was sent cannot be stored: it is too large, or holds a NUL character.")
    if isinstance(exc, (OperationalError, InterfaceError)):
        return Unavailable(AWAY.format("database"), what="database")
    if isinstance(exc, BrokerError):
        return Unavailable(AWAY.format("message broker"), what="broker")
    return None


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler: every failure is a problem object."""
    error = as_app_error(exc)
    headers: dict[str, str] = {}
    if error is not None:
        status = status_of(error)
        body, headers = body_of(error, status), headers_of(error)
    elif isinstance(exc, exceptions.APIException):
        status, body = exc.status_code, drf_body(exc)
        if getattr(exc, "auth_header", None):
            headers["WWW-Authenticate"] = exc.auth_header  # type: ignore[attr-defined]
    else:
        return None
    set_rollback()
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def drf_body(exc: exceptions.APIException) -> dict[str, Any]:
    """The problem object of an exception of DRF; validation errors become ``fields``."""
    code = exc.default_code.replace("_", "-")
    body: dict[str, Any] = {
        "type": f"urn:abl-workbench:problem:{code}",
        # Some of DRF's titles are patterns; the detail is one of them filled in.
        "title": str(exc.detail if "{" in str(exc.default_detail) else exc.default_detail),
        "status": exc.status_code,
        "detail": exc.detail if isinstance(exc.detail, str) else str(exc.default_detail),
        "code": code,
    }
    if isinstance(exc, exceptions.ValidationError):
        body["code"] = "invalid"
        body["type"] = "urn:abl-workbench:problem:invalid"
        body["fields"] = dict(flatten(exc.detail))
        body["detail"] = "; ".join(f"{k}: {v}" for k, v in body["fields"].items()) or body["detail"]
    return body


def flatten(detail: Any, prefix: str = "") -> list[tuple[str, str]]:
    """DRF's nested error detail as (dotted field, message) pairs."""
    if isinstance(detail, Mapping):
        return [
            pair for key, value in detail.items() for pair in flatten(value, f"{prefix}.{key}" if prefix else str(key))
        ]
    if isinstance(detail, list) and not all(isinstance(x, str) for x in detail):
        return [pair for n, value in enumerate(detail) for pair in flatten(value, f"{prefix}[{n}]")]
    if isinstance(detail, list):
        return [(prefix or "body", " ".join(map(str, detail)))]
    return [(prefix or "body", str(detail))]


def problem_response(request: HttpRequest, error: AppError, status: int | None = None) -> JsonResponse:
    """A problem object outside DRF (async views, streams, requests by script)."""
    status = status or status_of(error)
    return JsonResponse(body_of(error, status), status=status, headers=headers_of(error), content_type=CONTENT_TYPE)


@csrf_exempt
def api_not_found(request: HttpRequest) -> JsonResponse:
    """The answer for an API address that does not exist. No redirect adds a slash: it would lose what was sent."""
    return problem_response(request, nothing_at(request))


def nothing_at(request: HttpRequest) -> NotFound:
    """The error for an address that does not exist; it names the one that was perhaps meant."""
    words = f"There is nothing at {request.path}."
    if not request.path_info.endswith("/") and is_address(f"{request.path_info}/"):
        words += f" Did you mean {request.path}/?"
    return NotFound(words)


def is_address(path: str) -> bool:
    """Whether a view other than the one for the rest of the API has that path."""
    try:
        return resolve(path).func is not api_not_found
    except Resolver404:
        return False
