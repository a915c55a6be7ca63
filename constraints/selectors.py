"""Reads of conversations and traces. Callers hold a project that ``editor.selectors.project_get`` let the user see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from constraints.models import Conversation, DeletedConversation, TraceEvent, Turn
from editor.models import Document, Project, Revision
from web.errors import NotFound

FAILED = Q(status__in=("failed", "error")) & ~Q(kind__in=("pass", "gather.rejected"))
"""Steps that went wrong. A failed pass only repeats the failure of one of its rules, and rejected input is not a fault
of the agent.
"""
RUN_KINDS = (Document.Kind.AGENT, Document.Kind.TOOLS, Document.Kind.PROFILE)


def pins_of(*, project: Project) -> dict[str, int]:
    """Path to the newest revision of every document that a run reads."""
    heads = Document.objects.filter(project=project, kind__in=RUN_KINDS, head__isnull=False)
    return dict(heads.order_by("path").values_list("path", "head_id"))


def conversation_list(*, project: Project) -> QuerySet[Conversation]:
    """Conversations of a project, newest first, with ``said`` (messages) and ``pending`` (unfinished turns) counted."""
    return (
        Conversation.objects.filter(project=project)
        .select_related("started_by", "project")
        .annotate(
            said=Count("turns", filter=Q(turns__kind__in=("say", "act"))),
            pending=Count("turns", filter=Q(turns__status__in=Turn.UNFINISHED)),
            broken=Count("turns", filter=Q(turns__status=Turn.Status.FAILED)),
            last_at=Max("turns__finished_at"),
        )
        .order_by("-id")
    )


def conversation_get(*, project: Project, number: int) -> Conversation:
    """One conversation of the project by its number."""
    found = Conversation.objects.select_related("started_by", "project").filter(project=project, number=number).first()
    if found is None:
        raise NotFound(f"There is no conversation {number} in {project.name}.{deletion_words(project, number)}")
    return found


def deletion_words(project: Project, number: int) -> str:
    """Who deleted the conversation of that number and when, as a sentence with a blank before it; empty if nobody."""
    gone = DeletedConversation.objects.filter(project=project, number=number).select_related("deleted_by").first()
    if gone is None:
        return ""
    by = f" by {gone.deleted_by.shown_name}" if gone.deleted_by else ""
    return f" It was deleted{by} on {gone.deleted_at:%d %b %Y, %H:%M} UTC. Its facts were kept."


def conversation_last_number(*, project: Project) -> int:
    """The highest number that a conversation of the project has or had; 0 before the first."""
    kinds = (Conversation, DeletedConversation)
    return max(kind._default_manager.filter(project=project).aggregate(n=Max("number"))["n"] or 0 for kind in kinds)


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes when a conversation is deleted. ``running``: index of its turn at work, if one is; ``more``: other
    things that belong to it, as (number, words)."""

    conversation: Conversation
    turns: int
    events: int
    running: int | None
    more: tuple[tuple[int, str], ...] = ()


def conversation_contents(*, project: Project, numbers: Collection[int]) -> list[Contents]:
    """The contents of those of the numbered conversations that are there, in order of number."""
    found = Conversation.objects.filter(project=project, number__in=numbers).order_by("number")
    return [contents_of(conversation) for conversation in found]


def contents_of(conversation: Conversation) -> Contents:
    """Counts of everything that belongs to a conversation, including objects of other parts of the product."""
    more = []
    for relation in Conversation._meta.related_objects:
        kind = relation.related_model
        if kind not in (Turn, TraceEvent) and not isinstance(kind, str):
            count = kind._default_manager.filter(**{relation.field.name: conversation}).count()
            words = kind._meta.verbose_name if count == 1 else kind._meta.verbose_name_plural
            more += [(count, str(words))] if count else []
    running = Turn.objects.filter(conversation=conversation, status=Turn.Status.RUNNING).order_by("index")
    return Contents(
        conversation,
        turns=Turn.objects.filter(conversation=conversation).count(),
        events=TraceEvent.objects.filter(conversation=conversation).count(),
        running=running.values_list("index", flat=True).first(),
        more=tuple(more),
    )


