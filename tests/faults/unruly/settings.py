"""The settings of the product with this application."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.unruly.apps.UnrulyConfig"]
