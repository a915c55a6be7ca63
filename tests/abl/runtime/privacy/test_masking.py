"""No event holds a sensitive value nor what is computed from one (docs/spec 03 §3, 07 §10, 12 §4)."""

import json

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

SECRET = "Wq7-4829-kxZ"
PIECES = [SECRET[at : at + 4] for at in range(len(SECRET) - 3)] + ["4829", "9284", "928", "482", "829"]
"""What gives the secret away: any four characters in a row, and its digits, backwards too."""
DERIVED = {
    "upper": "UPPER(code)",
    "slice": "SUBSTRING(code, 4, 8)",
    "short slice": "SUBSTRING(code, 0, 3)",
    "concatenation": '"<" + code + ">"',
    "pieces put together": 'SUBSTRING(code, 4, 6) + "-" + SUBSTRING(code, 6, 8)',
    "template in a literal": '"it is {{SUBSTRING(code, 4, 8)}}"',
    "split": 'SPLIT(code, "-")[1]',
    "list": 'SPLIT(code, "-")',
    "replaced": 'REPLACE(code, "-", "")',
    "regex": 'REGEX_REPLACE(code, "[^0-9]", "")',
    "number": "TO_NUMBER(SUBSTRING(code, 4, 8))",
    "arithmetic": "TO_NUMBER(SUBSTRING(code, 4, 8)) * 1",
    "padded": 'PAD_START(SUBSTRING(code, 4, 8), 9, "0")',
    "joined": 'JOIN(SPLIT(code, "-"), " ")',
    "object": '{"inner": SUBSTRING(code, 4, 8)}',
    "ternary": 'code IS SET ? SUBSTRING(code, 4, 8) : "none"',
}


def agent(*steps, more=""):
    """An agent that asks for a sensitive code and then does what the steps say."""
    body = "".join(f"    {line}\n" for step in steps for line in step.splitlines())
    return f"""AGENT: Desk
GOAL: "Guard"
{more}FLOW:
  steps: [ask, work]
  ask:
    REASONING: false
    GATHER:
      - code: required
        prompt: "Code?"
        sensitive: true
    THEN: work
  work:
    REASONING: false
{body}    ON_INPUT:
      - IF: input == "bye"
        THEN: COMPLETE
"""


def play(text, *messages, tools=None, **more):
    """All turns of a conversation in which the secret is given first; and everything its events say."""
    run = Session({"desk.agent.abl": text}, clock=FixedClock(), user="u-1", tools=MockTools(tools or {}), **more)
    turns = [run.start(), *[run.say(message) for message in (SECRET, *messages)]]
    return run, turns, told(*turns)


def told(*turns):
    """Everything the events of turns say, but how long they took: that may be any number, also one of the secret's."""
    events = [[{**event, "duration_us": 0} for event in turn.events] for turn in turns]
    return json.dumps(events, ensure_ascii=False)


def assert_hidden(written, *extra):
    """No piece of the secret is in the text, in any case."""
    lowered = written.lower()
    found = [piece for piece in (*PIECES, *extra) if piece.lower() in lowered]
    assert found == []


@pytest.mark.parametrize("expression", DERIVED.values(), ids=list(DERIVED))
def test_a_computed_variable_is_hidden_wherever_it_shows(expression):
    text = agent(
        f"SET:\n  - derived = {expression}\n  - again = derived",
        'RESPOND: "You have {{derived}} and {{again}}"',
        'LOG: "log {{derived}}"',
    )
    run, turns, written = play(text, "hello", "bye")
    assert_hidden(written)
    assert run.value("derived") is not None
    said = [event["text"] for turn in turns for event in events_of(turn, "respond")]
    assert said[0] == "You have [REDACTED] and [REDACTED]"