def turn_list(*, conversation: Conversation) -> QuerySet[Turn]:
    """Turns in order, without their snapshots, which are large and only workers read."""
    return Turn.objects.filter(conversation=conversation).defer("snapshot").select_related("author")


def turn_get(*, conversation: Conversation, index: int) -> Turn:
    """One turn by its index."""
    turn = turn_list(conversation=conversation).filter(index=index).first()
    if turn is None:
        raise NotFound(f"Conversation {conversation.number} has no turn {index}.")
    return turn


def queue_age() -> float:
    """Seconds since the oldest turn that waits was queued; 0.0 when none waits."""
    oldest = Turn.objects.filter(status=Turn.Status.QUEUED).order_by().aggregate(at=Min("queued_at"))["at"]
    return 0.0 if oldest is None else max(0.0, (timezone.now() - oldest).total_seconds())


def turns_running() -> QuerySet[Turn]:
    """Turns at work in any project, those that run longest first. For admins of the installation."""
    return _of_any_project(Turn.Status.RUNNING).order_by("started_at", "pk")


def turns_waiting() -> QuerySet[Turn]:
    """Turns that wait in any project, oldest first. For admins of the installation."""
    return _of_any_project(Turn.Status.QUEUED).order_by("pk")


def _of_any_project(status: str) -> QuerySet[Turn]:
    related = ("conversation__project", "conversation__started_by", "author")
    return Turn.objects.filter(status=status).defer("snapshot", "input").select_related(*related)


def turn_anywhere(*, pk: int) -> Turn:
    """A turn of any project. For admins of the installation."""
    turn = Turn.objects.defer("snapshot").select_related("conversation__project").filter(pk=pk).first()
    if turn is None:
        raise NotFound(f"There is no turn {pk}; its conversation was deleted.")
    return turn


def turn_before(*, turn: Turn) -> Turn | None:
    """The nearest earlier turn that was done: its snapshot is where ``turn`` begins."""
    earlier = Turn.objects.filter(conversation_id=turn.conversation_id, index__lt=turn.index, status=Turn.Status.DONE)
    return earlier.order_by("-index").first()


def event_counts(*, conversation: Conversation) -> dict[int, int]:
    """Turn id to its number of events."""
    counted = TraceEvent.objects.filter(conversation=conversation).order_by().values("turn_id")
    return dict(counted.annotate(n=Count("pk")).values_list("turn_id", "n"))


GROUPS: dict[str, Q] = {
    "rule": Q(kind__in=("constraint", "check", "pass")),
    "memory": Q(kind__in=("recall", "remember")) | Q(kind__startswith="fact."),
    "call": Q(kind__startswith="call.") | Q(kind__startswith="tool."),
    "failed": FAILED,
}
"""What a filter of the trace shows together."""


def event_tally(*, conversation: Conversation) -> dict[str, int]:
    """How many events each of ``GROUPS`` shows, and ``all``."""
    events = TraceEvent.objects.filter(conversation=conversation).order_by()
    return events.aggregate(all=Count("pk"), **{name: Count("pk", filter=group) for name, group in GROUPS.items()})


def event_list(
    *, conversation: Conversation, turn: Turn | None = None, after: int = 0, only: str = ""
) -> QuerySet[TraceEvent]:
    """Events in order of ``seq``, of one turn or of all, behind ``after``; ``only`` is a name of ``GROUPS``."""
    events = TraceEvent.objects.filter(conversation=conversation, seq__gt=after).order_by("seq")
    if turn is not None:
        events = events.filter(turn=turn)
    return events.filter(GROUPS[only]) if only in GROUPS else events


