"""`definition`, `references` and `rename`: every place of a name, and when a rename is refused (docs/spec 12 §1)."""

from __future__ import annotations

from typing import Any

import pytest

import abl
from abl.analysis import check
from abl.diagnostics import Edit
from abl.editing.edits import applied
from abl.editing.rename import renamable
from abl.source import Source, Span
from tests.abl.edits import EXAMPLES, ROOT

DESK = """\
AGENT: Desk
GOAL: "Lend {{loans}} books"
TOOLS:
  find_book(title: string) -> {id: string}
    description: "loans"
GATHER:
  title:
    prompt: "Which of {{loans}}?"
    depends_on: [loans]
MEMORY:
  session:
    - loans
      TYPE: number
      INITIAL: 0
    - rows
    - cheap
  persistent:
    - user.branch
      SCOPE: user
  remember:
    - WHEN: loans > 1 AND user.branch IS SET
      STORE: {loans, n: loans} -> user.branch
  recall:
    - ON: tool:find_book:after
      ACTION: inject_context
      PATHS: [user.branch]
CONSTRAINTS:
  lending:
    - REQUIRE loans < 5 BEFORE calling find_book WHEN user.branch != "loans"
      ON_FAIL:
        RESPOND: "{{loans}} loans in {{user.branch}}"
        COLLECT: [title]
        GOTO: ask
FLOW:
  steps: [ask, lend]
  ask:
    REASONING: false
    SET:
      - loans = loans + 1   # loans
      - user.branch = "x"
    TRANSFORM: rows AS row INTO cheap
      FILTER: row.price < loans
    ON_INPUT:
      - IF: loans > 2
        CLEAR: loans
        THEN: lend
      - ELSE:
        THEN: ask
  lend:
    REASONING: false
    CALL: find_book(title)
      AS: found
    CALL: other(loans)
    THEN: HANDOFF Billing
HANDOFF:
  - TO: Billing
    WHEN: loans > 3
    CONTEXT:
      pass: [loans]
      set:
        owed: loans
ESCALATE:
  triggers:
    - when: loans > 4
      reason: "Too many loans: {{loans}}"
  context_for_human:
    - loans
"""
BILLING = """\
AGENT: Billing
GOAL: "Bill {{loans}}"
MEMORY:
  session:
    - owed
  persistent:
    - user.branch
      SCOPE: user
CONSTRAINTS:
  - REQUIRE loans > owed AND user.branch != ""
COMPLETE:
  - WHEN: owed == 0
    RESPOND: "{{user.branch}}"
"""
OTHER = 'AGENT: Other\nGOAL: "x"\nMEMORY:\n  session:\n    - loans\nCONSTRAINTS:\n  - REQUIRE loans > 1\n'
FILES = {"desk.agent.abl": DESK, "billing.agent.abl": BILLING, "other.agent.abl": OTHER}


def at(path: str, mark: str, files: dict[str, str] = FILES) -> tuple[str, int, int]:
    """The place of ``|`` within the one line that holds the mark without it."""
    wanted = mark.replace("|", "")
    text = files[path]
    assert text.count(wanted) == 1, wanted
    offset = text.index(wanted) + mark.index("|")
    return path, *Source(text).position(offset)


def renamed(place: tuple[str, int, int], name: str, files: dict[str, str] = FILES) -> dict[str, str]:
    answer = abl.rename(files, *place, name)
    assert answer["refused"] is None
    return {path: carried_out(text, answer["edits"].get(path, [])) for path, text in files.items()}


def carried_out(text: str, edits: list[dict[str, Any]]) -> str:
    source = Source(text)

    def span(edit: dict[str, Any]) -> Span:
        start, end = edit["range"]["start"], edit["range"]["end"]
        return Span(source.offset(**start), source.offset(**end))

    return applied(text, [Edit(span(edit), edit["text"]) for edit in edits])


def refusal(place: tuple[str, int, int], name: str, files: dict[str, str] = FILES) -> str:
    answer = abl.rename(files, *place, name)
    assert answer["edits"] == {}
    assert answer["refused"] is not None
    return answer["refused"]


def shown(places: list[dict[str, Any]], files: dict[str, str] = FILES) -> list[str]:
    lines = [Source(files[p["path"]]).line_text(p["range"]["start"]["line"]).strip() for p in places]
    return [f"{p['path'].partition('.')[0]}: {line}" for p, line in zip(places, lines, strict=True)]


# Definition and references ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "line"),
    [
        ("lo|ans = loans + 1", "- loans"),
        ("REQUIRE lo|ans < 5", "- loans"),
        ('RESPOND: "{{lo|ans}} loans in', "- loans"),
        ("GOTO: as|k", "ask:"),
        ("steps: [ask, len|d]", "lend:"),
        ("BEFORE calling find|_book", "find_book(title: string) -> {id: string}"),
        ("ON: tool:find|_book", "find_book(title: string) -> {id: string}"),
        ("COLLECT: [ti|tle]", "title:"),
        ("AS row INTO che|ap", "- cheap"),
        ("AS: fou|nd", "AS: found"),
    ],
)
def test_a_name_leads_to_where_it_is_declared(mark: str, line: str) -> None:
    assert shown(abl.definition(FILES, *at("desk.agent.abl", mark))) == [f"desk: {line}"]


