"""Memory blocks and banks in conversations: a model that follows a script, through the tools of the runtime."""

from __future__ import annotations

import pytest

from constraints.conversations import services
from constraints.models import Conversation, TraceEvent
from constraints.running.runner import run_in_session
from memory.banks.selectors import bank_get, texts_of
from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.models import Bank, Block, FactChange
from tests.constraints.conftest import member
from tests.factories import DocumentFactory, ProjectFactory
from web.errors import Invalid

pytestmark = pytest.mark.django_db

KEEPER = 'AGENT: {name}\nGOAL: "Keep a Fibonacci sequence in your memory."\n'
FIRST, SECOND = ('SPLIT(results.memory_read, "|")[' + n + "]" for n in "01")
SUM = f"TO_NUMBER({FIRST}) + TO_NUMBER({SECOND})"
EMPTY = '{{#if results.memory_read == ""}}'
ROUND = [
    {"call": "memory_read", "args": {}},
    {
        "call": "memory_write",
        "args": {"content": EMPTY + "0|1{{else}}{{" + SECOND + "}}|{{" + SUM + "}}{{/if}}"},
    },
    {"reply": EMPTY + "1{{else}}{{" + SUM + "}}{{/if}}"},
]
"""What a model does that keeps ``prev|curr``: read, compute, write, answer."""


@pytest.fixture
def keeper():
    """A project of two agents that keep a sequence."""
    found = ProjectFactory(slug="numbers")
    for name in ("Fibonacci", "Other"):
        DocumentFactory(project=found, path=f"{name.lower()}.agent.abl", text=KEEPER.format(name=name))
    return found


@pytest.fixture
def talk(keeper):
    """Start a conversation and say things in it: the replies."""
    owner = member(keeper, "owner")

    class Talk:
        def __init__(self, script=ROUND * 5, entry="Fibonacci", **more):
            self.found = services.conversation_start(
                project=keeper, started_by=owner, user="u-17", entry=entry, model=script, **more
            )
            self.run()

        def run(self, runner=run_in_session):
            turn = self.found.turns.order_by("-index")[0]
            assert services.turn_run(turn_id=turn.pk, runner=runner) == "done", turn.error
            turn.refresh_from_db()
            return turn.replies

        def say(self, text="do it", runner=run_in_session, **more):
            services.turn_post(
                conversation=self.found, author=owner, kind="say", data={"text": text, **more}, message_id=""
            )
            return self.run(runner)

        def events(self, kind):
            events = TraceEvent.objects.filter(conversation=self.found, kind=kind).order_by("seq")
            return [event.data for event in events]

    return Talk


