"""From files to what a session runs: programs, the entry agent, and why files cannot be run (docs/spec 09 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from abl.diagnostics import Diagnostic
from abl.runtime.plan.linking import Linked, linked
from abl.runtime.plan.program import NOTHING, Program, document_of, programs_of
from abl.runtime.plan.refusing import TOO_MANY, Refusals, sort_errors

_OFFERS = re.compile(r"^[ \t]*(?:- )?file[ \t]*:|^[ \t]+ADD[ \t]*:|INSERTIONS", re.MULTILINE | re.IGNORECASE)
"""An agent that imports tools, or a profile that adds some or inserts steps."""


class NotRunnable(Exception):
    """The files cannot be run: ``diagnostics`` are the errors, or ``reason`` says what is missing."""

    def __init__(self, diagnostics: Iterable[Diagnostic], reason: str = "") -> None:
        self.diagnostics = tuple(diagnostics)
        self.reason = reason or "; ".join(f"{d.path}: {d.code} {d.message}" for d in self.diagnostics[:3])
        super().__init__(self.reason)


def check_problems(files: Mapping[str, str]) -> list[Diagnostic]:
    """The diagnostics of severity error, and what says that there are more: they may keep a session from starting."""
    from abl.analysis import check

    return refusing_problems(check(files).diagnostics)


def refusing_problems(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those of all diagnostics that refuse something (``abl.runtime.plan.refusing``)."""
    return [d for d in diagnostics if d.severity == "error" or d.code == TOO_MANY]


def programs_in(files: Mapping[str, str]) -> dict[str, Program]:
    """The agents of all files by name; of two with one name the first counts."""
    found: dict[str, Program] = {}
    behind = _linked(files)
    for path in sorted(files):
        for program in programs_of(path, files[path], behind.get(path, NOTHING)):
            found.setdefault(program.name, program)
    return found


def _linked(files: Mapping[str, str]) -> Mapping[str, Linked]:
    """The tools and steps that agents take from other files; looked for where a file offers some."""
    if not any(_OFFERS.search(text) for text in files.values()):
        return {}
    return linked({path: document_of(path, text) for path, text in files.items()})


def entry_of(programs: Mapping[str, Program], entry: str | None) -> str:
    """The agent that begins: the one named, else the only supervisor, else the only agent. Raises NotRunnable."""
    if entry is not None:
        if entry not in programs:
            raise NotRunnable((), f"no agent {entry!r}; there are {', '.join(sorted(programs)) or 'none'}")
        return entry
    supervisors = [name for name, program in programs.items() if program.agent.kind == "supervisor"]
    for candidates in (supervisors, list(programs)):
        if len(candidates) == 1:
            return candidates[0]
    if not programs:
        raise NotRunnable((), "the files hold no agent")
    raise NotRunnable((), f"name the entry agent; there are {', '.join(sorted(programs))}")


def begin(programs: Mapping[str, Program], entry: str | None, problems: Iterable[Diagnostic]) -> tuple[str, Refusals]:
    """The agent that begins, and what is refused in all of them (docs/spec 05 §1).

    Raises NotRunnable for errors outside of all agents, and for those that refuse the agent that begins; where nobody
    says which that is, and one of several is refused, with all errors.
    """
    listed = list(problems)
    errors = sort_errors(programs, listed)
    if errors.everything:
        raise NotRunnable(errors.everything)
    try:
        entry = entry_of(programs, entry)
    except NotRunnable as unclear:
        all_errors = [d for d in listed if d.severity == "error"] if entry is None and errors.agents else []
        raise NotRunnable(all_errors, unclear.reason) from None
    if entry in errors.agents:
        raise NotRunnable(errors.agents[entry])
    return entry, errors.inside


def seeded(seed: int) -> int:
    """A well-mixed non-zero start state of the generator."""
    x = (seed * 0x9E3779B97F4A7C15 + 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    x ^= x >> 31
    return (x * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF or 1
