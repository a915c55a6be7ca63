"""Requests: an id in every log line, and errors of domain code as a page, a fragment or a problem object."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

from web.costly import held, under_way
from web.errors import AppError, Busy
from web.problems import as_app_error, headers_of, problem_response, status_of
from web.views import error_page, is_api

log = structlog.get_logger("abl_workbench.request")


Answer = HttpResponse | Awaitable[HttpResponse]


def begin(request: HttpRequest) -> str:
    """Bind a new id to the log lines of a request and return it."""
    request_id = uuid.uuid4().hex[:16]
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id, path=request.path)
    return request_id


def end(response: HttpResponse, request_id: str) -> HttpResponse:
    """The answer with the id of its request.

    Many addresses answer htmx with a fragment: the browser's back button must not show that fragment from the cache as
    the page.
    """
    response["X-Request-Id"] = request_id
    patch_vary_headers(response, ["HX-Request"])
    return response


@sync_and_async_middleware
def request_log(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Answer]:
    """Binds ``request_id`` to every log line of a request and returns it in ``X-Request-Id``."""
    if iscoroutinefunction(get_response):

        async def amiddleware(request: HttpRequest) -> HttpResponse:
            request_id = begin(request)
            response: HttpResponse = await get_response(request)
            return end(response, request_id)

        return amiddleware

    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = begin(request)
        response: HttpResponse = get_response(request)
        return end(response, request_id)

    return middleware


class ErrorMiddleware:
    """Turns domain errors of page views into an answer that fits who asked: htmx, a script, or a person."""

    sync_capable = async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        error = as_app_error(exc)
        if error is None:
            return None
        if status_of(error) >= 500:
            log.warning("unavailable", error=str(exc))
        return answer_to(request, error)


def some_at_once(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Some requests at once of the sessions of a user, each until its answer is sent (``web.costly``); 429 beyond.

    An answer lies in memory until its client has taken it. What is sent while it is made is counted on its own, and
    requests with a token by their number in a minute.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        by_token = is_api(request) and request.headers.get("Authorization", "").lower().startswith("bearer ")
        if by_token or not request.user.is_authenticated:
            return get_response(request)
        try:
            place = under_way(request.user.pk)
        except Busy as error:
            return answer_to(request, error)
        try:
            response = get_response(request)
        except BaseException:
            place.leave()
            raise
        if response.streaming:
            place.leave()
        else:
            held(place, response)
        return response

    return middleware


def answer_to(request: HttpRequest, error: AppError) -> HttpResponse:
    """An error as a problem object, a fragment or a page."""
    status = status_of(error)
    accepts = request.headers.get("Accept", "")
    if "application/json" in accepts or "application/problem+json" in accepts or is_api(request):
        return problem_response(request, error)
    if getattr(request, "htmx", False):
        answer = render(request, "web/_error.html", {"error": error, "status": status}, status=status)
        for name, value in headers_of(error).items():
            answer[name] = value
        return answer
    return error_page(request, error, status)
