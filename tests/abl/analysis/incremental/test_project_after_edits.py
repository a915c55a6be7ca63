"""A project after an edit of one of its agents: only what asked about that agent is looked at again, and nothing is
missed (docs/spec 05 §1)."""

from __future__ import annotations

import random

import pytest

from abl.analysis import check
from abl.analysis.index.documents import forget_documents
from abl.limits import MAX_PROJECT_FILES
from tests.abl.edits import edits

AGENT = """\
AGENT: Desk_{n}
GOAL: "Lend books of shelf {n}"
MEMORY:
  session:
    - title_{n}
    - fee_{n}
  persistent:
    - user.desk_{n}.visits
      SCOPE: user
      TYPE: number
    - user.desk_{next}.visits
      SCOPE: user
      TYPE: number
      ACCESS: read
  remember:
    - WHEN: title_{n} IS SET
      STORE: fee_{n} + 1 -> user.desk_{n}.visits
HANDOFF:
  - TO: Desk_{next}
    WHEN: user.desk_{next}.visits < 3
    CONTEXT:
      pass: [title_{n}, fee_{n}]
FLOW:
  ask:
    REASONING: false
    GATHER:
      - title_{n}: required
        prompt: "Which book?"
    CALL: load_{n}
    THEN: reckon
  reckon:
    REASONING: false
    SET:
      - fee_{n} = user.desk_{n}.visits * 0.5
    RESPOND: "Noted {{{{title_{n}}}}}, {{{{title_{before}}}}}: {{{{fee_{n}}}}}, {{{{load_{next}.title}}}}."
    THEN: COMPLETE
"""
AGENTS = 6


@pytest.fixture
def files() -> dict[str, str]:
    forget_documents()
    return {
        f"desk_{n}.agent.abl": AGENT.format(n=n, next=(n + 1) % AGENTS, before=(n - 1) % AGENTS) for n in range(AGENTS)
    }


def codes(files: dict[str, str]) -> set[tuple[str, str]]:
    return {(d.path, d.code) for d in check(files).diagnostics}


def looked_at(files: dict[str, str], changed: dict[str, str]) -> set[str]:
    """The documents whose findings about the project are new after a change."""
    before = {path: index.across_findings for path, index in check(files).index.documents.items()}
    after = check({**files, **changed}).index.documents
    return {path for path, index in after.items() if index.across_findings is not before[path]}


def test_an_edit_concerns_the_agent_and_who_asked_about_it(files: dict[str, str]) -> None:
    words = files["desk_2.agent.abl"].replace("Noted", "Written down")
    assert looked_at(files, {"desk_2.agent.abl": words}) == {
        "desk_1.agent.abl",  # hands over to it, and declares one of its paths
        "desk_2.agent.abl",
        "desk_3.agent.abl",
    }
    assert looked_at(files, {}) == set()


def test_an_agent_that_goes_is_missed(files: dict[str, str]) -> None:
    check(files)
    files["desk_2.agent.abl"] = files["desk_2.agent.abl"].replace("AGENT: Desk_2", "AGENT: Shelf_2")
    assert ("desk_1.agent.abl", "ABL508") in codes(files)
    files["desk_2.agent.abl"] = files["desk_2.agent.abl"].replace("AGENT: Shelf_2", "AGENT: Desk_2")
    assert ("desk_1.agent.abl", "ABL508") not in codes(files)


def test_a_name_that_is_handed_over_no_more_is_missed(files: dict[str, str]) -> None:
    assert ("desk_3.agent.abl", "ABL253") not in codes(files)
    files["desk_2.agent.abl"] = files["desk_2.agent.abl"].replace("pass: [title_2, fee_2]", "pass: [fee_2]")
    assert ("desk_3.agent.abl", "ABL253") in codes(files)


