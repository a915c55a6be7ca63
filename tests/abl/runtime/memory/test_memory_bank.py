"""The memory bank in conversations (docs/spec 11 §3), through the real tool loop."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from abl.runtime import Session
from abl.runtime.memory.in_memory import FixedClock, MockTools
from abl.runtime.memory.systems_in_memory import MemoryBank
from tests.abl.runtime.harness import events_of
from tests.abl.runtime.models import Fibonacci, Steps

AGENT = 'AGENT: {name}\nGOAL: "Keep a Fibonacci sequence in memory."\n'
DOCUMENTED = [("1", "0|1"), ("1", "1|1"), ("2", "1|2"), ("3", "2|3"), ("5", "3|5")]


def talk(bank, model=None, name="fibonacci", more="", **ports):
    """A started session of an agent over a bank."""
    run = Session(
        {f"{name}.agent.abl": AGENT.format(name=name) + more},
        bank=bank,
        model=model or Fibonacci(),
        clock=FixedClock(),
        **ports,
    )
    run.start()
    return run


def test_five_questions_are_answered_with_the_sequence_and_leave_the_documented_memory():
    bank = MemoryBank()
    run = talk(bank)
    assert [(run.say("do it").replies[0], bank.read("fibonacci")) for _ in range(5)] == DOCUMENTED


def test_a_seeded_bank_goes_on_from_its_seed():
    bank = MemoryBank()
    bank.write("fibonacci", "21|34")
    run = talk(bank)
    assert [run.say("do it").replies for _ in range(3)] == [["55"], ["89"], ["144"]]


def test_the_memory_outlives_the_session_and_a_snapshot():
    bank = MemoryBank()
    talk(bank).say("do it")
    run = talk(bank)
    assert run.say("do it").replies == ["1"]
    again = Session.restore(
        run.snapshot(),
        {"f.agent.abl": AGENT.format(name="fibonacci")},
        bank=bank,
        model=Fibonacci(),
        clock=FixedClock(),
    )
    assert again.say("do it").replies == ["2"]


def test_two_agents_on_one_bank_never_see_each_others_text():
    bank = MemoryBank()
    one, other = talk(bank, name="one"), talk(bank, name="other")
    assert [one.say("go").replies, one.say("go").replies, one.say("go").replies] == [["1"], ["1"], ["2"]]
    assert other.say("go").replies == ["1"]
    assert bank.entries() == {"one": "1|2", "other": "0|1"}


def test_every_call_of_a_memory_tool_is_in_the_trace_like_any_call():
    turn = talk(MemoryBank()).say("do it")
    assert [(e["tool"], e["origin"]) for e in events_of(turn, "call.start")] == [
        ("memory_read", "model"),
        ("memory_write", "model"),
    ]
    assert [(e["result"], e["mode"], e["status"]) for e in events_of(turn, "call.end")] == [
        ("", "memory", "ok"),
        ("ok", "memory", "ok"),
    ]


def test_the_tools_are_declared_with_a_schema_and_only_when_there_is_a_bank():
    model = Steps("hello", "hello")
    talk(MemoryBank(), model).say("hi")
    names = ["memory_read", "memory_write", "memory_search"]
    assert model.requests[0]["tools"] == names
    declared = {d["name"]: d for d in model.requests[0]["declarations"]}
    assert declared["memory_write"]["parameters"]["required"] == ["content"]
    assert declared["memory_write"]["parameters"]["properties"] == {"content": {"type": "string"}}
    assert all(declared[name]["description"] for name in names)
    without = Steps("hello")
    talk(None, without).say("hi")
    assert without.requests[0]["tools"] == []


def test_search_gives_the_lines_with_the_query_in_any_case():
    bank = MemoryBank()
    bank.write("fibonacci", "Prefers VAL over var\nuses data classes\nval again")
    model = Steps(
        ("memory_search", {"query": "val"}),
        lambda r: r["calls"][-1]["result"],
        ("memory_search", {"query": "sql"}),
        lambda r: f"<{r['calls'][-1]['result']}>",
    )
    run = talk(bank, model)
    assert run.say("search").replies == ["Prefers VAL over var\nval again"]
    assert run.say("search").replies == ["<>"]


def test_an_agents_own_tool_of_the_name_is_never_replaced():
    bank = MemoryBank()
    own = 'TOOLS:\n  memory_read() -> string\n    description: "Mine."\n'
    model = Steps(("memory_read", {}), lambda r: r["calls"][-1]["result"])
    run = talk(bank, model, more=own, tools=MockTools({"memory_read": [{"result": "custom implementation"}]}))
    assert run.say("read").replies == ["custom implementation"]
    assert model.requests[0]["tools"] == ["memory_read", "memory_write", "memory_search"]
    assert model.requests[0]["declarations"][0]["description"] == "Mine."


def test_max_lines_keeps_the_last_lines_also_when_the_tool_writes():
    bank = MemoryBank(max_lines=2)
    run = talk(bank, Steps(("memory_write", {"content": "a\nb\nc\nd"}), "done"))
    run.say("write")
    assert bank.read("fibonacci") == "c\nd"
    bank.write("fibonacci", "1\n2\n3")
    assert bank.read("fibonacci") == "2\n3"
    bank.write("fibonacci", "1\n2\n3\n")
    assert bank.read("fibonacci") == "2\n3\n"


@pytest.mark.parametrize("args", [{}, {"content": 5}, {"content": "x", "key": "other"}])
def test_wrong_arguments_are_a_failed_call_and_write_nothing(args):
    bank = MemoryBank()
    model = Steps(("memory_write", args), "sorry")
    turn = talk(bank, model).say("write")
    assert turn.replies == ["sorry"]
    failed = events_of(turn, "call.end")[0]["error"]["error"]
    assert failed["subtype"] in {"missing_argument", "invalid_argument"}
    assert bank.entries() == {}


def test_a_rule_before_the_tool_blocks_it():
    bank = MemoryBank()
    rule = """CONSTRAINTS:
  always:
    - REQUIRE allowed == true BEFORE calling memory_write
      ON_FAIL: "I must not write that down."
