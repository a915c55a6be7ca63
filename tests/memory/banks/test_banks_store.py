"""Banks below HTTP: the port of a run, what a turn commits, what admins change (docs/spec 11 §3)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.banks import selectors
from memory.banks.port import ProjectBank
from memory.banks.services import (
    bank_commit,
    bank_delete,
    bank_put,
    bank_write,
    entries_delete,
    entry_edit,
)
from memory.banks.texts import CONTENT_LENGTH, fitting
from memory.models import Bank, BankEntry, FactChange
from tests.factories import ProjectFactory
from web.errors import Conflict, Invalid, NotFound

SOURCE = {"conversation": 7, "turn": 2, "event": 17, "cause": "memory_write", "document": "a.agent.abl"}


@pytest.fixture
def bank(project):
    return bank_put(project=project, name="desk")[0]


@pytest.fixture
def run(project, now):
    """A turn: its port, and what commits it."""

    class Run:
        def __init__(self, name="desk"):
            self.name = name
            self.port = ProjectBank(project, name, lambda: now, {"conversation": 7})
            self.port.attribute({"agent": "a", "turn": 2, "event": 17, "span": {"path": "a.agent.abl"}})

        def commit(self):
            return bank_commit(project=project, name=self.name, writes=self.port.take())

    return Run


def test_a_run_reads_what_was_seeded(project, bank, run):
    bank_write(project=project, name="desk", agent="Fibonacci", content="21|34")
    port = run().port
    assert port.read("Fibonacci") == "21|34"
    assert port.read("nobody") == ""
    assert port.entries() == {"Fibonacci": "21|34"}


def test_a_run_sees_its_own_writes_and_others_see_them_when_it_is_committed(bank, run, now):
    first, second = run(), run()
    first.port.write("a", "0|1")
    first.port.write("a", "1|1")
    assert first.port.read("a") == "1|1"
    assert second.port.read("a") == ""
    assert first.commit() == 1
    assert run().port.read("a") == "1|1"
    entry = BankEntry.objects.get()
    assert (entry.version, entry.written_at, entry.source) == (1, now, {**SOURCE, "agent": "a"})
    change = FactChange.objects.get(system="bank")
    assert (change.system, change.owner, change.path, change.value) == ("bank", "desk", "a", '"1|1"')
    assert change.source == entry.source


def test_what_was_taken_is_committed_once(bank, run):
    turn = run()
    turn.port.write("a", "x")
    assert [turn.commit(), turn.commit()] == [1, 0]
    assert FactChange.objects.filter(system="bank").count() == 1


def test_a_run_that_is_not_committed_leaves_nothing(bank, run):
    run().port.write("a", "x")
    assert not BankEntry.objects.exists()


def test_a_bank_that_is_not_there_is_empty_and_made_by_the_first_write(project, run):
    turn = run("new")
    assert turn.port.read("a") == ""
    assert turn.commit() == 0
    assert not Bank.objects.exists()
    turn.port.write("a", "x")
    turn.commit()
    assert (Bank.objects.get().name, Bank.objects.get().max_lines) == ("new", None)
    assert run("new").port.read("a") == "x"


def test_the_bound_cuts_when_a_run_writes(project, run):
    bank_put(project=project, name="desk", max_lines=2)
    turn = run()
    turn.port.write("a", "a\nb\nc\nd")
    assert turn.port.read("a") == "c\nd"
    turn.commit()
    assert BankEntry.objects.get().content == "c\nd"


def test_what_ends_the_last_line_is_no_line(project, run):
    bank_put(project=project, name="desk", max_lines=2)
    turn = run()
    for text, kept in [("1\n2\n3\n", "2\n3\n"), ("1\n2\n", "1\n2\n"), ("1\n2\n\n", "2\n\n"), ("\n", "\n"), ("", "")]:
        turn.port.write("a", text)
        assert turn.port.read("a") == kept


def test_texts_of_agents_never_mix(bank, run):
    turn = run()
    turn.port.write("agent-a", "from-a")
    turn.port.write("agent-b", "from-b")
    turn.commit()
    later = run().port
    assert (later.read("agent-a"), later.read("agent-b"), later.read("agent")) == ("from-a", "from-b", "")
    assert later.entries() == {"agent-a": "from-a", "agent-b": "from-b"}


def test_entries_is_a_snapshot(bank, run):
    port = run().port
    port.write("a", "1")
    seen = port.entries()
    port.write("a", "2")
    assert seen == {"a": "1"}


@pytest.mark.django_db(transaction=True)
def test_threads_may_share_a_bank(bank, run):
    port = run().port
    port.entries()

    def work(n):
        for number in range(50):
            port.write(f"a{n}", str(number))
            assert port.read(f"a{n}") == str(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert port.entries() == {f"a{n}": "49" for n in range(8)}


def test_a_text_without_measure_keeps_its_end(bank, run):
    turn = run()
    turn.port.write("a", "".join(f"line {n}\n" for n in range(60_000)))
    kept = turn.port.read("a")
    assert len(kept) <= CONTENT_LENGTH
    assert kept.startswith("line ")
    assert kept.endswith("line 59999\n")
    assert len(fitting("x" * (CONTENT_LENGTH + 5), None)) == CONTENT_LENGTH
    turn.commit()
    assert BankEntry.objects.get().content == kept


def test_characters_that_no_database_keeps_stop_no_turn(bank, run):
    turn = run()
    turn.port.write("a\x00", "b\ud800")
    turn.commit()
    assert run().port.read("a\x00") == "b\ufffd"


def test_an_admin_looks_through_the_texts_of_a_project(project, bank):
    bank_put(project=project, name="other")
    for name, agent in (("desk", "b"), ("desk", "a"), ("other", "a")):
        bank_write(project=project, name=name, agent=agent, content=f"{name} {agent}")
    bank_put(project=ProjectFactory(), name="desk")

    def listed(**given):
        return [entry.content for entry in selectors.project_entries(project=project, **given)]

    assert listed() == ["desk a", "desk b", "other a"]
    assert listed(bank="desk") == ["desk a", "desk b"]
    assert listed(agent="a") == ["desk a", "other a"]
    assert [(bank.name, bank.agents) for bank in selectors.bank_list(project=project)] == [("desk", 2), ("other", 1)]


def test_an_admin_edits_and_deletes_with_a_reason(project, people, bank):
    admin = people["owner"]
    entry = bank_write(project=project, name="desk", agent="a", content="1")
    seen = {"project": project, "pk": entry.pk, "actor": admin, "reason": "ticket 7"}
    assert entry_edit(**seen, content="2", expected_version=1).version == 2
    with pytest.raises(Conflict) as stale:
        entry_edit(**seen, content="3", expected_version=1)
    assert stale.value.current["content"] == "2"
    with pytest.raises(Conflict):
        entries_delete(project=project, chosen={entry.pk: 1}, actor=admin)
    assert entries_delete(project=project, chosen={entry.pk: 2}, actor=admin, reason="ticket 8") == 1
    log = FactChange.objects.filter(system="bank").order_by("seq").values_list("kind", "actor", "reason")
    name = admin.username
    assert list(log)[1:] == [("write", name, "ticket 7"), ("delete", name, "ticket 8")]
    with pytest.raises(NotFound):
        entry_edit(**seen, content="3", expected_version=2)


def test_texts_of_another_project_are_out_of_reach(project, bank):
    elsewhere = ProjectFactory()
    bank_put(project=elsewhere, name="desk")
    entry = bank_write(project=elsewhere, name="desk", agent="a", content="1")
    assert entries_delete(project=project, chosen={entry.pk: None}) == 0
    with pytest.raises(NotFound):
        selectors.entry_get(project=project, pk=entry.pk)
    with pytest.raises(NotFound):
        bank_delete(project=project, name="none")


@pytest.mark.parametrize(
    "given", [{"name": "a b"}, {"name": ""}, {"name": "a", "max_lines": True}, {"name": "a", "max_lines": 0}]
)
def test_a_bank_without_a_proper_name_or_bound_is_not_made(project, given):
    with pytest.raises(Invalid):
        bank_put(project=project, **given)
    assert not Bank.objects.exists()
