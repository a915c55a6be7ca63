"""Readings that had drifted from the declaration: what each spelling has to do when it runs (docs/spec 01 §3.1)."""

from __future__ import annotations

import pytest

from abl import parse
from abl.runtime.plan.declarations import declaration
from abl.runtime.plan.program import programs_of
from tests.abl.runtime.harness import events_of, session

ASKING = """FLOW:
  entry_point: ask
  ask:
    REASONING: false
    SUB_INTENTS:
      - INTENT: stop
        {do}
    GATHER:
      - title: required
        prompt: "Which book?"
    THEN: COMPLETE
NLU:
  intents:
    - NAME: stop
      PATTERNS: {patterns}
"""
FAILING = """TOOLS:
  pay() -> {{total: number}}
    description: "Pays"
ON_ERROR:
  {handler}:
    RESPOND: "Not now."
    {then}: COMPLETE
FLOW:
  entry_point: work
  work:
    REASONING: false
    CALL: pay()
    THEN: COMPLETE
"""


@pytest.mark.parametrize("key", ["conversation_complete", "CONVERSATION_COMPLETE", "conversationComplete"])
def test_a_message_of_the_system_is_replaced_in_every_spelling(key: str) -> None:
    flow = 'FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    RESPOND: "x"\n    THEN: COMPLETE\n'
    desk = session(f'MESSAGES:\n  {key}: "We are closed."\n{flow}')
    desk.start()
    assert desk.say("hello").replies == ["We are closed."]


@pytest.mark.parametrize("handler", ["tool_error", "TOOL_ERROR", "toolError"])
def test_an_error_meets_its_handler_in_every_spelling(handler: str) -> None:
    desk = session(FAILING.format(handler=handler, then="THEN"), tools={"pay": [{"error": "down"}]})
    assert desk.start().replies[0] == "Not now."


@pytest.mark.parametrize("patterns", ["[enough, no more]", "enough, no more"])
def test_an_intent_has_each_of_its_patterns(patterns: str) -> None:
    desk = session(ASKING.format(do='RESPOND: "Fine."', patterns=patterns))
    desk.start()
    assert "Fine." in desk.say("no more").replies


@pytest.mark.parametrize(
    "do", ['DO:\n          - RESPOND: "Fine."\n          - RESUME: true', 'DO: [{RESPOND: "Fine."}, {RESUME: true}]']
)
def test_the_actions_of_do_run_in_brackets_too(do: str) -> None:
    desk = session(ASKING.format(do=do, patterns="[enough]"))
    desk.start()
    assert "Fine." in desk.say("enough").replies


@pytest.mark.parametrize("written", ["false", "False", "no", '"No"'])
def test_a_parameter_that_is_not_required_is_none(written: str) -> None:
    text = (
        'agent: Desk\ngoal: "Lend"\ntools:\n  find:\n    description: "Finds"\n    parameters:\n'
        f"      - name: title\n        type: string\n        required: {written}\n"
    )
    tool = parse(text, "desk.agent.yaml").agents[0].tools[0]
    assert declaration(tool, "")["parameters"]["required"] == []


@pytest.mark.parametrize(
    "store",
    ["card -> user.card", "{value: card, target: user.card}", "\n        value: card\n        target: user.card"],
)
def test_a_trigger_stores_in_every_form(store: str) -> None:
    desk = session(
        f"""MEMORY:
  persistent:
    - user.card
      SCOPE: user
  remember:
    - WHEN: card IS SET
      STORE: {store}
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      - card: required
        prompt: "Card?"
    THEN: COMPLETE
""",
        user="u-17",
    )
    desk.start()
    assert [fact["path"] for fact in events_of(desk.say("abc"), "fact.write")] == ["user.card"]


def test_a_tool_ends_the_conversation_by_do_in_brackets() -> None:
    agent = FAILING.replace(
        '    description: "Pays"\n', '    description: "Pays"\n    on_result: {{do: [{{SET: done = 1}}]}}\n'
    )
    desk = session(agent.format(handler="default", then="THEN"), tools={"pay": [{"result": {"total": 1}}]})
    assert [event["name"] for event in events_of(desk.start(), "set")].count("done") == 1


@pytest.mark.parametrize("key", ["default", "DEFAULT", "default_value", "defaultValue"])
def test_a_variable_of_state_has_its_default_by_every_name(key: str) -> None:
    (program,) = programs_of("desk.agent.abl", f'SUPERVISOR: Desk\nSTATE:\n  case:\n    level:\n      {key}: "gold"\n')
    assert program.state.variables["case"].initial == {"level": "gold"}


SHOWING = """FLOW:
  a:
    REASONING: false
    RESPOND: "Hi."
{shown}
    THEN: COMPLETE
"""


@pytest.mark.parametrize("key", ["PLAIN_TEXT", "plain_text", "plainText"])
def test_what_is_spoken_is_read_in_every_spelling(key: str) -> None:
    turn = session(SHOWING.format(shown=f'    VOICE:\n      {key}: "Hello"')).start()
    assert events_of(turn, "respond")[0]["voice"] == {"PLAIN_TEXT": "Hello"}


@pytest.mark.parametrize(
    "targets", ["[web, {{input}}]", "web, {{input}}", '\n           - web\n           - "{{input}}"']
)
def test_the_channels_of_a_renderable_are_a_list_in_every_form(targets: str) -> None:
    shown = f"      RENDERABLES:\n        - name: card\n          targets: {targets}\n          payload: {{a: 1}}"
    turn = session(SHOWING.format(shown=shown)).start()
    assert events_of(turn, "respond")[0]["renderables"][0]["targets"] == ["web", ""]


@pytest.mark.parametrize(
    ("written", "label", "name"),
    [
        ('"Lend it" -> lend', "Lend it", "lend"),
        ('"a -> b" -> lend-1', "a -> b", "lend-1"),
        (f'"Lend{" " * 200}it"->lend', f"Lend{' ' * 200}it", "lend"),
    ],
)
def test_a_short_button_has_its_id_behind_the_last_arrow(written: str, label: str, name: str) -> None:
    turn = session(SHOWING.format(shown=f"    ACTIONS:\n      - BUTTON: {written}")).start()
    elements = events_of(turn, "respond")[0]["actions"]["elements"]
    assert elements == [{"type": "button", "label": label, "id": name}]
