"""Memory stores in conversations (docs/spec 11 §2): templates and tools over the records of a session."""

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock
from abl.runtime.memory.systems_in_memory import MemoryBank, MemoryBlocks, MemoryRecords
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

PREFS = {"preferences": {"language": "en", "notifications": True}, "recentOrders": ["a", "b"]}
META = {"metadata": {"channel": "mobile_app", "userName": "John"}, "sessionInfo": {"sessionId": "session"}}


def records(**more):
    return MemoryRecords({"userPrefs": dict(PREFS), "cart": None}, session_meta=META, **more)


def greeting(text, found=None, more=""):
    """The first turn of an agent that says a text."""
    agent = f"""AGENT: Desk
GOAL: "Help"
{more}FLOW:
  steps: [say]
  say:
    REASONING: false
    RESPOND: "{text}"
    THEN: COMPLETE
"""
    return Session({"desk.agent.abl": agent}, records=found or records(), clock=FixedClock()).start()


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{memory.userPrefs.preferences.language}}", "en"),
        ("{{memory.sessionMeta.metadata.channel}}", "mobile_app"),
        ("{{memory.sessionMeta.sessionInfo.sessionId}}", "session"),
        ("Orders: {{#each memory.userPrefs.recentOrders}}{{this}};{{/each}}", "Orders: a;b;"),
        ("{{UPPER(memory.userPrefs.preferences.language)}}", "EN"),
        ("{{#if memory.userPrefs.preferences.notifications}}on{{else}}off{{/if}}", "on"),
    ],
)
def test_a_template_reads_a_record(template, said):
    assert greeting(template).replies == [said]


@pytest.mark.parametrize("path", ["memory.userPrefs.no.such", "memory.cart.items", "memory.unknown.x", "memory.cart"])
def test_a_missing_path_renders_empty_and_warns_in_the_trace(path):
    turn = greeting(f"<{{{{{path}}}}}>")
    assert turn.replies == ["<>"]
    said = events_of(turn, "respond")[0]
    assert said["missing"] == [path]
    assert (said["notes"][0]["level"], said["notes"][0]["name"]) == ("warn", "template.unresolved")


def test_a_declared_variable_named_memory_keeps_winning():
    declared = """MEMORY:
  session:
    - memory
      TYPE: object
      INITIAL: {"userPrefs": {"preferences": {"language": "own"}}}
"""
    assert greeting("{{memory.userPrefs.preferences.language}}", more=declared).replies == ["own"]
    unset = "MEMORY:\n  session:\n    - memory\n"
    assert greeting("<{{memory.userPrefs.preferences.language}}>", more=unset).replies == ["<>"]


def test_a_condition_reads_a_record_and_the_trace_names_its_origin():
    rule = """CONSTRAINTS:
  always:
    - REQUIRE memory.userPrefs.preferences.language == "de" BEFORE calling greet
      ON_FAIL: "German only."
ON_START:
  CALL: greet
"""
    agent = f'AGENT: Desk\nGOAL: "Help"\n{rule}'
    turn = Session({"desk.agent.abl": agent}, records=records(), clock=FixedClock()).start()
    assert turn.replies == ["German only."]
    ref = events_of(turn, "constraint")[0]["refs"][0]
    assert (ref["value"], ref["origin"]) == ("en", "record")


def test_prompts_read_records_and_say_what_was_missing():
    agent = """AGENT: Desk
GOAL: "Serve {{memory.sessionMeta.metadata.userName}}"
PERSONA: "Speaks {{memory.userPrefs.preferences.language}}, not {{memory.userPrefs.dialect}}"
"""
    model = Steps("hi")
    run = Session({"desk.agent.abl": agent}, records=records(), model=model, clock=FixedClock())
    run.start()
    turn = run.say("hello")
    assert model.requests[0]["goal"] == "Serve John"
    assert model.requests[0]["persona"] == "Speaks en, not "
    notes = events_of(turn, "model.request")[0]["notes"]
    assert [n["message"] for n in notes] == ["nothing to show for memory.userPrefs.dialect"]


def with_model(found, *answers):
    model = Steps(*answers)
    run = Session({"desk.agent.abl": 'AGENT: Desk\nGOAL: "Help"\n'}, records=found, model=model, clock=FixedClock())
    run.start()
    return run, model


def test_the_store_tools_are_offered_and_declared():
    run, model = with_model(records(), "hi")
    run.say("hello")
    assert model.requests[0]["tools"] == ["get_content", "set_content", "delete_content"]
    declared = {d["name"]: d["parameters"] for d in model.requests[0]["declarations"]}
    assert declared["set_content"]["required"] == ["technical_name", "content"]
    assert declared["get_content"]["properties"]["projections"]["type"] == "object"


