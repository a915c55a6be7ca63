"""The ruler, what would flip a rule, rows, the source pane and the state at a step."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from abl.expressions import compile_expression
from constraints.models import TraceEvent
from constraints.traces.flips import flips
from constraints.traces.rows import event_row, microseconds
from constraints.traces.ruler import rows, ruler
from constraints.traces.source import source_lines
from constraints.traces.state import MISSING, last_changes, state_view


def tree(text, **names):
    return compile_expression(text).explain(names)


def words(html):
    """Text of a piece of HTML."""
    return re.sub(r"<[^>]+>", "", str(html)).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')


class TestRuler:
    def test_every_part_has_its_value_beneath(self):
        text = "open + asked <= cap"
        drawn = str(ruler(text, tree(text, open=4, asked=2, cap=5), outcome="failed"))
        assert re.findall(r'<span class="val">([^<]+)</span>', drawn) == ["4", "2", "6", "5"]
        assert "false" in drawn

    def test_the_words_are_those_of_the_condition(self):
        text = 'NOT (a == 1) AND b CONTAINS "x"'
        drawn = str(ruler(text, tree(text, a=2, b="xy"), outcome="passed"))
        without_values = re.sub(r'<span class="val[^>]*>.*?</span>(?=</span>|$)', "", drawn)
        assert "NOT" in words(without_values)
        assert words(without_values).startswith("NOT (a == 1) AND b CONTAINS")

    def test_what_an_author_wrote_is_never_markup(self):
        text = 'name == "<script>alert(1)</script>"'
        drawn = str(ruler(text, tree(text, name="<b>"), outcome="failed"))
        assert "<script>" not in drawn
        assert "<b>" not in drawn

    def test_rows_leave_literals_out_and_name_origins(self):
        found = rows(tree("a + 1 > b", a=1), {"a": {"origin": "initial", "by": 4}, "b": {"origin": "unset"}})
        assert [(row.text, row.depth) for row in found] == [("a + 1 > b", 0), ("a + 1", 1), ("a", 2), ("b", 1)]
        assert (found[2].origin, found[2].by) == ("INITIAL", 4)
        assert (found[3].state, found[3].origin) == ("unset", "never set")

    def test_an_operand_that_was_not_needed_says_so(self):
        found = rows(tree("a AND b", a=False, b=True))
        assert [row.value for row in found] == ["false", "false", "not evaluated"]


class TestFlips:
    @pytest.mark.parametrize(
        ("text", "names", "expected"),
        [
            ("used + amount <= 480", {"used": 310, "amount": 180}, ["used: 300 or less", "amount: 170 or less"]),
            ("age >= 18", {"age": 17}, ["age: 18 or more"]),
            ("age > 18", {"age": 18}, ["age: more than 18"]),
            ("total < cap * 2", {"total": 10, "cap": 4}, ["total: less than 8", "cap: more than 5"]),
            ("100 - spent > 0", {"spent": 120}, ["spent: less than 100"]),
            ("verified == true", {"verified": False}, ["verified: true"]),
            ('status == "open"', {"status": "closed"}, ['status: "open"']),
            ("ok == true AND n <= 3", {"ok": True, "n": 5}, ["n: 3 or less"]),
        ],
    )
    def test_one_value_that_decides(self, text, names, expected):
        assert [f"{f.name}: {f.needed}" for f in flips(tree(text, **names), wanted=True)] == expected

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("a * a <= 4", {"a": 3}),  # no straight line
            ("COALESCE(cap, 5) >= 6", {"cap": 3}),  # inside a function
            ("a == 1 OR b == 1", {"a": 0, "b": 0}),
            ("a == true AND b == true", {"a": False, "b": False}),
            ("missing <= 3 AND also", {}),
        ],
    )
    def test_nothing_is_said_where_it_is_not_certain(self, text, names):
        assert flips(tree(text, **names), wanted=True) == []

    def test_a_value_that_stands_in_two_places_is_left_out(self):
        assert [f.name for f in flips(tree("a * b <= a", a=3, b=3), wanted=True)] == ["b"]

    @pytest.mark.parametrize(
        ("text", "a", "b"),
        [
            ("a + b <= 7", 9, 1),
            ("a + b <= 7", 8, 8),
            ("3 * a - b < 2", 2, 2),
            ("a / 4 >= b", 8, 8),
            ("-a > b", 1, 0),
        ],
    )
    def test_a_value_on_its_bound_flips_the_rule(self, text, a, b):
        condition = compile_expression(text)
        names = {"a": a, "b": b}
        found = flips(condition.explain(names), wanted=True)
        assert len(found) == 2
        for flip in found:
            bound = float(re.search(r"-?[\d.]+", flip.needed).group())
            step = {"less": -0.001, "more": 0.001}.get(flip.needed.split()[0], 0)
            assert condition.holds({**names, flip.name: bound + step})

    def test_a_restriction_wants_the_opposite(self):
        found = flips(tree("amount > 100", amount=150), wanted=False)
        assert [f.needed for f in found] == ["100 or less"]


def event_of(kind, status="ok", data=None, **more):
    values = {"seq": 1, "attempt": 1, "depth": 0, "at": timezone.now(), "offset_us": 100, "duration_us": 50}
    return TraceEvent(kind=kind, status=status, data=data or {}, **{**values, **more})


def rule(kind, outcome):
    return {"kind": kind, "outcome": outcome, "condition_text": "a < 1"}


class TestRows:
    @pytest.mark.parametrize(
        ("event", "line"),
        [
            (("constraint", "ok", rule("LIMIT", "passed")), "LIMIT | a < 1 | passed"),
            (("constraint", "gated", rule("WARN", "gated_when")), "WARN | a < 1 | gated out"),
            (("constraint", "not_reached", rule("REQUIRE", "not_reached")), "REQUIRE | a < 1 | not reached"),
            (("turn.start", "ok", {"input": "hello"}), 'Input | "hello" | '),
            (("set", "ok", {"name": "x", "old": 1, "new": 2}), "Set | x = 2 | "),
            (("call.start", "ok", {"tool": "find", "args": {"n": 1}}), "Call | find(n: 1) | "),
            (("call.end", "ok", {"tool": "find", "result": {"ok": True}}), "Result | find: {ok: true} | "),
            (
                ("remember", "skipped", {"path": "user.a", "skipped": "condition"}),
                "Remember | user.a: WHEN is false | skipped",
            ),
            (
                ("pass", "failed", {"point": "tool_call", "target": "pay", "outcome": "failed"}),
                "Constraint pass | before the call of pay | failed",
            ),
            (("not_executed", "not_executed", {"message": "no voice"}), "Not executed | no voice | not executed"),
            (("something.new", "ok", {"text": "said"}), "Something new | said | "),
        ],
    )
    def test_a_row_says_what_happened(self, event, line):
        row = event_row(event_of(*event), 1000)
        assert f"{row.name} | {row.what} | {row.word}" == line

    def test_a_failed_comparison_shows_what_its_sides_came_to(self):
        data = {"kind": "LIMIT", "outcome": "failed", "condition_text": "a <= b", "tree": tree("a <= b", a=7, b=5)}
        assert event_row(event_of("constraint", "failed", data), 1000).what == "7 <= 5"

    def test_bars_stay_inside_the_turn(self):
        row = event_row(event_of("pass", offset_us=990, duration_us=500), 1000)
        assert row.x + row.width <= 100

    def test_mocked_parts_say_so(self):
        assert event_row(event_of("call.end", data={"tool": "find", "mode": "mock", "result": 1}), 1000).mocked

    @pytest.mark.parametrize(("us", "text"), [(34, "34 µs"), (1900, "1.9 ms"), (2_400_000, "2.4 s")])
    def test_times_are_short(self, us, text):
        assert microseconds(us) == text


class TestSource:
    TEXT = 'AGENT: Desk\nCONSTRAINTS:\n  all:\n    - LIMIT a + 1 <= 5\n      ON_FAIL: "<No>"\n'
    SPAN = {"path": "a", "start": {"line": 4, "column": 5}, "end": {"line": 5, "column": 22}}

    def test_the_lines_are_the_text(self):
        lines = source_lines(self.TEXT, self.SPAN, {})
        assert [words(line.code) for line in lines] == self.TEXT.split("\n")

    def test_only_the_condition_of_a_rule_is_marked(self):
        lines = source_lines(self.TEXT, self.SPAN, {4: "failed"}, "a + 1 <= 5")
        marked = [re.search(r"<mark>(.*?)</mark>", str(line.code)) for line in lines]
        assert [words(m.group(1)) for m in marked if m] == ["a + 1 <= 5"]
        assert [line.number for line in lines if line.marked] == [4, 5]
        assert lines[3].outcome == "failed"

    def test_text_is_never_markup(self):
        assert "<No>" not in "".join(str(line.code) for line in source_lines(self.TEXT, None, {}))


class TestState:
    EVENTS = [
        {"seq": 1, "kind": "session.start", "agent": "Desk", "data": {"state": {"active": "Desk"}}},
        {"seq": 2, "kind": "context", "agent": "Desk", "data": {"state": {"set": {"open": 4, "gone": 1}}}},
        {"seq": 5, "kind": "turn.start", "agent": "Desk", "data": {"input": "5"}},
        {"seq": 6, "kind": "set", "agent": "Desk", "data": {"state": {"set": {"asked": 5}}}},
        {"seq": 7, "kind": "clear", "agent": "Desk", "data": {"state": {"unset": ["gone"]}}},
        {"seq": 8, "kind": "fact.write", "agent": "Desk", "data": {"state": {"facts": {"user.last": 5}}}},
    ]

    def test_it_compares_with_the_begin_of_the_turn(self):
        view = state_view(self.EVENTS, seq=8, turn_begins=5)
        assert {(v.name, v.before, v.after, v.by) for v in view.changed} == {
            ("asked", MISSING, 5, 6),
            ("gone", 1, MISSING, 7),
            ("user.last", MISSING, 5, 8),
        }
        assert [v.name for v in view.same] == ["open"]

    def test_the_step_itself_comes_first(self):
        view = state_view(self.EVENTS, seq=8, turn_begins=5)
        assert (view.changed[0].name, view.changed[0].now) == ("user.last", True)

    def test_an_earlier_step_knows_nothing_of_later_ones(self):
        view = state_view(self.EVENTS, seq=5, turn_begins=5)
        assert view.changed == []
        assert {v.name for v in view.same} == {"open", "gone"}

    def test_the_step_that_set_a_name_is_known(self):
        assert last_changes(self.EVENTS, 8)["asked"] == 6
        assert "asked" not in last_changes(self.EVENTS, 6)