@pytest.mark.parametrize("expression", [e for n, e in DERIVED.items() if n not in {"template in a literal", "object"}])
def test_what_a_template_computes_is_hidden_and_the_reply_itself_is_not(expression):
    slot = "{{" + expression.replace('"', "'") + "}}"
    _, turns, written = play(agent(f'RESPOND: "Got {slot}"'), "bye")
    assert_hidden(written)
    assert turns[1].replies[0].startswith("Got ")
    assert "[REDACTED]" not in turns[1].replies[0]
    assert [d["replies"] for d in events_of(turns[1], "turn.end")] == [["Got [REDACTED]"]]


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ('SUBSTRING(code, 4, 8) != "0000"', "passed"),
        ('UPPER(code) startsWith "WQ"', "passed"),
        ("TO_NUMBER(SUBSTRING(code, 4, 8)) < 10", "failed"),
        ('code matches "([0-9]+)" AND match.1 > 5', "passed"),
        ("1 / (TO_NUMBER(SUBSTRING(code, 4, 8)) - TO_NUMBER(SUBSTRING(code, 4, 8))) > 0", "error"),
    ],
)
def test_a_rule_over_it_shows_its_outcome_and_no_value(rule, outcome):
    rules = f'CONSTRAINTS:\n  a:\n    - WARN {rule}\n      ON_FAIL: "It is {{{{SUBSTRING(code, 4, 8)}}}}"\n'
    _, turns, written = play(agent(more=rules), "bye")
    record = events_of(turns[1], "constraint")[0]
    assert record["outcome"] in {outcome, "warned"}
    assert_hidden(written)


def test_an_authored_literal_is_hidden_once_it_is_the_secret():
    text = agent("CHECK: code == 'Wq7-4829-kxZ'\nON_FAIL:\n  RESPOND: \"no\"\n  THEN: continue")
    _, turns, _ = play(text)
    assert_hidden(json.dumps([events_of(turn, "check") for turn in turns[1:]]))


TOOL = """TOOLS:
  send(body: string, parts?: array) -> object
  echo(text: string) -> object
    on_result:
      do:
        - SET: kept = SUBSTRING(code, 4, 8)
        - RESPOND: "sent {{SUBSTRING(code, 4, 8)}}"
"""


@pytest.mark.parametrize("expression", [e for n, e in DERIVED.items() if n not in {"list", "object"}])
def test_arguments_computed_from_it_are_hidden_and_the_tool_gets_them(expression):
    text = agent(f"CALL: send\n  WITH:\n    body: {expression}\n  AS: got", more=TOOL)
    echo = {"when": "body IS SET", "result": {"ok": True}}
    run, turns, written = play(text, "bye", tools={"send": [echo, {"error": "network_error"}]})
    assert_hidden(written)
    assert run.value("got") == {"ok": True}
    assert [c["args"] for c in events_of(turns[1], "call.start")] == [{"body": "[REDACTED]"}]


def test_a_nested_argument_is_hidden_as_a_whole():
    text = agent('CALL: send\n  WITH:\n    body: "x"\n    parts:\n      inner: SUBSTRING(code, 4, 8)', more=TOOL)
    _, turns, written = play(text)
    assert_hidden(written)
    assert events_of(turns[1], "call.start")[0]["args"]["body"] == "x"


def test_a_tool_that_gives_back_what_it_was_sent_shows_nothing():
    class Echo:
        def call(self, name, args, context):
            from abl.runtime.ports import ToolResult

            return ToolResult({"said": args["text"], "twice": [args["text"], {"again": args["text"].lower()}]})

    text = agent(
        "CALL: echo\n  WITH:\n    text: SUBSTRING(code, 4, 12)\n  AS: got", 'RESPOND: "{{got.said}}"', more=TOOL
    )
    run = Session({"d.agent.abl": text}, clock=FixedClock(), tools=Echo())
    turns = [run.start(), run.say(SECRET), run.say("bye")]
    assert turns[1].replies == ["sent 4829", "4829-kxZ"]
    assert_hidden(told(*turns))


