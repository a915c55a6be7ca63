"""Pages of test conversations: the list, one conversation with its trace, a step, the panel beside the editor."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from abl.runtime.agents.human import HUMAN_DONE
from constraints import selectors
from constraints.conversations import exports, pages, services
from constraints.conversations.starting import NotRunnable
from constraints.conversations.typed import value_typed
from constraints.models import Conversation, Turn
from constraints.traces import steps
from editor.models import Project, User
from editor.requests import project_view, wants_json
from web.costly import limited
from web.errors import Invalid

LISTED = 50


def user_of(request: HttpRequest) -> User:
    """The signed-in user; only for views behind ``project_view``."""
    user = request.user
    if not isinstance(user, User):
        raise TypeError("This view is not behind project_view.")
    return user


def may_test(request: HttpRequest, project: Project) -> bool:
    """Whether the user may start conversations and say something in them."""
    return user_of(request).has_perm("project.test", project)


@require_http_methods(["GET", "HEAD", "POST"])
def conversations(request: HttpRequest, slug: str) -> HttpResponse:
    """The list with the form for a new conversation; POST starts one."""
    view = conversation_create if request.method == "POST" else conversation_index
    return view(request, slug=slug)


@project_view("project.view")
def conversation_index(request: HttpRequest, project: Project) -> HttpResponse:
    """Newest first; ``?before=`` is the number from which older ones continue."""
    return conversation_page(request, project)


@project_view("project.test")
def conversation_create(request: HttpRequest, project: Project) -> HttpResponse:
    """Start a conversation and go to it. What stops the agents is listed in place of the form's promise."""
    try:
        conversation = services.conversation_start(
            project=project, started_by=user_of(request), **conversation_form(request)
        )
    except Invalid as error:
        if request.htmx and request.POST.get("panel"):  # type: ignore[attr-defined]
            context = pages.panel(project, None, may_test=True, given=request.POST) | refusal(error)
            return render(request, "constraints/_panel.html", context, status=400)
        return conversation_page(request, project, error=error)
    if request.POST.get("panel"):
        return render(request, "constraints/_panel.html", pages.panel(project, conversation, may_test=True))
    return redirect(conversation)


def conversation_form(request: HttpRequest) -> dict[str, Any]:
    """The fields of the form, as ``conversation_start`` takes them."""
    data = request.POST
    seed = data.get("seed", "").strip() or "0"
    if not seed.isascii() or not seed.isdigit() or len(seed) > 15:
        raise Invalid(fields={"seed": f"{seed[:40]!r} is not a whole number from 0 to 999999999999999."})
    start = data.get("clock_start", "").strip()
    at = moment(start) if start and data.get("clock_mode") == Conversation.Clock.FIXED else None
    return {
        "user": data.get("user", "")[:200],
        "entry": data.get("entry", ""),
        "channel": data.get("channel", "web")[:40],
        "policy": data.get("policy", ""),
        "clock_mode": data.get("clock_mode", ""),
        "clock_start": at,
        "seed": int(seed),
    }


def moment(text: str) -> Any:
    """An aware instant from ISO text; without a zone it is UTC."""
    from datetime import UTC

    try:
        at = parse_datetime(text)
    except ValueError:
        at = None
    if at is None:
        raise Invalid(fields={"clock_start": f"{text[:40]!r} is not a date and time such as 2026-03-01T09:00."})
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def conversation_page(request: HttpRequest, project: Project, error: Invalid | None = None) -> HttpResponse:
    """The list, with an error of the form if there is one."""
    before = request.GET.get("before", "")
    listed = selectors.conversation_list(project=project)
    if before.isascii() and before.isdigit() and len(before) < 10:
        listed = listed.filter(number__lt=int(before))
    found = list(listed[: LISTED + 1])
    context = {
        "project": project,
        "section": "test",
        "conversations": found[:LISTED],
        "older": found[LISTED - 1].number if len(found) > LISTED else None,
        "may_test": may_test(request, project),
        "form": pages.start_form(project, given=request.POST),
        **(refusal(error) if error else {}),
    }
    return render(request, "constraints/conversations.html", context, status=400 if error else 200)


def refusal(error: Invalid) -> dict[str, Any]:
    """What stopped a start, for the template: the first problems and how many more there are."""
    problems = error.data["problems"] if isinstance(error, NotRunnable) else []
    return {"error": error, **pages.shortened(problems)}


