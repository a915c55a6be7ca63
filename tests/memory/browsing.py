"""What the browser tests of memory share: a project of their own, and code that the server runs in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.workbench import Workbench

START = """
from django.utils import timezone
from editor.models import Project, User
from editor.services import project_create
admin = User.objects.get(username="admin")
"""


def new_project(workbench: Workbench, name: str) -> str:
    """The slug of a new project of the admin."""
    code = f"{START}print(project_create(user=admin, name={name!r}).slug)"
    return workbench.shell(code).split()[-1]


def writer(workbench: Workbench, slug: str) -> Callable[[str], Any]:
    """Runs code over ``project`` and ``admin``; gives the last word that it prints."""

    def run(code: str) -> str:
        told = workbench.shell(f"{START}project = Project.objects.get(slug={slug!r})\n{code}")
        return (told.split() or [""])[-1]

    return run
