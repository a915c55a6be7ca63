"""What a list has already is not offered in it again; the tools of a file are offered where it is imported (08 §9)."""

from __future__ import annotations

import pytest

from abl.editing.completion.complete import complete

DESK = """\
AGENT: Desk
GOAL: "Lend"
TOOLS:
  file: "lib/books.tools.abl" [find]
  lend(id: string, days: number, note?: string) -> {ok: boolean}
    description: "Lends"
  fetch(id: string) -> {ok: boolean}
    description: "Fetches"
GATHER:
  title:
    prompt: "Title?"
  kind:
    prompt: "Kind?"
MEMORY:
  session:
    - fines
    - limit
  persistent:
    - user.loans
    - user.branch
ENTITIES:
  genre:
    TYPE: string
  author:
    TYPE: string
FLOW:
  steps: [ask, show]
  ask:
    REASONING: true
    THEN: show
  show:
    REASONING: true
    THEN: COMPLETE
USE BEHAVIOR_PROFILE: late
"""
OTHERS = {
    "lib/books.tools.abl": 'TOOLS:\n  find() -> object\n    description: "Finds"\n  lend() -> object\n'
    '    description: "x"\n  renew() -> object\n    description: "x"\n',
    "clerk.agent.abl": 'AGENT: Clerk\nGOAL: "x"\nMEMORY:\n  session:\n    - topic\n    - place\n',
    "late.behavior_profile.abl": 'BEHAVIOR_PROFILE: late\nPRIORITY: 1\nWHEN: true\nINSTRUCTIONS: "x"\n',
    "new.behavior_profile.abl": 'BEHAVIOR_PROFILE: new\nPRIORITY: 1\nWHEN: true\nINSTRUCTIONS: "x"\n',
}
NAMES = {
    "find", "lend", "fetch", "title", "kind", "fines", "limit", "user.loans", "user.branch", "ask", "show", "late",
    "new", "genre", "author", "id", "days", "note", "topic", "place", "renew", "Clerk", "lib/books.tools.abl",
}  # fmt: skip


def offered(text: str, path: str = "desk.agent.abl") -> list[str]:
    """The names offered at the ``|``."""
    before, _, after = text.partition("|")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    files = {"desk.agent.abl": DESK, **OTHERS, path: before + after}
    return [item["label"] for item in complete(files, path, line, column) if item["label"] in NAMES]


def within(old: str, new: str) -> list[str]:
    """The same in the agent, with other lines."""
    assert DESK.count(old) == 1
    return offered(DESK.replace(old, new))


FILE = '  file: "lib/books.tools.abl" [find]\n'


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('  file: "lib/books.tools.abl" [|]\n', ["find", "renew"]),
        ('  file: "lib/books.tools.abl" [find, |]\n', ["renew"]),
        ('  file: "lib/books.tools.abl" [|, renew]\n', ["find"]),
        ('  file: "lib/books.tools.abl" [find, re|]\n', ["renew"]),
        ('  file: "lib/books.tools.abl" [find, re|new]\n', ["renew"]),
        ('  file: "lib/books.tools.abl" [find,\n    |\n', ["renew"]),
        ("  file: lib/books.tools.abl [find, |\n", ["renew"]),
        ('  file: "lib/others.tools.abl" [|]\n', []),
        ("  file: |\n", ["lib/books.tools.abl"]),
        ('  file: "|"\n', ["lib/books.tools.abl"]),
    ],
)
def test_an_import_lists_the_tools_of_its_file(line: str, names: list[str]) -> None:
    assert within(FILE, line) == names


