"""Values that authors write in another way than the documentation does what the canonical one does, when they run.

``test_spellings`` tries every spelling against the canonical one; here is what each of these has to come to, so that
both cannot be wrong alike (docs/spec 01 §3.1).
"""

from __future__ import annotations

import json

import pytest

from abl.analysis import check
from abl.runtime import Session
from abl.runtime.agents.handoff_context import history_wanted
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts
from abl.runtime.plan.program import programs_of
from tests.abl.runtime.harness import HEAD, events_of, session

SECRET = "Wq7-4829"
ASKING = """FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
{fields}    RESPOND: "Have {{{{card}}}}."
    THEN: COMPLETE
"""
CARD = '      - card: required\n        prompt: "Card?"\n'
STORING = """MEMORY:
  persistent:
    - user.card
{path}FLOW:
  entry_point: ask
  ask:
    REASONING: false
    RESPOND: "Card?"
    ON_INPUT:
      - IF: input != ""
        SET: user.card = input
        RESPOND: "Have {{{{user.card}}}}."
        THEN: ask
"""
CALLING = """TOOLS:
  pay(card: string, sum: number) -> {{total: number}}
    description: "Pays"
{tool}GATHER:
  card:
    prompt: "Card?"
FLOW:
  entry_point: work
  work:
    REASONING: false
    SET: n = COALESCE(n, 0) + 1
    CALL: pay(card="x", sum=n)
      AS: paid
    THEN: COMPLETE
"""


def said(agent: str, *messages: str) -> str:
    """Every event of a conversation."""
    desk = session(agent, tools={"pay": [{"result": {"total": 3}}]})
    turns = [desk.start(), *(desk.say(message) for message in messages)]
    return json.dumps([event for turn in turns for event in turn.events], default=str)


def fields(*lines: str, card: str = CARD) -> str:
    return ASKING.format(fields=card + "".join(f"        {line}\n" for line in lines))


@pytest.mark.parametrize("written", ["true", "yes", "Yes", '"yes"', "TRUE"])
def test_a_sensitive_field_is_masked(written: str) -> None:
    assert SECRET not in said(fields(f"sensitive: {written}"), SECRET)
    assert SECRET in said(fields("sensitive: no"), SECRET)


@pytest.mark.parametrize("written", ["true", "yes", "YES"])
def test_a_sensitive_path_is_masked(written: str) -> None:
    assert SECRET not in said(STORING.format(path=f"      SCOPE: user\n      SENSITIVE: {written}\n"), SECRET)
    assert SECRET in said(STORING.format(path="      SCOPE: user\n      SENSITIVE: no\n"), SECRET)


@pytest.mark.parametrize("written", ["mask", "Mask", '"MASK"'])
def test_a_field_is_shown_as_its_display_says(written: str) -> None:
    events = said(fields("sensitive: yes", f"sensitive_display: {written}"), SECRET)
    assert SECRET not in events
    assert "REDACTED" not in events
    assert "REDACTED" in said(fields("sensitive: yes"), SECRET)


@pytest.mark.parametrize("written", ["always", "Always", "ALWAYS", '"always"'])
def test_a_tool_asks_before_it_is_called(written: str) -> None:
    assert "call.confirm" in said(CALLING.format(tool=f"    confirm: {written}\n"))
    assert "call.confirm" not in said(CALLING.format(tool="    confirm: Never\n"))


@pytest.mark.parametrize("written", ["optional", "Optional", '"OPTIONAL"'])
def test_an_optional_field_is_not_asked_for(written: str) -> None:
    card = '      - card:\n        prompt: "Card?"\n'
    assert "Card?" in session(fields("activation: required", card=card)).start().replies
    assert "Card?" not in session(fields(f"activation: {written}", card=card)).start().replies


@pytest.mark.parametrize("written", ["user", "User", '"USER"'])
def test_a_path_is_kept_for_the_user(written: str) -> None:
    agent = HEAD + STORING.format(path=f"      SCOPE: {written}\n")
    facts = MemoryFacts()
    desk = Session({"desk.agent.abl": agent}, facts=facts, clock=FixedClock(), user="u-17")
    desk.start()
    desk.say("abc")
    assert [fact.value for fact in facts.list("user", "u-17", FixedClock().now())] == ["abc"]


@pytest.mark.parametrize(
    "written", ["[one, two]", '["one", two]', "one, two", "\n            - one\n            - two"]
)
@pytest.mark.parametrize("key", ["enum_set", "rule"])
def test_a_field_takes_its_allowed_values_only(key: str, written: str) -> None:
    holder = ("semantics:",) if key == "enum_set" else ("validate:", "  type: Enum")
    asked = session(fields("type: enum", *holder, f"  {key}: {written}"))
    asked.start()
    assert "Have" not in " ".join(asked.say("three").replies)
    assert asked.say("ONE").replies == ["Have one."]


@pytest.mark.parametrize("written", ['["Smith, John", other]', '\n          - "Smith, John"\n          - other'])
def test_an_option_in_quotes_may_hold_a_comma(written: str) -> None:
    asked = session(fields("type: enum", f"options: {written}"))
    asked.start()
    assert asked.say("smith, john").replies == ["Have Smith, John."]


