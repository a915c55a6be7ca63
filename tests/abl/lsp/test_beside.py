"""Scenarios and locale catalogues of a project are known to the language server as they are to `abl check`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.abl.lsp.client import Editor, carried_out, converse

pytestmark = pytest.mark.slow

DESK = """\
AGENT: Desk
GOAL: "Lend books"
TOOLS:
  find_book(title: string) -> {id: string}
    description: "Find a book."
    effect: read_only
FLOW:
  entry_point: greet
  steps: [greet]
  greet:
    REASONING: false
    RESPOND: "Hello."
    MESSAGE_KEY: hello
    CALL: find_book("x")
    THEN: COMPLETE
"""
SCENARIO = "scenario: first\nturns:\n  - say: hi\n    expect:\n      calls: [{tool: find_book}]\n"
LOCALE = 'bye: "Auf Wiedersehen!"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desk.agent.abl").write_text(DESK, encoding="utf-8")
    (tmp_path / "first.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "de.locale.yaml").write_text(LOCALE, encoding="utf-8")
    return tmp_path


def codes(problems: list[types.Diagnostic]) -> set[object]:
    return {problem.code for problem in problems} & {"ABL659", "ABL844"}


def test_what_they_say_is_told_and_taken_back_when_they_change_on_disk(folder: Path) -> None:
    uri = (folder / "desk.agent.abl").as_uri()

    async def talk(editor: Editor) -> None:
        editor.open(uri, DESK)
        assert codes(await editor.problems(uri)) == {"ABL659", "ABL844"}
        locale = folder / "de.locale.yaml"
        locale.write_text(f'{LOCALE}hello: "Guten Tag."\n', encoding="utf-8")
        editor.published.clear()
        change = types.FileEvent(locale.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert codes(await editor.problems(uri)) == {"ABL844"}

    converse(talk, folder)


def test_a_scenario_that_is_open_counts_as_it_is_typed_and_has_no_problems_of_its_own(folder: Path) -> None:
    uri, beside = (folder / "desk.agent.abl").as_uri(), (folder / "first.scenario.yaml").as_uri()

    async def talk(editor: Editor) -> None:
        editor.open(uri, DESK)
        assert "ABL844" in codes(await editor.problems(uri))
        editor.published.clear()
        document = editor.open(beside, SCENARIO.replace("turns:", "tools: {find_book: [{result: {}}]}\nturns:"))
        assert await editor.problems(beside) == []
        assert codes(await editor.problems(uri)) == {"ABL659"}
        place = types.Position(1, 2)
        assert await editor.client.text_document_hover_async(types.HoverParams(document, place)) is None

    converse(talk, folder)


def test_a_rename_reaches_scenarios_and_says_where_the_word_stays(folder: Path) -> None:
    desk = DESK.replace("THEN: COMPLETE", "TRANSFORM: a AS row INTO b\n      SORT_BY: find_book\n    THEN: COMPLETE")
    uri, beside = (folder / "desk.agent.abl").as_uri(), (folder / "first.scenario.yaml").as_uri()

    async def talk(editor: Editor) -> types.WorkspaceEdit:
        document = editor.open(uri, desk)
        asked = types.RenameParams(new_name="look_up", text_document=document, position=types.Position(3, 4))
        answer = await editor.client.text_document_rename_async(asked)
        while not editor.messages:
            await asyncio.sleep(0.01)
        assert "desk.agent.abl:16" in editor.messages[0]
        return answer

    changes = converse(talk, folder).changes
    assert carried_out(SCENARIO, changes[beside]) == SCENARIO.replace("find_book", "look_up")
    assert carried_out(desk, changes[uri]).count("look_up") == 2