def test_an_agent_and_a_path_lead_to_other_files() -> None:
    assert shown(abl.definition(FILES, *at("desk.agent.abl", "- TO: Bil|ling"))) == ["billing: AGENT: Billing"]
    assert shown(abl.definition(FILES, *at("desk.agent.abl", "PATHS: [user|.branch]"))) == [
        "billing: - user.branch",
        "desk: - user.branch",
    ]


def test_references_tell_the_role_and_may_leave_declarations_out() -> None:
    place = at("desk.agent.abl", "steps: [as|k, lend]")
    found = abl.references(FILES, *place)
    assert [(p["role"], line) for p, line in zip(found, shown(found), strict=True)] == [
        ("read", "desk: GOTO: ask"),
        ("read", "desk: steps: [ask, lend]"),
        ("declaration", "desk: ask:"),
        ("read", "desk: THEN: ask"),
    ]
    assert [p["role"] for p in abl.references(FILES, *place, declarations=False)] == ["read"] * 3


def test_nothing_stands_on_a_keyword_in_a_text_in_a_comment_or_in_an_unknown_file() -> None:
    for mark in ("TO|OLS:", 'descr|iption: "loans"', "loans + 1   # lo|ans"):
        assert abl.definition(FILES, *at("desk.agent.abl", mark)) == []
        assert abl.references(FILES, *at("desk.agent.abl", mark)) == []
    assert abl.definition(FILES, "missing.abl", 1, 1) == []


# Rename ----------------------------------------------------------------------------------------------------------


def test_a_variable_is_renamed_wherever_it_stands_and_where_it_is_handed_to() -> None:
    after = renamed(at("desk.agent.abl", "lo|ans = loans + 1"), "books")
    desk = after["desk.agent.abl"]
    kept = [
        'description: "loans"', '!= "loans"', "# loans", "Too many loans:", "}} loans in", "{loans: books, n: books}",
        "other(loans: books)",
    ]  # fmt: skip
    for text in kept:
        assert text in desk
        desk = desk.replace(text, "")
    assert "loans" not in desk
    assert "pass: [books]" in desk
    assert "depends_on: [books]" in desk
    assert "- when: books > 4" in desk
    assert "    - books\n" in desk[desk.index("ESCALATE") :]
    assert "loans" not in after["billing.agent.abl"]
    assert after["other.agent.abl"] == OTHER


def test_a_variable_that_a_handoff_sets_is_one_of_the_other_agent() -> None:
    after = renamed(at("billing.agent.abl", "- ow|ed"), "debt")
    assert "debt: loans" in after["desk.agent.abl"]
    assert "owed" not in after["billing.agent.abl"]


def test_a_path_is_renamed_in_all_agents() -> None:
    after = renamed(at("billing.agent.abl", "- us|er.branch"), "user.home_branch")
    for path in ("desk.agent.abl", "billing.agent.abl"):
        assert "user.branch" not in after[path]
        assert after[path].count("user.home_branch") == FILES[path].count("user.branch")


def test_a_step_a_tool_a_field_and_an_agent() -> None:
    step = renamed(at("desk.agent.abl", "GOTO: as|k"), "question")["desk.agent.abl"]
    assert ("steps: [question, lend]" in step, "  question:\n" in step, step.count("THEN: question")) == (True, True, 1)
    tool = renamed(at("desk.agent.abl", "CALL: find_bo|ok"), "search")["desk.agent.abl"]
    assert "find_book" not in tool
    assert ("tool:search:after" in tool, "BEFORE calling search WHEN" in tool) == (True, True)
    field = renamed(at("desk.agent.abl", "COLLECT: [ti|tle]"), "book")["desk.agent.abl"]
    assert ("  book:\n" in field, "find_book(book)" in field, "find_book(title: string)" in field) == (True, True, True)
    agents = renamed(at("billing.agent.abl", "AGENT: Bil|ling"), "Cashier")
    assert agents["billing.agent.abl"].startswith("AGENT: Cashier\n")
    assert "Billing" not in agents["desk.agent.abl"]


def test_an_item_variable_of_the_same_name_is_left_alone() -> None:
    text = (
        'AGENT: A\nGOAL: "x"\nMEMORY:\n  session:\n    - rows\n    - row\nFLOW:\n  s:\n    REASONING: false\n    SET:\n'
    )
    text += "      a = row\n    TRANSFORM: rows AS row INTO b\n      FILTER: row.x > 1\n    THEN: COMPLETE\n"
    files = {"a.agent.abl": text}
    after = renamed(at("a.agent.abl", "a = ro|w", files), "line", files)["a.agent.abl"]
    assert "a = line" in after
    assert "FILTER: row.x > 1" in after