"""
    turn = talk(bank, Steps(("memory_write", {"content": "x"}), "never said"), more=rule).say("remember x")
    assert turn.replies == ["I must not write that down."]
    assert bank.entries() == {}


def test_a_step_that_lists_its_tools_does_not_offer_the_others_and_does_not_run_them():
    bank = MemoryBank()
    flow = """FLOW:
  steps: [think]
  think:
    REASONING: true
    AVAILABLE_TOOLS: [memory_read]
    THEN: COMPLETE
"""
    model = Steps(("memory_write", {"content": "x"}), lambda r: r["calls"][-1]["error"]["error"]["subtype"])
    run = Session({"f.agent.abl": AGENT.format(name="f") + flow}, bank=bank, model=model, clock=FixedClock())
    turn = run.start()
    assert turn.replies == ["unknown_tool"]
    assert model.requests[0]["tools"] == ["memory_read"]
    assert bank.entries() == {}


class Buffered(MemoryBank):
    """A bank whose writes count when their turn does."""

    def __init__(self):
        super().__init__()
        self.kept, self.log = [], []

    def write(self, key, content):
        self.kept.append((key, content))

    def read(self, key):
        return dict(self.kept).get(key, super().read(key))

    def commit_turn(self):
        self.log.append("commit")
        for key, content in self.kept:
            super().write(key, content)
        self.kept = []

    def drop_turn(self):
        self.log.append("drop")
        self.kept = []


def test_a_port_that_buffers_is_told_of_the_end_of_each_turn():
    bank = Buffered()
    run = talk(bank)
    run.say("do it")
    assert bank.entries() == {"fibonacci": "0|1"}
    assert bank.log == ["commit", "commit"]


def test_a_turn_that_fails_drops_what_the_port_buffered():
    class Broken(Fibonacci):
        def next(self, request, memory):
            answer = super().next(request, memory)
            if answer.reply is not None:
                raise RuntimeError("the model is gone")
            return answer

    bank = Buffered()
    run = talk(bank, Broken())
    with pytest.raises(RuntimeError, match="the model is gone"):
        run.say("do it")
    assert bank.entries() == {}
    assert bank.kept == []
    assert bank.log[-1] == "drop"


def test_many_threads_may_write_at_once():
    bank = MemoryBank(max_lines=3)

    def write(number):
        for at in range(200):
            bank.write(f"agent-{number % 4}", "\n".join(f"{number}.{at}.{line}" for line in range(5)))
        return bank.entries()

    with ThreadPoolExecutor(8) as pool:
        snapshots = list(pool.map(write, range(8)))
    assert set(bank.entries()) == {f"agent-{n}" for n in range(4)}
    for text in [text for entries in [*snapshots, bank.entries()] for text in entries.values()]:
        lines = text.split("\n")
        assert len(lines) == 3
        assert len({line.rsplit(".", 1)[0] for line in lines}) == 1


def test_a_bank_needs_at_least_one_line():
    with pytest.raises(ValueError, match="at least 1"):
        MemoryBank(max_lines=0)


def test_one_line_is_the_least_that_is_kept():
    bank = MemoryBank(max_lines=1)
    bank.write("a", "one\ntwo")
    assert bank.read("a") == "two"
