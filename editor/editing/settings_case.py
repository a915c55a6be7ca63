"""What test conversations of a project begin with, as a test case: so that a rename reaches its names too."""

from __future__ import annotations

from typing import Any, Final

import yaml
from django.db import transaction

from editor import selectors
from editor.models import Project
from editor.trials import as_yaml

SETTINGS: Final = "project settings.scenario.yaml"
"""No document has this path: it holds a blank."""
SETTINGS_WORDS: Final = "the project's settings"


def settings_case(project: Project) -> dict[str, str]:
    """Entry agent, mocks and scripted model as the text of a test case (docs/spec 12 §3); empty without any."""
    settings = project.settings
    case = {"entry": settings.get("entry"), "tools": settings.get("mocks"), "model": _run(settings).get("model")}
    used = {key: value for key, value in case.items() if value}
    paths = list(selectors.document_list(project=project).values_list("path", flat=True))
    return {SETTINGS: as_yaml({"agents": paths, **used})} if used else {}


@transaction.atomic
def case_taken(project: Project, text: str) -> None:
    """Keep what such a text says as the settings of the project."""
    case: dict[str, Any] = yaml.safe_load(text)
    locked = Project.objects.select_for_update().get(pk=project.pk)
    changed = dict(locked.settings)
    if "entry" in case:
        changed["entry"] = case["entry"]
    if "tools" in case:
        changed["mocks"] = case["tools"]
    if "model" in case:
        changed["run"] = {**_run(changed), "model": case["model"]}
    locked.settings = changed
    locked.save(update_fields=["settings"])


def _run(settings: dict[str, Any]) -> dict[str, Any]:
    run = settings.get("run")
    return run if isinstance(run, dict) else {}
