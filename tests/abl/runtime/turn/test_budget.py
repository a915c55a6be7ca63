"""A turn has one budget, and what it makes has sizes (docs/spec 02 §8)."""

import json
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from abl.expressions.budget import TURN, Budget, BudgetExceeded
from abl.expressions.sizes import SizeExceeded
from abl.runtime.memory.in_memory import MemoryFacts
from abl.runtime.scenarios.player import run_scenario
from abl.runtime.session import Session
from tests.abl.runtime.harness import HEAD, session

LIST = 'SPLIT(REPEAT("x,", 40000), ",")'
HEAVY = f"{LIST} == {LIST}"
WIDE = replace(TURN, operations=10**9, characters=10**9, elements=10**9, seconds=1_000)
"""Room for everything, so that only the limit under test can be hit, however quick or slow the machine is."""
NESTED = "{{#each items}}{{#each items}}{{LENGTH(SPLIT(REPEAT('x,', 40000), ','))}}{{/each}}{{/each}}"


def flow(*lines, more=""):
    body = "\n".join(f"    {line}" for line in lines)
    return f"FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n{body}\n    THEN: COMPLETE\n{more}"


def small(**limits):
    """A budget of which only what is named can run out."""
    return Budget.of(replace(WIDE, **limits))


def failing(agent, **more):
    """The error and the events of a first turn that does not come to its end."""
    events = []
    talk = session(agent, on_event=events.append, **more)
    with pytest.raises(BudgetExceeded) as caught:
        talk.start()
    return caught.value, events


def told(events):
    return [event["data"] for event in events if event["kind"] == "error"]


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        ({"operations": 20_000}, "operations"),
        ({"characters": 300_000}, "characters"),
        ({"elements": 90_000}, "elements"),
        ({"seconds": 0.05}, "time"),
    ],
)
def test_a_message_that_takes_too_much_ends_the_turn_and_is_told(limits, what):
    problem, events = failing(flow(f"SET: items = {LIST}", f'RESPOND: "{NESTED}"'), budget=small(**limits))
    assert (problem.what, problem.limit) == (what, limits.get(what, limits.get("seconds")))
    (error,) = told(events)
    assert (error["code"], error["name"], error["what"]) == ("RUN016", "budget-exceeded", what)
    assert "the budget ran out" in error["message"]


def test_by_default_a_turn_computes_at_most_five_seconds():
    started = time.thread_time()
    problem, _ = failing(flow(f"SET: items = {LIST}", f'RESPOND: "{NESTED}"'))
    assert TURN.seconds == 5
    assert time.thread_time() - started < TURN.seconds + 1
    assert isinstance(problem, BudgetExceeded)


def test_each_turn_has_a_budget_of_its_own():
    agent = (
        "FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    ON_INPUT:\n"
        '      - ELSE:\n          RESPOND: "{{n}}"\n'
        f"CONSTRAINTS:\n  always:\n    - REQUIRE LENGTH({LIST}) == 40001\n"
    )
    talk = session(agent, budget=small(elements=100_000), variables={"n": 1})
    talk.start()
    for _ in range(4):
        rules = [event["data"] for event in talk.say("again").events if event["kind"] == "constraint"]
        assert [rule["outcome"] for rule in rules] in (["passed"], ["passed", "passed"])


def test_a_rule_that_runs_out_is_recorded_as_an_error_and_lets_nothing_through():
    agent = flow(f'SET: list = {LIST}\n    CALL: pay\n    RESPOND: "paid"') + (
        'CONSTRAINTS:\n  always:\n    - RESTRICT JOIN([list, list, list], "") == "x" BEFORE calling pay\n'
        '      ON_FAIL: "Not now."\nTOOLS:\n  pay() -> {ok: boolean}\n    description: "Pays"\n'
    )
    calls = []

    class Tools:
        def call(self, name, args, context):
            calls.append(name)

    events = []
    talk = Session(
        {"desk.agent.abl": HEAD + agent}, tools=Tools(), on_event=events.append, budget=small(operations=40_000)
    )
    with pytest.raises(BudgetExceeded):
        talk.start()
    assert calls == []
    (record,) = [event["data"] for event in events if event["kind"] == "constraint"]
    assert (record["outcome"], record["exceeded"]) == ("error", {"what": "operations", "limit": 40_000})
    assert record["message_rendered"] == "Not now."  # within the reserve
    assert record["notes"][0]["name"] == "budget-exceeded"
    assert "40,000 steps" in record["tree"]["error"]


