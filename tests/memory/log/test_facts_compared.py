"""The rows of facts against the log: what was changed, removed or added by hand is told, and nothing else is."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from abl.runtime.ports import FactWrite
from memory.erasure import parts as erasure_parts
from memory.erasure import services as erasure
from memory.facts import purge
from memory.facts.revising import fact_restore, fact_retime, facts_delete_found
from memory.facts.services import fact_delete, fact_expire, fact_reveal, facts_commit
from memory.lists.query import FactQuery
from memory.log import comparison, verification
from memory.log.comparison import differences
from memory.log.verification import verify_some
from memory.models import ChainCheck, Fact, FactChange
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory


def told(project):
    return [(each.fact, each.why) for each in differences(project)]


@pytest.fixture
def facts(put, now):
    """A few facts whose log is longer than they are."""
    put(path="user.first", value=1)
    put(path="user.first", value={"b": 1, "a": [1.0, None, "é"]}, expected_version=1)
    put(path="user.card", value="4111 1111", sensitive=True)
    put(path="user.code", value="soon", ttl="90d")
    return {fact.path: fact for fact in Fact.objects.all()}


def test_what_services_do_is_what_the_log_says(put, project, people, facts, now):
    one, card, code = (facts[f"user.{name}"] for name in ("first", "card", "code"))
    put(path="user.card", value="4222", expected_version=1)
    put(path="user.card", value="4333", sensitive=None)
    fact_reveal(project=project, pk=card.pk, actor=people["owner"], reason="ticket")
    fact_retime(project=project, pk=card.pk, ttl="1h")
    fact_restore(project=project, pk=one.pk, seq=1)
    fact_expire(project=project, pk=code.pk)
    put(path="user.gone")
    fact_delete(project=project, pk=put(path="user.gone").pk)
    put(path="user.old", ttl="1s", now=now)
    put(path="user.old", value="again", now=now + timedelta(days=1))
    put(path="user.over", ttl="1s", now=now)
    facts_delete_found(project=project, query=FactQuery(scope="user", owner="nobody"))
    at = timezone.now()
    origin = {"agent": "Desk", "turn": 1}
    writes = [
        FactWrite("user", "u2", "user.pin", "1234", "string", None, None, at, None, origin),
        FactWrite("user", "u2", "user.gone", "x", "string", None, None, at, None, origin),
        FactWrite("user", "u2", "user.gone", None, "null", None, None, at, None, origin, delete=True),
        FactWrite("project", "", "project.rate", 2.50, "number", 3600, "1h", at, at + timedelta(hours=1), origin),
    ]
    facts_commit(project=project, writes=writes, conversation=3, sensitive={"user.pin": {"how": "mask"}})
    assert told(project) == []
    purge.purge_expired(now=at + timedelta(days=2))
    assert told(project) == []
    purge.drop_tombstones(now=at + timedelta(days=4000))
    assert not Fact.objects.filter(path="user.over").exists()
    assert told(project) == []


BY_HAND = [
    ("value", "platinum", "the value is not the one that was written"),
    ("version", 9, "the version is not as written"),
    ("type", "number", "the type is not as written"),
    ("ttl", "9d", "the time to live is not as written"),
    ("expires_at", None, "the expiry is not as written"),
    ("sensitive", True, "whether it is sensitive is not as written"),
    ("source", {"cause": "manual", "by": "eve"}, "the source is not as written"),
    ("agent", "Eve", "the agent or the domain that it is listed under is not its own"),
    ("domain", "other", "the agent or the domain that it is listed under is not its own"),
    ("recorded_at", timezone.now(), "the time of recording is not as written"),
    ("purged_at", timezone.now(), "its value was removed, and the log doesn't record it"),
]


def test_a_row_that_was_changed_by_hand_is_told(facts, project):
    each(((change[0], (facts, project, *change)) for change in BY_HAND), is_told)


@undone()
def is_told(facts, project, column, value, why):
    Fact.objects.filter(path="user.code").update(**{column: value})
    assert told(project) == [(facts["user.code"].pk, why)]


def test_a_row_that_was_removed_is_told_by_its_entry(facts, project):
    entry = FactChange.objects.get(path="user.first", version=2)
    Fact.objects.filter(path="user.first").delete()
    found = list(differences(project))
    assert [(each.fact, each.seq) for each in found] == [(None, entry.seq)]
    assert found[0].why == "the fact is missing, and the log doesn't record why"


def test_a_row_that_was_added_is_told(facts, project):
    fact = facts["user.first"]
    fact.pk, fact.path = None, "user.smuggled"
    fact.save()
    assert told(project) == [(fact.pk, "the log has no entry about it")]


def test_another_owner_is_a_row_too_many_and_one_too_few(facts, project):
    Fact.objects.filter(path="user.first").update(owner="eve")
    assert [why for _, why in told(project)] == [
        "the log has no entry about it",
        "the fact is missing, and the log doesn't record why",
    ]


def test_a_row_of_a_deleted_or_ended_fact_is_told(facts, project, put):
    kept = Fact.objects.get(path="user.first")
    fact_delete(project=project, pk=kept.pk)
    kept.save(force_insert=True)
    ended = Fact.objects.get(path="user.code")
    fact_expire(project=project, pk=ended.pk)
    Fact.objects.filter(pk=ended.pk).update(value="back", purged_at=None, expires_at=None)
    whys = dict(told(project))
    assert whys == {
        kept.pk: f"entry {FactChange.objects.get(kind='delete').seq} records that it was deleted",
        ended.pk: f"entry {FactChange.objects.get(kind='expire').seq} records that it expired",
    }


def test_a_sensitive_value_is_told_though_its_mask_is_the_same(facts, project):
    Fact.objects.filter(path="user.card").update(value="4999 9999")
    why = "the value is not the one that was sealed, or the installation has another secret key"
    assert told(project) == [(facts["user.card"].pk, why)]
    Fact.objects.filter(path="user.card").update(seal="")
    assert told(project) == [(facts["user.card"].pk, why)]


def test_a_seal_of_an_earlier_value_fits_no_more(facts, project, put):
    before = Fact.objects.get(path="user.card")
    put(path="user.card", value="4222", expected_version=1)
    Fact.objects.filter(path="user.card").update(value=before.value, seal=before.seal)
    assert len(told(project)) == 1


def test_a_new_secret_key_keeps_the_seals_of_the_one_before(facts, project, settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert told(project) == []
    settings.SECRET_KEY_FALLBACKS = []
    assert len(told(project)) == 1


def test_a_value_that_the_log_lost_is_told(facts, project):
    FactChange.objects.filter(path="user.first").update(value=None, nonce="")
    assert told(project) == [(facts["user.first"].pk, "the log no longer has a value for it")]


def test_whoever_writes_meanwhile_is_no_difference(facts, project, put, monkeypatch):
    judged = comparison._judged

    def late(found):
        found = list(found)
        monkeypatch.setattr(comparison, "_judged", judged)
        put(path="user.first", value="new")
        Fact.objects.filter(path="user.code").update(value="bad")
        for fact in found:
            fact.value = "as it was read while somebody wrote"
        return judged(found)

    monkeypatch.setattr(comparison, "_judged", late)
    assert told(project) == [(facts["user.code"].pk, "the value is not the one that was written")]


def test_an_erased_user_leaves_no_difference_at_any_moment(put, project, people, monkeypatch):
    for number in range(6):
        put(owner="ines", path=f"user.n{number % 3}", value=number)
    put(owner="other")
    monkeypatch.setattr(erasure_parts, "ENTRIES", 1)
    monkeypatch.setattr(erasure_parts, "FACTS", 1)
    mark, seen = erasure_parts._mark, []

    def looked(found, *, limit=None):
        done = mark(found, limit=limit)
        seen.append(told(project))
        return done

    monkeypatch.setattr(erasure_parts, "_mark", looked)
    erasure.erase_owner(project=project, owner="ines", actor=people["owner"], reason="request 7")
    assert len(seen) > 6
    assert seen == [[]] * len(seen)
    assert verify_some(project=project, restart=True).holds


def test_projects_are_apart(facts, project, put):
    other = ProjectFactory()
    put(project=other)
    Fact.objects.filter(project=other).update(value="x")
    assert told(project) == []
    assert len(told(other)) == 1


def test_it_reads_piece_by_piece_in_few_statements(project, put, monkeypatch):
    for number in range(25):
        put(path=f"user.n{number}")
    monkeypatch.setattr(comparison.rows_compared, "__kwdefaults__", {"limit": 10})
    monkeypatch.setattr(comparison.entries_compared, "__kwdefaults__", {"limit": 10})
    Fact.objects.filter(path__in=["user.n3", "user.n17"]).delete()
    with CaptureQueriesContext(connection) as queries:
        found = list(differences(project))
    assert [each.seq for each in found] == [4, 18]
    assert len(queries) <= 3 * 2 + 3 * 2 + 2


def test_a_step_goes_on_where_the_last_one_stopped(project, put, monkeypatch):
    for number in range(5):
        put(path=f"user.n{number}")
    Fact.objects.filter(path="user.n1").update(value="x")
    first = verify_some(project=project, rows=2)
    assert (first.whole, first.compared, first.compared_at, first.differing, first.over) == (True, 2, None, 1, False)
    second = verify_some(project=project, rows=2, afresh=False)
    assert (second.compared, second.over) == (4, False)
    last = verify_some(project=project, rows=2, afresh=False)
    assert (last.compared, last.over, last.holds, last.differing) == (5, True, False, 1)
    same = verify_some(project=project, afresh=False)
    assert (same.compared, same.compared_at) == (5, last.compared_at)
    Fact.objects.filter(path="user.n1").update(value="gold")
    assert verify_some(project=project).holds


def test_a_broken_chain_does_not_keep_from_comparing(facts, project):
    FactChange.objects.filter(seq=2).update(actor="eve")
    Fact.objects.filter(path="user.code").update(value="x")
    state = verify_some(project=project)
    assert (state.broken.seq, state.differing, state.over) == (2, 1, True)


def test_no_more_differences_are_kept_than_are_shown(facts, project, monkeypatch):
    monkeypatch.setattr(verification, "KEPT", 2)
    Fact.objects.update(version=9)
    state = verify_some(project=project)
    assert (state.differing, len(state.differences)) == (3, 2)


def test_the_page_names_what_differs_with_links_and_no_values(facts, project, see, send, at):
    assert "not verified yet, newest entry 4" in see("facts")
    Fact.objects.filter(path="user.card").update(value="secret 77")
    Fact.objects.filter(path="user.first").delete()
    text = send("verify", role="viewer")
    assert "2 facts differ from the log" in text
    assert f'href="{at("fact", facts["user.card"].pk)}">user.card</a>' in text
    assert f'href="{at("changes")}?before=3">user.first</a>' in text
    assert "secret 77" not in text
    assert "4111" not in text
    assert "2 facts differ from the log" in see("facts")
    assert "u1" not in str(ChainCheck.objects.values().get())


def test_the_status_bar_says_what_was_verified_and_when(facts, project, put, send, see):
    text = send("verify")
    assert "3 facts match the log" in text
    put(path="user.later")
    at = ChainCheck.objects.get().compared_at
    assert f"Change log verified to entry 4 of 5, facts compared {at:%-d %b, %H:%M}" in see("facts")


def test_the_command_names_what_differs_and_ends_with_1(facts, project):
    Fact.objects.filter(path="user.card").update(value="secret 77")
    Fact.objects.filter(path="user.first").delete()
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_facts", "kiln", stdout=out)
    assert ended.value.code == 1
    text = out.getvalue()
    assert "kiln: 4 entries, whole" in text
    assert f"fact {facts['user.card'].pk} (user.card): the value is not the one that was sealed" in text
    assert "entry 2 (user.first): the fact is missing" in text
    assert "kiln: 2 differ from the log" in text
    assert "secret 77" not in text
