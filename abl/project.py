"""What ``project.yaml`` says for a whole project, for the command line (docs/spec 12 §3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from abl.analysis.check import check
from abl.analysis.project_file.reading import ENTRY_PLACES, ProjectFile, is_project_file, read_project_file
from abl.diagnostics import Diagnostic
from abl.files import PROJECT_MARKS, SUFFIXES, UsageError, files_in, of_one_project, text_of
from abl.language.project_file import NAME
from abl.source import Source
from abl.syntax.recovery.suggest import closest


class ProjectFileError(ValueError):
    """A project file that cannot be used; the message names file, place, field, value and what would be right."""


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says; without one, or where it says nothing, the defaults. ``path`` is the file."""

    path: Path | None = None
    entry: str | None = None
    entry_at: str = ""  # file, line and column
    language: str | None = None
    policy: str | None = None
    now: datetime | None = None
    tools: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    model: tuple[Mapping[str, Any], ...] | None = None
    memory_policy: Mapping[str, Any] | None = None
    bank: Mapping[str, Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


NONE: Final = Project()
MISNAMED: Final = "project.yml"


def project_for(place: Path) -> Project:
    """What holds for a file or folder: the project file of the nearest folder, upwards, that is marked as a project.

    Raises ProjectFileError.
    """
    path = project_file_for(place)
    if path is None:
        return NONE
    try:
        text = text_of(path)
    except UsageError as error:
        raise ProjectFileError(str(error)) from error
    problems = [found for found in check({str(path): text}).diagnostics if found.severity == "error"]
    if problems:
        raise ProjectFileError(_first(path, text, problems))
    file = read_project_file(text)
    begins = [named.span.start for named in file.names if named.place in ENTRY_PLACES]
    at = Source(text, str(path)).position(begins[0]) if begins else None
    return replace(project_of(file, path), entry_at=f"{path}:{at.line}:{at.column}" if at is not None else "")


def policy_of(files: Mapping[str, str], folder: Path | None = None) -> str | None:
    """The policy that the project file among texts names, or the one that holds for a folder; None without one.

    A file that cannot be used names none: ``check`` tells what is wrong with it.
    """
    text = next((files[path] for path in sorted(files) if is_project_file(path)), None)
    path = project_file_for(folder) if text is None and folder is not None else None
    if path is not None:
        with suppress(UsageError):
            text = text_of(path)
    policy = read_project_file(text).value("policy") if text is not None else None
    return policy if isinstance(policy, str) else None


def project_file_for(place: Path) -> Path | None:
    """The project file that holds for a file or folder; None where the project has none."""
    start = place.absolute()
    for folder in (start, *start.parents):
        if any((folder / mark).is_file() for mark in PROJECT_MARKS):
            path = place / NAME if folder == start else folder / NAME
            return path if path.exists() else None
    return None


def misnamed_near(places: Iterable[Path]) -> list[Path]:
    """The files near files and folders that nobody reads because they are named project.yml (docs/spec 12 §3.1).

    Looked for are the folders themselves, and those above up to the one that is marked as a project.
    """
    found: dict[Path, None] = {}
    for place in places:
        start = place.absolute() if place.is_dir() else place.absolute().parent
        above = (start, *start.parents)
        marked = [at for at, folder in enumerate(above) if any((folder / mark).is_file() for mark in PROJECT_MARKS)]
        for folder in above[: marked[0] + 1 if marked else 1]:
            if (folder / MISNAMED).is_file():
                found.setdefault(folder / MISNAMED)
    return list(found)


def misnamed(path: Path) -> str:
    """What to say of such a file."""
    return f"{path} is not read; rename it to {NAME}, or delete it beside one"


def no_such_entry(project: Project, agents: Iterable[str]) -> ProjectFileError:
    """What is wrong with a file whose entry agent is none of the project's."""
    near = closest(project.entry or "", agents)
    known = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(agents)) or 'none'}"
    return ProjectFileError(f"{project.entry_at or project.path}: entry: there is no agent {project.entry}; {known}")


def agents_of(project: Project) -> dict[str, str]:
    """The texts of all agent files of a project; what cannot be read is left out."""
    folder = project.path.parent if project.path is not None else Path()
    found: dict[str, str] = {}
    with suppress(UsageError):
        for file in of_one_project(files_in(folder, SUFFIXES), folder):
            with suppress(UsageError, OSError):
                found[str(file)] = text_of(file)
    return found


def _first(path: Path, text: str, problems: list[Diagnostic]) -> str:
    at = Source(text, str(path)).position(problems[0].span.start)
    more = f" (and {len(problems) - 1} more: abl check {path})" if len(problems) > 1 else ""
    return f"{path}:{at.line}:{at.column}: {problems[0].message}{more}"


def project_of(file: ProjectFile, path: Path | None = None) -> Project:
    """What a file says that has no errors."""
    bank = file.value("bank")
    return Project(
        path=path,
        entry=file.value("entry"),
        language=file.value("language"),
        policy=file.value("policy"),
        now=_moment(file.value("now")),
        tools={name: tuple(cases) for name, cases in (file.value("tools") or {}).items()},
        facts=file.value("facts") or {},
        model=tuple(lines) if (lines := file.value("model")) is not None else None,
        memory_policy=file.value("memory_policy"),
        bank=(file.value("banks") or {}).get(bank) or {} if bank is not None else None,
        settings=dict(_settings(file)),
    )


def _settings(file: ProjectFile) -> Iterator[tuple[str, Any]]:
    ask_again = file.value("ask_again")
    if ask_again is not None:
        yield "ask_again", ask_again


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
