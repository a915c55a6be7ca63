#!/usr/bin/env python3
"""Django's command line for ABL Workbench."""

import os
import sys
from typing import NoReturn


def refuse(why: str) -> NoReturn:
    """End with one line that says why; a traceback would tell no more to whoever set a variable."""
    from config.options import REFUSED

    sys.stderr.write(" ".join(why.split()) + "\n")
    sys.exit(REFUSED)


def main() -> None:
    """Run the command of the command line, unless the settings cannot be read."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        _ = settings.INSTALLED_APPS  # reads them
    except ImproperlyConfigured as exc:
        refuse(str(exc))
    except OSError as exc:
        # All that settings touch is in the data folder.
        refuse(f"ABL_VAR_DIR: {exc.filename} cannot be used: {exc.strerror}.")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
