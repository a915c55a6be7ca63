"""What an editor that asks the language server puts in: the text behind the edit of the offer (docs/spec 12 §1)."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.abl.lsp.test_language_server import Editor, converse

HEAD = 'AGENT: Desk\nGOAL: "Lend"\n'
TOOL = 'TOOLS:\n  find(a: string) -> {b: string}\n    description: "x"\n'
MEMORY = "MEMORY:\n  session:\n    - city\n    - tries\n"
STEP = "FLOW:\n  steps: [a, b, c]\n  a:\n    REASONING: false\n"
TO_COME = "    ON_INPUT:\n      - IF: a\n        THEN: done\n      - ELSE:\n"
TRIGGER = "  remember:\n    - WHEN: city IS SET\n      STORE: city -> user.city\n"
WRITTEN = {
    "ON: session:|": ("MEMORY:\n  recall:\n    - ", {"session:start": "ON: session:start"}),
    "ON: ses|": ("MEMORY:\n  recall:\n    - ", {"session:start": "ON: session:start"}),
    'ON: "session:st|': ("MEMORY:\n  recall:\n    - ", {"session:start": 'ON: "session:start'}),
    "ON: tool:fi|": (f"{TOOL}MEMORY:\n  recall:\n    - ", {"tool:find:after": "ON: tool:find:after"}),
    "THEN: |": (f"{STEP}    ", {"b": "THEN: b", "c": "THEN: c", "COMPLETE": "THEN: COMPLETE"}),
    "THEN: d|": (f"{STEP}{TO_COME}        ", {"done": "THEN: done"}),
    "- |": (f"{MEMORY}{STEP}    GATHER:\n      ", {"city": "city", "tries": "tries"}),
    "TTL: |": (f"{MEMORY}{TRIGGER}      ", {"30d": "TTL: 30d"}),
}  # fmt: skip
"""By what is typed: the text above it, and of labels the line after the offer was taken."""


@pytest.mark.full
def test_taking_an_offer_gives_the_line_that_was_meant() -> None:
    async def talk(editor: Editor) -> None:
        for number, (typed, (above, wanted)) in enumerate(WRITTEN.items()):
            before = HEAD + above + typed.removesuffix("|")
            uri = f"file:///nowhere/d{number}.agent.abl"
            document = editor.open(uri, before)
            at = types.Position(before.count("\n"), len(before.rsplit("\n", 1)[-1]))
            answer = await editor.client.text_document_completion_async(types.CompletionParams(document, at))
            items = {item.label: item for item in answer.items}
            for label, line in wanted.items():
                assert label in items, (typed, sorted(items))
                assert written(before, items[label]).rsplit("\n", 1)[-1].lstrip(" -") == line, typed

    converse(talk)


def written(text: str, item: types.CompletionItem) -> str:
    """A text of one-byte characters behind the edit of an offer at its end."""
    edit = item.text_edit
    assert isinstance(edit, types.TextEdit)
    *lines, last = text.split("\n")
    return "\n".join([*lines, last[: edit.range.start.character] + edit.new_text + last[edit.range.end.character :]])


@pytest.mark.full
def test_a_range_as_validation_is_mended() -> None:
    text = HEAD + STEP + '    GATHER:\n      - age: required\n        prompt: "Age?"\n        validate: range(18, 75)\n'

    async def talk(editor: Editor) -> None:
        uri = "file:///nowhere/range.agent.abl"
        document = editor.open(uri, text)
        told = await editor.problems(uri)
        found = [problem for problem in told if "range" in str(problem.message)]
        assert [problem.severity for problem in found] == [types.DiagnosticSeverity.Warning]
        context = types.CodeActionContext(found, only=[types.CodeActionKind.QuickFix])
        actions = await editor.client.text_document_code_action_async(
            types.CodeActionParams(document, found[0].range, context)
        )
        texts = [edit.new_text for action in actions if action.is_preferred for edit in action.edit.changes[uri]]
        assert "min(18), max(75)" in texts, actions

    converse(talk)


@pytest.mark.full
def test_project_yaml_is_completed_hovered_checked_and_mended(tmp_path) -> None:
    (tmp_path / "desk.agent.abl").write_text(HEAD + TOOL, encoding="utf-8")
    path = tmp_path / "project.yaml"
    path.write_text("", encoding="utf-8")

    async def talk(editor: Editor) -> None:
        document = editor.open(path.as_uri(), "entyr: Desk\ntools:\n  fi")
        at = types.Position(2, 4)
        answer = await editor.client.text_document_completion_async(types.CompletionParams(document, at))
        assert [item.label for item in answer.items] == ["find"]
        hover = await editor.client.text_document_hover_async(types.HoverParams(document, types.Position(1, 2)))
        assert "what tools answer" in hover.contents.value
        [problem] = [found for found in await editor.problems(path.as_uri()) if found.code == "ABL1082"]
        context = types.CodeActionContext([problem], only=[types.CodeActionKind.QuickFix])
        actions = await editor.client.text_document_code_action_async(
            types.CodeActionParams(document, problem.range, context)
        )
        assert [action.title for action in actions] == ["Write entry"]
        options = types.FormattingOptions(tab_size=2, insert_spaces=True)
        formatted = await editor.client.text_document_formatting_async(
            types.DocumentFormattingParams(document, options)
        )
        assert not formatted  # its layout is its author's

    converse(talk, tmp_path)