def event_get(*, conversation: Conversation, seq: int) -> TraceEvent:
    """One event by its ``seq``, with its turn."""
    found = TraceEvent.objects.filter(conversation=conversation, seq=seq).select_related("turn").first()
    if found is None:
        raise NotFound(f"Conversation {conversation.number} has no step {seq}.")
    return found


def event_children(*, event: TraceEvent) -> list[TraceEvent]:
    """Events directly below one, in order."""
    return list(
        TraceEvent.objects.filter(conversation_id=event.conversation_id, turn_id=event.turn_id, parent=event.seq)
    )


def event_first_failing(*, conversation: Conversation, since: int = 0) -> int | None:
    """``seq`` of the last event that failed, which is what one looks for, or of the last event; None without events.

    ``since`` is the index of the first turn that is looked at.
    """
    events = TraceEvent.objects.filter(conversation=conversation).only("seq")
    if since:
        events = events.filter(turn__index__gte=since)
    failing = events.filter(FAILED)
    last = failing.order_by("-seq").first() or events.order_by("-seq").first()
    return last.seq if last else None


def event_first(*, turn: Turn) -> int | None:
    """``seq`` of the first event of a turn."""
    first = TraceEvent.objects.filter(turn=turn).only("seq").order_by("seq").first()
    return first.seq if first else None


def event_landmark(*, turn: Turn) -> int | None:
    """``seq`` of the first failure of a turn, else of its last event."""
    events = TraceEvent.objects.filter(turn=turn).only("seq")
    found = events.filter(FAILED).order_by("seq").first() or events.order_by("-seq").first()
    return found.seq if found else None


def event_rules(*, turn: Turn) -> list[TraceEvent]:
    """The rules and CHECKs that were judged in a turn, in order; without those gated out or not reached."""
    judged = TraceEvent.objects.filter(turn=turn, kind__in=("constraint", "check"))
    return list(judged.exclude(status__in=("gated", "not_reached", "inert")).order_by("seq"))


@dataclass(frozen=True, slots=True)
class Steps:
    """The neighbours of a step within its conversation; the fields are ``seq`` values, None at an end."""

    position: int
    total: int
    first: int | None
    before: int | None
    after: int | None
    last: int | None
    failure: int | None
    failure_before: int | None


def steps_around(*, conversation: Conversation, seq: int) -> Steps:
    """Neighbours of a step, and the previous and next failure; after the last failure follows the first."""
    events = TraceEvent.objects.filter(conversation=conversation).order_by()
    ends = events.aggregate(
        total=Count("pk"), position=Count("pk", filter=Q(seq__lte=seq)), first=Min("seq"), last=Max("seq")
    )
    failing = events.filter(FAILED).exclude(seq=seq)
    return Steps(
        **ends,
        before=events.filter(seq__lt=seq).aggregate(n=Max("seq"))["n"],
        after=events.filter(seq__gt=seq).aggregate(n=Min("seq"))["n"],
        failure=failing.filter(seq__gt=seq).aggregate(n=Min("seq"))["n"] or failing.aggregate(n=Min("seq"))["n"],
        failure_before=failing.filter(seq__lt=seq).aggregate(n=Max("seq"))["n"] or failing.aggregate(n=Max("seq"))["n"],
    )


def events_for_state(*, conversation: Conversation, seq: int) -> Iterable[Mapping[str, Any]]:
    """The events up to ``seq`` on which the state depends, as ``abl.runtime.events.reading.state_at`` folds them."""
    rows = TraceEvent.objects.filter(conversation=conversation, seq__lte=seq, folds=True).order_by("seq")
    return rows.values("seq", "kind", "agent", "data")


def revision_of(*, conversation: Conversation, path: str) -> Revision | None:
    """The pinned revision of a path, None when the conversation pins none."""
    pk = conversation.pins.get(path)
    return Revision.objects.select_related("document").filter(pk=pk).first() if pk else None
