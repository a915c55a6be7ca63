"""``manage.py verify_facts``: walk the change logs and report the first break of each."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from editor.models import Project
from memory.verification import verify

__all__ = ["Command", "verify"]


class Command(BaseCommand):
    """Exit code 0 when every log is whole, 1 when one is not."""

    help = "Verify the hash chain of the change log of facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", nargs="*", help="slugs; all projects when none is given")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = Project.objects.order_by("slug")
        if options["project"]:
            projects = projects.filter(slug__in=options["project"])
            missing = set(options["project"]) - set(projects.values_list("slug", flat=True))
            if missing:
                raise CommandError(f"There is no project {', '.join(sorted(missing))}.")
        broken = 0
        for project in projects:
            seq, found = verify(project)
            if found is None:
                self.stdout.write(f"{project.slug}: {seq} entries, whole")
            else:
                broken += 1
                self.stdout.write(self.style.ERROR(f"{project.slug}: broken at entry {found.seq}: {found.why}"))
        if broken:
            sys.exit(1)