@pytest.mark.parametrize(
    "lines",
    [
        f"CALL: look\n      WITH:\n        a: LENGTH({LIST}) + LENGTH({LIST})",
        f'CHECK: {HEAVY}\n      ON_FAIL: "no"',
        f"TRANSFORM:\n      SOURCE: list\n      AS: item\n      INTO: out\n      FILTER: {HEAVY}",
        f"TRANSFORM:\n      SOURCE: list\n      AS: item\n      INTO: out\n      MAP:\n        a: {LIST}",
        f'RESPOND: "{{{{#if {HEAVY}}}}}a{{{{/if}}}}"',
        f'LOG: "{{{{LENGTH({LIST})}}}}{{{{LENGTH({LIST})}}}}"',
        f"SET: x = {HEAVY}",
    ],
)
def test_no_construct_of_a_flow_goes_on_when_the_budget_is_spent(lines):
    problem, events = failing(flow("SET: list = [1, 2, 3]", *lines.split("\n    ")), budget=small(elements=60_000))
    assert problem.what == "elements"
    assert events[-1]["kind"] in {"error", "check"}
    note = events[-1]["data"]["notes"][0]
    assert (note["code"], note["name"]) == ("RUN016", "budget-exceeded")


@pytest.mark.parametrize("grow", ["[x, x]", '{"a": x, "b": x}', "[x, x, x, x, x, x]"])
def test_a_value_that_shares_its_parts_is_measured_as_it_would_be_written(grow):
    started = time.thread_time()
    problem, events = failing(flow('SET: x = ["a text of some length"]', *[f"SET: x = {grow}"] * 40))
    assert isinstance(problem, SizeExceeded)
    assert problem.what == "variable"
    assert problem.limit < problem.size < 7 * problem.limit
    (error,) = told(events)
    assert (error["name"], error["subject"], error["size"]) == ("size-exceeded", "x", problem.size)
    assert error["message"].startswith("x has ")
    assert time.thread_time() - started < 2


def test_values_nest_no_deeper_than_a_hundred_levels():
    problem, _ = failing(flow("SET: x = [1]", *["SET: x = [x]"] * 120))
    assert (problem.what, problem.limit) == ("depth", 100)


def test_all_variables_together_have_a_size():
    lines = ['SET: x = REPEAT("a", 90000)', *[f"SET: x{i} = x" for i in range(60)]]
    problem, _ = failing(flow(*lines))
    assert problem.what == "variables"
    assert problem.size > problem.limit


def test_a_fact_has_a_size():
    memory = "MEMORY:\n  persistent:\n    - PATH: user.notes\n      SCOPE: user\n"
    lines = ['SET: x = REPEAT("a", 90000)', "SET: user.notes = [x, x, x]"]
    problem, events = failing(flow(*lines, more=memory), user="ada", facts=MemoryFacts())
    assert (problem.what, problem.subject) == ("fact", "user.notes")
    assert not [event for event in events if event["kind"] == "fact.write"]


@pytest.mark.parametrize(("text", "what"), [(["{{x}}{{x}}"], "reply"), (["{{x}}"] * 3, "replies")])
def test_what_is_said_has_a_size(text, what):
    problem, _ = failing(flow('SET: x = REPEAT("a", 90000)', *[f'RESPOND: "{part}"' for part in text]))
    assert problem.what == what


def test_a_turn_has_so_many_events(monkeypatch):
    monkeypatch.setattr("abl.runtime.events.recorder.MAX_EVENTS", 30)
    problem, events = failing(flow(*["SET: x = 1"] * 40))
    assert (problem.what, problem.size) == ("events", 31)
    assert len(events) == 31  # with the one that says why


