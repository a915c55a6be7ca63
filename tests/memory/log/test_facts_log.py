"""The change log: whole when untouched, and it tells where it was not."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.facts.selectors import fact_history
from memory.facts.services import fact_delete
from memory.log.chain import commitment_of
from memory.management.commands.verify_facts import verify
from memory.models import ChangeHead, FactChange
from tests.factories import ProjectFactory, UserFactory


@pytest.fixture
def six(put, project, now):
    """A log of six entries."""
    put(now=now)
    put(value={"a": 1, "b": 2}, ttl="1h", now=now)
    put(value={"a": 1, "b": 3}, ttl="2h", now=now)
    put(path="user.name", value="Ines", sensitive=True)
    fact_delete(project=project, pk=put(path="user.gone").pk)
    return project


def test_a_log_is_whole(six):
    assert verify(six) == (6, None)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("path", "user.other"), ("owner", "u2"), ("version", 9), ("type", "number"), ("kind", "delete"),
        ("actor", "eve"), ("reason", "none"), ("ttl", "9d"), ("source", {"agent": "Eve"}),
        ("sensitive", True), ("value", '"{}"'),
        ("commitment", "0" * 64), ("digest", "0" * 64), ("user_id", 7),
    ],
)  # fmt: skip
def test_a_changed_entry_is_found(six, column, value):
    FactChange.objects.filter(project=six, seq=2).update(**{column: value})
    _, found = verify(six)
    assert found.seq == 2


def test_a_value_with_a_commitment_of_its_own_is_found(six):
    FactChange.objects.filter(seq=2).update(value='"x"', nonce="n", commitment=commitment_of("n", '"x"'))
    assert verify(six)[1].seq == 2


def test_a_missing_entry_is_found(six):
    FactChange.objects.filter(seq=3).delete()
    assert verify(six)[1].seq == 3


def test_a_cut_end_is_found(six):
    FactChange.objects.filter(seq__gte=5).delete()
    assert verify(six)[1].seq == 5


def test_an_erased_value_breaks_nothing(six):
    FactChange.objects.filter(seq=2).update(value=None, nonce="")
    assert verify(six) == (6, None)


def test_logs_of_projects_are_apart(six, put, whole):
    other = ProjectFactory()
    put(project=other)
    FactChange.objects.filter(project=other).update(path="user.x")
    assert whole(six)
    assert verify(other)[1].seq == 1


def test_the_command_reports_whole_logs(six):
    out = StringIO()
    call_command("verify_facts", stdout=out)
    assert out.getvalue() == "kiln: 6 entries, whole\nkiln: the facts are as the log says\n"


def test_the_command_ends_with_1_at_the_first_break(six):
    FactChange.objects.filter(seq=4).update(owner="u2")
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_facts", "kiln", stdout=out)
    assert ended.value.code == 1
    assert "broken at entry 4" in out.getvalue()


def test_the_command_names_a_project_that_is_not_there(six):
    with pytest.raises(CommandError, match="nowhere"):
        call_command("verify_facts", "nowhere")


def test_the_history_of_a_fact_says_what_changed(put, project, now, hour):
    put(value={"order": "KH-1", "amount": 60}, ttl="1h", now=now)
    fact = put(value={"order": "KH-2", "amount": 60}, ttl="2h", now=now)
    newest, oldest = fact_history(fact=fact, now=now)
    assert (newest.minus, newest.plus) == (['"order": "KH-1"'], ['"order": "KH-2"'])
    assert newest.expiry_before == now + hour
    assert (oldest.minus, oldest.plus, oldest.expiry_before) == ([], [], None)


def test_the_history_of_an_expired_fact_has_no_values_before_it_is_purged_either(put, now, hour):
    put(value="silver", now=now)
    fact = put(ttl="1h", now=now)
    assert [step.change.value for step in fact_history(fact=fact, now=now)] == ['"gold"', '"silver"']
    assert [(step.change.value, step.plus) for step in fact_history(fact=fact, now=now + hour)] == [(None, [])] * 2


def test_the_history_names_people_whose_account_is_gone(put):
    person = UserFactory(username="mara")
    fact = put(actor=person)
    person.delete()
    assert fact_history(fact=fact)[0].change.actor == "mara"


def test_the_head_follows_the_log(six):
    head = ChangeHead.objects.get(project=six)
    assert (head.seq, head.digest) == FactChange.objects.filter(project=six).order_by("-seq").values_list(
        "seq", "digest"
    )[0]
