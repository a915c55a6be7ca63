"""``manage.py load_examples``: the example projects, for a newcomer to try things on."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from constraints.examples import examples_load
from editor.models import User


class Command(BaseCommand):
    """Loads the examples whose names are free; running it again changes nothing."""

    help = "Create the example projects that do not exist yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--once``: only when there is no project at all."""
        parser.add_argument("--once", action="store_true", help="do nothing when any project exists")
        parser.add_argument("--owner", help="user name of the owner; default: the first admin")

    def handle(self, *args: Any, owner: str | None = None, once: bool = False, **options: Any) -> None:
        """Find the owner and load."""
        admins = User.objects.filter(is_superuser=True).order_by("pk")
        found = User.objects.filter(username=owner).first() if owner else admins.first()
        if found is None:
            raise CommandError(
                f"There is no user {owner!r}." if owner else "Create an admin first: manage.py createsuperuser"
            )
        for project in examples_load(owner=found, once=once):
            self.stdout.write(f"Loaded {project.name} ({project.slug})")