def test_the_events_of_a_turn_have_a_size(monkeypatch):
    monkeypatch.setattr("abl.runtime.events.recorder.MAX_EVENT_CHARS", 50_000)
    monkeypatch.setattr("abl.runtime.events.recorder.MEASURED_WEIGHT", 10_000)
    problem, _ = failing(flow('SET: x = REPEAT("a", 2000)', *["SET: x = x"] * 40))
    assert problem.what == "events"
    assert problem.size > 50_000


def test_a_snapshot_has_a_size(monkeypatch):
    talk = session(flow('SET: x = REPEAT("a", 2000)'))
    talk.start()
    assert len(json.dumps(talk.snapshot())) > 2_000
    monkeypatch.setattr("abl.runtime.session.MAX_SNAPSHOT", 2_000)
    with pytest.raises(SizeExceeded, match=r"the conversation has .* characters; at most 2,000 are allowed"):
        talk.snapshot()


class Cancelled(RuntimeError):
    """What a host raises."""


RAISED = [Cancelled("by the user"), ValueError("a"), KeyboardInterrupt(), BudgetExceeded("time", 1)]
MUCH = "[" + ", ".join([f"({HEAVY})"] * 12) + "]"
CONSTRUCTS = [(f'RESPOND: "{NESTED}"',), (f"CHECK: {MUCH} IS SET", '  ON_FAIL: "a"'), (f"SET: y = {MUCH}",)]


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("lines", CONSTRUCTS)
def test_what_poll_raises_reaches_the_host_as_it_is(raised, lines, monkeypatch):
    monkeypatch.setattr("abl.expressions.budget.POLL_SECONDS", 0)  # at the first look, which comes within `lines`

    def poll():
        raise raised

    talk = session(flow(*lines), variables={"items": ["x"] * 40_000}, budget=Budget.of(WIDE, poll))
    with pytest.raises(type(raised)) as caught:
        talk.start()
    assert caught.value is raised


def test_poll_is_called_again_and_again_while_a_turn_computes():
    seen = []

    def poll():
        seen.append(1)
        if len(seen) == 5:
            raise Cancelled

    talk = session(flow(f"SET: items = {LIST}", f'RESPOND: "{NESTED}"'), budget=Budget.of(WIDE, poll))
    with pytest.raises(Cancelled):
        talk.start()
    assert len(seen) == 5


def test_waiting_for_a_port_takes_nothing_of_the_budget(monkeypatch):
    waited = []

    class Tools:
        def call(self, name, args, context):
            waited.append(3_600)  # on the clock, not of the processor's time

    clock = SimpleNamespace(perf_counter=lambda: time.perf_counter() + sum(waited), thread_time=time.thread_time)
    monkeypatch.setattr("abl.expressions.budget.time", clock)
    agent = flow("CALL: look", 'RESPOND: "done"') + 'TOOLS:\n  look() -> {ok: boolean}\n    description: "Looks"\n'
    talk = Session({"desk.agent.abl": HEAD + agent}, tools=Tools(), budget=small(seconds=60))
    with pytest.raises(AttributeError):  # this port gives nothing that is a result
        talk.start()
    assert waited


def test_a_scenario_fails_where_a_turn_exceeds_its_budget():
    agent = HEAD + flow('SET: x = ["a"]', *["SET: x = [x, x, x, x]"] * 20)
    result = run_scenario({"scenario": "grows", "start": {"expect": {"reply": "a"}}}, {"desk.agent.abl": agent})
    assert [(failure.place, failure.what) for failure in result.failures] == [("start", "budget-exceeded")]


def test_a_session_hides_so_many_sensitive_values_and_no_more(monkeypatch):
    monkeypatch.setattr("abl.runtime.privacy.secrets.MAX_SECRETS", 3)
    asked = ("GATHER:", "  fields:", "    - pin", "      type: string", "      sensitive: true", '      prompt: "PIN?"')
    agent = flow(*asked, 'RESPOND: "ok"').replace("THEN: COMPLETE", "CLEAR: [pin]\n    THEN: a")
    events = []
    talk = session(agent, on_event=events.append)
    talk.start()
    for number in range(3):
        talk.say(f"secret-{number}")
    with pytest.raises(SizeExceeded, match="4 sensitive values; at most 3 are allowed"):
        talk.say("secret-3")
    assert "secret-" not in json.dumps(events)
