"""The declaration of trace events: what tests refuse, and that it is complete (docs/spec 12 §4)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from abl.runtime import Session
from abl.runtime.events.kinds import KINDS, UNRECORDED, label_of, name_of, problems_of
from tests.recording import declared_events

ROOT = Path(__file__).resolve().parents[4]
AGENT = """AGENT: Desk
GOAL: "Lend"

FLOW:
  entry_point: hello
  steps:
    - hello

hello:
  REASONING: false
  RESPOND: "Hello"
  THEN: COMPLETE
"""


def kinds_of_the_specification() -> set[str]:
    """The first column of the table of docs/spec 12 §4; ``gather.*`` is left to its own page."""
    text = (ROOT / "docs/spec/12-interfaces.md").read_text(encoding="utf-8")
    rows = text.partition("## 4. Trace event")[2].partition("\n## ")[0].splitlines()
    return {kind for row in rows if row.startswith("| `") for kind in re.findall(r"`([a-z_.]+)`", row.split("|")[1])}


def test_every_kind_of_the_specification_is_declared_and_no_other():
    declared = {kind for kind in KINDS if not kind.startswith("gather.")} | set(UNRECORDED)
    assert declared == kinds_of_the_specification()
    assert not set(KINDS) & set(UNRECORDED)


def test_every_status_is_one_of_the_specification():
    text = (ROOT / "docs/spec/12-interfaces.md").read_text(encoding="utf-8")
    known = set(re.search(r"^`status`: `([a-z_ ]+)`", text, re.MULTILINE)[1].split())
    assert {status for kind in KINDS.values() for status in kind.statuses} <= known


def recorded_literals(text: str) -> Iterator[tuple[str, str, set[str]]]:
    """Kind, status and names of fields of each call of ``emit`` in a module, as far as they are written out.

    Data that is in a variable is that of the same function: its literal, and what is put in by a literal key.
    """
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "emit":
                    given = dict(zip(("kind", "data"), call.args, strict=False))
                    given |= {named.arg: named.value for named in call.keywords}
                    status = given.get("status")
                    for kind in texts(given["kind"]):
                        for named in texts(status) if status is not None else ("ok",):
                            yield kind, named, keys_of(given["data"], function)


def texts(value: ast.expr) -> Iterator[str]:
    """The texts that an expression may be, where they are written out."""
    match value:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp():
            yield from texts(value.body)
            yield from texts(value.orelse)


def keys_of(data: ast.expr, function: ast.FunctionDef) -> set[str]:
    match data:
        case ast.Dict():
            spread = (value for key, value in zip(data.keys, data.values, strict=True) if key is None)
            return {text for key in data.keys if key is not None for text in texts(key)}.union(
                *(keys_of(value, function) for value in spread)
            )
        case ast.Name():
            found = set()
            for node in ast.walk(function):
                match node:
                    case ast.Assign(targets=[ast.Name(id=data.id)]) | ast.AnnAssign(target=ast.Name(id=data.id)):
                        found |= keys_of(node.value, function) if isinstance(node.value, ast.Dict) else set()
                    case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=data.id), slice=key)]):
                        found |= set(texts(key))
            return found
    return set()


def test_whatever_the_runtime_records_by_literal_names_is_declared():
    """Also where no test leads: what is recorded under computed names, the sessions of the other tests show."""
    found = [
        (path.name, kind, status, key)
        for path in (ROOT / "abl/runtime").rglob("*.py")
        for kind, status, keys in recorded_literals(path.read_text(encoding="utf-8"))
        for key in {"notes", *keys}
    ]
    assert len({kind for _, kind, _, _ in found}) > 30
    assert len({(kind, key) for _, kind, _, key in found}) > 120
    undeclared = [
        one
        for one in found
        if one[1] not in KINDS or one[2] not in KINDS[one[1]].statuses or one[3] not in KINDS[one[1]].fields
    ]
    assert undeclared == []


def test_literal_names_are_found_however_they_are_written():
    text = """
def record(self, held):
    data = {"entry": 1}
    data["more"] = 2
    self.recorder.emit('step.Dance', {**data, "last": 3}, status="ok" if held else "odd")
    emitter.emit(data=data, kind="flow.start")
"""
    assert list(recorded_literals(text)) == [
        ("step.Dance", "ok", {"entry", "more", "last"}),
        ("step.Dance", "odd", {"entry", "more", "last"}),
        ("flow.start", "ok", {"entry", "more"}),
    ]


@pytest.mark.parametrize(
    ("kind", "status", "data", "problem"),
    [
        ("step.dance", "ok", {}, "kind 'step.dance' is not declared in abl.runtime.events.kinds"),
        ("flow.start", "failed", {"entry": "a"}, "status 'failed' of flow.start is not one of ok"),
        ("flow.start", "ok", {"entrance": "a"}, "field 'entrance' of flow.start is not declared"),
        ("flow.start", "ok", {"entry": 3}, "field 'entry' of flow.start is text, not 3"),
        ("flow.start", "ok", {"entry": None}, "field 'entry' of flow.start is text, not None"),
        ("step.exit", "ok", {"to": True}, "field 'to' of step.exit is text or null, not True"),
        ("step.enter", "ok", {"attempt": True}, "field 'attempt' of step.enter is number, not True"),
        ("gather.start", "ok", {"fields": "a"}, "field 'fields' of gather.start is texts, not 'a'"),
        ("gather.start", "ok", {"fields": [1]}, "field 'fields' of gather.start is texts, not [1]"),
    ],
)
def test_what_is_not_declared_is_named(kind, status, data, problem):
    assert problems_of(kind, status, data) == [problem]


def test_a_hidden_value_may_have_another_type_and_no_other_name():
    assert problems_of("step.enter", "ok", {"attempt": "[REDACTED]"}, masked=True) == []
    assert problems_of("step.enter", "ok", {"tries": 1}, masked=True) == ["field 'tries' of step.enter is not declared"]


UNDECLARED = (("step.dance", {}), ("flow.start", {"entrance": "a"}), ("flow.start", {"entry": "a"}, "odd"))


@pytest.mark.parametrize("given", UNDECLARED)
def test_the_recorder_of_all_tests_refuses_what_is_not_declared(given):
    session = Session({"desk.agent.abl": AGENT})
    session.start()
    kind, data, *status = given
    with pytest.raises(AssertionError, match=r"not declared|not one of"), declared_events():
        session._engine.recorder.emit(kind, data, **({"status": status[0]} if status else {}))


def test_a_refused_event_fails_the_test_also_where_the_code_survives_it():
    session = Session({"desk.agent.abl": AGENT})
    session.start()
    with pytest.raises(AssertionError, match=r"step\.dance"), declared_events(), suppress(AssertionError):
        session._engine.recorder.emit("step.dance", {})


def test_what_is_added_to_an_event_later_is_refused_too():
    inner = declared_events()
    recorded = inner.__enter__()
    session = Session({"desk.agent.abl": AGENT})
    session.start()
    session._engine.recorder.complete(recorded[0], invented=1)
    with pytest.raises(AssertionError, match=r"field 'invented' of session\.start is not declared"):
        inner.__exit__(None, None, None)
    del recorded[0]["data"]["invented"]  # the fixture of all these tests looks too


def test_names_and_labels_come_from_the_declaration():
    assert (name_of("call.end"), name_of("intent"), name_of("wholly.new")) == ("Result", "Intent", "Wholly new")
    assert label_of("step.exit", "edge") == "By"
    assert label_of("call.end", "generated") == "Generated"
    assert label_of("wholly.new", "why_so") == "Why so"
