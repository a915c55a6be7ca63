"""Requests that cost more than a page: some at once of each user and of each token, and some in all.

There are fewer places than threads that answer requests (``config.asgi``), so that other requests always find a free
thread. What is asked while somebody types has places of its own, so that a script in the name of an author does not
hold up the author's editor. A file that is sent while it is made holds no thread, and is counted as long as it is sent.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from web.limits import (
    COSTLY,
    COSTLY_AT_WORK,
    COSTLY_OF_TOKEN,
    COSTLY_OF_USER,
    DOWNLOADS,
    DOWNLOADS_OF_USER,
    REQUESTS_OF_USER,
    STREAMS,
    STREAMS_OF_USER,
    TYPED,
    TYPED_AT_WORK,
    TYPED_OF_USER,
)
from web.places import Caller, Place, Places

View = Callable[..., HttpResponse]
REQUESTS = 1_000_000
BUSY = "The server is at its limit for requests of this kind. Try again in a moment."
YOURS = "You have {} requests of this kind in progress. Wait for one to finish, then try again."

costly = Places(COSTLY, BUSY, at_work=COSTLY_AT_WORK, each=1)
typed = Places(TYPED, BUSY, at_work=TYPED_AT_WORK, each=1)
downloads = Places(DOWNLOADS, BUSY)
streams = Places(STREAMS, BUSY)
requests = Places(REQUESTS, BUSY)


def callers(request: HttpRequest | Request, of_user: int, of_token: int) -> list[Caller]:
    """In whose name a request is counted: the user's, and the token's if one came with it."""
    found = [Caller(("user", request.user.pk), of_user, YOURS.format(of_user))]
    token = getattr(getattr(request, "auth", None), "pk", None)
    if token is not None:
        words = f"This token has {of_token} requests of this kind in progress. Wait for one to finish, then try again."
        found.append(Caller(("token", token), of_token, words))
    return found


def place_for(request: HttpRequest | Request) -> Place:
    """A place for a costly request of somebody who is signed in. Raises ``Busy``."""
    return costly.take(*callers(request, COSTLY_OF_USER, COSTLY_OF_TOKEN))


def limited(view: View) -> View:
    """A page view that costs more than others; behind ``project_view`` or ``signed_in``."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        place = place_for(request)
        try:
            answer: HttpResponse = counted(request, view(request, *args, **kwargs))
            return answer
        finally:
            place.leave()

    return inner


def while_typing(view: View) -> View:
    """A view that a page asks by itself while somebody types; behind ``project_view``."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with typed.taken(*callers(request, TYPED_OF_USER, TYPED_OF_USER)):
            return view(request, *args, **kwargs)

    return inner


def counted(request: HttpRequest | Request, answer: Any) -> Any:
    """The answer; one that is sent while it is made is counted until it is sent or dropped. Raises ``Busy``."""
    if isinstance(answer, StreamingHttpResponse):
        held(downloads.take(*callers(request, DOWNLOADS_OF_USER, DOWNLOADS_OF_USER)), answer)
    return answer


def watching(user: int) -> Place:
    """A place for a stream of a user that stays open. Raises ``Busy``."""
    words = f"You have {STREAMS_OF_USER} conversations open already. Close one, then try again."
    return streams.take(Caller(("user", user), STREAMS_OF_USER, words))


def under_way(user: Hashable) -> Place:
    """A place for any request of a session of a user. Raises ``Busy``."""
    words = f"You have {REQUESTS_OF_USER} requests in progress. Wait for one to finish, then try again."
    return requests.take(Caller(("user", user), REQUESTS_OF_USER, words))


def held(place: Place, answer: HttpResponseBase) -> None:
    """Give a place back when an answer has been sent or garbage-collected: nobody closes the answer of a client that
    has gone away.
    """
    answer._resource_closers.append(weakref.finalize(answer, place.leave))  # type: ignore[attr-defined]


class CostlyView(APIView):
    """A view of the API whose ``costly`` methods cost more than others."""

    costly: ClassVar[tuple[str, ...]] = ()
    _place: Place | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate the caller, then take a place."""
        super().initial(request, *args, **kwargs)
        if request.method in self.costly and request.user.is_authenticated:
            self._place = place_for(request)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Give the place back, whatever was answered; what is sent while it is made is counted from here on."""
        if self._place is not None:
            self._place.leave()
            response = counted(request, response)
        return super().finalize_response(request, response, *args, **kwargs)
