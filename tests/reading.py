"""Case files as data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

# The loader in C, which a PyYAML built without it lacks: the one in Python takes seconds for the files of all cases.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def read_yaml(path: Path) -> Any:
    """What a YAML file holds, read once; whoever changes it takes a copy."""
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)