@require_GET
@project_view("project.view")
def conversation(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """The conversation with its last failure selected, or its last step; with ``?turn=`` that of one turn."""
    found = selectors.conversation_get(project=project, number=number)
    index = None
    if "turn" in request.GET:
        turn = selectors.turn_get(conversation=found, index=number_in(request, "turn"))
        seq, index = selectors.event_landmark(turn=turn), turn.index
    else:
        seq = selectors.event_first_failing(conversation=found, since=pages.first_shown(found))
    if seq is not None and wants_fragment(request):
        return step_parts(request, project, found, seq)
    return trace_page(request, project, found, seq, index)


def wants_fragment(request: HttpRequest) -> bool:
    """Whether a script asks for a part; a browser that goes back wants the page."""
    return bool(request.htmx and not request.htmx.history_restore_request)  # type: ignore[attr-defined]


def step_parts(request: HttpRequest, project: Project, found: Conversation, seq: int) -> HttpResponse:
    """The parts of the page that show one step."""
    return render(request, "constraints/_step.html", {"project": project, **steps.step(found, seq)})


@require_GET
@project_view("project.view")
@limited
def export(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """The whole conversation as a JSON file."""
    found = selectors.conversation_get(project=project, number=number)
    answer = JsonResponse(exports.conversation_document(found), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{project.slug}-conversation-{number}.json"'
    return answer


@require_GET
@project_view("project.view")
def event(request: HttpRequest, project: Project, number: int, seq: int) -> HttpResponse:
    """One step: for htmx the panes that show it, else the whole page with it selected."""
    found = selectors.conversation_get(project=project, number=number)
    if wants_fragment(request):
        return step_parts(request, project, found, seq)
    selectors.event_get(conversation=found, seq=seq)
    return trace_page(request, project, found, seq)


def trace_page(
    request: HttpRequest, project: Project, found: Conversation, seq: int | None, index: int | None = None
) -> HttpResponse:
    """The whole page, at a step or at a turn without any."""
    context = {
        "project": project,
        "section": "test",
        "may_test": may_test(request, project),
        **pages.conversation(found, seq, index),
    }
    return render(request, "constraints/conversation.html", context)


@require_GET
@project_view("project.view")
def panel(request: HttpRequest, project: Project) -> HttpResponse:
    """The right side of the editor: start a conversation, or continue with ``?number=``.

    When it is requested again after a text was saved, it keeps the values of its form; ``?refused=`` says that a start
    was refused, so
    that it shows what still stops one.
    """
    number = request.GET.get("number", "")
    found = None
    if number.isascii() and number.isdigit() and len(number) < 10:
        found = selectors.conversation_get(project=project, number=int(number))
    context = pages.panel(project, found, may_test=may_test(request, project), given=request.GET)
    if request.GET.get("refused"):
        context |= still_refused(project)
    return render(request, "constraints/_panel.html", context)


def still_refused(project: Project) -> dict[str, Any]:
    """The problems that keep the saved agents from running, or a note that there are none."""
    try:
        services.refuse_problems(project=project, pins=selectors.pins_of(project=project))
    except NotRunnable as error:
        return refusal(error)
    return {"mended": True}


@require_POST
@project_view("project.test")
def turn_create(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Queue a turn: 202 with what a script needs to follow it, or back to the page without script."""
    found = selectors.conversation_get(project=project, number=number)
    kind = request.POST.get("kind", Turn.Kind.SAY)
    turn, created = services.turn_post(
        conversation=found,
        author=user_of(request),
        kind=kind,
        data=turn_form(request, kind),
        message_id=request.POST.get("message_id", ""),
    )
    if wants_json(request):
        body = {"index": turn.index, "status": turn.status, "message_id": turn.message_id, "created": created}
        return JsonResponse(body, status=202)
    return redirect(found)


def turn_form(request: HttpRequest, kind: str) -> dict[str, Any]:
    """The input of a turn from form fields. A value is read as JSON where it is some, else as text."""
    data: dict[str, Any] = {name: request.POST[name] for name in ("text", "id", "name", "by") if name in request.POST}
    if kind in (Turn.Kind.SET, Turn.Kind.ACT):
        data["value"] = (
            human_left(request) if data.get("id") == HUMAN_DONE else value_typed(request.POST.get("value", ""))
        )
    return data


def human_left(request: HttpRequest) -> dict[str, Any]:
    """What the tester says for the human whose part of an escalation ends: the fields of `human.*` (09 §7)."""
    note = request.POST.get("note", "").strip()
    return {"resolved": request.POST.get("resolved") == "true", **({"note": note} if note else {})}


@require_POST
@project_view("project.test")
def turn_cancel(request: HttpRequest, project: Project, number: int, index: int) -> HttpResponse:
    """Cancel a turn that waits or runs."""
    found = selectors.conversation_get(project=project, number=number)
    turn = services.turn_cancel(turn=selectors.turn_get(conversation=found, index=index))
    if wants_json(request):
        return JsonResponse({"index": turn.index, "status": turn.status, "cancelling": turn.cancel_requested})
    return redirect(found)


@require_GET
@project_view("project.view")
def turn_chat(request: HttpRequest, project: Project, number: int, index: int) -> HttpResponse:
    """One turn as the chat shows it."""
    found = selectors.conversation_get(project=project, number=number)
    turn = selectors.turn_get(conversation=found, index=index)
    context = {"project": project, "conversation": found, "turn": turn, "may_test": may_test(request, project)}
    return render(request, "constraints/_chat_turn.html", context)


@require_GET
@project_view("project.view")
def turn_events(request: HttpRequest, project: Project, number: int, index: int) -> HttpResponse:
    """The rows of one turn: ``?block=`` gives one block, else the turn with the blocks near ``?around=``."""
    found = selectors.conversation_get(project=project, number=number)
    turn = selectors.turn_get(conversation=found, index=index)
    turn.conversation = found
    only = request.GET.get("only", "")
    context: dict[str, Any] = {"project": project, "conversation": found, "turn": turn}
    if "block" in request.GET:
        context["rows"] = pages.block_rows(turn, number_in(request, "block"), only=only)
        return render(request, "constraints/_rows.html", context)
    context |= pages.turn_rows(turn, around=number_in(request, "around"), only=only)
    context |= pages.counts(found)
    return render(request, "constraints/_turn_events.html", context | {"open": True})


def number_in(request: HttpRequest, name: str) -> int:
    """A number in the query, 0 without one."""
    text = request.GET.get(name, "") or "0"
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Invalid(fields={name: f"{text[:40]!r} is not a step or turn number."})
    return int(text)


@require_GET
@project_view("project.view")
def turn_rules(request: HttpRequest, project: Project, number: int, index: int) -> HttpResponse:
    """The rules of one turn for the panel beside the editor."""
    found = selectors.conversation_get(project=project, number=number)
    turn = selectors.turn_get(conversation=found, index=index)
    return render(request, "constraints/_live.html", {"project": project, **pages.live(found, turn)})
