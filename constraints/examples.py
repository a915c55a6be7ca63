"""The example projects under ``examples/``: a folder each, ``project.yaml`` beside its agents and scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from abl.analysis.project_file.reading import ProjectFile, read_project_file
from editor import services as editing
from editor.models import Membership, Project, User
from editor.trials import RUN_KEYS
from memory.banks import services as banks
from memory.facts.revising import fact_write
from memory.stores import services as stores

FOLDER: Path = settings.BASE_DIR / "examples"
SUFFIXES = (".agent.abl", ".tools.abl", ".behavior_profile.abl", ".scenario.yaml")


def example_folders() -> list[Path]:
    """Folders that hold a ``project.yaml``, in order of name."""
    return sorted(path.parent for path in FOLDER.glob("*/project.yaml"))


@transaction.atomic
def example_load(*, folder: Path, owner: User) -> Project | None:
    """Create the project of a folder: documents, mocks, facts, stores, banks; None when its slug is taken already."""
    if Project.objects.filter(slug=folder.name).exists():
        return None
    file = read_project_file((folder / "project.yaml").read_text(encoding="utf-8"))
    name, about = file.value("name"), file.value("description") or ""
    project = editing.project_create(user=owner, name=name or folder.name, slug=folder.name, description=about)
    project.settings = settings_of(file)
    project.save(update_fields=["settings"])
    for path in sorted(folder.iterdir()):
        if path.name.endswith(SUFFIXES):
            text = path.read_text(encoding="utf-8")
            editing.document_create(project=project, user=owner, path=path.name, text=text, message="Example")
    for scope, facts in (file.value("facts") or {}).items():
        for name, value in facts.items():
            fact_write(
                project=project,
                scope=scope,
                owner="",
                path=name,
                value=value,
                source={"cause": "seed_data"},
                actor=owner,
            )
    stores.definitions_import(project=project, data={"stores": file.value("stores") or []}, actor=owner)
    for name, bank in (file.value("banks") or {}).items():
        bank_seed(project=project, name=name, bank=bank, owner=owner)
    return project


def settings_of(file: ProjectFile) -> dict[str, Any]:
    """What test conversations of the project begin with (docs/spec 12 §3.1)."""
    run = {key: found for key in RUN_KEYS if (found := file.value(key)) is not None}
    given = {"entry": file.value("entry"), "mocks": file.value("tools"), "run": run}
    return {key: found for key, found in given.items() if found} | _turn_seconds(file)


def _turn_seconds(file: ProjectFile) -> dict[str, Any]:
    seconds = file.value("turn_seconds")
    return {} if seconds is None else {"turn_seconds": seconds}


def bank_seed(*, project: Project, name: str, bank: dict[str, Any], owner: User) -> None:
    """Make a memory bank with the texts that its agents begin with (docs/spec 11 §3)."""
    banks.bank_put(project=project, name=name, max_lines=bank.get("max_lines"), actor=owner)
    for agent, text in (bank.get("texts") or {}).items():
        banks.bank_write(
            project=project, name=name, agent=agent, content=text, source={"cause": "seed_data"}, actor=owner
        )


def examples_load(*, owner: User, once: bool = False) -> list[Project]:
    """Load every example whose slug is free; with ``once`` only into an installation without any project."""
    if once and Project.objects.exists():
        return []
    loaded = [example_load(folder=folder, owner=owner) for folder in example_folders()]
    projects = [project for project in loaded if project is not None]
    for project in projects:
        Membership.objects.get_or_create(project=project, user=owner, defaults={"role": Membership.Role.OWNER})
    return projects
