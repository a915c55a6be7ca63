"""Server-sent events of a conversation: status of turns and new trace events, from any point on (DESIGN §4).

The ``id`` of a message is the version of the conversation that it completes; a browser that comes back with it as
``Last-Event-ID`` gets exactly what it has not seen.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Hashable, Iterator
from contextlib import aclosing
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connections
from django.db.models import Count, F, Max
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, StreamingHttpResponse
from rest_framework.exceptions import APIException, NotAuthenticated

from constraints import selectors
from constraints.models import Conversation, TraceEvent, Turn
from editor.authentication import CHALLENGE, TokenAuthentication
from editor.models import ApiToken, User
from editor.selectors import project_get
from web.errors import AppError
from web.problems import CONTENT_TYPE, as_app_error, drf_body, problem_response
from web.streams import Hub, Message, News, Wants
from web.throttling import refuse_too_many

CATCH_UP = 1000
"""Events in one piece of catching up; the rest follows in the next."""
TURN_FIELDS = (
    "index", "kind", "status", "attempt", "number", "replies", "waiting", "step", "agent", "ended", "error", "version",
)  # fmt: skip


GONE = 2**62
"""The cursor of a viewer who knows that the conversation was deleted; beyond every version."""
GONE_BEGINS = b"event: gone\n"
RECHECK_SECONDS = 2.0
"""How old the permission of a viewer may be when something new is sent."""


class Topic(NamedTuple):
    """A conversation, whole or brief: a page draws rows on the server and needs only to know that there are some."""

    conversation: int
    brief: bool


def read(wants: Wants) -> News:
    """What is new for each topic and version: one look at the versions, then the rows of those that moved."""
    topics = [(Topic(*topic), cursor) for topic, cursor in wants]  # type: ignore[misc]
    known = Conversation.objects.filter(pk__in={topic.conversation for topic, _ in topics})
    versions = dict(known.values_list("pk", "version"))
    news: dict[tuple[Hashable, int], tuple[int, list[Message]]] = {}
    for topic, cursor in topics:
        version = versions.get(topic.conversation, GONE)
        if version == GONE > cursor:
            news[topic, cursor] = GONE, [Message("gone", {"conversation": topic.conversation})]
        elif version > cursor:
            news[topic, cursor] = brief(topic, cursor, version) if topic.brief else changes(topic, cursor, version)
    return news


def brief(topic: Topic, cursor: int, version: int) -> tuple[int, list[Message]]:
    """Which turns have new events and how far they go, and the turns that changed."""
    events = TraceEvent.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    counted = events.order_by().values("turn__index", "attempt").annotate(events=Count("pk"), last=Max("seq"))
    rows = [
        Message("trace", {"index": e["turn__index"], "attempt": e["attempt"], "events": e["events"], "last": e["last"]})
        for e in counted
    ]
    return version, [*rows, *turn_messages(topic, cursor, version)]


def changes(topic: Topic, cursor: int, version: int) -> tuple[int, list[Message]]:
    """The messages from ``cursor`` to ``version`` or as far as one piece goes, and the version they complete."""
    events = TraceEvent.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    found = list(events.order_by("version", "seq").annotate(index=F("turn__index"))[: CATCH_UP + 1])
    if len(found) > CATCH_UP and found[0].version != found[-1].version:
        version = found[-1].version - 1
        found = [event for event in found if event.version <= version]
    elif len(found) > CATCH_UP:
        version = found[0].version
        found = list(events.filter(version=version).order_by("seq").annotate(index=F("turn__index")))
    rows = [Message("trace", {"index": e.index, "attempt": e.attempt, "event": e.as_json()}) for e in found]
    return version, [*rows, *turn_messages(topic, cursor, version)]


def turn_messages(topic: Topic, cursor: int, version: int) -> Iterator[Message]:
    """Turns that changed, after their events; the last message carries the version."""
    turns = Turn.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    for turn in turns.order_by("index").values(*TURN_FIELDS):
        yield Message("turn", turn)
    yield Message("version", {"version": version}, id=version)


hub = Hub(read)


def opened(request: HttpRequest, slug: str, number: int) -> Conversation:
    """The conversation of a stream that begins, which counts as a request of its token."""
    found = allowed(request, slug, number)
    token: ApiToken | None = getattr(request, "auth", None)
    if token is not None:
        refuse_too_many(token.pk)
    return found


def allowed(request: HttpRequest, slug: str, number: int) -> Conversation:
    """The conversation, for a session cookie or a bearer token that may see it; else the errors of selectors.

    ``request.auth`` is then the token.
    """
    token: ApiToken | None = None
    user = request.user
    if "Authorization" in request.headers:
        found = TokenAuthentication().authenticate(request)  # type: ignore[arg-type]
        if found is not None:
            user, token = found
    request.auth = token  # type: ignore[attr-defined]
    if not isinstance(user, User):
        raise NotAuthenticated
    project = project_get(user=user, slug=slug, token=token)
    return selectors.conversation_get(project=project, number=number)


def cursor_of(request: HttpRequest) -> int:
    """``Last-Event-ID`` of a browser that comes back, else ``?after=``; 0 = from the beginning."""
    text = request.headers.get("Last-Event-ID") or request.GET.get("after", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0


def still_allowed(request: HttpRequest, slug: str, number: int) -> bool:
    """Whether the viewer may go on: still signed in or the token not revoked, still active, still a member.

    True while the database is away: the stream tells of that by itself.
    """
    try:
        if "Authorization" not in request.headers:
            if not request.session.exists(request.session.session_key or ""):
                return False
            request.user = User.objects.get(pk=request.user.pk or 0, is_active=True)
        allowed(request, slug, number)
    except (OperationalError, InterfaceError):
        return True
    except (APIException, AppError, User.DoesNotExist):
        return False
    finally:
        for each in connections.all(initialized_only=True):  # the thread is one of this stream alone
            if not each.in_atomic_block:
                each.close()
    return True


async def while_allowed(
    chunks: AsyncGenerator[bytes], request: HttpRequest, slug: str, number: int
) -> AsyncIterator[bytes]:
    """The chunks until the viewer may see no more, which is asked at most every ``RECHECK_SECONDS``."""
    asked = time.monotonic()
    async with aclosing(chunks):
        async for chunk in chunks:
            # That a conversation was deleted is all that is left to say of it, and nobody may see it any more.
            if time.monotonic() - asked >= RECHECK_SECONDS and not chunk.startswith(GONE_BEGINS):
                if not await sync_to_async(still_allowed)(request, slug, number):
                    return
                asked = time.monotonic()
            yield chunk


async def stream(request: HttpRequest, slug: str, number: int) -> HttpResponse | StreamingHttpResponse:
    """The stream. Permission is checked before the first byte, and again before what comes later than a while."""
    if request.method != "GET":
        return HttpResponseNotAllowed(["GET"])
    try:
        found = await sync_to_async(opened)(request, slug, number)
    except APIException as error:
        headers = {"WWW-Authenticate": CHALLENGE} if error.status_code == 401 else {}
        return JsonResponse(drf_body(error), status=error.status_code, headers=headers, content_type=CONTENT_TYPE)
    except Exception as error:
        known = as_app_error(error)
        if known is None:
            raise
        return problem_response(request, known)
    topic = Topic(found.pk, brief="brief" in request.GET)
    chunks = hub.stream(topic=topic, cursor=cursor_of(request))
    guarded = while_allowed(chunks, request, slug, number)
    response = StreamingHttpResponse(guarded, content_type="text/event-stream")
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response
