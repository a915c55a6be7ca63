"""A plugin of pytest that loads one module from another file: the mutant that ``scripts/mutation.py`` made of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

MODULE, FILE = "MUTANT_MODULE", "MUTANT_FILE"
"""Variables of the environment: the name of the module, and the file that it is loaded from."""


class Finder:
    """Finds the mutated module, and no other."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The place of the mutant; None for every other module."""
        if name != os.environ.get(MODULE):
            return None
        return spec_from_file_location(name, os.environ[FILE])


if MODULE in os.environ:
    sys.meta_path.insert(0, Finder)
