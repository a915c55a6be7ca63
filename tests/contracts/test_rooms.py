"""Folders of code and of tests are small enough that their names tell where a line belongs (docs/architecture.md)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("abl", "config", "constraints", "editor", "memory", "web")
NO_ROOM_OF_CODE = ("abl/cli", "abl/fuzz", "abl/frozen", "abl/realistic")
"""Folders of tests of whole parts: the commands, generated texts, the frozen corpus, and whole agents."""
WHOLE = ("attacks", "browser", "contracts", "faults")
"""Folders of tests of the whole product."""
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


def test_tests_lie_in_rooms_of_the_code():
    rooms = {folder.removeprefix("tests/") for folder in modules() if folder.startswith("tests/")}
    mirrored = {room for room in rooms if room not in NO_ROOM_OF_CODE and room.partition("/")[0] not in WHOLE}
    assert len(mirrored) > 50
    assert {room for room in mirrored if not (ROOT / room / "__init__.py").exists()} == set()
    assert {path.name for path in (ROOT / "tests").glob("test_*.py")} == {"test_every.py"}, "a test without a room"