def test_a_path_that_is_declared_otherwise_elsewhere_is_told(files: dict[str, str]) -> None:
    assert ("desk_1.agent.abl", "ABL336") not in codes(files)
    one = files["desk_2.agent.abl"]
    files["desk_2.agent.abl"] = one.replace("TYPE: number", "TYPE: string", 1)
    assert ("desk_1.agent.abl", "ABL336") in codes(files)


def test_a_tool_that_nobody_calls_any_more_is_missed(files: dict[str, str]) -> None:
    assert ("desk_1.agent.abl", "ABL253") not in codes(files)
    files["desk_2.agent.abl"] = files["desk_2.agent.abl"].replace("CALL: load_2", "CALL: fetch")
    assert ("desk_1.agent.abl", "ABL253") in codes(files)


LENDING = """\
AGENT: Lending
GOAL: "Lend books"
TOOLS:
  file: "lending.tools.abl"
FLOW:
  lend:
    REASONING: false
    CALL: find_loan(book: "B-1") AS loan
    RESPOND: "Back on {{loan.due}}"
    THEN: COMPLETE
"""
TOOLS = """\
TOOLS:
  find_loan(book: string) -> {due: date}
    description: "Find a loan."
    effect: read_only
"""


def test_a_tool_that_is_renamed_in_a_tool_file_is_missed() -> None:
    forget_documents()
    files = {"lending.agent.abl": LENDING, "lending.tools.abl": TOOLS}
    assert codes(files) == set()
    renamed = {**files, "lending.tools.abl": TOOLS.replace("find_loan", "find_loans")}
    assert ("lending.agent.abl", "ABL507") in codes(renamed)
    assert codes(files) == set()
    assert ("lending.agent.abl", "ABL507") not in codes({"lending.agent.abl": LENDING})


def test_a_parameter_that_is_renamed_in_a_tool_file_is_missed() -> None:
    forget_documents()
    files = {"lending.agent.abl": LENDING, "lending.tools.abl": TOOLS}
    assert codes(files) == set()
    renamed = {**files, "lending.tools.abl": TOOLS.replace("book:", "books:").replace("due:", "until:")}
    assert codes(renamed) == {("lending.agent.abl", "ABL802"), ("lending.agent.abl", "ABL825")}
    assert codes(files) == set()
    assert codes({**files, "lending.tools.abl": f"# moved\n{TOOLS}"}) == set()


def test_two_projects_with_the_same_agent_have_their_own_tools() -> None:
    forget_documents()
    other = TOOLS.replace("book:", "books:")
    found = [codes({"lending.agent.abl": LENDING, "lending.tools.abl": tools}) for tools in (TOOLS, other, TOOLS)]
    assert found == [set(), {("lending.agent.abl", "ABL802")}, set()]


def test_other_codes_are_not_those_of_the_last_check(files: dict[str, str]) -> None:
    everything = check(files).diagnostics
    some = check(files, ignore=["ABL507"]).diagnostics
    assert {d.code for d in everything} - {d.code for d in some} == {"ABL507"}
    assert check(files).diagnostics == everything


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_diagnostics_of_a_project_after_edits_are_those_of_a_check_from_scratch(
    files: dict[str, str], seed: int
) -> None:
    chance = random.Random(seed)
    versions = []
    for number, path in enumerate(chance.choices(sorted(files), k=10)):
        text = chance.choice(list(edits(files[path], 100 * seed + number, 4)))
        versions.append({**(versions[-1] if versions else files), path: text})
    warm = [check(version).diagnostics for version in versions]
    for version, diagnostics in zip(versions, warm, strict=True):
        forget_documents()
        assert diagnostics == check(version).diagnostics


@pytest.mark.full
def test_a_large_project_is_read_once() -> None:
    files = {f"desk_{n}.agent.abl": f'AGENT: Desk_{n}\nGOAL: "Lend books"\n' for n in range(MAX_PROJECT_FILES)}
    first, second = check(files).index.documents, check(files).index.documents
    assert all(first[path] is second[path] for path in files)
