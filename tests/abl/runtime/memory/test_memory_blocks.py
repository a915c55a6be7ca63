"""Memory blocks in conversations (docs/spec 11 §1): what reaches the model, what the trace says, the tools."""

import pytest

from abl.runtime import Session, prompt_preview
from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.in_memory import FixedClock
from abl.runtime.memory.systems_in_memory import MemoryBlocks
from abl.runtime.plan.program import programs_of
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Steps

AGENT = 'AGENT: Desk\nGOAL: "Help {{customer}}"\n'
ARCHIVE = "Acme renewal: CFO wants pricing options\n\nGlobex: legal approved the DPA\nAcme contact is Nora"


def blocks(**texts):
    """Blocks of user u-1: core, archival, agent_core and agent_archival by keyword."""
    found = MemoryBlocks(FixedClock())
    for name, text in texts.items():
        kind = name.removeprefix("agent_")
        agent = "Desk" if name.startswith("agent_") else None
        found.update(
            "u-1",
            block_type=kind,
            content=text,
            scope="agent" if agent else "user",
            agent=agent,
            expected_updated_at=None,
        )
    return found


def talk(found, *answers, user="u-1", agent=AGENT, **more):
    model = Steps(*answers)
    run = Session({"desk.agent.abl": agent}, blocks=found, model=model, clock=FixedClock(), user=user, **more)
    run.start()
    return run, model


def memory_of(turn):
    """What the trace says about memory in a turn."""
    return [data["memory"] for data in events_of(turn, "context")]


def test_core_blocks_of_user_and_active_agent_are_in_every_request():
    run, model = talk(blocks(core="- Prefers short answers", agent_core="- Signs with NM"), "one", "two")
    run.say("hello")
    run.say("again")
    for request in model.requests:
        assert [(b["scope"], b["agent_id"], b["content"]) for b in request["user_memory"]] == [
            ("user", None, "- Prefers short answers"),
            ("agent", "Desk", "- Signs with NM"),
        ]
        assert request["system_reminders"] == []


def test_the_trace_names_every_line_that_went_in_with_its_block():
    run, _ = talk(blocks(core="- one\n\n- two"), "hi")
    memory = memory_of(run.say("hello"))[0]
    lines = [(i["place"], i["block_type"], i["scope"], i["line_number"], i["content"]) for i in memory["injected"]]
    assert lines == [("user_memory", "core", "user", 1, "- one"), ("user_memory", "core", "user", 3, "- two")]
    assert memory["cut"] == []
    assert memory["policy"]["archival_mode"] == "tool_only"


@pytest.mark.parametrize(
    ("policy", "scopes", "why"),
    [
        ({"include_user_core": False}, ["agent"], "include_user_core is false"),
        ({"include_agent_core": False}, ["user"], "include_agent_core is false"),
    ],
)
def test_a_core_block_that_the_policy_leaves_out_is_cut_with_the_reason(policy, scopes, why):
    run, model = talk(blocks(core="- u", agent_core="- a"), "hi", memory_policy=policy)
    memory = memory_of(run.say("hello"))[0]
    assert [b["scope"] for b in model.requests[0]["user_memory"]] == scopes
    assert [c["why"] for c in memory["cut"]] == [why]


@pytest.mark.parametrize("mode", ["tool_only", "off"])
def test_archival_lines_are_not_injected_by_default_nor_in_mode_off(mode):
    run, model = talk(blocks(archival=ARCHIVE), "hi", memory_policy={"archival_mode": mode})
    run.say("Acme renewal")
    assert model.requests[0]["system_reminders"] == []
    assert {"update_memory", "recall_memory"} <= set(model.requests[0]["tools"])