PIECE = "SUBSTRING(code, 4, 8)"
SLOT = "{{SUBSTRING(code, 4, 8)}}"
CALL = 'CALL: send("x")'
PLACES = {
    "ON_ERROR": (
        f"{TOOL}ON_ERROR:\n  tool_error:\n    SET:\n      kept: {PIECE}\n    RESPOND: \"failed {SLOT}\"\n", [CALL],
    ),
    "a message": (f'{TOOL}MESSAGES:\n  error_default: "sorry {SLOT}"\n', [CALL]),
    "a hook": (f'HOOKS:\n  after_turn:\n    SET: kept = {PIECE}\n    RESPOND: "hook {{{{kept}}}}"\n', []),
    "a TRANSFORM": ("", [
        'SET: rows = SPLIT(code, "-")',
        "TRANSFORM:\n  SOURCE: rows AS r\n  INTO: kept\n  MAP:\n    part: r\n  FILTER: LENGTH(r) > 3",
        'RESPOND: "{{#each kept}}{{part}} {{/each}}"',
    ]),
    "process": (
        "TOOLS:\n  send(body: string) -> object\n    process:\n      before:\n        params:\n"
        '          body: body + "!"\n', [f"CALL: send\n  WITH:\n    body: {PIECE}"],
    ),
    "a source of an argument": (
        "TOOLS:\n  send(body: string) -> object\n    parameters:\n      body:\n        source: expr\n"
        f"        value: {PIECE}\n", ["CALL: send"],
    ),
    "a handoff": (
        "HANDOFF:\n  - TO: Other\n    WHEN: code IS SET\n    CONTEXT:\n      pass: [code, kept]\n"
        f'      summary: "has {SLOT}"\n', [f"SET: kept = {PIECE}", "THEN: COMPLETE"],
    ),
    "an escalation": (
        f'ESCALATE:\n  triggers:\n    - WHEN: code IS SET\n      REASON: "of {SLOT}"\n      SET:\n'
        f"        - kept = {PIECE}\n", ["THEN: COMPLETE"],
    ),
    "a completion": (f'COMPLETE:\n  - WHEN: code IS SET\n    RESPOND: "bye {SLOT}"\n', ["THEN: COMPLETE"]),
    "a prompt": ("", [f"GATHER:\n  - other: required\n    prompt: \"Beside {SLOT}?\""]),
    "a branch": ("", [
        f'CHECK: {PIECE} == "x"\nON_FAIL:\n  - IF: {PIECE} != "x"\n    SET: kept = {PIECE}\n'
        '    RESPOND: "no {{kept}}"',
    ]),
    "a recalled note": (
        f'MEMORY:\n  recall:\n    - ON: step:enter:work\n      ACTION: prompt_llm\n      INSTRUCTION: "use {SLOT}"\n',
        [],
    ),
    "a rule that collects": (
        f'CONSTRAINTS:\n  a:\n    - REQUIRE name IS SET\n      ON_FAIL:\n        RESPOND: "{SLOT}, your name?"\n'
        "        COLLECT: [name]\n        THEN: retry\n", [],
    ),
}  # fmt: skip
OTHER = """AGENT: Other
GOAL: "x"
ON_START:
  SET: mine = kept + "!"
  RESPOND: "I have {{kept}} and {{mine}} of {{code}}"
"""


@pytest.mark.parametrize(("more", "steps"), PLACES.values(), ids=list(PLACES))
def test_every_other_place_that_computes_hides_it(more, steps):
    files = {"desk.agent.abl": agent(*steps, more=more), "other.agent.abl": OTHER}
    tools = MockTools({"send": [{"when": 'body != "x"', "result": {}}, {"error": "network_error"}]})
    run = Session(files, clock=FixedClock(), user="u-1", tools=tools, entry="Desk")
    turns = [run.start(), run.say(SECRET)]
    assert_hidden(told(*turns))
    assert "4829" in json.dumps([turn.replies for turn in turns] + [run.snapshot()["state"]["threads"]])


def test_a_value_given_from_outside_is_hidden_like_one_that_was_typed():
    run = Session({"d.agent.abl": agent('RESPOND: "{{code}}"')}, clock=FixedClock())
    turns = [run.start(), run.set("code", SECRET), run.act("button", {"code": SECRET}), run.say("x")]
    assert_hidden(told(*turns))


def test_a_fact_made_from_it_stays_hidden_in_sessions_that_come_later():
    memory = """MEMORY:
  persistent:
    - user.hint
  remember:
    - WHEN: code IS SET
      STORE: SUBSTRING(code, 4, 8) -> user.hint
"""
    facts = MemoryFacts()
    text = agent(more=memory)
    run, _, written = play(text, facts=facts)
    assert_hidden(written)
    assert run.fact("user.hint") == "4829"
    reader = memory.split("  remember", maxsplit=1)[0]
    later = Session(
        {"r.agent.abl": f'AGENT: Reader\nGOAL: "x"\n{reader}ON_START:\n  RESPOND: "Hint {{{{user.hint}}}}"\n'},
        facts=facts,
        user="u-1",
        clock=FixedClock(),
    )
    turn = later.start()
    assert turn.replies == ["Hint 4829"]
    assert_hidden(told(turn))


@pytest.mark.parametrize("expression", ["input", "SUBSTRING(input, 4, 8)", "recent_input[0]", "UPPER(recent_input[0])"])
def test_the_message_that_held_it_is_as_sensitive_as_the_value(expression):
    text = agent(f"SET: kept = {expression}", 'RESPOND: "{{kept}} {{SUBSTRING(recent_input[0], 4, 8)}}"')
    _, _, written = play(text, "bye")
    assert_hidden(written)


