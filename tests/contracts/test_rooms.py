"""Folders of code are small enough that their names tell where a line belongs (docs/architecture.md §1)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("abl", "config", "constraints", "editor", "memory", "web")
MOST = 25


def modules() -> Counter[str]:
    """How many modules each folder of code has, without its ``__init__``."""
    found = Counter[str]()
    for name in CODE:
        for path in (ROOT / name).rglob("*.py"):
            folder = path.parent.relative_to(ROOT)
            if path.name != "__init__.py" and folder.name != "migrations":
                found[folder.as_posix()] += 1
    return found


def test_a_folder_has_no_more_modules_than_its_name_can_tell():
    counted = modules()
    assert len(counted) > 30
    assert {folder: count for folder, count in counted.items() if count > MOST} == {}