@pytest.mark.parametrize(
    "written", ["[sum]", "sum", "\n        - sum", '\n        - "sum"'], ids=["list", "one", "dash", "dash in quotes"]
)
def test_a_parameter_that_must_not_change_is_one_in_every_form(written: str) -> None:
    tool = f"    confirmation:\n      require: always\n      immutable_params: {written}\n"
    calling = CALLING.replace("sum=n", "sum=LENGTH(input)")
    agent = calling.format(tool=tool)
    assert not [problem for problem in check({"desk.agent.abl": HEAD + agent}).errors if problem.code == "ABL840"]
    held = session(agent, tools={"pay": [{"result": {"total": 3}}]})
    assert [asked["args"]["sum"] for asked in events_of(held.start(), "call.confirm")] == [0]
    changed = held.say("yes")  # the message is another one now, and with it the sum
    assert [asked["args"]["sum"] for asked in events_of(changed, "call.confirm")] == [3]
    assert not events_of(changed, "call.start")
    agreed = held.say("yep")  # as long as the one before
    assert [call["args"]["sum"] for call in events_of(agreed, "call.start")] == [3]


def test_another_parameter_may_change_and_is_called_with_what_was_agreed() -> None:
    tool = "    confirmation:\n      require: always\n      immutable_params: [card]\n"
    held = session(
        CALLING.replace("sum=n", "sum=LENGTH(input)").format(tool=tool), tools={"pay": [{"result": {"total": 3}}]}
    )
    held.start()
    answered = held.say("yes")
    assert not events_of(answered, "call.confirm")
    assert [call["args"]["sum"] for call in events_of(answered, "call.start")] == [0]


@pytest.mark.parametrize("written", ["per_step", "Per_Step", '"PER_STEP"'])
def test_a_variable_is_reset_at_each_step(written: str) -> None:
    agent = f"""MEMORY:
  session:
    - n
      TYPE: number
      INITIAL: 1
      RESET: {written}
FLOW:
  entry_point: a
  steps: [a, b]
  a:
    REASONING: false
    SET: n = 5
    THEN: b
  b:
    REASONING: false
    RESPOND: "n is {{{{n}}}}"
    THEN: COMPLETE
"""
    assert session(agent).start().replies == ["n is 1"]


@pytest.mark.parametrize(
    "written", ['RESPOND "Not now."', 'respond "Not now."', '\n        RESPOND: "Not now."', '{respond: "Not now."}']
)
def test_a_handoff_that_fails_says_its_message(written: str) -> None:
    first = f"""AGENT: First
GOAL: "Begin"
HANDOFF:
  - TO: Second
    WHEN: input == "over"
    ON_FAILURE: {written}
"""
    second = 'AGENT: Second\nGOAL: "Broken"\nMEMORY:\n  session:\n    - visits\n      RESET: banana\n'
    desk = Session({"a.agent.abl": first, "b.agent.abl": second}, entry="First", clock=FixedClock())
    desk.start()
    assert desk.say("over").replies == ["Not now."]


@pytest.mark.parametrize(
    "written", ["[true]", "\n          - true", "\n          true", "true,", '"{{masked}}"', "${masked}", "{on: true}"]
)
def test_a_switch_in_another_form_is_refused_with_what_holds_it(written: str) -> None:
    agent = HEAD + fields(f"sensitive: {written}")
    assert len({problem.code for problem in check({"desk.agent.abl": agent}).errors}) == 1
    assert session(fields(f"sensitive: {written}")).start().replies == ["An error occurred."]


@pytest.mark.parametrize(
    "written",
    [
        'process: {before: {require: "sum > 5", on_fail: block("no")}}',
        'process:\n      before: {require: "sum > 5", on_fail: block("no")}',
        'process:\n      before:\n        require: [sum > 5]\n        onFail: Block("no")',
        'process:\n      before:\n        require:\n          - sum > 5\n        on_fail: block("no")',
    ],
)
def test_what_a_call_requires_is_required_in_every_form(written: str) -> None:
    held = session(CALLING.format(tool=f"    {written}\n"), tools={"pay": [{"result": {"total": 3}}]})
    failed = [event for event in held.start().events if event["kind"] == "call.end"]
    assert [(event["status"], event["data"]["error"]["error"]["message"]) for event in failed] == [("failed", "no")]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("full", ("full", 0)),
        ("Full", ("full", 0)),
        ("'SUMMARY_ONLY'", ("summary_only", 0)),
        ("{mode: last_n, count: '1'}", ("last_n", 1)),
        ("Last_1", ("last_n", 1)),
        ("{mode: last_n}", ("none", 0)),
        ("{mode: none}", ("none", 0)),
        ("[full]", ("none", 0)),
        ("everything", ("none", 0)),
    ],
)
def test_the_other_agent_gets_as_much_of_the_conversation_as_history_says(
    written: str, wanted: tuple[str, int]
) -> None:
    for lines in (f"CONTEXT:\n      history: {written}", f"HISTORY: {written}", f"CONTEXT: {{history: {written}}}"):
        first = f'{HEAD}HANDOFF:\n  - TO: Second\n    WHEN: input == "over"\n    {lines}\n'
        [plan] = programs_of("desk.agent.abl", first)[0].handoffs
        assert history_wanted(plan) == wanted