def test_the_request_to_a_model_shows_messages_and_variables_without_it():
    text = agent('RESPOND: "Digits {{SUBSTRING(code, 4, 8)}}"', "THEN: think").replace(
        "[ask, work]", "[ask, work, think]"
    )
    text = text.split("    ON_INPUT:")[0] + '  think:\n    REASONING: true\n    GOAL: "Use {{SUBSTRING(code, 4, 8)}}"\n'
    model = Steps("the code was 4829, or 48 29", "ok")
    run = Session({"d.agent.abl": text}, clock=FixedClock(), model=model)
    turns = [run.start(), run.say(SECRET)]
    assert_hidden(json.dumps([events_of(turn, "model.request") for turn in turns]))
    assert model.requests[0]["goal"] == "Use 4829"
    assert model.requests[0]["variables"]["code"] == "[REDACTED]"


def test_other_spellings_of_a_long_secret_are_found_in_any_text():
    text = """AGENT: Desk
GOAL: "Guard"
FLOW:
  steps: [ask, talk]
  ask:
    REASONING: false
    GATHER:
      - card: required
        prompt: "Card?"
        sensitive: true
        sensitive_display: mask
    THEN: talk
  talk:
    REASONING: true
    EXIT_WHEN: done == true
"""
    model = Steps("Is it 4111 1111 2222 3333, 4111-1111-2222-3333 or 4111.1111.2222.3333?", "x")
    run = Session({"d.agent.abl": text}, clock=FixedClock(), model=model)
    turns = [run.start(), run.say("4111111122223333"), run.say("4111 1111 2222 3333 it is")]
    written = told(*turns)
    for piece in ("4111", "1111", "2222 3333", "2222-3333", "2222.3333", "22223333"):
        assert piece not in written
    assert "************3333" in written


def test_a_variable_that_gets_another_value_is_shown_again():
    text = agent("SET: kept = UPPER(code)", 'SET: kept = "plain"', 'RESPOND: "{{kept}}"')
    _, turns, written = play(text)
    assert_hidden(written)
    assert [d["text"] for d in events_of(turns[1], "respond")] == ["plain"]
    assert events_of(turns[1], "set")[1]["new"] == "plain"
    assert events_of(turns[1], "set")[1]["old"] == "[REDACTED]"


def test_the_same_is_hidden_after_a_restore():
    text = (
        agent("SET: kept = SUBSTRING(code, 4, 8)", 'RESPOND: "Got {{kept}}"', "THEN: more")
        .replace("[ask, work]", "[ask, work, more]")
        .split("    ON_INPUT:")[0]
        + """  more:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "Still {{kept}}, {{SUBSTRING(code, 4, 8)}} and {{input}}"
"""
    )
    run = Session({"d.agent.abl": text}, clock=FixedClock())
    run.start()
    run.say(SECRET)
    again = Session.restore(json.loads(json.dumps(run.snapshot())), {"d.agent.abl": text}, clock=FixedClock())
    turn = again.say(f"it is {SECRET.upper()}")
    assert turn.replies == [f"Still 4829, 4829 and it is {SECRET.upper()}"]
    assert_hidden(told(turn))


def test_what_is_not_sensitive_is_shown_as_it_is():
    text = agent('SET: plain = UPPER("abc")', 'RESPOND: "{{plain}} {{code}}"')
    _, turns, _ = play(text)
    assert events_of(turns[1], "set")[0]["new"] == "ABC"
    assert events_of(turns[1], "respond")[0]["text"] == "ABC [REDACTED]"


def test_a_yes_or_no_is_shown_and_short_common_texts_stay_readable():
    text = agent("SET: there = code IS SET", "RESPOND: \"{{IF(code IS SET, 'yes', 'no')}}\"", 'RESPOND: "{{there}}"')
    _, turns, written = play(text, "yes")
    assert events_of(turns[1], "set")[0]["new"] is True
    assert events_of(turns[2], "turn.start")[0]["input"] == "yes"
    assert_hidden(written)