def test_in_mode_auto_the_best_matches_for_the_message_go_in_with_block_line_and_score():
    found = blocks(archival=ARCHIVE, agent_archival="Acme is handled by Desk")
    run, model = talk(found, "hi", "bye", memory_policy={"archival_mode": "auto"})
    memory = memory_of(run.say("what about Acme renewal?"))[0]
    went_in = [(i["scope"], i["line_number"], i["content"]) for i in memory["injected"]]
    assert went_in[0] == ("user", 1, "Acme renewal: CFO wants pricing options")
    assert set(went_in[1:]) == {("user", 4, "Acme contact is Nora"), ("agent", 1, "Acme is handled by Desk")}
    scores = [i["score"] for i in memory["injected"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    assert [r["content"] for r in model.requests[0]["system_reminders"]] == [content for *_, content in went_in]
    run.say("something else entirely")
    assert model.requests[1]["system_reminders"] == []


def test_reminders_are_hidden_they_are_in_no_message_and_in_no_history():
    run, model = talk(blocks(archival=ARCHIVE), "hi", "ok", memory_policy={"archival_mode": "auto"})
    run.say("Acme renewal")
    run.say("thanks")
    assert model.requests[1]["messages"] == [
        {"from": "user", "text": "Acme renewal"},
        {"from": "agent", "agent": "Desk", "text": "hi"},
        {"from": "user", "text": "thanks"},
    ]


def test_matches_beyond_the_limit_and_under_the_score_are_cut_and_the_trace_says_why():
    policy = {"archival_mode": "auto", "archival_limit": 1}
    run, model = talk(blocks(archival=ARCHIVE), "hi", "hi", memory_policy=policy)
    memory = memory_of(run.say("Acme renewal"))[0]
    assert [(c["content"], c["why"]) for c in memory["cut"]] == [
        ("Acme contact is Nora", "archival_limit 1 is reached")
    ]
    assert len(model.requests[0]["system_reminders"]) == 1
    strict = {**policy, "archival_limit": 10, "archival_min_score": 0.99}
    memory = memory_of(run.say("Acme renewal", memory_policy=strict))[0]
    assert memory["injected"] == []
    assert all("under archival_min_score 0.99" in c["why"] for c in memory["cut"])


def test_a_policy_of_a_message_counts_for_that_message_only():
    run, model = talk(blocks(archival=ARCHIVE), "1", "2", "3")
    run.say("Acme")
    run.say("Acme", memory_policy={"archival_mode": "auto"})
    run.say("Acme")
    assert [len(r["system_reminders"]) for r in model.requests] == [0, 2, 0]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"archival_mode": "always"}, "archival_mode is 'always'; it is tool_only, auto or off"),
        ({"archival_limit": -1}, "archival_limit is -1; it is a whole number from 0 to 100"),
        ({"archival_limit": True}, "archival_limit is True"),
        ({"archival_limit": 101}, "archival_limit is 101"),
        ({"archival_limit": None}, "archival_limit is None"),
        ({"archival_min_score": True}, "archival_min_score is True"),
        ({"archival_min_score": -0.1}, "archival_min_score is -0.1"),
        ({"archival_min_score": 2}, "archival_min_score is 2; it is a number from 0 to 1, or null"),
        ({"include_user_core": "yes"}, "include_user_core is 'yes'; it is true or false"),
        ({"archival_mod": "auto"}, "no 'archival_mod'; did you mean archival_mode"),
        ("auto", "memory_policy is a text"),
    ],
)
def test_a_wrong_policy_is_refused_with_what_would_be_right(policy, words):
    with pytest.raises(ValueError, match=words):
        MemoryPolicy.read(policy)
    run, _ = talk(blocks(core="- x"))
    with pytest.raises(ValueError, match=words):
        run.say("hello", memory_policy=policy)
    assert run.turn_number == 0
    assert run.say("hello").waiting == "reasoning"


@pytest.mark.parametrize(
    "policy",
    [
        *({"archival_limit": limit} for limit in (0, 100)),
        *({"archival_min_score": score} for score in (None, 0, 0.5, 1)),
        *({"archival_mode": mode} for mode in ("tool_only", "auto", "off")),
    ],
)
def test_a_policy_takes_the_ends_of_what_it_may_be(policy):
    assert {key: MemoryPolicy.read(policy).as_dict()[key] for key in policy} == policy


def test_without_a_signed_in_user_nothing_goes_in_and_no_block_tool_is_offered():
    run, model = talk(blocks(core="- x"), "hi", user=None)
    memory = memory_of(run.say("hello"))[0]
    assert memory["injected"] == []
    assert memory["cut"] == [{"why": "no signed-in user"}]
    assert model.requests[0]["tools"] == []


def test_without_blocks_the_trace_says_nothing_of_them():
    run, model = talk(None, "hi")
    assert events_of(run.say("hello"), "context") == []
    assert model.requests[0]["user_memory"] == []


def test_update_memory_writes_at_once_and_the_next_request_shows_it():
    found = blocks()
    create = ("update_memory", {"block_type": "core", "content": "- Likes tea", "expected_updated_at": None})
    run, model = talk(found, create, "noted")
    turn = run.say("I like tea")
    assert found.core("u-1", None)[0].content == "- Likes tea"
    assert [b["content"] for b in model.requests[1]["user_memory"]] == ["- Likes tea"]
    assert [[i["content"] for i in memory["injected"]] for memory in memory_of(turn)] == [[], ["- Likes tea"]]


def test_update_memory_with_the_stamp_that_the_request_showed_replaces_the_block():
    def change(request):
        seen = request["user_memory"][0]
        return (
            "update_memory",
            {
                "block_type": "core",
                "content": seen["content"] + "\n- two",
                "scope": "user",
                "expected_updated_at": seen["updated_at"],
            },
        )

    found = blocks(core="- one")
    run, _ = talk(found, change, "noted")
    run.say("and two")
    assert found.core("u-1", None)[0].content == "- one\n- two"


