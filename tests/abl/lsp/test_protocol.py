"""`abl lsp` answers as the protocol says, also to messages that no well-behaved client sends (docs/spec 12 §2)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from subprocess import PIPE
from typing import Any
from unittest.mock import Mock

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from abl.lsp.messages import exact_converter, message_of
from abl.lsp.server import Server
from abl.lsp.wire import MAX_MESSAGE, bodies
from tests.abl.lsp.wire import Wire, frame, notification, request, wired

PARSE_ERROR, INVALID_REQUEST, UNKNOWN, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED, INTERNAL = -32002, -32800, -32603
DESK = 'AGENT: Desk\nGOAL: "Lend books"\nMEMORY:\n  session:\n    - loans\n'
HERE = {"line": 4, "character": 8}
slow = pytest.mark.slow


def code(answer: dict[str, Any]) -> int:
    assert "result" not in answer
    assert answer["error"]["message"]
    return answer["error"]["code"]


def works(wire: Wire) -> bool:
    """The server answers a request as it should."""
    document = wire.open("untitled:works", DESK)
    found = wire.ask("textDocument/hover", {"textDocument": document, "position": HERE})
    return found["result"]["contents"]["value"].startswith("```\nloans")


UNREADABLE = [
    {"textDocument": {"uri": "untitled:1"}, "position": {"line": "x", "character": 0}},
    {"textDocument": {"uri": "untitled:1"}, "position": {"line": -1, "character": 0}},
    {"textDocument": {"uri": "untitled:1"}, "position": {"line": 1.5, "character": 0}},
    {"textDocument": {"uri": "untitled:1"}, "position": {"line": True, "character": 0}},
    {"textDocument": {"uri": 7}, "position": {"line": 0, "character": 0}},
    {"textDocument": None, "position": None},
    {"textDocument": {"uri": "untitled:1"}},
    {},
    [],
    "text",
    7,
    None,
]


@slow
def test_a_request_that_cannot_be_read_gets_invalid_params_and_says_why() -> None:
    with wired() as wire:
        wire.begin()
        for params in UNREADABLE:
            assert code(wire.ask("textDocument/hover", params)) == INVALID_PARAMS, params
        told = wire.ask("textDocument/hover", UNREADABLE[0])["error"]["message"]
        assert "position.line" in told
        assert works(wire)
        assert wire.leave() == 0
        assert wire.complaints() == ""


@slow
def test_headers_are_read_in_any_case_and_any_order_and_others_are_passed_over() -> None:
    with wired() as wire:
        begin = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
        wire.send(
            frame(begin, b"content-length: %d\r\n\r\n"),
            b"\r\nnonsense\r\n\r\nContent-Length: many\r\n\r\n",
            frame(request(2, "no/such"), kind + b"CONTENT-LENGTH:%d\r\n\r\n"),
            frame(request(3, "no/such"), b"Content-Length :  %d  \r\nX-Other: 7\r\n" + kind + b"\r\n"),
            frame(request(4, "no/such"), b"Content-Length: %d\n\n"),
        )
        assert wire.wait_for(id=1)["result"]["serverInfo"]["name"] == "abl"
        assert [code(wire.wait_for(id=number)) for number in (2, 3, 4)] == [UNKNOWN] * 3
        assert wire.leave() == 0


@slow
def test_before_initialize_requests_are_refused_and_notifications_dropped() -> None:
    with wired() as wire:
        position = {"textDocument": {"uri": "untitled:1"}, "position": HERE}
        assert code(wire.ask("textDocument/hover", position)) == NOT_INITIALIZED
        assert code(wire.ask("shutdown")) == NOT_INITIALIZED
        wire.open("untitled:1", DESK)
        assert "capabilities" in wire.begin()["result"]
        assert wire.ask("textDocument/hover", position)["result"] is None  # what was told before was not heard
        assert code(wire.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})) == INVALID_REQUEST
        assert works(wire)
        assert wire.leave() == 0
        assert wire.complaints() == ""


@slow
def test_an_initialize_that_cannot_be_read_may_be_followed_by_one_that_can() -> None:
    with wired() as wire:
        assert code(wire.ask("initialize", {"capabilities": 3})) == INVALID_PARAMS
        assert code(wire.ask("initialize")) == INVALID_PARAMS
        assert "result" in wire.begin(rootPath=None, workspaceFolders=None, trace="off")
        assert works(wire)


@slow
def test_after_shutdown_requests_are_refused_until_exit() -> None:
    with wired() as wire:
        wire.begin()
        assert wire.ask("shutdown")["result"] is None
        assert code(wire.ask("textDocument/hover", UNREADABLE[0])) == INVALID_REQUEST
        assert code(wire.ask("shutdown")) == INVALID_REQUEST
        assert code(wire.ask("no/such")) == INVALID_REQUEST
        wire.send(notification("exit"))
        assert wire.process.wait(60) == 0


@slow
@pytest.mark.parametrize("begun", [True, False])
def test_exit_without_shutdown_ends_with_1(begun: bool) -> None:
    with wired() as wire:
        if begun:
            wire.begin()
        wire.send(notification("exit"))
        assert wire.process.wait(60) == 1
        assert wire.complaints() == ""


@slow
def test_a_closed_input_ends_the_server_also_within_a_message() -> None:
    with wired() as wire:
        wire.begin()
        wire.send(b"Content-Length: 100\r\n\r\n{")
        assert wire.close_input() == 0
        assert wire.complaints() == ""


@slow
def test_a_client_that_reads_no_more_ends_the_server() -> None:
    begin = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    command = [sys.executable, "-m", "abl.cli", "lsp"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(frame(begin))
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


@slow
def test_an_interrupt_ends_the_server_without_a_traceback() -> None:
    with wired() as wire:
        wire.begin()
        wire.process.send_signal(signal.SIGINT)
        assert wire.process.wait(60) == 130
        assert wire.complaints() == "abl: interrupted\n"


@slow
def test_what_is_no_message_gets_an_error_without_an_id_and_the_server_goes_on() -> None:
    with wired() as wire:
        wire.begin()
        for body, wanted in (
            (b"{not json", PARSE_ERROR),
            (b"\xff\xfe", PARSE_ERROR),
            (b'{"jsonrpc": "2.0", "id": 1', PARSE_ERROR),
            (b"[" * 100_000, PARSE_ERROR),
            (b"[]", INVALID_REQUEST),
            (b"7", INVALID_REQUEST),
            (b"{}", INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "method": 7}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": null, "method": "textDocument/hover"}', INVALID_REQUEST),
            (b'{"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover"}', INVALID_REQUEST),
        ):
            wire.send(frame(body))
            assert code(wire.wait_for(id=None)) == wanted, body[:60]
        wire.send(
            frame(b'{"id": 5, "method": "shutdown"}'), frame(b'{"jsonrpc": "1.0", "id": 6, "method": "shutdown"}')
        )
        assert [code(wire.wait_for(id=number)) for number in (5, 6)] == [INVALID_REQUEST] * 2
        wire.send(frame({"jsonrpc": "2.0", "id": "nobody asked", "result": None}))
        wire.send(frame({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "x"}}))
        assert works(wire)
        assert wire.leave() == 0
        assert wire.complaints() == ""


@slow
def test_unknown_methods_and_notifications_in_the_place_of_requests() -> None:
    with wired() as wire:
        wire.begin()
        for method in ("no/such", "$/no", "", "textDocument/didOpen", "exit", "textDocument/rangeFormatting"):
            assert code(wire.ask(method, {})) == UNKNOWN, method
        wire.send(notification("no/such", {"a": 1}), notification("$/no"), notification("textDocument/hover", {}))
        wire.send(notification("textDocument/didOpen", {}), notification("textDocument/didChange", []))
        wire.send(notification("workspace/didChangeConfiguration", {"settings": {"jsonrpc": "2.0", "id": 1}}))
        assert works(wire)
        assert wire.leave() == 0


@slow
def test_ids_may_be_texts_and_come_back_as_they_are() -> None:
    with wired() as wire:
        wire.begin()
        for number in ("a", "", "7", 0, -1):
            wire.send(request(number, "no/such"))
            assert wire.wait_for(id=number)["error"]["code"] == UNKNOWN


@slow
def test_of_many_requests_each_gets_one_answer_whether_cancelled_or_not() -> None:
    with wired() as wire:
        wire.begin()
        document = wire.open("untitled:1", DESK * 200)
        numbers = range(10, 40)
        asked = [request(n, "textDocument/semanticTokens/full", {"textDocument": document}) for n in numbers]
        wire.send(*asked, *(notification("$/cancelRequest", {"id": n}) for n in numbers))
        for number in numbers:
            answer = wire.wait_for(id=number)
            assert "result" in answer or answer["error"]["code"] == CANCELLED
        wire.send(notification("$/cancelRequest", {"id": 10}), notification("$/cancelRequest", {}))
        assert works(wire)
        assert not [one for one in wire.seen if one.get("id") in numbers]


def answers(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What a server says to messages that are all there before the first one's turn."""
    server = Server()
    server.feature("textDocument/hover")(lambda ls, params: {"what JSON": {"has", "not"}})
    protocol = server.protocol
    said: list[dict[str, Any]] = []
    protocol.writer = Mock(write=lambda data: said.append(json.loads(data.partition(b"\r\n\r\n")[2])))
    read = [message_of(json.dumps(message).encode()) for message in messages]
    for message in read:
        protocol.note(message)
    for message in read:
        protocol.answer(message)
    return said


