"""What `abl lsp` knows of texts, files and folders while they change, and in which units (docs/how-to/editors.md)."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from abl.lsp.document import data_edits
from abl.lsp.texts import changed
from tests.abl.lsp.wire import Message, Wire, notification, wired

slow = pytest.mark.slow
DESK = 'AGENT: Desk\nGOAL: "Lend books"\nHANDOFF:\n  - TO: Billing\n    WHEN: true\n'
BILLING = 'AGENT: Billing\nGOAL: "Bill"\n'
UGLY = 'AGENT:   Desk\nGOAL: "x"\n'
UNKNOWN_AGENT = "ABL508"
CLOSED = None


def part(text: str, *numbers: int) -> Message:
    """A change of what stands between two pairs of line and character."""
    first, begin, last, end = numbers
    place = {"start": {"line": first, "character": begin}, "end": {"line": last, "character": end}}
    return {"range": place, "text": text}


def event(change: Message) -> types.TextDocumentContentChangeEvent:
    if "range" not in change:
        return types.TextDocumentContentChangeWholeDocument(change["text"])
    ends = (types.Position(**change["range"][end]) for end in ("start", "end"))
    return types.TextDocumentContentChangePartial(types.Range(*ends), change["text"])


CHANGES: dict[str, tuple[str, list[Message], str]] = {
    "in the middle": ("a: b\nc: d\n", [part("x", 1, 3, 1, 4)], "a: b\nc: x\n"),
    "over lines": ("a: b\nc: d\n", [part("", 0, 1, 1, 1)], "a: d\n"),
    "one after another": ("abc", [part("x", 0, 0, 0, 1), part("y", 0, 3, 0, 3)], "xbcy"),
    "whole, then a part": ("abc", [{"text": "1\n2"}, part("3", 1, 0, 1, 1)], "1\n3"),
    "a character behind its line": ("ab\ncd", [part("x", 0, 99, 0, 99)], "abx\ncd"),
    "a line behind the text": ("ab\ncd", [part("x", 99, 0, 99, 5)], "ab\ncdx"),
    "from the start to behind the text": ("ab\ncd", [part("x", 0, 0, 99, 0)], "x"),
    "the end before the start": ("abcd", [part("x", 0, 3, 0, 1)], "axd"),
    "behind a character of two units": ("😀a😀b", [part("x", 0, 2, 0, 3)], "😀x😀b"),
    "within such a character": ("😀b", [part("x", 0, 1, 0, 1)], "😀xb"),
    "line ends of two characters": ("a\r\nb\r\nc", [part("x", 1, 0, 2, 0)], "a\r\nxc"),
    "a lone carriage return": ("a\rb\nc", [part("x", 1, 0, 1, 1)], "a\rx\nc"),
    "an empty text": ("", [part("x", 0, 0, 0, 0)], "x"),
    "nothing": ("abc", [], "abc"),
}


@pytest.mark.parametrize(("before", "changes", "after"), CHANGES.values(), ids=CHANGES)
def test_parts_of_a_text_are_changed_wherever_they_are_said_to_be(
    before: str, changes: list[Message], after: str
) -> None:
    assert changed(before, map(event, changes), "utf-16") == after


def test_the_units_of_a_part_are_those_that_were_agreed_on() -> None:
    found = [
        changed("é😀bc", [event(part("x", 0, at, 0, at + 1))], units)
        for units, at in (("utf-8", 6), ("utf-16", 3), ("utf-32", 2))
    ]
    assert found == ["é😀xc"] * 3


@slow
def test_an_unknown_address_has_nothing_to_say_and_can_be_opened(tmp_path: Path) -> None:
    addresses = [
        "file:///nope", "file:///", "file://[", "file:///a%00b.abl", "%%%", "", "file:", "http://[::1", "untitled:none",
        (tmp_path / "none.agent.abl").as_uri(), tmp_path.as_uri(),
    ]  # fmt: skip
    with wired() as wire:
        wire.begin()
        for uri in addresses:
            document, at = {"uri": uri}, {"line": 0, "character": 0}
            assert wire.ask("textDocument/hover", {"textDocument": document, "position": at})["result"] is None, uri
            assert wire.ask("textDocument/definition", {"textDocument": document, "position": at})["result"] == []
            assert wire.ask("textDocument/documentSymbol", {"textDocument": document})["result"] == []
            assert wire.formatted(document) == []
            wire.open(uri, UGLY)
            assert [edit["newText"] for edit in wire.formatted(document)] == ["AGENT: Desk\n"], uri
            wire.send(notification("textDocument/didClose", {"textDocument": document}))
            assert wire.codes(uri, CLOSED) == []
        assert wire.leave() == 0
        assert wire.complaints() == ""


@slow
def test_changes_count_from_version_to_version_and_only_for_what_is_open() -> None:
    uri = "untitled:one"
    with wired() as wire:
        wire.begin()
        wire.open(uri, DESK)
        assert UNKNOWN_AGENT in wire.codes(uri)
        wire.change(uri, 2, part("ESCALATE", 3, 2, 4, 99))
        wire.change(uri, 3, {"text": DESK}, part("", 2, 0, 99, 0))
        assert wire.codes(uri, 3) == []
        wire.change(uri, 7)  # nothing; numbers may be left out
        assert wire.codes(uri, 7) == []
        document = {"uri": uri}
        wire.send(notification("textDocument/didClose", {"textDocument": document}))
        assert wire.codes(uri, CLOSED) == []
        wire.change(uri, 8, {"text": UGLY})
        assert wire.formatted(document) == []
        wire.open(uri, UGLY, 9)
        assert wire.formatted(document) != []
        wire.codes(uri, 9)
        late = [one for one in wire.seen if one.get("params", {}).get("version") == 8]
        assert late == []
        assert wire.leave() == 0


@slow
def test_texts_without_a_file_are_each_checked() -> None:
    with wired() as wire:
        wire.begin()
        for number in range(5):
            wire.open(f"untitled:{number}", DESK)
        assert all(UNKNOWN_AGENT in wire.codes(f"untitled:{number}") for number in range(5))


@slow
def test_windows_line_ends_and_wide_characters_keep_their_places() -> None:
    text = 'AGENT: Desk\r\nGOAL: "😀 {{loans}} 😀"\r\nMEMORY:\r\n  session:\r\n    - loans\r\n'
    with wired() as wire:
        wire.begin()
        document = wire.open("untitled:one", text)
        about = wire.ask("textDocument/hover", {"textDocument": document, "position": {"line": 1, "character": 13}})
        place = {"start": {"line": 1, "character": 12}, "end": {"line": 1, "character": 17}}
        assert about["result"]["range"] == place
        context = {"includeDeclaration": True}
        where = {"textDocument": document, "position": {"line": 4, "character": 7}, "context": context}
        lines = [found["range"]["start"]["line"] for found in wire.ask("textDocument/references", where)["result"]]
        assert lines == [1, 4]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "one", tmp_path / "two 50%25 ü"
    for folder in (one, two):
        folder.mkdir()
        (folder / "project.yaml").write_text("", encoding="utf-8")
    (one / "desk.agent.abl").write_text(DESK, encoding="utf-8")
    (two / "desk.agent.abl").write_text(DESK, encoding="utf-8")
    (two / "deep").mkdir()
    (two / "deep" / "billing.agent.abl").write_text(BILLING, encoding="utf-8")
    return one, two


def as_folder(path: Path) -> Message:
    return {"uri": path.as_uri(), "name": path.name}


@slow
def test_two_folders_are_two_projects_and_one_may_go_and_come(folders: tuple[Path, Path]) -> None:
    one, two = ((folder / "desk.agent.abl").as_uri() for folder in folders)
    deep = (folders[1] / "deep" / "billing.agent.abl").as_uri()
    back_to_desk = BILLING + "HANDOFF:\n  - TO: Desk\n    WHEN: true\n"
    with wired() as wire:
        wire.begin(workspaceFolders=[as_folder(folder) for folder in folders])
        wire.open(one, DESK)
        assert UNKNOWN_AGENT in wire.codes(one)
        wire.open(two, DESK)
        assert UNKNOWN_AGENT not in wire.codes(two)
        wire.open(deep, back_to_desk)
        assert UNKNOWN_AGENT not in wire.codes(deep)
        gone = {"event": {"added": [], "removed": [as_folder(folders[1]), {"uri": "file:///never", "name": "x"}]}}
        wire.send(notification("workspace/didChangeWorkspaceFolders", gone))
        assert UNKNOWN_AGENT in wire.codes(deep)  # without a workspace folder the project is the file's own folder
        back = {"event": {"added": [as_folder(folders[1])], "removed": []}}
        wire.send(notification("workspace/didChangeWorkspaceFolders", back))
        assert UNKNOWN_AGENT not in wire.codes(deep)
        assert wire.leave() == 0
        assert wire.complaints() == ""


def told(wire: Wire, *changes: tuple[Path, int]) -> None:
    """Say that files were made (1), changed (2) or deleted (3)."""
    params = {"changes": [{"uri": path.as_uri(), "type": kind} for path, kind in changes]}
    wire.send(notification("workspace/didChangeWatchedFiles", params))


@slow
def test_files_that_are_renamed_deleted_and_made_are_looked_at_again(folders: tuple[Path, Path]) -> None:
    folder = folders[1]
    uri, billing, moved = ((folder / name) for name in ("desk.agent.abl", "deep/billing.agent.abl", "moved.agent.abl"))
    with wired() as wire:
        wire.begin(workspaceFolders=[as_folder(folder)])
        document = wire.open(uri.as_uri(), DESK)
        assert UNKNOWN_AGENT not in wire.codes(uri.as_uri())
        billing.rename(moved)
        told(wire, (billing, 3), (moved, 1))
        assert UNKNOWN_AGENT not in wire.codes(uri.as_uri())
        where = {"textDocument": document, "position": {"line": 3, "character": 10}}
        assert wire.ask("textDocument/definition", where)["result"][0]["uri"] == moved.as_uri()
        moved.unlink()
        told(wire, (moved, 3))
        assert UNKNOWN_AGENT in wire.codes(uri.as_uri())
        moved.write_text(BILLING, encoding="utf-8")
        os.mkfifo(folder / "pipe.agent.abl")  # nobody writes into it: reading it would wait for ever
        (folder / "loop").symlink_to(folder)
        told(wire, (moved, 1))
        assert UNKNOWN_AGENT not in wire.codes(uri.as_uri())
        uri.unlink()  # the open text counts
        told(wire, (uri, 3))
        assert UNKNOWN_AGENT not in wire.codes(uri.as_uri())
        assert wire.leave() == 0
        assert wire.complaints() == ""


@slow
def test_a_client_that_can_watch_files_is_asked_to() -> None:
    able = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    with wired() as wire:
        wire.begin(capabilities=able)
        asked = wire.wait_for(method="client/registerCapability")
        (registration,) = asked["params"]["registrations"]
        assert registration["method"] == "workspace/didChangeWatchedFiles"
        globs = {watcher["globPattern"] for watcher in registration["registerOptions"]["watchers"]}
        assert {"**/*.abl", "**/*.agent.yaml", "**/project.yaml", "**/pyproject.toml"} <= globs
        wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
        assert wire.leave() == 0
        assert wire.complaints() == ""


PROVIDED = {
    "codeActionProvider", "completionProvider", "definitionProvider", "documentFormattingProvider",
    "documentHighlightProvider", "documentSymbolProvider", "foldingRangeProvider", "hoverProvider",
    "referencesProvider", "renameProvider", "selectionRangeProvider", "semanticTokensProvider",
}  # fmt: skip


@slow
def test_what_is_offered_is_what_the_documents_say() -> None:
    able = {"textDocument": {"rename": {"prepareSupport": True}}}
    with wired() as wire:
        offered = wire.begin(capabilities=able)["result"]["capabilities"]
        assert {name for name, value in offered.items() if name.endswith("Provider") and value} == {
            *PROVIDED,
            "executeCommandProvider",
        }
        kinds = offered["codeActionProvider"]["codeActionKinds"]
        assert sorted(kinds) == sorted(set(kinds))
        assert offered["executeCommandProvider"] == {"commands": []}
        assert offered["renameProvider"] == {"prepareProvider": True}
        assert (offered["semanticTokensProvider"]["full"], offered["semanticTokensProvider"]["range"]) == (
            {"delta": True},
            True,
        )
        assert offered["positionEncoding"] == "utf-16"


def colours(data: list[int]) -> list[tuple[int, int, int]]:
    """Line, character and length of each piece."""
    found, line, column = [], 0, 0
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        found.append((line, column, data[at + 2]))
    return found


@slow
def test_colours_of_a_part_and_what_changed_in_them() -> None:
    with wired() as wire:
        wire.begin()
        document = wire.open("untitled:one", DESK)
        whole: dict[str, Any] = wire.ask("textDocument/semanticTokens/full", {"textDocument": document})["result"]
        lines = {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 3}}
        some = wire.ask("textDocument/semanticTokens/range", {"textDocument": document, "range": lines})["result"]
        assert colours(some["data"]) == [piece for piece in colours(whole["data"]) if piece[0] in (2, 3)][:2]
        wire.change("untitled:one", 2, part("RETURN: true\n    ", 4, 4, 4, 4))
        asked = {"textDocument": document, "previousResultId": whole["resultId"]}
        answer = wire.ask("textDocument/semanticTokens/full/delta", asked)["result"]
        now = wire.ask("textDocument/semanticTokens/full", {"textDocument": document})["result"]["data"]
        (edit,) = answer["edits"]
        at, gone = edit["start"], edit["deleteCount"]
        assert [*whole["data"][:at], *edit["data"], *whole["data"][at + gone :]] == now
        assert len(edit["data"]) < len(now) / 2
        stale = wire.ask("textDocument/semanticTokens/full/delta", asked)[
            "result"
        ]  # of a result that is no longer known
        assert stale["data"] == now


@pytest.mark.parametrize(
    ("before", "now", "edits"),
    [
        ([1, 2, 3], [1, 2, 3], []),
        ([], [1], [(0, 0, [1])]),
        ([1, 1, 1], [1, 1], [(2, 1, [])]),
        ([1, 2, 3], [1, 9, 3], [(1, 1, [9])]),
        ([1, 2], [], [(0, 2, [])]),
        ([1, 2, 1, 2], [1, 2], [(2, 2, [])]),
    ],
)
def test_the_smallest_edit_of_numbers(
    before: list[int], now: list[int], edits: list[tuple[int, int, list[int]]]
) -> None:
    assert [(edit.start, edit.delete_count, edit.data) for edit in data_edits(before, now)] == edits


@slow
def test_a_selection_grows_from_a_word_to_the_whole_text() -> None:
    with wired() as wire:
        wire.begin()
        document = wire.open("untitled:one", DESK)
        places = [{"line": 3, "character": 11}, {"line": 99, "character": 0}]
        chosen, last = wire.ask("textDocument/selectionRange", {"textDocument": document, "positions": places})[
            "result"
        ]
        rows, found = DESK.split("\n"), []
        while chosen:
            start, end = chosen["range"]["start"], chosen["range"]["end"]
            text = "\n".join(rows[start["line"] : end["line"] + 1])
            found.append(text[start["character"] : len(text) - len(rows[end["line"]]) + end["character"]])
            chosen = chosen.get("parent")
        assert found[0] == "Billing"
        assert found[-1] == DESK
        assert "- TO: Billing\n    WHEN: true" in found
        assert all(one in two for one, two in pairwise(found))
        assert last["range"]["end"] == {"line": 5, "character": 0}
