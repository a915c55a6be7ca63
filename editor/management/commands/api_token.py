"""``manage.py api_token USER PROJECT``: prints a new API token."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from editor import selectors, services
from editor.models import User
from web.errors import AppError


class Command(BaseCommand):
    """Makes a token for one user in one project and prints its secret, the only time that it is shown."""

    help = "Prints a new API token for one user in one project. It is stored hashed and shown only now."

    def add_arguments(self, parser: CommandParser) -> None:
        """User, project and, if wanted, a name."""
        parser.add_argument("user", help="user name")
        parser.add_argument("project", help="slug of the project")
        parser.add_argument("--name", default="command line", help="what the token is for")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the secret alone, so that it can be assigned to a variable of the shell."""
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            project = selectors.project_get(user=user, slug=options["project"])
            _, secret = services.token_create(project=project, user=user, name=options["name"])
        except AppError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(secret)
