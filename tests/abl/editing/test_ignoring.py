"""The actions that switch a diagnostic off: by a comment, never by words that would be said (01 §2, 05 §1)."""

from __future__ import annotations

import pytest

from abl.analysis import check
from abl.editing.actions import code_actions

HEAD = 'AGENT: Desk\nGOAL: "Lend books"\n'
KEYWORD = HEAD + "ON_START:\n  RESPOND: |\n    Hello\n      {{nme}} there\n"
YAML = 'agent: Desk\ngoal: "Lend books"\non_start:\n  respond: |\n    Hello\n    {{nme}} there\n'
LINE = HEAD + 'ON_START:\n  RESPOND: "Hello {{nme}}"\n'


def ignored(text: str, line: int) -> tuple[str, str]:
    """The title of the action, and the text after it."""
    action = next(a for a in code_actions({"d.abl": text}, "d.abl", line, 8) if a["title"].startswith("Ignore ABL253"))
    (edit,) = action["edits"]
    lines = text.splitlines(keepends=True)
    lines.insert(edit["range"]["start"]["line"] - 1, edit["text"])
    return action["title"], "".join(lines)


@pytest.mark.parametrize(
    ("text", "line", "title"),
    [
        (KEYWORD, 6, "Ignore ABL253 in this file"),
        (YAML, 6, "Ignore ABL253 in this file"),
        (LINE, 4, "Ignore ABL253 on this line"),
    ],
)
def test_the_problem_is_gone_and_the_message_is_the_same(text: str, line: int, title: str) -> None:
    said, after = ignored(text, line)
    assert said == title
    assert not [p for p in check({"d.abl": after}).diagnostics if p.code == "ABL253"]
    before = check({"d.abl": text}).index.documents["d.abl"].document.agents[0].on_start
    assert check({"d.abl": after}).index.documents["d.abl"].document.agents[0].on_start is not None
    assert before is not None
    assert "# abl-ignore ABL253\n    {{nme}}" not in after