def test_a_request_that_is_cancelled_before_its_turn_is_not_carried_out() -> None:
    begin = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    cancel = notification("$/cancelRequest", {"id": 2})
    said = answers(begin, request(2, "shutdown"), request(3, "no/such"), cancel)
    assert [one.get("error", {}).get("code") for one in said] == [None, CANCELLED, UNKNOWN]
    assert [one["id"] for one in answers(begin, cancel, request(2, "shutdown"))] == [1, 2]
    assert "error" not in answers(begin, cancel, request(2, "shutdown"))[1]  # it was cancelled before it was asked


def test_an_answer_that_cannot_be_written_becomes_an_error() -> None:
    begin = request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    hover = request(2, "textDocument/hover", {"textDocument": {"uri": "untitled:1"}, "position": HERE})
    said = answers(begin, hover)
    assert [(one["id"], one.get("error", {}).get("code")) for one in said] == [(1, None), (2, INTERNAL)]


def test_numbers_and_words_of_lists_are_read_as_members_of_them() -> None:
    converter = exact_converter()
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0.0, "character": 1}}
    found = converter.structure({"range": place, "message": "x", "severity": 2, "tags": [1]}, types.Diagnostic)
    assert found.severity is types.DiagnosticSeverity.Warning
    assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert converter.structure({"positionEncodings": ["utf-8", "new"]}, types.GeneralClientCapabilities) is not None
    assert converter.structure({"kind": "quickfix", "title": "x"}, types.CodeAction).kind == "quickfix"
    with pytest.raises(Exception, match="structuring"):
        converter.structure({"range": place, "message": None}, types.Diagnostic)