def test_a_slice_of_two_characters_is_hidden_too():
    _, turns, _ = play(agent('RESPOND: "{{SUBSTRING(code, 4, 6)}}"', 'RESPOND: "{{SUBSTRING(code, 4, 6)}}."'))
    assert turns[1].replies == ["48", "48."]
    assert [d["text"] for d in events_of(turns[1], "respond")] == ["[REDACTED]", "[REDACTED]."]
    assert events_of(turns[1], "turn.end")[0]["replies"] == ["[REDACTED]", "[REDACTED]."]


@pytest.mark.parametrize("words", ["my card 4829 1111", "correct horse battery"])
@pytest.mark.parametrize("where", ["an escalation", "a hook that asks for consent"])
def test_a_message_that_was_asked_for_and_not_read_is_hidden(where, words):
    more = {
        "an escalation": 'ESCALATE:\n  triggers:\n    - WHEN: turn_count == 1\n      REASON: "too many"\n',
        "a hook that asks for consent": "TOOLS:\n  send(body: string) -> object\n    confirm: always\n"
        'HOOKS:\n  before_turn:\n    CALL: send("x")\n',
    }[where]
    run = Session({"d.agent.abl": agent(more=more)}, clock=FixedClock())
    turns = [run.start(), run.say(words)]
    written = told(*turns)
    assert [word for word in words.split() if len(word) > 2 and word in written] == []
    assert events_of(turns[1], "turn.start")[0]["input"] == "[REDACTED]"


def test_a_digression_where_something_sensitive_is_asked_stays_readable():
    text = agent().replace(
        "        sensitive: true\n",
        "        sensitive: true\n    DIGRESSIONS:\n      - INTENT: help\n"
        '        KEYWORDS: [help]\n        RESPOND: "Ask away"\n        RESUME: true\n',
    )
    run = Session({"d.agent.abl": text}, clock=FixedClock())
    turns = [run.start(), run.say("help"), run.say("help with 48291111")]
    assert events_of(turns[1], "turn.start")[0]["input"] == "help"
    assert "48291111" not in told(*turns)


def test_a_form_with_a_sensitive_field_is_masked_by_its_name():
    run = Session({"d.agent.abl": agent()}, clock=FixedClock())
    run.start()
    turn = run.act("form", {"code": SECRET, "colour": "red"})
    assert events_of(turn, "turn.start")[0]["action"] == {
        "id": "form",
        "value": {"code": "[REDACTED]", "colour": "red"},
    }


@pytest.mark.parametrize(("given", "shown"), [("471", "***"), ("4711", "****"), ("47112", "*7112")])
def test_a_mask_under_which_nothing_would_be_hidden_hides_everything(given, shown):
    text = agent().replace("sensitive: true", "sensitive: true\n        sensitive_display: mask")
    run = Session({"d.agent.abl": text}, clock=FixedClock())
    run.start()
    assert [event["value"] for event in events_of(run.say(given), "gather.extracted")] == [shown]


def test_the_list_of_warnings_is_as_sensitive_as_one_that_was_rendered_from_it():
    rules = 'CONSTRAINTS:\n  - WARN code == "x"\n    ON_FAIL: "It holds {{SUBSTRING(code, 4, 8)}}"\n'
    steps = "SET: part = SUBSTRING(_constraint_warnings[0], 9, 13)", 'RESPOND: "{{part}}"'
    _, turns, written = play(agent(*steps, more=rules))
    assert turns[1].replies == ["4829"]
    assert_hidden(written)


def test_the_list_of_warnings_is_shown_when_none_holds_anything_sensitive():
    rules = 'CONSTRAINTS:\n  - WARN 1 == 2\n    ON_FAIL: "It is late."\n'
    _, turns, _ = play(agent('RESPOND: "{{UPPER(_constraint_warnings[0])}}"', more=rules))
    assert [event["text"] for event in events_of(turns[1], "respond")] == ["IT IS LATE."]


@pytest.mark.parametrize(
    ("condition", "outcome", "error"),
    [
        ("UPPER(code) == 'x'", "failed", None),
        ("UPPER(code) == 'WQ7-4829-KXZ'", "passed", None),
        ("1 / (LENGTH(code) - LENGTH(code)) > 0", "error", "it cannot be computed from these values"),
    ],
)
def test_a_check_over_it_says_that_it_failed_and_quotes_nothing(condition, outcome, error):
    _, turns, written = play(agent(f'CHECK: {condition}\nON_FAIL:\n  RESPOND: "no"\n  THEN: continue'), "bye")
    (record,) = events_of(turns[1], "check")
    assert (record["outcome"], record.get("error")) == (outcome, error)
    assert_hidden(written)