class TestBank:
    def test_asked_five_times_it_answers_the_sequence_and_keeps_its_place(self, keeper, talk):
        conversation = talk(bank="numbers")
        seen = []
        for _ in range(5):
            replies = conversation.say()
            seen.append((replies, texts_of(bank=Bank.objects.get())))
        kept = ["0|1", "1|1", "1|2", "2|3", "3|5"]
        answers = ["1", "1", "2", "3", "5"]
        assert seen == [([answer], {"Fibonacci": text}) for answer, text in zip(answers, kept, strict=True)]

    def test_seeded_it_goes_on_from_there(self, keeper, talk):
        bank_put(project=keeper, name="numbers")
        bank_write(project=keeper, name="numbers", agent="Fibonacci", content="21|34")
        conversation = talk(bank="numbers")
        assert [conversation.say() for _ in range(3)] == [["55"], ["89"], ["144"]]

    def test_the_text_outlives_the_conversation(self, keeper, talk):
        talk(bank="numbers").say()
        assert talk(bank="numbers").say() == ["1"]
        assert talk(bank="numbers").say() == ["2"]
        assert talk(bank="other").say() == ["1"]

    def test_a_text_that_others_changed_since_it_was_read_is_read_again(self, keeper, talk):
        conversation = talk(bank="numbers")
        conversation.say()
        overtaking = [lambda: bank_write(project=keeper, name="numbers", agent="Fibonacci", content="21|34")]

        def runner(task):
            outcome = run_in_session(task)
            if overtaking:
                overtaking.pop()()
            return outcome

        assert conversation.say(runner=runner) == ["55"]
        assert conversation.found.turns.order_by("-index")[0].overtaken == 1

    def test_two_agents_on_one_bank_never_see_each_others_text(self, keeper, talk):
        first, second = talk(bank="numbers"), talk(bank="numbers", entry="Other")
        assert [first.say(), first.say(), first.say()] == [["1"], ["1"], ["2"]]
        assert second.say() == ["1"]
        assert texts_of(bank=Bank.objects.get()) == {"Fibonacci": "1|2", "Other": "0|1"}

    def test_the_write_of_a_turn_is_committed_with_it_and_names_its_event(self, keeper, talk):
        conversation = talk(bank="numbers")
        conversation.say()
        change = FactChange.objects.get(system="bank")
        call = TraceEvent.objects.get(conversation=conversation.found, kind="call.start", data__tool="memory_write")
        assert change.source["conversation"] == conversation.found.number
        assert (change.source["event"], change.source["turn"], change.source["agent"]) == (call.seq, 1, "Fibonacci")

    def test_a_turn_that_is_not_kept_leaves_the_bank_as_it_was(self, keeper, talk, monkeypatch):
        conversation = talk(bank="numbers")
        conversation.say()
        owner = member(keeper, "owner")
        services.turn_post(conversation=conversation.found, author=owner, kind="say", data={"text": "x"}, message_id="")

        def broken(**_):
            raise RuntimeError("no")

        turn = conversation.found.turns.order_by("-index")[0]
        with monkeypatch.context() as patch:
            patch.setattr("constraints.running.worker.turn_enqueue_next", broken)
            assert services.turn_run(turn_id=turn.pk) == "failed"
        assert texts_of(bank=Bank.objects.get()) == {"Fibonacci": "0|1"}

    def test_the_bound_of_the_bank_cuts_what_the_tool_writes(self, keeper, talk):
        bank_put(project=keeper, name="numbers", max_lines=2)
        conversation = talk(
            [
                {"call": "memory_write", "args": {"content": "a\nb\nc\nd"}},
                {"call": "memory_read"},
                {"call": "memory_search", "args": {"query": "C"}},
                {"reply": "done"},
            ],
            bank="numbers",
        )
        assert conversation.say() == ["done"]
        assert [event["result"] for event in conversation.events("call.end")] == ["ok", "c\nd", "c"]
        assert texts_of(bank=bank_get(project=keeper, name="numbers")) == {"Fibonacci": "c\nd"}

    def test_an_own_tool_of_that_name_wins(self, keeper, talk):
        own = 'TOOLS:\n  memory_read() -> {text: string}\n    description: "Own"\n'
        DocumentFactory(project=keeper, path="own.agent.abl", text=KEEPER.format(name="Own") + own)
        conversation = talk([{"call": "memory_read"}, {"reply": "done"}], bank="numbers", entry="Own")
        conversation.say()
        assert conversation.events("call.end")[0]["mode"] == "mock"
        assert not Bank.objects.exists()

    def test_without_a_bank_there_are_no_such_tools(self, keeper, talk):
        conversation = talk([{"reply": "done"}])
        conversation.say()
        assert not [name for name in conversation.events("model.request")[0]["tools"] if name.startswith("memory_")]

    def test_the_project_names_the_bank_of_its_conversations(self, keeper, talk):
        keeper.settings = {"run": {"bank": "numbers"}}
        keeper.save()
        assert talk().found.settings["bank"] == "numbers"
        assert talk(bank="").found.settings["bank"] == ""


