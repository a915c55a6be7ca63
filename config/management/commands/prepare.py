"""``manage.py prepare``: a database ready for work: migrated, with an admin and the examples. Safe to repeat."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection

from config.options import REFUSED
from config.private import close_to_others, database_files

ADMIN = "admin"


class Command(BaseCommand):
    """Applies migrations, makes the first admin and loads the examples, each only where it is missing."""

    help = "Apply migrations, make the first admin and load the examples. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        self.keep_private()
        self.reach_database()
        call_command("migrate", verbosity=0, interactive=False)
        self.say_how_to_sign_in(self.make_admin())
        if "load_examples" in get_commands():
            call_command("load_examples", once=True, stdout=self.stdout)

    def keep_private(self) -> None:
        """Make existing data unreadable for other accounts of this machine; new data always is."""
        database = settings.DATABASES["default"]
        in_files = database["ENGINE"] == "django.db.backends.sqlite3"
        try:
            close_to_others(settings.VAR_DIR, *(database_files(str(database["NAME"])) if in_files else ()))
        except ImproperlyConfigured as exc:
            raise CommandError(str(exc), returncode=REFUSED) from exc

    def reach_database(self) -> None:
        """Refuse to start without a reachable database."""
        try:
            connection.ensure_connection()
        except OperationalError as exc:
            # The first line says it; it names host and user, never the password.
            why = str(exc).partition("\n")[0].rstrip(".")
            raise CommandError(
                f"The database cannot be used: {why}. Start it or set DATABASE_URL.", returncode=REFUSED
            ) from exc

    def say_how_to_sign_in(self, password: str | None) -> None:
        """Print the password if it was just generated: it is stored nowhere else."""
        if password is None:
            self.stdout.write(f"Sign in as an existing user; to reset a password: manage.py changepassword {ADMIN}")
        elif settings.ADMIN_PASSWORD:
            self.stdout.write(f"Sign in as {ADMIN} with the password from ABL_ADMIN_PASSWORD.")
        else:
            self.stdout.write(f"Sign in as {ADMIN} with the password {password} (it is not shown again).")
        self.stdout.flush()

    def make_admin(self) -> str | None:
        """The password of the new admin, or None when a user exists already."""
        users = get_user_model().objects
        if users.filter(is_superuser=True).exists() or users.filter(username=ADMIN).exists():
            return None
        password = settings.ADMIN_PASSWORD or secrets.token_urlsafe(12)
        users.create_superuser(ADMIN, password=password)
        return password
