"""The texts that a conversation runs and what the language says about them; both cached, as revisions never change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from abl.analysis.check import Report, check
from abl.analysis.render import diagnostic_dict
from abl.runtime import NotRunnable, Session
from abl.runtime.masking import Masker
from abl.runtime.plans import PathPlan
from abl.runtime.program import programs_of
from editor.models import Revision

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


def problems_of(*, pins: Pins) -> list[dict[str, Any]]:
    """Problems of severity error, which stop a run, in the shape of docs/spec 12 §2."""
    report = report_of(pins)
    return [diagnostic_dict(problem, report.index.sources) for problem in report.errors]


def refusal(*, pins: Pins, entry: str) -> str:
    """Why a session cannot begin with ``entry`` (empty: as docs/spec 09 §3 chooses); empty when it can."""
    try:
        Session(texts_of(pins), entry=entry or None, checked=True)
    except NotRunnable as error:
        return error.reason
    return ""


def sensitive_paths(pins: Pins) -> Mapping[str, Mapping[str, Any]]:
    """Persistent paths that a document declares sensitive, with how they are shown (docs/spec 03 §3)."""
    return _sensitive(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _sensitive(pins: tuple[tuple[str, int], ...]) -> Mapping[str, Mapping[str, Any]]:
    return {path: asdict(plan.display) for path, plan in _persistent(pins) if plan.display is not None}


def domains(pins: Pins) -> Mapping[str, str]:
    """Persistent paths that a document gives a DOMAIN, with its name (docs/spec 03 §5)."""
    return _domains(tuple(sorted(pins.items())))


@lru_cache(maxsize=KEPT)
def _domains(pins: tuple[tuple[str, int], ...]) -> Mapping[str, str]:
    return {path: plan.domain for path, plan in _persistent(pins) if plan.domain}


def _persistent(pins: tuple[tuple[str, int], ...]) -> Iterator[tuple[str, PathPlan]]:
    """Every declaration of a persistent path, in order of the documents."""
    texts = _texts(pins)
    for document in texts:
        for program in programs_of(document, texts[document]):
            yield from program.persistent.items()


def shown_input(pins: Pins, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input of a turn that no worker has masked yet, or never will: a value is masked by the name it was given.

    ``given`` is that of ``Turn.input``; what was masked already stays as it is (docs/spec 07 §10).
    """
    masker = _masker(tuple(sorted(pins.items()))) if "name" in given else None
    if masker is None or not masker.reads_sensitive([given["name"]]):
        return given
    return {**given, "value": masker.shown(given["name"], given.get("value"))}


@lru_cache(maxsize=KEPT)
def _masker(pins: tuple[tuple[str, int], ...]) -> Masker:
    texts = _texts(pins)
    programs = [program for path in texts for program in programs_of(path, texts[path])]
    return Masker({name: display for program in programs for name, display in program.sensitive.items()})


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
