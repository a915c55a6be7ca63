"""Names of very many segments, paths declared very often, results with very many fields: time grows with the text."""

from __future__ import annotations

import time

import pytest

from abl.analysis import check
from abl.analysis.index.names import first_below, paths_above
from abl.analysis.index.visible_names import Paths
from abl.limits import MAX_PATHS_ABOVE

AGENT = 'AGENT: Desk\nGOAL: "Lend books"\n'
STEP = "FLOW:\n  look:\n    REASONING: false\n"
TOOL = 'TOOLS:\n  find(title: string) -> {id: string, shelf: {row: number}}\n    description: "Find"\n'
LONG = ".".join(f"part_{number}" for number in range(40_000))
PATH = "    - PATH: user.branch\n      SCOPE: {scope}\n"


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in check({"desk.agent.abl": text}).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        AGENT + STEP + f"    SET: {LONG} = 1\n",
        AGENT + STEP + f"    CLEAR: [{LONG}]\n",
        AGENT + STEP + f"    CALL: find AS {LONG}\n",
        AGENT + f"MEMORY:\n  persistent:\n    - {LONG}\n" + STEP + f"    SET: {LONG}.x = 1\n    CLEAR: [{LONG}.y]\n",
        AGENT + f"MEMORY:\n  session:\n    - {LONG}\n" + STEP + f"    SET: {LONG}.x = 1\n",
        AGENT + f"HANDOFF:\n  - TO: Librarian\n    WHEN: a\n    CONTEXT:\n      pass: [{LONG}]\n",
        AGENT + STEP + f"    SET: loan{'.length' * 40_000} = 1\n",
    ],
    ids=["set", "clear", "as", "persistent", "session", "pass", "length"],
)
def test_a_check_takes_time_in_proportion_to_the_text(text: str) -> None:
    start = time.process_time()
    assert codes(text)
    assert time.process_time() - start < 5  # less than 1; by the square of the length up to 20, and gigabytes


def test_the_paths_above_a_name_are_bounded_by_their_length() -> None:
    assert [*paths_above("user.home.town")] == ["user.home", "user"]
    assert [*paths_above("user")] == []
    above = [*paths_above(LONG)]
    assert len(above) == MAX_PATHS_ABOVE
    assert above[0] == ".".join(LONG.split(".")[:MAX_PATHS_ABOVE])
    assert above[-1] == "part_0"


def test_a_path_is_known_below_and_above_a_known_one_however_long_it_is() -> None:
    known = Paths(["user.home.town", LONG])
    for path in ("user", "user.home.town.street", f"user.home.town.{LONG}", LONG, "part_0.part_1"):
        assert path in known
    for path in ("user.work", "", "home"):
        assert path not in known
    assert first_below(["user.home.town", "user.work"]) == {"user.home": "user.home.town", "user": "user.home.town"}


def test_a_declaration_above_a_long_name_is_found() -> None:
    declared = AGENT + "MEMORY:\n  session:\n    - part_0\n      TYPE: number\n" + STEP
    assert "ABL382" in codes(declared + f"    SET: {LONG} = 1\n")


def test_only_a_list_or_text_has_a_length() -> None:
    text = AGENT + "MEMORY:\n  session:\n    - loans\n      TYPE: array\n" + STEP
    assert "ABL220" in codes(text + '    CHECK: loans.length == "many"\n    ON_FAIL: look\n')
    assert "ABL220" not in codes(text + '    CHECK: loans.length.length == "many"\n    ON_FAIL: look\n')


def test_the_fields_of_a_type_are_found_once_for_all_paths_into_it() -> None:
    text = (
        AGENT
        + TOOL
        + STEP
        + '    CALL: find("Emma") AS book\n    SET: row = book.shelf.row\n    SET: place = book.place\n'
    )
    report = check({"desk.agent.abl": text})
    assert "ABL825" in [diagnostic.code for diagnostic in report.diagnostics]
    types = report.index.documents["desk.agent.abl"].agents[0].types
    assert types.fields.of(types.results["book"]) is types.fields.of(types.results["book"])
    assert [*types.fields.of(types.results["book"])] == ["id", "shelf"]
    assert types.of_path("book.shelf.row") == "number"
    assert types.of_path("book.shelf.column") is None


def test_a_path_that_is_declared_often_is_compared_once_for_each_kind() -> None:
    text = AGENT + "MEMORY:\n  persistent:\n" + PATH.format(scope="user") * 50 + PATH.format(scope="project") * 50
    index = check({"desk.agent.abl": text}).index
    assert len(index.declared_paths["user.branch"]) == 100
    assert len(index.declared_kinds["user.branch"]) == 2


def test_a_path_clashes_with_any_declaration_of_another_agent() -> None:
    def agent(name: str, *scopes: str) -> str:
        paths = "".join(PATH.format(scope=scope) for scope in scopes)
        return f'AGENT: {name}\nGOAL: "Lend books"\nMEMORY:\n  persistent:\n{paths}\n'

    same = agent("Desk", "user", "user") + agent("Librarian", "user", "user", "user")
    assert "ABL336" not in codes(same)
    clashing = agent("Desk", "user", "user") + agent("Librarian", "user", "project", "project")
    assert codes(clashing).count("ABL336") == 4  # those for a user, with the others; each of the others
