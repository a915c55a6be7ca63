"""A misspelt key is told once: what it would have said is not told to be missing, too (docs/spec 05 §1)."""

from __future__ import annotations

from abl.analysis import check
from tests.every import every

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'
DELEGATE = """DELEGATE:
  - AGENT: Catalogue
    WHEN: title IS SET
    PURPOSE: "Find the book"
    INPUT: {title}
    RETURNS: {id: book_id}
    USE_RESULT: "Say where the book is"
    ON_FAIL: respond
    FAILURE_MESSAGE: "The catalogue does not answer."
"""
IN_BRACES = """delegate:
  - {agent: Catalogue, WHEN: title IS SET, purpose: "Find", input: {title: title}, returns: {id: b}, use_result: "Say"}
"""
TRIGGER = "MEMORY:\n  remember:\n    - WHEN: name IS SET\n      STORE: name -> user.name\n"
FIRST_LINE = "MEMORY:\n  remember:\n    - STORE: name -> user.name\n      WHEN: name IS SET\n"
TOOL = """TOOLS:
  find_book(title: string) -> {id: string}
    description: "Find a book."
    effect: read_only
    type: mcp
    server: library
"""
FIELD = "GATHER:\n  branch:\n    prompt: Which?\n    type: enum\n    options: [a, b]\n"
CALL = """TOOLS:
  lend(title: string) -> {ok: boolean}
    description: "Lend."
    effect: side_effect
FLOW:
  lend_it:
    REASONING: false
    CALL: lend
      WITH:
        title: "'Emma'"
    THEN: COMPLETE
"""
ACTIONS = """ACTIONS:
  - SELECT: "Branch"
    ID: branch
    OPTIONS:
      - id: central
        label: "Central"
"""
YAML_HEAD = 'agent: Desk\ngoal: "Lend books"\n'


OF_OTHERS = ("ABL508", "ABL214", "ABL344", "ABL253", "ABL349", "ABL372", "ABL514")


def told(text: str) -> list[str]:
    """Codes of errors and warnings but those about other agents and names that nothing sets."""
    diagnostics = check({"desk.agent.abl": text}).diagnostics
    left = [d for d in diagnostics if d.severity in ("error", "warning")]
    return [
        d.code for d in left if d.code not in ("ABL508", "ABL214", "ABL344", "ABL253", "ABL349", "ABL372", "ABL514")
    ]


@every(
    (f"{right} as {wrong}", (text, right, wrong, code))
    for text, right, wrong, code in (
        (HEAD + DELEGATE, "WHEN", "WEHN", "ABL106"),
        (HEAD + DELEGATE, "FAILURE_MESSAGE", "FAILURE_MESAGE", "ABL106"),
        (YAML_HEAD + IN_BRACES, "WHEN", "wehn", "ABL106"),
        (HEAD + TRIGGER, "WHEN", "WHENN", "ABL106"),
        (HEAD + FIRST_LINE, "STORE", "STROE", "ABL106"),
        (HEAD + TOOL, "server", "sevrer", "ABL812"),
        (HEAD + FIELD, "prompt", "promtp", "ABL704"),
        (HEAD + FIELD, "options", "optoins", "ABL704"),
        (HEAD + CALL, "WITH", "WITHH", "ABL106"),
        (HEAD + ACTIONS, "SELECT", "SLECT", "ABL1067"),
    )
)
def test_a_misspelt_key_is_told_once(text: str, right: str, wrong: str, code: str) -> None:
    assert text.count(f"{right}:") == 1
    assert (told(text), told(text.replace(f"{right}:", f"{wrong}:"))) == ([], [code])


def test_what_another_entry_lacks_is_told() -> None:
    text = (
        HEAD
        + DELEGATE.replace("WHEN", "WEHN")
        + DELEGATE.replace("DELEGATE:\n", "").replace("    WHEN: title IS SET\n", "")
    )
    assert sorted(told(text)) == ["ABL106", "ABL921"]


def test_what_is_missing_is_told_beside_a_key_that_means_something_else() -> None:
    assert sorted(told(HEAD + DELEGATE.replace("WHEN", "COLOUR"))) == ["ABL106", "ABL921"]


def test_what_is_asked_for_alone_is_told() -> None:
    text = HEAD + DELEGATE.replace("WHEN", "WEHN")
    assert [d.code for d in check({"desk.agent.abl": text}, select=["ABL921"]).diagnostics] == ["ABL921"]