def test_a_template_of_texts() -> None:
    text = 'AGENT: A\nGOAL: "x"\nTEMPLATES:\n  hello: "Hi"\nFLOW:\n  s:\n    RESPOND: TEMPLATE(hello)\n'
    files = {"a.agent.abl": text}
    assert renamed(at("a.agent.abl", "TEMPLATE(he|llo)", files), "hi", files)["a.agent.abl"] == text.replace(
        "hello", "hi"
    )


@pytest.mark.parametrize(
    ("mark", "name", "reason"),
    [
        ("lo|ans = loans + 1", "title", "`title` is taken: desk.agent.abl:"),
        ("lo|ans = loans + 1", "owed", "`owed` is taken: billing.agent.abl:"),
        ("lo|ans = loans + 1", "two words", "is not a name for a variable"),
        ("lo|ans = loans + 1", "", "is not a name for a variable"),
        ("lo|ans = loans + 1", "input", "is a name of the language or the runtime"),
        ("lo|ans = loans + 1", "AND", "is a name of the language or the runtime"),
        ("lo|ans = loans + 1", "_loans", "begins with _"),
        ("lo|ans = loans + 1", "row", "`row` is taken: desk.agent.abl:42 names the items of a list so."),
        ("GOTO: as|k", "lend", "`lend` is taken"),
        ("GOTO: as|k", "COMPLETE", "is a word of the language"),
        ("CALL: find_bo|ok", "get_attachment", "is a tool of the runtime"),
        ("- TO: Bil|ling", "Other", "`Other` is taken: other.agent.abl:1"),
        ("- TO: Bil|ling", "_x", "is not a name for an agent"),
        ("PATHS: [user|.branch]", "branch", "two or more names joined by dots"),
        ("PATHS: [user|.branch]", "user.branch.city", "`user.branch.city` is taken"),
        ("TO|OLS:", "x", "No name stands here"),
    ],
)
def test_a_rename_is_refused_with_the_reason(mark: str, name: str, reason: str) -> None:
    place = at("desk.agent.abl", mark)
    if name == "user.branch.city":
        files = {
            **FILES,
            "other.agent.abl": OTHER.replace("session:", "persistent:\n    - user.branch.city\n  session:"),
        }
        assert reason in refusal(place, name, files)
    else:
        assert reason in refusal(place, name)


def test_names_of_the_runtime_and_functions_are_not_renamed() -> None:
    files = {"a.agent.abl": 'AGENT: A\nGOAL: "x"\nCONSTRAINTS:\n  - REQUIRE input != "" AND LEN(channel) > 1\n'}
    assert "set by the runtime" in refusal(at("a.agent.abl", "inp|ut", files), "x", files)
    assert "built-in function" in refusal(at("a.agent.abl", "LE|N", files), "x", files)
    assert renamable(files, *at("a.agent.abl", "inp|ut", files))["refused"] is not None


def test_the_same_name_changes_nothing_and_the_place_is_told_first() -> None:
    place = at("desk.agent.abl", "lo|ans = loans + 1")
    assert abl.rename(FILES, *place, "loans") == {"edits": {}, "refused": None, "left": []}
    told = renamable(FILES, *place)
    assert (told["name"], told["refused"]) == ("loans", None)
    assert told["range"]["end"]["column"] - told["range"]["start"]["column"] == 5


def moved(place: tuple[str, int, int], edits: list[dict[str, Any]]) -> tuple[str, int, int]:
    """A place of a text behind the edits."""
    path, line, column = place
    for edit in edits:
        start, end = edit["range"]["start"], edit["range"]["end"]
        if start["line"] == line and end["column"] <= place[2]:
            column += len(edit["text"]) - (end["column"] - start["column"])
    return path, line, column


PROJECTS = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_every_name_of_an_example_is_renamed_there_and_back(folder: Any) -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.abl"))}
    before = [d.code for d in check(files).diagnostics if d.severity == "error"]
    done = set()
    for path, text in files.items():
        source = Source(text)
        for start, end, kind in abl.tokens(text):
            if kind not in ("name", "label") or (path, text[start:end]) in done:
                continue
            done.add((path, text[start:end]))
            place = (path, *source.position(start))
            old = renamable(files, *place)["name"]
            new = f"{old}_renamed" if old else "x"
            answer = abl.rename(files, *place, new)
            if answer["refused"]:
                continue
            after = renamed(place, new, files)
            assert after != files
            assert [d.code for d in check(after).diagnostics if d.severity == "error"] == before
            now = moved(place, answer["edits"][path])
            assert renamed(now, old, after) == files, (path, old, abl.references(after, *now))
    assert done


def test_odd_places_in_odd_texts_never_raise() -> None:
    for text in ("", "\n", "{{", "- REQUIRE (", *EXAMPLES[:1]):
        files = {"a.agent.abl": text}
        for line, column in ((0, 0), (1, 1), (5, 900), (10_000, 1)):
            assert isinstance(abl.definition(files, "a.agent.abl", line, column), list)
            assert "refused" in abl.rename(files, "a.agent.abl", line, column, "new_name")
