"""Server-sent events of a conversation: status of turns and new events, from any point on (docs/architecture.md §4).

The ``id`` of a message is the version of the conversation that it completes; a browser that comes back with it as
``Last-Event-ID`` gets exactly what it has not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple, cast

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Count, F, Max
from django.db.models.signals import post_delete, post_save
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse, StreamingHttpResponse
from rest_framework.exceptions import APIException, NotAuthenticated

from constraints import selectors
from constraints.models import Conversation, TraceEvent, Turn
from editor.authentication import CHALLENGE, TokenAuthentication
from editor.models import ApiToken, Membership, User
from editor.selectors import Viewing, project_get, viewings_allowed
from web.costly import held, watching
from web.limits import STREAM_BYTES
from web.problems import CONTENT_TYPE, as_app_error, drf_body, problem_response
from web.rights import Claim
from web.streams import Hub, Message, News, Wants
from web.throttling import refuse_too_many

CATCH_UP = 1000
"""Events in one piece of catching up; the rest follows in the next."""
READ_AT_ONCE = 20
"""Rows that are fetched together: a piece may be full after a few."""
TURN_FIELDS = (
    "index", "kind", "status", "attempt", "number", "replies", "waiting", "step", "agent", "ended", "error", "version",
)  # fmt: skip


GONE = 2**62
"""The cursor of a viewer who has been told that the conversation was deleted; greater than any version."""


class Topic(NamedTuple):
    """A conversation; ``brief`` leaves out the events: a page only needs to know that there are new ones."""

    conversation: int
    brief: bool


def read(wants: Wants) -> News:
    """What is new for each topic and version: the versions by one query, then the rows of changed conversations."""
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
    """The turns with new events, the last of these for each, and the turns that changed."""
    turns, version = turn_messages(topic, cursor, version)
    events = TraceEvent.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    counted = events.order_by().values("turn__index", "attempt").annotate(events=Count("pk"), last=Max("seq"))
    rows = [
        Message("trace", {"index": e["turn__index"], "attempt": e["attempt"], "events": e["events"], "last": e["last"]})
        for e in counted
    ]
    return version, [*rows, *in_order(turns, version)]


def changes(topic: Topic, cursor: int, version: int) -> tuple[int, list[Message]]:
    """The messages from ``cursor`` to ``version`` or as far as one piece goes, and the version they complete.

    A piece ends between two versions, so one has at least all of the next version, however large that is.
    """
    turns, version = turn_messages(topic, cursor, version)
    events = TraceEvent.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    ordered = events.order_by("version", "seq").annotate(index=F("turn__index"))
    rows: list[Message] = []
    size = last = 0
    for event in ordered.iterator(chunk_size=READ_AT_ONCE):
        if rows and event.version != last and (size >= STREAM_BYTES or len(rows) >= CATCH_UP):
            version = last
            break
        rows.append(Message("trace", {"index": event.index, "attempt": event.attempt, "event": event.as_json()}))
        size, last = size + len(rows[-1].wire), event.version
    return version, [*rows, *in_order(turns, version)]


def turn_messages(topic: Topic, cursor: int, version: int) -> tuple[list[Message], int]:
    """Turns that changed, as far as one piece goes, and the version up to which they are all there."""
    turns = Turn.objects.filter(conversation_id=topic.conversation, version__gt=cursor, version__lte=version)
    found: list[Message] = []
    size = 0
    for turn in turns.order_by("version", "index").values(*TURN_FIELDS).iterator(chunk_size=READ_AT_ONCE):
        if found and turn["version"] != found[-1].data["version"] and size >= STREAM_BYTES:
            return found, found[-1].data["version"]
        found.append(Message("turn", turn))
        size += len(found[-1].wire)
    return found, version


def in_order(turns: list[Message], version: int) -> Iterator[Message]:
    """Messages of turns up to a version, by index; the last message carries the version."""
    yield from sorted((turn for turn in turns if turn.data["version"] <= version), key=lambda turn: turn.data["index"])
    yield Message("version", {"version": version}, id=version)


def allowed_viewings(claims: Collection[Claim]) -> set[Claim]:
    """The listeners who may still see the conversation (``web.rights``)."""
    return set(viewings_allowed(viewings=cast("Collection[Viewing]", claims)))


hub = Hub(read, allowed=allowed_viewings)


def ask_again(**_: object) -> None:
    """Receives signals: who may see what has changed, or will when the transaction commits."""
    transaction.on_commit(hub.rights.changed)


for model in (Membership, ApiToken, User, Session):
    for signal in (post_save, post_delete):
        signal.connect(ask_again, sender=model, dispatch_uid=f"streams-{model.__name__}")


def authorised(request: HttpRequest, slug: str, number: int) -> tuple[Conversation, Viewing]:
    """The conversation of a new stream (a request of its token), and the claim that gives access to it."""
    found = allowed(request, slug, number)
    token: ApiToken | None = getattr(request, "auth", None)
    if token is not None:
        refuse_too_many(token.pk)
    return found, viewing(request, found)


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


def viewing(request: HttpRequest, conversation: Conversation) -> Viewing:
    """The claim by which an authorised viewer listens."""
    token: ApiToken | None = request.auth  # type: ignore[attr-defined]
    if token is not None:
        return Viewing(token.user_id, conversation.project_id, "", "", token.pk)
    user = cast("User", request.user)
    key = request.session.session_key or ""
    return Viewing(user.pk, conversation.project_id, key, user.get_session_auth_hash(), 0)


def stream(request: HttpRequest, slug: str, number: int) -> HttpResponse | StreamingHttpResponse:
    """The stream. Permission is checked before the first byte, and again and again beside what is sent.

    Not a coroutine: it would hold a thread for its database queries for as long as the stream is open.
    """
    if request.method != "GET":
        return HttpResponseNotAllowed(["GET"])
    try:
        found, claim = authorised(request, slug, number)
        place = watching(claim.user)
    except APIException as error:
        headers = {"WWW-Authenticate": CHALLENGE} if error.status_code == 401 else {}
        return JsonResponse(drf_body(error), status=error.status_code, headers=headers, content_type=CONTENT_TYPE)
    except Exception as error:
        known = as_app_error(error)
        if known is None:
            raise
        return problem_response(request, known)
    topic = Topic(found.pk, brief="brief" in request.GET)
    chunks = hub.stream(topic=topic, cursor=cursor_of(request), claim=claim)
    response = StreamingHttpResponse(chunks, content_type="text/event-stream")
    held(place, response)
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"
    return response