def test_update_memory_of_scope_agent_writes_the_block_of_the_active_agent():
    found = blocks()
    args = {"block_type": "archival", "content": "x", "scope": "agent", "expected_updated_at": None}
    run, _ = talk(found, ("update_memory", args), "noted")
    run.say("remember")
    assert found.block("u-1", "archival", "Desk").agent_id == "Desk"


def test_a_write_over_a_changed_block_fails_with_the_current_block_and_changes_nothing():
    found = blocks(core="- one")
    stale = ("update_memory", {"block_type": "core", "content": "- mine", "expected_updated_at": None})
    run, _ = talk(found, stale, lambda r: r["calls"][0]["error"]["error"]["current"]["content"])
    turn = run.say("write")
    assert turn.replies == ["- one"]
    assert events_of(turn, "call.end")[0]["error"]["error"]["subtype"] == "conflict"
    assert found.core("u-1", None)[0].content == "- one"


@pytest.mark.parametrize(
    ("args", "subtype"),
    [
        ({"block_type": "core", "content": "x"}, "missing_argument"),
        ({"block_type": "side", "content": "x", "expected_updated_at": None}, "invalid_argument"),
        ({"block_type": "core", "content": "x" * 4001, "expected_updated_at": None}, "over-limit"),
        ({"block_type": "core", "content": "x\n" * 21, "expected_updated_at": None}, "over-limit"),
        ({"block_type": "core", "content": "x", "expected_updated_at": "yesterday"}, "invalid"),
    ],
)
def test_a_wrong_update_is_a_failed_call_and_changes_nothing(args, subtype):
    found = blocks(core="- kept")
    run, _ = talk(found, ("update_memory", args), "sorry")
    assert events_of(run.say("write"), "call.end")[0]["error"]["error"]["subtype"] == subtype
    assert found.core("u-1", None)[0].content == "- kept"


def test_recall_memory_finds_lines_of_the_user_and_of_this_agent_only():
    found = blocks(archival=ARCHIVE, agent_archival="Acme is mine")
    found.update(
        "u-1", block_type="archival", content="Acme is theirs", scope="agent", agent="Other", expected_updated_at=None
    )
    found.update(
        "u-2", block_type="archival", content="Acme of u-2", scope="user", agent=None, expected_updated_at=None
    )
    run, model = talk(found, ("recall_memory", {"query": "Acme", "limit": 5}), "found")
    run.say("what do I know about Acme?")
    contents = {match["content"] for match in model.requests[1]["calls"][0]["result"]}
    assert contents == {"Acme renewal: CFO wants pricing options", "Acme contact is Nora", "Acme is mine"}


@pytest.mark.parametrize("limit", [0, 101, "many", 2.5])
def test_recall_memory_wants_a_sensible_limit(limit):
    run, model = talk(blocks(archival=ARCHIVE), ("recall_memory", {"query": "Acme", "limit": limit}), "found")
    run.say("Acme")
    assert model.requests[1]["calls"][0]["error"]["error"]["subtype"] == "invalid_argument"


# Preview ----------------------------------------------------------------------------------------------------------


def test_a_preview_is_what_the_message_then_sends_and_keeps_nothing():
    policy = {"archival_mode": "auto"}
    run, model = talk(blocks(core="- short", archival=ARCHIVE), "hi", memory_policy=policy)
    before = run.snapshot()
    preview = prompt_preview(run, "Acme renewal")
    assert run.snapshot() == before
    turn = run.say("Acme renewal")
    assert preview["request"] == events_of(turn, "model.request")[0]
    assert preview["request"] | {"notes": []} == model.requests[0] | {"notes": []}
    assert preview["memory"] == memory_of(turn)[0]


def test_a_preview_takes_a_policy_of_its_own():
    run, _ = talk(blocks(archival=ARCHIVE))
    assert prompt_preview(run, "Acme")["request"]["system_reminders"] == []
    auto = prompt_preview(run, "Acme", {"archival_mode": "auto"})
    assert len(auto["request"]["system_reminders"]) == 2
    with pytest.raises(ValueError, match="archival_mode"):
        prompt_preview(run, "Acme", {"archival_mode": "on"})


def test_an_agent_without_a_conversation_has_a_preview_too():
    program = programs_of("desk.agent.abl", AGENT + 'PERSONA: "Friendly"\n')[0]
    preview = prompt_preview(
        program, "Acme", {"archival_mode": "auto"}, user="u-1", blocks=blocks(core="- short", archival=ARCHIVE)
    )
    assert preview["request"]["persona"] == "Friendly"
    titles = [section["title"] for section in preview["sections"]]
    assert titles == ["Goal", "Persona", "User memory", "Reminders for this turn", "Tools", "Conversation"]
    assert preview["request"]["notes"][0]["name"] == "template.unresolved"
    assert {s["title"]: s["text"] for s in preview["sections"]}["User memory"] == "- short"
