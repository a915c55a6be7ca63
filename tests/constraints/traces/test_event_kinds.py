"""Every kind of event reads well: its row says what happened, its pane what it recorded, neither in raw JSON."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
from django.utils import timezone

from abl.runtime.events.kinds import KINDS as KINDS_DECLARED
from abl.runtime.events.kinds import UNRECORDED
from constraints.models import TraceEvent
from constraints.traces.kinds import ICONS, QUIET, named
from constraints.traces.pairs import Pair
from constraints.traces.pane import FIELDS, notes, pairs
from constraints.traces.rows import event_row
from constraints.traces.summaries import SUMMARIES
from constraints.traces.values import Tree, shown, tree
from tests.every import every

SPEC = Path(__file__).resolve().parents[3] / "docs" / "spec" / "12-interfaces.md"
SHOWN_WHOLE = {"guardrail", "policy.violation", "profile", "intent", *UNRECORDED}
"""Kinds without a pane of their own: it shows all that they hold."""
GROUPS = {"gather", "call"}
"""Parts of names that have an icon, for kinds of the group that are not known."""


def kinds_of_the_specification() -> list[str]:
    """The first column of the table of docs/spec 12 §4."""
    section = SPEC.read_text().partition("## 4. Trace event")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [kind for row in rows for kind in re.findall(r"`([a-z_.]+)`", row)]


KINDS = kinds_of_the_specification()


def event_of(kind, status="ok", data=None):
    return TraceEvent(kind=kind, status=status, data=data or {}, seq=1, attempt=1, depth=0, at=timezone.now())


def plain(pair: Pair) -> str:
    """A pair as a reader takes it in."""

    def of(value):
        match value:
            case Tree() if value.members:
                return ", ".join(f"{name} {of(item)}".strip() for name, item in value.members)
            case Tree():
                return value.text
            case list() | tuple():
                return " / ".join(map(of, value))
            case _:
                return re.sub(r"<[^>]+>", "", str(value))

    return f"{pair.label}: {of(pair.value)}"


def pane(kind, data):
    return [plain(pair) for pair in pairs(kind, data)]


@every((kind, (kind,)) for kind in KINDS)
def test_every_kind_of_the_specification_has_a_name_and_its_own_pane(kind):
    assert kind in ICONS
    assert kind in KINDS_DECLARED or kind in UNRECORDED
    assert kind in SHOWN_WHOLE or (kind in FIELDS and kind in SUMMARIES)


def test_no_kind_is_displayed_that_is_not_declared():
    displayed = {*ICONS, *QUIET, *FIELDS, *SUMMARIES}
    assert displayed - GROUPS - set(UNRECORDED) - set(KINDS_DECLARED) == set()


class Watched(dict):
    """Data of an event that notes the keys that it is asked for."""

    def __init__(self, data):
        super().__init__(data)
        self.asked = set()

    def __contains__(self, key):
        self.asked.add(key)
        return super().__contains__(key)

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)


SAMPLES = {
    "text": "a", "texts": ["a"], "number": 2, "numbers": [2], "flag": True, "map": {}, "maps": [], "value": 1,
}  # fmt: skip


ANY_FIELD = {key for kind in KINDS_DECLARED.values() for key in kind.fields}
CALLING_SHARED = {SUMMARIES[kind] for kind in ("fact.write", "pass", "error", "not_executed")}
"""Summaries that call one that other kinds share."""


def keys_read(read, kind):
    """What a function asks of an event of a kind: of one with nothing, with each field alone, and with all fields."""
    whole = {key: SAMPLES[field.type] for key, field in KINDS_DECLARED[kind].fields.items()}
    asked = set()
    for data in ({}, whole, *({key: value} for key, value in whole.items())):
        watched = Watched(data)
        read(watched)
        asked |= watched.asked
    return asked


def test_summaries_and_panes_read_declared_fields_only():
    """A function that serves several kinds may ask for what any of them has."""
    readers = [(SUMMARIES[kind], kind) for kind in SUMMARIES if kind in KINDS_DECLARED]
    readers += [(draw, kind) for kind, fields in FIELDS.items() for _, draw in fields if callable(draw)]
    asked, declared = defaultdict(set), defaultdict(set)
    for read, kind in readers:
        asked[read] |= keys_read(read, kind)
        declared[read] |= ANY_FIELD if read in CALLING_SHARED else set(KINDS_DECLARED[kind].fields)
    unknown = {read: keys - declared[read] for read, keys in asked.items() if keys - declared[read]}
    assert unknown == {}
    assert len(set().union(*asked.values())) > 40


def test_panes_name_declared_fields_only():
    asked, declared = defaultdict(set), defaultdict(set)
    for kind, fields in FIELDS.items():
        asked[id(fields)] |= {key for key, draw in fields if not callable(draw)}
        declared[id(fields)] |= set(KINDS_DECLARED[kind].fields)
    assert {key: asked[key] - declared[key] for key in asked if asked[key] - declared[key]} == {}
    assert len(set().union(*asked.values())) > 40


def test_a_part_of_a_kind_that_is_not_known_has_the_name_of_the_whole():
    assert named("gather.dream_up")[1] == "Gather dream up"
    assert named("wholly.new")[1] == "Wholly new"


@pytest.mark.parametrize(
    ("kind", "status", "data", "line"),
    [
        ("session.start", "ok", {"entry": "Desk", "user": None, "channel": "web"},
         "Session start | Desk for an anonymous user, on web | "),
        ("turn.start", "ok", {"input": None}, "Input | no message yet | "),
        ("turn.start", "ok", {"input": None, "action": {"id": "pick", "value": 3}}, "Input | pick: 3 | "),
        ("turn.end", "ok", {"replies": ["a", "b"], "waiting": "gather"},
         "Turn end | 2 messages, waits for the fields of this step | "),
        ("turn.end", "ok", {"replies": ["bye"], "ended": True}, "Turn end | 1 message, the session ended | "),
        ("branch", "skipped", {"condition": "x > 1", "held": False}, "Branch | x > 1 | not taken"),
        ("branch", "ok", {"condition": None, "held": True}, "Branch | ELSE | taken"),
        ("call.end", "ok", {"tool": "find", "result": {"ok": True}, "mode": "mock"},
         "Result | find: {ok: true} | mocked"),
        ("call.end", "ok", {"tool": "find", "result": {}, "mode": "mock", "generated": True},
         "Result | find: {} | sample"),
        ("call.end", "failed",
         {"tool": "find", "error": {"error": {"type": "tool_error", "subtype": "tool_timeout", "message": "too slow"}}},
         "Result | find: tool_timeout: too slow | failed"),
        ("call.retry", "ok", {"tool": "find", "n": 1, "delay": 200}, "Call again | find, attempt 2 after 200 ms | "),
        ("tool.map", "ok", {"names": ["account", "call_result", "result"]},
         "Result into | account and 2 more names | "),
        ("tool.result_shape", "warned",
         {"tool": "find", "differences": [{"path": "result.n", "expected": "number", "found": "string"}, {}]},
         "Result shape | find: result.n is string, declared is number and 1 more | warned"),
        ("clear", "ok", {"name": "user.tier", "hidden": True}, "Clear | user.tier, hidden in this session | "),
        ("set", "ok", {"name": "x", "old": 1, "new": None}, "Set | x is unset | "),
        ("reset", "ok", {"name": "x", "old": 5, "new": 1}, "Reset | x = 1 | "),
        ("transform", "ok", {"source": "rows", "into": "out", "counts": {"source": 4, "filter": 3}},
         "Transform | rows into out, 3 of 4 items | "),
        ("context", "ok", {"initial": {"a": 1, "b": "x"}}, 'First values | a = 1, b = "x" | '),
        ("recall", "ok", {"event": "session:start", "loaded": {}}, "Recall | session:start: nothing | nothing found"),
        ("fact.write", "ok", {"path": "workflow.t", "cause": "tree_end", "new": None},
         "Fact written | workflow.t: deleted with its execution tree | dropped"),
        ("fact.refused", "failed", {"path": "user.t", "why": "no authenticated user"},
         "Fact refused | user.t: no authenticated user | failed"),
        ("step.enter", "ok", {"step": "ask", "attempt": 2}, "Step | ask, attempt 2 | "),
        ("step.exit", "ok", {"step": "ask", "edge": "then", "to": "done"}, "Step left | ask to done | "),
        ("step.skipped", "skipped", {"step": "ask", "when": "vip == true"},
         "Step | ask: vip == true is false | skipped"),
        ("flow.wait", "ok", {"reason": "tool_confirm"}, "Wait | for confirmation of a call | waiting"),
        ("flow.end", "ok", {"outcome": "complete", "reason": "no_transition"},
         "Flow end | there is no next step | "),
        ("gather.start", "ok", {"fields": ["a", "b"]}, "Gather | a, b | "),
        ("gather.rejected", "failed", {"field": "amount", "rule": "type number", "attempt": 2},
         "Gather | amount: does not match type number, attempt 2 | not accepted"),
        ("gather.confirm", "ok", {"field": "a", "value": 3, "text": "a: 3, right?"},
         'Confirm | "a: 3, right?" | asked'),
        ("gather.declined", "skipped", {"field": "a", "value": 3}, "Declined | a = 3 | skipped"),
        ("gather.prompt", "ok", {"fields": ["a"], "text": "", "by": "respond"},
         "Ask | a: asked in the reply above | asked"),
        ("handoff", "ok", {"to": "B", "handoff_context_pass_resolved": {"passed": ["x"], "unset": []}},
         "Handoff | to B, with x | "),
        ("model.request", "ok", {"messages": [1, 2], "tools": ["t"]}, "Ask the model | 2 messages, 1 tool | "),
        ("model.response", "ok", {"call": "issue", "args": {"item": "b1"}}, 'Model answers | issue(item: "b1") | '),
        ("pipeline", "ok", {"tier": "guided", "intent": "lend", "confidence": 0.7, "several": [], "veto": None},
         "Pipeline | lend: a hint to the model | "),
        ("pipeline", "ok", {"tier": "reasoning", "intent": None, "confidence": 0}, "Pipeline | left to the model | "),
        ("complete", "skipped", {}, "Complete | not applied while a rule fails | skipped"),
        ("not_executed", "not_executed", {"construct": "DELEGATE", "why": "not here"},
         "Not executed | DELEGATE: not here | not executed"),
    ],
)  # fmt: skip
def test_a_row_is_a_sentence(kind, status, data, line):
    row = event_row(event_of(kind, status, data), 1000)
    assert f"{row.name} | {row.what} | {row.word}" == line


def test_an_input_that_was_not_accepted_is_a_warning_and_no_failure():
    row = event_row(event_of("gather.rejected", "failed", {"field": "a"}), 1000)
    assert (row.state, row.icon, row.word) == ("warned", "warned", "not accepted")


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("turn.end", {"replies": ["One.", "Two."], "waiting": "input", "changed": {"x": {"old": None, "new": 3}}},
         ["Said: One. / Two.", "Waits: for a message", "Changed: x / unset / 3"]),
        ("respond", {"text": "One.", "template": "One.", "missing": [], "by": "constraint"},
         ["Text: One.", "By: ON_FAIL of a rule"]),
        ("respond", {"text": "7 left.", "template": "{{n}} left.", "missing": []},
         ["Text: 7 left.", "As written: {{n}} left."]),
        ("set", {"name": "x", "old": 1, "new": 2, "expression": "x + 1", "cause": "set"},
         ["Name: x", "Value: 1 / 2", "Expression: x + 1", "By: SET"]),
        ("remember", {"path": "user.a", "scope": "user", "owner": "u-1", "expression": "a", "skipped": "unchanged",
                      "old": "x", "new": "x", "ttl": "30d"},
         ["Path: user.a", "Among: facts of user u-1", "Value of: a", "Not stored: the value is unchanged",
          'Value: "x"', "Lives for: 30d"]),
        ("fact.write", {"path": "project.a", "scope": "project", "owner": "", "cause": "remember#1", "old": None,
         "new": 7},
         ["Path: project.a", "Among: facts of the project, for all users", "Value: unset / 7",
         "By: trigger 2 of remember"]),
        ("call.start", {"tool": "find", "args": {"n": 1, "day": "Mon"}, "sources": {"n": "explicit", "day": "variable"},
                        "origin": "flow"},
         ["Tool: find", 'Arguments: n 1, day "Mon"', "From: day / the variable of that name", "Called by: the flow"]),
        ("call.end", {"tool": "find", "result": {"rows": [{"id": 1}]}, "mode": "mock", "ms": 40},
         ["Tool: find", "Result: rows id 1", "Answered by: a mock case of the project",
          "Took: 40 ms on the conversation's clock"]),
        ("constraint",
         {"kind": "LIMIT", "condition_text": "a < 1", "outcome": "failed", "message_template": "No.",
          "message_rendered": "No.", "effect": "tool call pay blocked", "point": "tool_call", "point_target": "pay",
          "action": {"type": "respond", "target": None, "fields": [], "then": None, "clear": []}},
         ["Then: replies with the message; tool call pay blocked", "Said: No.", "Judged: before the call of pay"]),
        ("constraint",
         {"kind": "LIMIT", "condition_text": "a < 1", "outcome": "failed", "effect": "goto verify", "point": "turn",
          "action": {"type": "goto", "target": "verify", "fields": [], "then": None, "clear": ["a"]}},
         ["Then: goes to step verify; clears a", "Judged: before the turn's work"]),
        ("model.request", {"goal": "Lend", "messages": [{"from": "user", "text": "b1"}, {"from": "agent",
         "agent": "Desk", "text": "ok"}],
                           "tools": ["issue"]},
         ["Goal: Lend", "Tools: issue", "Messages: user / b1 / Desk / ok"]),
        ("wholly.new", {"why_so": "because", "n": 3, "state": {"set": {}}, "none": None}, ["Why so: because", "N: 3"]),
    ],
)  # fmt: skip
def test_a_pane_shows_what_was_recorded_once_and_in_words(kind, data, expected):
    assert pane(kind, data) == expected


@pytest.mark.parametrize(
    ("kind", "data", "left"),
    [
        ("error", {"code": "RUN003", "message": "no"}, []),
        ("not_executed", {"construct": "infer", "why": "no model"}, []),
        ("gather.rejected", {"field": "a", "rule": "type number"}, []),
        ("call.end", {"tool": "t", "generated": True}, []),
        ("set", {"name": "x"}, ["said"]),
    ],
)
def test_a_finding_that_the_pane_tells_already_is_not_told_twice(kind, data, left):
    names = {"error": "unknown_target", "not_executed": "infer.not_executed", "call.end": "mock.generated"}
    note = {"code": data.get("code", "RUN008"), "name": names.get(kind, kind), "level": "info", "message": "said"}
    assert [n["message"] for n in notes(kind, {**data, "notes": [note]})] == left


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unset"),
        (True, "true"),
        (3.0, "3"),
        ("a", '"a"'),
        ([1, None], "[1, null]"),
        ({"a": {"b c": 1}}, '{a: {"b c": 1}}'),
        ({"truncated": True, "size": 20000, "preview": "abc"}, "abc… (20,000 characters)"),
    ],
)
def test_a_value_is_written_as_the_language_writes_it(value, text):
    assert shown(value) == text


def test_a_value_is_drawn_no_deeper_and_no_longer_than_one_reads():
    deep = tree({"a": {"b": {"c": {"d": {"e": 1}}}}})
    inner = deep.members[0][1].members[0][1].members[0][1]
    assert (inner.text, inner.members) == ("{d: {e: 1}}", [])
    long = tree([{"n": n} for n in range(80)])
    assert (len(long.members), long.more, long.is_list) == (50, 30, True)


def test_bars_of_conditions_end_where_they_were_recorded_and_all_others_begin_there():
    def at(kind):
        event = event_of(kind, data={"outcome": "passed"})
        event.offset_us, event.duration_us = 500, 100
        row = event_row(event, 1000)
        return row.x, row.width

    assert at("constraint") == (40, 10)
    assert at("pass") == (50, 10)
