"""`abl lsp`, driven by a real language client over standard input and output (docs/spec 12 §2)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from abl import format_source
from tests.abl.lsp.client import Editor, carried_out, converse

DESK = """\
AGENT: Desk
GOAL: "Lend books"
MEMORY:
  session:
    - loans
      TYPE: number
      INITIAL: 0
  remember:
    - WHEN: loans > 1
      STORE: loans -> user.loans
      TTL: "90 days"
FLOW:
  steps: [ask]
  ask:
    REASONING: false
    SET:
      - loans = loans + 1
    RESPOND: "😀 {{loans}}"
    THEN: HANDOFF Billing
HANDOFF:
  - TO: Billing
    WHEN: loans > 3
    CONTEXT:
      pass: [loans]
"""
BILLING = 'AGENT: Billing\nGOAL: "Bill {{loans}}"\n'
UGLY = 'AGENT:   Desk\nGOAL: "x"\nMEMORY:\n      session:\n      - a\n'

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desk.agent.abl").write_text(DESK, encoding="utf-8")
    (tmp_path / "billing.agent.abl").write_text(BILLING, encoding="utf-8")
    return tmp_path


def place(text: str, mark: str) -> types.Position:
    """The UTF-16 position of ``|`` in the one line that holds the mark without it."""
    wanted = mark.replace("|", "")
    assert text.count(wanted) == 1
    before = text[: text.index(wanted) + mark.index("|")]
    return types.Position(before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2)


def codes(problems: list[types.Diagnostic]) -> list[Any]:
    return [problem.code for problem in problems]


def test_problems_are_published_while_the_text_changes(folder: Path) -> None:
    uri = (folder / "desk.agent.abl").as_uri()

    async def talk(editor: Editor) -> None:
        editor.open(uri, DESK)
        found = {problem.code: problem for problem in await editor.problems(uri)}
        assert found["ABL346"].message.startswith("TTL `90 days` is not a duration")
        assert found["ABL346"].range == types.Range(types.Position(10, 11), types.Position(10, 20))
        assert (found["ABL346"].severity, found["ABL346"].source) == (types.DiagnosticSeverity.Error, "abl")
        assert "ABL409" not in found  # Billing is known from its file
        editor.change(uri, DESK.replace('"90 days"', "90d"), 2)
        assert "ABL346" not in codes(await editor.problems(uri, 2))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        assert await editor.problems(uri, None) == []  # type: ignore[arg-type]

    converse(talk, folder)


def test_completion_and_hover(folder: Path) -> None:
    uri = (folder / "desk.agent.abl").as_uri()
    typing = DESK.replace("THEN: HANDOFF Billing", "THEN: a")

    async def talk(editor: Editor) -> None:
        document = editor.open(uri, typing)
        offers = await editor.client.text_document_completion_async(
            types.CompletionParams(document, place(typing, "THEN: a|"))
        )
        first = offers.items[0]
        assert (first.label, first.kind) == ("ask", types.CompletionItemKind.Event)
        assert carried_out(typing, [first.text_edit]) == typing.replace("THEN: a", "THEN: ask")
        about = await editor.client.text_document_hover_async(
            types.HoverParams(document, place(typing, "😀 {{lo|ans}}"))
        )
        assert about.contents.value.startswith("```\nloans: number\n```")
        assert about.range == types.Range(place(typing, "😀 {{|loans}}"), place(typing, "😀 {{loans|}}"))
        nothing = await editor.client.text_document_hover_async(types.HoverParams(document, types.Position(900, 7)))
        assert nothing is None

    converse(talk, folder)


def test_definition_references_and_highlights_reach_other_files(folder: Path) -> None:
    uri, other = (folder / "desk.agent.abl").as_uri(), (folder / "billing.agent.abl").as_uri()

    async def talk(editor: Editor) -> None:
        document = editor.open(uri, DESK)
        (found,) = await editor.client.text_document_definition_async(
            types.DefinitionParams(document, place(DESK, "- TO: Bil|ling"))
        )
        assert (found.uri, found.range.start) == (other, types.Position(0, 7))
        everywhere = await editor.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), document, place(DESK, "pass: [lo|ans]"))
        )
        assert {location.uri for location in everywhere} == {uri, other}
        here = await editor.client.text_document_document_highlight_async(
            types.DocumentHighlightParams(document, place(DESK, "pass: [lo|ans]"))
        )
        assert len(here) == len(everywhere) - 1
        assert here[0].kind == types.DocumentHighlightKind.Write

    converse(talk, folder)


def test_rename_changes_all_files_or_says_why_not(folder: Path) -> None:
    uri, other = (folder / "desk.agent.abl").as_uri(), (folder / "billing.agent.abl").as_uri()

    async def talk(editor: Editor) -> None:
        document = editor.open(uri, DESK)
        at = place(DESK, "pass: [lo|ans]")
        told = await editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(document, at))
        assert told.placeholder == "loans"
        edit = await editor.client.text_document_rename_async(types.RenameParams(document, at, "books"))
        assert carried_out(DESK, edit.changes[uri]) == DESK.replace("loans", "books").replace(
            "user.books", "user.loans"
        )
        assert carried_out(BILLING, edit.changes[other]) == BILLING.replace("loans", "books")
        with pytest.raises(JsonRpcException, match="is not a name for a variable"):
            await editor.client.text_document_rename_async(types.RenameParams(document, at, "two words"))
        with pytest.raises(JsonRpcException, match="No name stands here"):
            await editor.client.text_document_prepare_rename_async(
                types.PrepareRenameParams(document, types.Position(2, 1))
            )

    converse(talk, folder)


def test_formatting_leaves_what_is_the_same() -> None:
    async def talk(editor: Editor) -> None:
        document = editor.open("untitled:one", UGLY)
        params = types.DocumentFormattingParams(document, types.FormattingOptions(4, False))
        edits = await editor.client.text_document_formatting_async(params)
        assert carried_out(UGLY, edits) == format_source(UGLY)
        assert all(edit.range.start.line != 1 for edit in edits)
        editor.change("untitled:one", format_source(UGLY), 2)
        assert not await editor.client.text_document_formatting_async(params)

    converse(talk)


def test_semantic_tokens_name_what_stands_there() -> None:
    text = 'RESPOND: "😀 {{a}}"\nSET:\n  b = LEN(c)  # d\n'

    async def talk(editor: Editor) -> None:
        document = editor.open("untitled:one", text)
        legend = editor.capabilities.semantic_tokens_provider.legend.token_types
        data = (await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))).data
        found, line, column = [], 0, 0
        for at in range(0, len(data), 5):
            down, right, length, kind, _ = data[at : at + 5]
            line, column = line + down, right if down else column + right
            units = text.split("\n")[line].encode("utf-16-le")
            found.append((legend[kind], units[2 * column : 2 * (column + length)].decode("utf-16-le")))
        assert found == [
            ("property", "RESPOND:"),
            ("string", '"😀 '),
            ("macro", "{{a}}"),
            ("string", '"'),
            ("property", "SET:"),
            ("variable", "b"),
            ("operator", "="),
            ("function", "LEN"),
            ("operator", "("),
            ("variable", "c"),
            ("operator", ")"),
            ("comment", "# d"),
        ]

    converse(talk)


def test_code_actions_fix_one_all_of_a_kind_and_everything_safe(folder: Path) -> None:
    uri = (folder / "desk.agent.abl").as_uri()
    second = '    - WHEN: loans > 2\n      STORE: loans -> user.other\n      TTL: "1w"\n'
    text = DESK.replace("FLOW:", f"{second}FLOW:")

    async def ask(editor: Editor, document: Any, only: list[Any] | None = None) -> dict[str, types.CodeAction]:
        at = place(text, 'TTL: "9|0 days"')
        context = types.CodeActionContext(await editor.problems(uri), only=only)
        found = await editor.client.text_document_code_action_async(
            types.CodeActionParams(document, types.Range(at, at), context)
        )
        return {action.title: action for action in found}

    async def talk(editor: Editor) -> None:
        document = editor.open(uri, text)
        actions = await ask(editor, document)
        one = actions['Write "90d"'] if 'Write "90d"' in actions else actions["Write 90d"]
        assert '"90d"' in carried_out(text, one.edit.changes[uri])
        assert (one.kind, one.is_preferred, codes(one.diagnostics)) == (types.CodeActionKind.QuickFix, True, ["ABL346"])
        both = carried_out(text, actions["Fix all 2 of ABL346 (bad-ttl)"].edit.changes[uri])
        assert ('"90d"' in both, '"7d"' in both) == (True, True)
        declared = carried_out(text, actions["Declare all undeclared paths in persistent"].edit.changes[uri])
        assert "  persistent:\n    - user.loans\n      SCOPE: user\n    - user.other\n" in declared
        safe = actions["Fix all problems that have one safe fix"]
        assert safe.kind == types.CodeActionKind.SourceFixAll
        assert "Ignore ABL346 on this line" in actions
        only = await ask(editor, document, [types.CodeActionKind.Source])
        assert list(only) == ["Fix all problems that have one safe fix"]

    converse(talk, folder)


def test_each_action_of_several_lines_names_its_own_problem(folder: Path) -> None:
    uri = (folder / "desk.agent.abl").as_uri()
    text = DESK.replace("FLOW:", '    - WHEN: loans > 2\n      STORE: loans -> user.loans\n      TTL: "1w"\nFLOW:')

    async def talk(editor: Editor) -> None:
        document = editor.open(uri, text)
        context = types.CodeActionContext(await editor.problems(uri), only=[types.CodeActionKind.QuickFix])
        whole = types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))
        params = types.CodeActionParams(document, whole, context)
        found = await editor.client.text_document_code_action_async(params)
        fixes = [action for action in found if action.title.startswith("Write ")]
        about = [[problem.range.start.line for problem in action.diagnostics] for action in fixes]
        assert about == [[edit.range.start.line for edit in action.edit.changes[uri]] for action in fixes]
        assert len(about) == 2

    converse(talk, folder)


def test_symbols_and_folding() -> None:
    text = f"# one\n# two\n{DESK}"

    async def talk(editor: Editor) -> None:
        document = editor.open("untitled:one", text)
        (agent,) = await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        assert agent.name == "Desk"
        flow = next(child for child in agent.children if child.name == "FLOW")
        assert [child.name for child in flow.children] == ["ask"]
        assert flow.range.start.line == text[: text.index("FLOW:")].count("\n")
        folds = await editor.client.text_document_folding_range_async(types.FoldingRangeParams(document))
        assert (folds[0].start_line, folds[0].end_line, folds[0].kind) == (0, 1, types.FoldingRangeKind.Comment)
        assert (flow.range.start.line, flow.range.end.line) in {(fold.start_line, fold.end_line) for fold in folds}

    converse(talk)


@pytest.mark.parametrize("kind", list(types.PositionEncodingKind))
def test_positions_count_in_the_units_that_both_sides_know(kind: types.PositionEncodingKind) -> None:
    units = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[kind.value]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[kind.value]
    line = 'RESPOND: "é😀 {{neme}} x"'
    text = f'MEMORY:\n  session:\n    - name\n      INITIAL: "x"\nFLOW:\n  s:\n    REASONING: false\n    {line}\n'

    async def talk(editor: Editor) -> None:
        assert editor.capabilities.position_encoding == kind
        document = editor.open("untitled:one", f"AGENT: A\nGOAL: x\n{text}")
        found = next(p for p in await editor.problems("untitled:one") if p.code == "ABL253")
        before = f"    {line}".partition("neme")[0].encode(units)
        assert found.range.start == types.Position(9, len(before) // width)
        places = await editor.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), document, found.range.end)
        )
        assert [p.range for p in places] == [found.range]

    converse(talk, encodings=[kind])


def test_without_a_word_about_units_they_are_utf_16_and_unknown_ones_do_no_harm() -> None:
    async def talk(editor: Editor) -> None:
        assert editor.capabilities.position_encoding == types.PositionEncodingKind.Utf16

    converse(talk)
    converse(talk, encodings=["utf-7"])  # type: ignore[list-item]


def test_a_project_is_the_folder_with_its_marks_and_other_projects_are_apart(tmp_path: Path) -> None:
    inner, apart = tmp_path / "one" / "deep", tmp_path / "two"
    for place_, name in ((inner, "Billing"), (apart, "Shipping")):
        place_.mkdir(parents=True)
        (place_ / f"{name.lower()}.agent.abl").write_text(f'AGENT: {name}\nGOAL: "x"\n', encoding="utf-8")
        (place_ / ".hidden").mkdir()
        (place_ / "bytes.agent.abl").write_bytes(b"\xff")
    (tmp_path / "one" / "project.yaml").write_text("", encoding="utf-8")
    (tmp_path / "one" / "pyproject.toml").write_text('[tool.abl]\nignore = ["ABL346"]\n', encoding="utf-8")
    path = tmp_path / "one" / "desk.agent.abl"
    path.write_text(DESK, encoding="utf-8")

    async def talk(editor: Editor) -> None:
        text = DESK.replace("- TO: Billing", "- TO: Billing\n  - TO: Shipping")
        editor.open(path.as_uri(), text)
        found = await editor.problems(path.as_uri())
        assert [p.message for p in found if p.code in ("ABL409", "ABL508")] != []
        assert not any("Billing" in p.message for p in found if p.code in ("ABL409", "ABL508"))
        assert "ABL346" not in codes(found)

    converse(talk, tmp_path)


ODD = [
    "", "\n", "\ufeff", "\r", "a\rb\r\n", "{{", "- REQUIRE (", "\x00\x0c\u2028", "😀" * 50, "[" * 2_000,
    "\t- a:\n  |",
]  # fmt: skip


def test_odd_texts_and_places_get_answers() -> None:
    async def talk(editor: Editor) -> None:
        client = editor.client
        for number, text in enumerate(ODD):
            uri = f"untitled:{number}"
            document = editor.open(uri, text)
            await editor.problems(uri)
            for at in (types.Position(0, 0), types.Position(0, 3), types.Position(7, 4_000)):
                await client.text_document_hover_async(types.HoverParams(document, at))
                await client.text_document_completion_async(types.CompletionParams(document, at))
                await client.text_document_definition_async(types.DefinitionParams(document, at))
                context = types.CodeActionContext([])
                span = types.Range(types.Position(0, 0), at)
                await client.text_document_code_action_async(types.CodeActionParams(document, span, context))
            await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
            await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
            await client.text_document_folding_range_async(types.FoldingRangeParams(document))
            await client.text_document_formatting_async(
                types.DocumentFormattingParams(document, types.FormattingOptions(2, True))
            )
        unknown = types.TextDocumentIdentifier("file:///nowhere/at.all.abl")
        assert await client.text_document_hover_async(types.HoverParams(unknown, types.Position(0, 0))) is None
        broken = types.TextDocumentIdentifier("%%%")
        assert await client.text_document_hover_async(types.HoverParams(broken, types.Position(0, 0))) is None

    converse(talk)


def frame(message: dict[str, Any] | bytes) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_what_is_no_message_is_passed_over() -> None:
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    hover = {"textDocument": {"uri": "untitled:1"}, "position": {"line": "x", "character": -1}}
    half = {"uri": "untitled:2", "languageId": "abl", "version": 1, "text": "A:\n  \ud800\n"}
    said = b"".join(
        [
            b"nonsense\r\n\r\n",
            frame(b"{not json"),
            frame(begin),
            frame({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
            frame({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": hover}),
            frame({"jsonrpc": "2.0", "id": 3, "method": "no/such/method", "params": {}}),
            frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": half}}),
            frame({"jsonrpc": "2.0", "id": 5, "method": "textDocument/foldingRange", "params": {"textDocument": half}}),
            frame({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {}}),
            frame({"jsonrpc": "2.0", "id": 4, "method": "shutdown"}),
            frame({"jsonrpc": "2.0", "method": "exit"}),
        ]
    )
    command = [sys.executable, "-m", "abl.cli", "lsp"]
    done = subprocess.run(command, input=said, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    answered = [json.loads(part.partition(b"\r\n\r\n")[2]) for part in done.stdout.split(b"Content-Length")[1:]]
    assert {answer.get("id") for answer in answered} >= {1, 3, 4, 5}
    assert next(answer for answer in answered if answer.get("id") == 1)["result"]["serverInfo"]["name"] == "abl"
    assert "error" in next(answer for answer in answered if answer.get("id") == 3)


def test_a_client_that_goes_away_ends_the_server() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "abl.cli", "lsp"], input=b"", capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0


def test_without_pygls_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from abl import cli

    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert cli.main(["lsp"]) == 2
    assert "pip install 'abl-workbench[lsp]'" in capsys.readouterr().err


def test_many_changes_in_a_row_are_checked_once_at_the_end() -> None:
    async def talk(editor: Editor) -> None:
        editor.open("untitled:one", DESK)
        for version in range(2, 60):
            editor.change("untitled:one", DESK + f"# {version}\n", version)
        assert "ABL346" in codes(await editor.problems("untitled:one", 59))

    converse(talk)