def chunks(data: bytes, size: int) -> Any:
    parts = iter([*(data[at : at + size] for at in range(0, len(data), size)), b""])
    return lambda _: next(parts)


@pytest.mark.parametrize("size", [1, 2, 7, 1_000_000])
def test_bytes_may_come_in_any_pieces(size: int) -> None:
    data = frame(b"one") + b"junk\r\n" + frame(b"", b"Content-Length: %d\r\n\r\n") + frame("é".encode()) + b"Content-"
    assert list(bodies(chunks(data, size))) == [b"one", b"", "é".encode()]


def test_a_message_that_is_too_long_is_passed_over_and_refused() -> None:
    sizes = iter([b"Content-Length: %d\r\n\r\n" % (MAX_MESSAGE + 1), *[b"x" * 2**20] * 64, b"x" + frame(b"next"), b""])
    found = list(bodies(lambda _: next(sizes)))
    assert found == [None, b"next"]
    refused = message_of(found[0])
    assert isinstance(refused, JsonRpcException)
    assert refused.code == INVALID_REQUEST


def test_a_header_without_an_end_is_not_kept() -> None:
    pieces = iter([*[b"x" * 2**16] * 10, b"\r\n" + frame(b"next"), b""])
    assert list(bodies(lambda _: next(pieces))) == [b"next"]