def test_get_content_takes_projections_of_one_kind():
    take = ("get_content", {"technical_name": "userPrefs", "projections": {"preferences.language": 1}})
    leave = ("get_content", {"technical_name": "userPrefs", "projections": {"preferences.language": 0}})
    mixed = ("get_content", {"technical_name": "userPrefs", "projections": {"preferences": 1, "recentOrders": 0}})
    run, model = with_model(records(), take, leave, mixed, "done")
    run.say("read")
    calls = model.requests[3]["calls"]
    assert calls[0]["result"] == {"preferences": {"language": "en"}}
    assert calls[1]["result"] == {"preferences": {"notifications": True}, "recentOrders": ["a", "b"]}
    assert calls[2]["error"]["error"]["subtype"] == "invalid"


def test_set_content_merges_deeply_and_replaces_arrays_and_delete_removes_the_record_only():
    change = {"preferences": {"language": "de"}, "recentOrders": ["c"]}
    run, model = with_model(
        records(),
        ("set_content", {"technical_name": "userPrefs", "content": change}),
        ("delete_content", {"technical_name": "userPrefs"}),
        ("get_content", {"technical_name": "userPrefs"}),
        "done",
    )
    run.say("change")
    calls = model.requests[3]["calls"]
    assert calls[0]["result"] == {"preferences": {"language": "de", "notifications": True}, "recentOrders": ["c"]}
    assert [calls[1]["result"], calls[2]["result"]] == [True, None]
    assert "userPrefs" in run.memories.records.names()


@pytest.mark.parametrize(
    ("call", "subtype"),
    [
        (("set_content", {"technical_name": "sessionMeta", "content": {"metadata": {}}}), "read-only"),
        (("delete_content", {"technical_name": "sessionMeta"}), "read-only"),
        (("get_content", {"technical_name": "nowhere"}), "unknown"),
        (("set_content", {"technical_name": "userPrefs", "content": "text"}), "invalid_argument"),
    ],
)
def test_what_agents_must_not_do_is_a_failed_call(call, subtype):
    run, model = with_model(records(), call, "sorry")
    run.say("try")
    assert model.requests[1]["calls"][0]["error"]["error"]["subtype"] == subtype


def test_a_strict_store_refuses_with_the_errors_of_its_schema_and_keeps_its_content():
    def validate(name, content):
        return [{"path": "total", "message": "is no number"}] if content.get("total") == "many" else []

    found = records(validate=validate)
    wrong = ("set_content", {"technical_name": "cart", "content": {"total": "many"}})
    run, model = with_model(found, wrong, "sorry")
    run.say("fill")
    failed = model.requests[1]["calls"][0]["error"]["error"]
    assert failed["subtype"] == "schema"
    assert failed["errors"] == [{"path": "total", "message": "is no number"}]
    assert found.get_content("cart") is None


def test_a_write_shows_in_a_template_of_the_same_turn():
    agent = """AGENT: Desk
GOAL: "Help"
HOOKS:
  after_turn:
    RESPOND: "Now {{memory.userPrefs.preferences.language}}"
"""
    change = ("set_content", {"technical_name": "userPrefs", "content": {"preferences": {"language": "fr"}}})
    run = Session({"desk.agent.abl": agent}, records=records(), model=Steps(change, "ok"), clock=FixedClock())
    run.start()
    assert run.say("go").replies == ["ok", "Now fr"]


CARD = "4222-1111-2222"
KEEPS = """AGENT: Desk
GOAL: "Help"
FLOW:
  steps: [ask, talk]
  ask:
    REASONING: false
    GATHER:
      - card: required
        prompt: "Card?"
        sensitive: true
    THEN: talk
  talk:
    REASONING: true
    GOAL: "Keep what you hear"
    EXIT_WHEN: done == true
"""


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("set_content", lambda text: {"technical_name": "userPrefs", "content": {"note": text}}),
        ("memory_write", lambda text: {"content": text}),
        ("update_memory", lambda text: {"block_type": "core", "content": text, "expected_updated_at": None}),
    ],
)
def test_a_content_that_holds_a_sensitive_value_is_refused_and_any_other_is_kept(tool, args):
    model = Steps((tool, args(f"card {CARD}")), "no", (tool, args("card on file")), "yes")
    clock = FixedClock()
    found, bank, blocks = records(), MemoryBank(), MemoryBlocks(clock)
    run = Session(
        {"desk.agent.abl": KEEPS}, records=found, bank=bank, blocks=blocks, model=model, clock=clock, user="u-1"
    )
    run.start()
    refused, kept = run.say(CARD), run.say("and now?")
    (error,) = [event["error"]["error"]["subtype"] for event in events_of(refused, "call.end") if event.get("error")]
    assert error == "sensitive"
    assert [event.get("error") for event in events_of(kept, "call.end")] == [None]
    assert "card on file" in str([found.get_content("userPrefs"), bank.read("Desk"), blocks.core("u-1", "Desk")])
