"""Writing and deleting facts."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memory.facts import services
from memory.facts.services import ANY, fact_delete, fact_expire, fact_reveal, facts_delete
from memory.log.verification import verify_some
from memory.models import Fact, FactChange
from tests.factories import ProjectFactory, UserFactory
from web.errors import Conflict, Invalid, NotFound


def test_a_new_fact_begins_at_version_1(put):
    fact = put(value={"order": "KH-1", "amount": 170}, expected_version=None)
    stored = Fact.objects.get(pk=fact.pk)
    assert (stored.version, stored.type, stored.value) == (1, "object", {"order": "KH-1", "amount": 170})
    assert stored.expires_at is None


def test_a_value_keeps_the_order_of_its_keys_and_its_numbers(put):
    fact = put(value={"z": 1e22, "a": [1.0, 2]})
    stored = Fact.objects.get(pk=fact.pk).value
    assert list(stored) == ["z", "a"]
    assert repr(stored) == "{'z': 1e+22, 'a': [1.0, 2]}"


def test_the_expected_version_lets_the_next_one_in(put):
    first = put(expected_version=None)
    second = put(value="silver", expected_version=1)
    assert (second.pk, second.version, Fact.objects.get().value) == (first.pk, 2, "silver")


@pytest.mark.parametrize("ttl", [None, "1h"])
@pytest.mark.parametrize("value", ["silver", None, 1e22, {"z": 1.0, "a": ["ü", True]}])
def test_the_quick_way_and_the_ledger_leave_the_same(put, monkeypatch, value, ttl):
    """docs/decisions/0005: both ways to the next version, once each from the same start."""
    left = []
    moment = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)
    for way in ("quick", "ledger"):
        if way == "ledger":
            monkeypatch.setattr(services, "put_quickly", lambda *_: False)
        project = ProjectFactory()
        put(project=project, ttl="2h", expected_version=None, source={"agent": "Desk"})
        put(project=project, value=value, ttl=ttl, expected_version=1, source={"agent": "Other"}, reason="because")
        fact = Fact.objects.filter(project=project).values().get()
        change = FactChange.objects.filter(project=project, version=2).values().get()
        drop = {"id", "project_id", "nonce", "commitment", "salt", "digest", "seal"}
        left.append([{name: row[name] for name in row.keys() - drop} for row in (fact, change)])
        assert verify_some(project=project).whole
    assert left[0] == left[1]


def test_a_stale_version_is_refused_with_the_fact_as_it_is(put, log):
    put(expected_version=None)
    put(value="silver", expected_version=1)
    with pytest.raises(Conflict) as error:
        put(value="bronze", expected_version=1)
    assert error.value.current["version"] == 2
    assert error.value.current["value"] == "silver"
    assert Fact.objects.get().value == "silver"
    assert log() == [("write", 1), ("write", 2)]


def test_a_fact_that_is_there_is_not_created_again(put):
    put()
    with pytest.raises(Conflict) as error:
        put(value="silver", expected_version=None)
    assert error.value.current["value"] == "gold"


def test_a_version_does_not_bring_a_deleted_fact_back(put, project):
    fact = put()
    fact_delete(project=project, pk=fact.pk)
    with pytest.raises(Conflict) as error:
        put(expected_version=1)
    assert error.value.current is None
    assert not Fact.objects.exists()


def test_versions_go_on_after_a_deletion(put, project):
    """Else a writer who read version 1 before it would overwrite a fact that it never saw."""
    put()
    fact_delete(project=project, pk=put(value="silver").pk)
    assert put(value="bronze", expected_version=None).version == 3


def test_any_version_is_replaced_when_none_is_expected(put):
    put()
    assert put(value="silver", expected_version=ANY).version == 2


def test_a_write_without_ttl_clears_the_expiry(put, now):
    assert put(ttl="90d", now=now).expires_at is not None
    assert put(now=now).expires_at is None
    assert Fact.objects.get().ttl == ""


def test_owners_and_projects_do_not_share_facts(put):
    put()
    put(owner="u2")
    put(project=ProjectFactory())
    put(scope="project", owner="")
    assert Fact.objects.count() == 4


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("scope", {"scope": "planet"}),
        ("owner", {"owner": ""}),
        ("owner", {"owner": "u" * 201}),
        ("owner", {"owner": "u\x00"}),
        ("owner", {"scope": "project", "owner": "u1"}),
        ("path", {"path": "tier"}),
        ("path", {"path": "user..tier"}),
        ("path", {"path": "user." + "x" * 300}),
        ("ttl", {"ttl": "0d"}),
        ("ttl", {"ttl": "1h30m"}),
        ("ttl", {"ttl": "-5m"}),
        ("ttl", {"ttl": "999999999d"}),
        ("value", {"value": float("nan")}),
        ("value", {"value": "a\x00b"}),
        ("value", {"value": "\ud800"}),
        ("value", {"value": "x" * 300_000}),
        ("expected_version", {"expected_version": 0}),
        ("reason", {"reason": "x" * 301}),
    ],
)
def test_bad_input_names_its_field_and_stores_nothing(put, field, given):
    with pytest.raises(Invalid) as error:
        put(**given)
    assert list(error.value.fields) == [field]
    assert not Fact.objects.exists()
    assert not FactChange.objects.exists()


def test_nesting_that_no_person_wrote_is_refused(put):
    value = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(Invalid, match="nested deeper"):
        put(value=value)


def test_a_text_about_nul_is_not_a_nul(put):
    assert put(value="\\u0000").value == "\\u0000"


def test_deletion_erases_the_values_from_the_log_and_says_that_they_were(put, project, log, whole):
    put()
    fact = put(value="silver")
    person = UserFactory(username="mara")
    fact_delete(project=project, pk=fact.pk, expected_version=2, actor=person, reason="asked for")
    assert log() == [("write", 1), ("write", 2), ("delete", 2)]
    assert not FactChange.objects.filter(value__isnull=False).exists()
    last = FactChange.objects.get(kind="delete")
    assert (last.actor, last.reason, last.path) == ("mara", "asked for", "user.tier")
    assert whole()


def test_a_selection_is_deleted_whole_or_not_at_all(put, project):
    first, second = put(), put(path="user.name")
    put(path="user.name", value="Ines")
    with pytest.raises(Conflict, match=r"user\.name has version 2"):
        facts_delete(project=project, chosen={first.pk: 1, second.pk: 1})
    assert Fact.objects.count() == 2
    assert facts_delete(project=project, chosen={first.pk: 1, second.pk: 2, 999_999: None}) == 2
    assert not Fact.objects.exists()


def test_facts_of_another_project_are_not_deleted(put, project):
    elsewhere = put(project=ProjectFactory())
    with pytest.raises(NotFound):
        fact_delete(project=project, pk=elsewhere.pk)
    assert Fact.objects.count() == 1


def test_a_fact_can_be_ended_by_hand(put, project, log):
    fact = put(ttl="90d")
    ended = fact_expire(project=project, pk=fact.pk, expected_version=1)
    stored = Fact.objects.get()
    assert stored.value is None
    assert stored.purged_at == stored.expires_at == ended.expires_at
    assert log() == [("write", 1), ("expire", 1)]
    with pytest.raises(NotFound, match="expired at"):
        fact_expire(project=project, pk=fact.pk)


def test_a_sensitive_value_enters_the_log_masked(put):
    put(value="4155 4471", sensitive=True)
    assert FactChange.objects.get().value == '"[REDACTED]"'
    assert Fact.objects.get().value == "4155 4471"


@pytest.mark.parametrize("expected", [1, ANY])
def test_a_fact_stays_sensitive_when_it_is_written_again(put, expected):
    put(value="4155", sensitive=True)
    put(value="4471", expected_version=expected)
    assert Fact.objects.get().sensitive
    assert FactChange.objects.last().value == '"[REDACTED]"'


def test_revealing_is_logged_with_who_and_why(put, project, whole):
    fact = put(value="4471", sensitive=True)
    seen = fact_reveal(project=project, pk=fact.pk, actor=UserFactory(username="mara"), reason="  ticket 7 ")
    assert seen.value == "4471"
    entry = FactChange.objects.get(kind="reveal")
    assert (entry.actor, entry.reason, entry.value) == ("mara", "ticket 7", None)
    assert whole()


def test_revealing_without_a_reason_is_refused(put, project, log):
    fact = put(sensitive=True)
    with pytest.raises(Invalid) as error:
        fact_reveal(project=project, pk=fact.pk, actor=UserFactory(), reason="  ")
    assert list(error.value.fields) == ["reason"]
    assert log() == [("write", 1)]


def test_a_fact_written_by_hand_says_by_whom(put):
    put(actor=UserFactory(username="mara"))
    assert Fact.objects.get().source == {"cause": "manual", "by": "mara"}
