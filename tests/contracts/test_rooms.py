"""Folders of code and of tests are small enough that their names tell where a line belongs (docs/architecture.md)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("abl", "config", "constraints", "editor", "memory", "web")
MIRRORED = ("analysis", "runtime", "syntax")
"""Parts of the language whose tests lie in folders of the same names as their code."""
MOST = 25


def modules() -> Counter[str]:
    """How many modules each folder of code or tests has, without its ``__init__``; folders of data have none."""
    found = Counter[str]()
    for name in (*CODE, "tests"):
        for path in (ROOT / name).rglob("*.py"):
            folder = path.parent.relative_to(ROOT)
            if path.name != "__init__.py" and folder.name != "migrations":
                found[folder.as_posix()] += 1
    return found


def test_a_folder_has_no_more_modules_than_its_name_can_tell():
    counted = modules()
    assert len(counted) > 30
    assert {folder: count for folder, count in counted.items() if count > MOST} == {}


def test_tests_of_the_language_lie_in_rooms_of_its_code():
    rooms = {folder for folder in modules() for part in MIRRORED if folder.startswith(f"tests/abl/{part}/")}
    assert len(rooms) > 20
    assert {room for room in rooms if not (ROOT / room.removeprefix("tests/") / "__init__.py").exists()} == set()
