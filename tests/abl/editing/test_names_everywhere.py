"""Every place where a kind of name may stand, in keyword and in YAML form: from each of them definition, references,
hover and rename reach all the others.

The projects of the folder ``names`` are the table. In them the beginning of a word tells its kind, and one word is one
name, so that every place of the word is a place of the name; a new place is a line there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import abl
from abl.analysis import check
from abl.editing.hover import hover
from abl.source import Source

FOLDER: Final = Path(__file__).parent / "names"
FORMS: Final = ("keyword", "yaml")
PROJECTS: Final = (*FORMS, "actions")
WORDS: Final = {
    "A": "agent", "ac": "action", "al": "agent alias", "gr": "guardrail", "in": "intent", "it": "item", "p": "path",
    "ph": "phase", "pa": "parameter", "po": "flow policy", "pr": "profile", "rf": "result field",
    "rh": "return handler", "se": "secret", "s": "step", "t": "tool", "tb": "lookup table", "tm": "template",
    "v": "variable",
}  # fmt: skip
_NAME: Final = re.compile(
    r"(?<!\w)(?:last_(?=t_find_result))?"
    rf"(?P<name>(?:(?:user|workflow|project)\.)?(?P<kind>{'|'.join(sorted(WORDS, reverse=True))})_[A-Za-z]+)"
)
Place = tuple[str, int, int]


def project(form: str) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((FOLDER / form).iterdir())}


def names(files: dict[str, str]) -> dict[tuple[str, str], set[Place]]:
    """Every name with its kind, and all its places."""
    found: dict[tuple[str, str], set[Place]] = {}
    for path, text in files.items():
        source = Source(text, path)
        for match in _NAME.finditer(text):
            place = (path, *source.position(match.start("name")))
            found.setdefault((WORDS[match["kind"]], match["name"]), set()).add(place)
    return found


def starts(found: list[dict[str, Any]]) -> set[Place]:
    return {(place["path"], *place["range"]["start"].values()) for place in found}


def wrong_from(files: dict[str, str], place: Place, kind: str, name: str, places: set[Place]) -> Iterator[str]:
    """What a place does not know of its name."""
    found = starts(abl.references(files, *place))
    yield from (f"does not know {other}" for other in sorted(places - found))
    yield from (f"takes {other} for one" for other in sorted(found - places))
    declared = starts(abl.definition(files, *place))
    if not declared or not declared <= places:
        yield f"is defined at {declared}"
    about = hover(files, *place)
    shown = {
        "tool": f"{name}(",
        "parameter": name,
        "result field": name,
        "item": name,
        "variable": name,
        "path": name,
    }.get(kind, f"{kind} {name}")
    if about is None or not about["title"].startswith(shown):
        yield f"shows {about}"


def fresh(kind: str, name: str) -> str:
    words = {"agent": "Zz_New", "path": f"{name.partition('.')[0]}.zz_new"}
    return words.get(kind, "zz_new")


@pytest.mark.slow
@pytest.mark.parametrize("form", PROJECTS)
def test_each_place_of_a_name_knows_all_others(form: str) -> None:
    files = project(form)
    wrong = [
        (kind, name, place, each)
        for (kind, name), places in names(files).items()
        for place in sorted(places)
        if not place[0].endswith(".scenario.yaml")
        for each in wrong_from(files, place, kind, name, places)
    ]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("form", PROJECTS)
def test_a_rename_reaches_each_place_and_no_other(form: str) -> None:
    files = project(form)
    wrong = []
    for (kind, name), places in names(files).items():
        place = max(place for place in places if not place[0].endswith(".scenario.yaml"))
        answer = abl.rename(files, *place, fresh(kind, name))
        edits = [{"path": path, **edit} for path, found in answer["edits"].items() for edit in found]
        if answer["refused"] or answer["left"] or starts(edits) != places:
            wrong.append((name, answer["refused"], answer["left"], starts(edits) ^ places))
    assert wrong == []


def test_the_projects_have_no_errors_and_hold_each_kind() -> None:
    projects = {form: project(form) for form in PROJECTS}
    assert [d for files in projects.values() for d in check(files).diagnostics if d.severity == "error"] == []
    for form in FORMS:
        assert {kind for kind, _ in names(projects[form])} == set(WORDS.values())