class TestBlocks:
    def test_core_blocks_reach_the_agent_in_every_request(self, keeper, talk):
        block_put(project=keeper, owner="u-17", block_type="core", content="- Short answers", expected=None)
        block_put(
            project=keeper, owner="u-17", block_type="core", content="- Counts", expected=None, agent_id="Fibonacci"
        )
        block_put(project=keeper, owner="u-18", block_type="core", content="- Of another", expected=None)
        conversation = talk([{"reply": "{{user_memory[0].content}} and {{user_memory[1].content}}"}])
        assert conversation.say() == ["- Short answers and - Counts"]
        memory = next(event["memory"] for event in conversation.events("context") if "memory" in event)
        assert [(line["content"], line["line_number"], line["scope"]) for line in memory["injected"]] == [
            ("- Short answers", 1, "user"),
            ("- Counts", 1, "agent"),
        ]

    def test_archival_lines_come_in_when_the_policy_says_so(self, keeper, talk):
        lines = "- Acme renewal is due in May\n- Globex signed\n- Acme pays late"
        block_put(project=keeper, owner="u-17", block_type="archival", content=lines, expected=None)
        script = [{"reply": '{{JOIN(system_reminders, "+")}}|{{LENGTH(system_reminders)}}'}] * 4
        conversation = talk(script, memory_policy={"archival_mode": "auto", "archival_limit": 1})
        assert conversation.say("When is the Acme renewal?")[0].endswith("|1")
        memory = [event["memory"] for event in conversation.events("context") if "memory" in event][-1]
        assert [line["content"] for line in memory["injected"]] == ["- Acme renewal is due in May"]
        assert [line["why"] for line in memory["cut"]] == ["archival_limit 1 is reached"]
        assert conversation.say("Acme?", memory_policy={"archival_limit": 5})[0].endswith("|2")
        assert conversation.say("Acme?", memory_policy={"archival_mode": "off"})[0].endswith("|0")
        assert conversation.say("Acme?")[0].endswith("|1")

    def test_update_memory_writes_at_once_and_guards_against_the_stale(self, keeper, talk):
        write = {"block_type": "core", "content": "- Likes tea", "scope": "agent", "expected_updated_at": None}
        script = [
            {"call": "update_memory", "args": write},
            {"call": "update_memory", "args": write},
            {"reply": "{{results.update_memory.error.code}} {{results.update_memory.error.current.content}}"},
        ]
        conversation = talk(script)
        assert conversation.say() == ["conflict - Likes tea"]
        block = Block.objects.get()
        assert (block.owner, block.agent_id, block.content) == ("u-17", "Fibonacci", "- Likes tea")
        first = TraceEvent.objects.filter(conversation=conversation.found, kind="call.start").order_by("seq")[0]
        assert (block.source["conversation"], block.source["event"]) == (conversation.found.number, first.seq)
        assert block.source["cause"] == "update_memory"

    def test_recall_memory_finds_lines(self, keeper, talk):
        lines = "- Acme renewal is due in May\n- Globex signed"
        block_put(project=keeper, owner="u-17", block_type="archival", content=lines, expected=None)
        script = [
            {"call": "recall_memory", "args": {"query": "renewals of acme"}},
            {"reply": "{{results.recall_memory[0].content}}"},
        ]
        assert talk(script).say() == ["- Acme renewal is due in May"]


class TestSettings:
    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"memory_policy": {"archival_mode": "sometimes"}}, "memory_policy"),
            ({"memory_policy": {"archival_limits": 3}}, "memory_policy"),
            ({"memory_policy": {"archival_min_score": 2}}, "memory_policy"),
            ({"memory_policy": []}, "memory_policy"),
            ({"bank": "a b"}, "bank"),
            ({"bank": 5}, "bank"),
            ({"script": [{"reply": "a", "call": "b"}]}, "model"),
            ({"script": [{"say": "a"}]}, "model"),
            ({"script": [{"call": "a", "args": []}]}, "model"),
            ({"script": {"reply": "a"}}, "model"),
            ({"script": [{"reply": "a"}] * 1001}, "model"),
        ],
    )
    def test_what_no_run_can_use_is_refused(self, talk, given, field):
        with pytest.raises(Invalid) as refused:
            talk(**given)
        assert list(refused.value.fields) == [field]
        assert not Conversation.objects.exists()

    def test_a_message_with_a_wrong_policy_is_refused(self, talk):
        conversation = talk([{"reply": "a"}])
        with pytest.raises(Invalid) as refused:
            conversation.say(memory_policy={"archival_mod": "auto"})
        assert "did you mean archival_mode?" in refused.value.fields["memory_policy"]
        assert conversation.found.turns.count() == 1

    def test_the_api_takes_them_all(self, keeper, client):
        owner = member(keeper, "owner")
        client.force_login(owner)
        base = "/api/v1/projects/numbers/conversations/"
        body = {"entry": "Fibonacci", "bank": "numbers", "memory_policy": {"archival_mode": "auto"}, "model": ROUND}
        started = client.post(base, body, content_type="application/json")
        assert started.status_code == 201, started.content
        assert started.json()["settings"] == {
            "bank": "numbers",
            "memory_policy": {"archival_mode": "auto"},
            "model": ROUND,
        }
        services.turn_run(turn_id=Conversation.objects.get().turns.get().pk)
        said = client.post(
            f"{base}{started.json()['number']}/turns/",
            {"kind": "say", "text": "go", "memory_policy": {"include_user_core": False}},
            content_type="application/json",
        )
        assert said.json()["input"] == {"text": "go", "memory_policy": {"include_user_core": False}}
        for wrong in ({"memory_policy": {"x": 1}}, {"memory_policy": "auto"}, {"bank": "a b"}, {"model": [{"x": 1}]}):
            refused = client.post(base, {"entry": "Fibonacci", **wrong}, content_type="application/json")
            named = [name.split(".")[0] for name in refused.json()["fields"]]
            assert (refused.status_code, named) == (400, list(wrong))