VARIABLES = ["fines", "limit", "user.loans", "user.branch", "title", "kind"]
STEP = "    REASONING: true\n    THEN: show\n"


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        (STEP, "    REASONING: true\n    AVAILABLE_TOOLS: [lend, |]\n", ["fetch", "find"]),
        (STEP, "    REASONING: true\n    AVAILABLE_TOOLS:\n      - lend\n      - |\n      - find\n", ["fetch"]),
        (STEP, "    CLEAR: [fines, user.loans, |]\n", [n for n in VARIABLES if n not in ("fines", "user.loans")]),
        (STEP, "    CLEAR: fines, |\n", [name for name in VARIABLES if name != "fines"]),
        (STEP, "    CLEAR: [\n      fines,\n      |\n    ]\n", [name for name in VARIABLES if name != "fines"]),
        (STEP, "    CALL: lend(id = fines, |)\n", ["days", "note", *VARIABLES]),
        (STEP, "    CALL: lend\n      WITH: {id: fines, |}\n", ["days", "note"]),
        (STEP, "    CALL: lend\n      WITH:\n        id: fines\n        |\n        note: kind\n", ["days"]),
        (STEP, "    SET: fines = [fines, |]\n", VARIABLES),
        (STEP, "    REASONING: true\n    SET:\n      fines: 1\n      |\n", VARIABLES[1:]),
        ('"Lends"\n', '"Lends"\n    RESULT_SECRETS:\n      ok -> key (consumers: [lend, |])\n', ["fetch", "find"]),
        ("steps: [ask, show]", "steps: [ask, |]", ["show"]),
        ("USE BEHAVIOR_PROFILE: late", "USE BEHAVIOR_PROFILE: late, |", ["new"]),
        ('    prompt: "Kind?"\n', '    prompt: "Kind?"\n    depends_on: [title, |]\n', ["kind"]),
        ('"Lends"\n', '"Lends"\n    confirmation:\n      immutable_params: [id, |]\n', ["days", "note"]),
        ('"Lends"\n', '"Lends"\n    provides: [title, |]\n', ["kind"]),
        ('"Lends"\n', '"Lends"\n    context_access:\n      read: [user.loans, fines, kind, |]\n',
         ["limit", "user.branch", "title"]),
        ("ENTITIES:\n", "NLU:\n  intents:\n    - NAME: x\n      ENTITIES: [genre, |]\nENTITIES:\n", ["author"]),
        ("ENTITIES:\n", "  recall:\n    - ON: session:start\n      PATHS: [user.loans, |]\nENTITIES:\n",
         ["user.branch"]),
        ("ENTITIES:\n", "CONSTRAINTS:\n  - REQUIRE fines < 1\n    ON_FAIL:\n      COLLECT: [title, |]\nENTITIES:\n",
         ["kind", "fines", "limit"]),
        ("ENTITIES:\n", "HANDOFF:\n  - TO: Clerk\n    CONTEXT:\n      pass: [fines, kind, |]\nENTITIES:\n",
         ["limit", "user.loans", "user.branch", "title"]),
        ("ENTITIES:\n", "DELEGATE:\n  - AGENT: Clerk\n    INPUT: {topic: kind, |}\nENTITIES:\n", ["place"]),
        ("ENTITIES:\n", "DELEGATE:\n  - AGENT: Clerk\n    RETURNS:\n      topic: kind\n      |\nENTITIES:\n",
         ["place"]),
    ],
)  # fmt: skip
def test_what_stands_there_is_not_offered_again(old: str, new: str, names: list[str]) -> None:
    assert within(old, new) == names


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("    model_context:\n      fields: [late, |]\n", ["find", "title"]),
        ("    compaction:\n      essential_fields: [|]\n", ["late", "find", "title"]),
        ("    SECRET_ACCESS:\n      READ: [new, |]\n", ["genre"]),
    ],
)
def test_lists_of_a_tool_name_fields_of_its_result_and_secrets(lines: str, names: list[str]) -> None:
    secrets = "    RESULT_SECRETS:\n      late -> new (consumers: [lend])\n      find -> genre (consumers: [lend])\n"
    text = DESK.replace('"Lends"\n', f'"Lends"\n{secrets}{lines}')
    returned = text.replace(") -> {ok: boolean}", ") -> {late: string, find: {x: string}[], title: date}", 1)
    assert offered(returned) == names


def test_a_profile_is_offered_what_its_agents_have() -> None:
    path = "late.behavior_profile.abl"
    assert sorted(offered(f"{OTHERS[path]}TOOLS:\n  HIDE: [lend, |]\n", path)) == ["fetch", "find"]
    assert offered(f"{OTHERS[path]}FLOW:\n  SKIP: [ask, |]\n", path) == ["show"]
    assert offered(f"{OTHERS[path]}FLOW:\n  SKIP:\n    - ask\n    - |\n", path) == ["show"]
