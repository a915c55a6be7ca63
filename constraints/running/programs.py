"""The texts that a conversation runs and what the language says about them; both cached, as revisions never change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from abl.analysis.check import Report, check
from abl.analysis.reporting.render import diagnostic_dict
from abl.diagnostics import Diagnostic
from abl.runtime import NotRunnable, Session
from abl.runtime.loading import refusing_problems
from abl.runtime.plan.program import programs_of
from abl.runtime.privacy.masking import Display, Masker
from constraints.models import Conversation, Turn
from editor.models import Revision
from memory.facts import declarations
from memory.facts.selectors import sensitive_stored

Pins = Mapping[str, int]
KEPT = 64
"""Sets of pinned revisions that a process remembers."""


def texts_of(pins: Pins) -> Mapping[str, str]:
    """Path to text of pinned revisions, in order of path."""
    return _texts(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _texts(pins: tuple[tuple[str, int], ...]) -> Mapping[str, str]:
    found = dict(Revision.objects.filter(pk__in=[pk for _, pk in pins]).values_list("pk", "text"))
    return {path: found[pk] for path, pk in pins}


def report_of(pins: Pins) -> Report:
    """What ``abl.check`` finds in pinned revisions."""
    return _report(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _report(pins: tuple[tuple[str, int], ...]) -> Report:
    return check(_texts(pins))


def agent_names(*, pins: Pins) -> list[str]:
    """Agents that a conversation can begin with, in order of path and position."""
    return list(report_of(pins).index.agents)


def problems_of(*, pins: Pins, entry: str = "") -> list[dict[str, Any]]:
    """Problems that stop a run which begins with ``entry``, in the shape of docs/spec 12 §2.

    Others only refuse a part of an agent, or another agent, when it is reached (docs/spec 05 §1).
    """
    report = report_of(pins)
    try:
        Session(texts_of(pins), entry=entry or None, problems=known_problems(pins))
    except NotRunnable as error:
        return [diagnostic_dict(problem, report.index.sources) for problem in error.diagnostics]
    return []


def known_problems(pins: Pins) -> list[Diagnostic]:
    """What the check of pinned revisions found that refuses something."""
    return refusing_problems(report_of(pins).diagnostics)


def errors_in(pins: Pins) -> list[dict[str, Any]]:
    """The errors of pinned revisions, in the shape of docs/spec 12 §2; each refuses what it is in."""
    sources = report_of(pins).index.sources
    return [diagnostic_dict(problem, sources) for problem in known_problems(pins) if problem.severity == "error"]


def refusal(*, pins: Pins, entry: str) -> str:
    """Why a session cannot begin with ``entry`` (empty: as docs/spec 09 §3 chooses); empty when it can."""
    try:
        Session(texts_of(pins), entry=entry or None, problems=known_problems(pins))
    except NotRunnable as error:
        return error.reason
    return ""


def sensitive_paths(pins: Pins) -> Mapping[str, Mapping[str, Any]]:
    """Persistent paths that a document declares sensitive, with how they are shown (docs/spec 03 §3)."""
    return declarations.sensitive_paths(tuple(sorted(pins.items())))


def domains(pins: Pins) -> Mapping[str, str]:
    """Persistent paths that a document gives a DOMAIN, with its name (docs/spec 03 §5)."""
    return _domains(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _domains(pins: tuple[tuple[str, int], ...]) -> Mapping[str, str]:
    return {path: plan.domain for path, plan in declarations.persistent(pins) if plan.domain}


def shown_input(turn: Turn, conversation: Conversation | None = None) -> Mapping[str, Any]:
    """The input of a turn that no worker has masked yet, or never will: a value is masked by the name it was given.

    By what the agents declare, and by the facts that are stored as sensitive under that name, above it or below it.
    What was masked already stays as it is (docs/spec 07 §10).

    :param conversation: that of the turn, where the caller has it.
    """
    given: Mapping[str, Any] = turn.input
    if "name" not in given or turn.status == Turn.Status.DONE:
        return given
    conversation = conversation or turn.conversation
    stored = sensitive_stored(
        project=conversation.project_id, owners=[conversation.user, conversation.session_id], path=str(given["name"])
    )
    masker = Masker(_declared(tuple(sorted(conversation.pins.items()))), stored=stored)
    if not masker.reads_sensitive([given["name"]]):
        return given
    return {**given, "value": masker.shown(given["name"], given.get("value"))}


@lru_cache(maxsize=KEPT)
def _declared(pins: tuple[tuple[str, int], ...]) -> Mapping[str, Display]:
    texts = _texts(pins)
    programs = [program for path in texts for program in programs_of(path, texts[path])]
    return {name: display for program in programs for name, display in program.sensitive.items()}


def revision_numbers(pins: Pins) -> Mapping[str, int]:
    """Path to the number of the pinned revision, which facts name as their source."""
    return _numbers(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _numbers(pins: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    found = dict(Revision.objects.filter(pk__in=[pk for _, pk in pins]).values_list("pk", "number"))
    return {path: found[pk] for path, pk in pins}


def warm_up() -> None:
    """Run a turn of a tiny agent, which loads every module that a turn needs."""
    text = (
        'AGENT: Warm_Up\nGOAL: "Load"\n\nCONSTRAINTS:\n  all:\n    - REQUIRE 1 + 1 == 2\n      ON_FAIL: "{{1 + 1}}"\n'
    )
    files = {"warm.agent.abl": text}
    check(files)
    session = Session(files, checked=True)
    session.start()
    session.say("hello")
