"""Recalls, renewal and types against docs/spec 03, and what of memory a model is given."""

from abl.runtime import prompt_preview
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts
from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases
from tests.abl.runtime.models import Steps


@spec_cases("recalls")
def test_a_sentence_about_recalls(files, scenario):
    assert_case(files, scenario)


AGENT = """MEMORY:
  session:
    - topic
      INITIAL: "books"
  persistent:
    - user.name
      SCOPE: user
    - user.pin
      SCOPE: user
      SENSITIVE: true
    - user.tier
      SCOPE: user
      DEFAULT: "basic"
    - user.hidden
      SCOPE: user
      ACCESS: write
  recall:
    - ON: session:start
      ACTION: inject_context
      PATHS: [user.name, user.pin, user.extra]
    - ON: step:enter:talk
      ACTION: prompt_llm
      INSTRUCTION: "Greet {{user.name}}."
FLOW:
  steps: [talk]
  talk:
    REASONING: true
    EXIT_WHEN: done == true
    THEN: talk
"""


def stored():
    facts, now = MemoryFacts(), FixedClock().now()
    for path, value in {"user.name": "Ada", "user.pin": "9876", "user.extra": "x", "user.hidden": "h"}.items():
        facts.put("user", "u", path, value, at=now)
    return facts


def test_03_5_recalled_facts_stand_in_the_request_of_the_model():
    model = Steps("One.", "Two.")
    run = session(AGENT, user="u", facts=stored(), model=model)
    run.start()
    run.say("hello")
    variables = model.requests[-1]["variables"]
    assert variables["topic"] == "books"
    assert (variables["user.name"], variables["user.extra"], variables["user.tier"]) == ("Ada", "x", "basic")
    assert variables["user.pin"] == "[REDACTED]"
    assert "user.hidden" not in variables
    assert prompt_preview(run, "more")["request"]["variables"] == variables


def test_03_5_prompt_llm_adds_its_text_once_however_often_it_fires():
    model = Steps("One.", "Two.")
    run = session(AGENT.replace("    EXIT_WHEN: done == true\n", ""), user="u", facts=stored(), model=model)
    run.start()
    run.say("hello")
    assert [request["recalled"] for request in model.requests] == [["Greet Ada."]] * len(model.requests)


def test_03_2_a_tool_result_that_misses_the_declared_type_is_noted():
    agent = """MEMORY:
  session:
    - found
      TYPE: number
TOOLS:
  look() -> {n: number}
    description: "Looks"
FLOW:
  steps: [a]
  a:
    REASONING: false
    CALL: look() AS found
    ON_INPUT:
      - IF: input == "x"
        RESPOND: "y"
"""
    run = session(agent, tools={"look": [{"result": {"n": 3}}]})
    mapped = events_of(run.start(), "tool.map")
    assert [note["name"] for note in mapped[0]["notes"]] == ["set.type_mismatch"]
    assert run.value("found") == {"n": 3}


LOADS = """TOOLS:
  find(x: string) -> {n: number}
    description: "Finds"
MEMORY:
  recall:
    - ON: tool:find:after
      ACTION: load_memory
      DOMAIN: "likes"
    - ON: tool:find:after
      ACTION: prompt_llm
      INSTRUCTION: "Colour {{user.likes.colour}}."
    - ON: tool:find:after
      ACTION: prompt_llm
      INSTRUCTION: "Colour {{user.likes.colour}}."
"""


def test_03_5_what_a_recall_gives_within_a_turn_is_in_its_next_request_each_instruction_once():
    facts = MemoryFacts()
    facts.put("user", "u", "user.likes.colour", "red", at=FixedClock().now())
    model = Steps(("find", {"x": "a"}), ("find", {"x": "b"}), lambda request: request["variables"]["user.likes.colour"])
    run = session(LOADS, user="u", facts=facts, model=model, tools={"find": [{"result": {"n": 1}}]})
    run.start()
    assert run.say("hello").replies == ["red"]
    assert ["user.likes.colour" in request["variables"] for request in model.requests] == [False, True, True]
    assert [request["recalled"] for request in model.requests] == [[], ["Colour red."] * 2, ["Colour red."] * 2]
