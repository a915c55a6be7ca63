"""``manage.py verify_facts``: walk the change logs, and hold the facts against them."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from editor.models import Project
from memory.log.comparison import Difference, differences
from memory.log.verification import KEPT, verify
from memory.models import Fact, FactChange

__all__ = ["Command", "verify"]


class Command(BaseCommand):
    """Exit code 0 when every log is whole and the facts are as it says, 1 when not."""

    help = "Verify the hash chain of the change log of facts, and that the facts are what it says."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="*", help="slugs; all projects when none is given")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = Project.objects.order_by("slug")
        if options["project"]:
            projects = projects.filter(slug__in=options["project"])
            missing = set(options["project"]) - set(projects.values_list("slug", flat=True))
            if missing:
                raise CommandError(f"There is no project {', '.join(sorted(missing))}.")
        wrong = [project for project in projects if not self._right(project)]
        if wrong:
            sys.exit(1)

    def _right(self, project: Project) -> bool:
        """Look at one project and say what was found."""
        seq, found = verify(project)
        if found is None:
            self.stdout.write(f"{project.slug}: {seq} entries, whole")
        else:
            self.stdout.write(self.style.ERROR(f"{project.slug}: broken at entry {found.seq}: {found.why}"))
        number = 0
        for number, each in enumerate(differences(project), 1):
            if number <= KEPT:
                self.stdout.write(self.style.ERROR(f"{project.slug}: {_named(project, each)}: {each.why}"))
        if number:
            self.stdout.write(self.style.ERROR(f"{project.slug}: {number} differ from the log"))
        else:
            self.stdout.write(f"{project.slug}: the facts are as the log says")
        return found is None and not number


def _named(project: Project, difference: Difference) -> str:
    """Which fact is meant: its key, or the entry that wrote it, with its path."""
    if difference.fact is not None:
        fact = Fact.objects.filter(pk=difference.fact).first()
        return f"fact {difference.fact} ({fact.path if fact else 'since deleted'})"
    entry = FactChange.objects.get(project=project, seq=difference.seq or 0)
    return f"entry {difference.seq} ({entry.path})"
