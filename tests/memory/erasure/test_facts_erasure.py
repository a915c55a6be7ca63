"""Erasing everything about one user: what goes, what stays, what the receipt says, and that the log still verifies."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from constraints.models import Conversation, DeletedConversation, TraceEvent, Turn
from constraints.running.process_values import process_values_keep
from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.erasure import parts as erasure_parts
from memory.erasure import services as erasure
from memory.facts.purge import purge_expired
from memory.facts.saved_views import view_save
from memory.facts.services import fact_delete, fact_put, fact_reveal
from memory.lists.query import FactQuery
from memory.log import chain
from memory.log.verification import verify_some
from memory.models import Artifact, Block, Erasure, Fact, FactChange, SessionMeta, StoreRecord
from memory.stores import services as stores
from memory.stores.selectors import Subject
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory, UserFactory
from tests.memory.stores.kit import session_of, store_of
from web.errors import Conflict, Invalid, NotFound

INES = "ines-4711"
SAID = "zebra-quartz"
"""Stands in every value about Ines, and nowhere else."""
REASON = "request 12"


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT / "artifacts"


def facts_of_ines(put, project, people, hour):
    put(owner=INES, value=SAID, reason=f"{INES} rang")
    put(owner=INES, value={"name": SAID}, actor=people["editor"])
    name = put(owner=INES, path="user.name", value=SAID, sensitive=True)
    fact_reveal(project=project, pk=name.pk, actor=people["editor"], reason=f"a call of {INES}")
    fact_delete(project=project, pk=put(owner=INES, path="user.gone", value=SAID).pk)
    put(owner=INES, path="user.old", value=SAID, ttl="1h", now=timezone.now() - 9 * hour)
    purge_expired(now=timezone.now() + 48 * hour)
    put(scope="execution_tree", owner="s-1", path="tree.step", value=SAID)


def memories_of_ines(project, people):
    block_put(project=project, owner=INES, block_type="core", content=SAID, expected=None)
    block_put(project=project, owner=INES, block_type="core", agent_id="Desk", content=SAID, expected=None)
    store_of(project, schema={"type": "object"})
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    account = UserFactory(username=INES)
    session_of(
        project, "s-1", INES, metadata={"mail": SAID}, user_reference=SAID, session_reference=SAID, started_by=account
    )
    subject = Subject(INES, "s-1")
    stores.content_set(project=project, name="userPrefs", content={"a": SAID}, subject=subject, actor=account)
    stores.content_set(project=project, name="cart", content={"a": SAID}, subject=subject)
    stores.artifact_add(
        project=project, session="s-1", file=SimpleUploadedFile(f"{SAID}.txt", SAID.encode()), actor=account
    )
    view_save(project=project, user=people["viewer"], name="one user", query=FactQuery(scope="user", owner=INES))


def conversation_with(project, user, number=1, status="done"):
    conversation = Conversation.objects.create(project=project, number=number, user=user, version=1, session_id="s-1")
    turn = Turn.objects.create(
        conversation=conversation, index=0, message_id="start", kind="start", input={"text": SAID}, status=status
    )
    TraceEvent.objects.create(
        conversation=conversation,
        turn=turn,
        attempt=1,
        seq=1,
        kind="fact.write",
        status="ok",
        at=timezone.now(),
        data={"owner": user, "value": SAID},
    )
    process_values_keep(conversation=conversation, values={f"Desk{number}.seen": SAID})
    return turn


@pytest.fixture
def ines(put, project, people, hour):
    """A user of whom every system keeps something."""
    memories_of_ines(project, people)
    facts_of_ines(put, project, people, hour)
    conversation_with(project, INES)
    return INES


@pytest.fixture
def erase(project, people):
    """Erase a user as the owner of the project."""

    def call(owner=INES, reason=REASON, **more):
        given = {"project": project, "actor": people["owner"], **more}
        return erasure.erase_owner(owner=owner, reason=reason, **given)

    return call


def mentions(*words):
    """Table and column of every row of the memory systems and conversations that holds one of the words."""
    found = []
    with connection.cursor() as cursor:
        tables = [t for t in connection.introspection.table_names(cursor) if t.startswith(("memory_", "constraints_"))]
        assert len(tables) > 15
        for table in tables:
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                found += [
                    f"{table}.{name}"
                    for name, value in zip(names, row, strict=True)
                    if any(word in str(value) for word in words)
                ]
    return found


def test_nothing_about_the_user_is_left_anywhere(ines, erase, media, django_capture_on_commit_callbacks):
    tables = {place.split(".")[0] for place in mentions(INES, SAID)}
    assert tables >= {
        "memory_fact",
        "memory_factchange",
        "memory_block",
        "memory_storerecord",
        "memory_sessionmeta",
        "memory_artifact",
        "memory_savedview",
        "constraints_conversation",
        "constraints_turn",
        "constraints_traceevent",
        "constraints_processvalue",
        "constraints_processvaluesource",
    }
    assert len(list(media.iterdir())) == 1
    with django_capture_on_commit_callbacks(execute=True):
        erase()
    assert mentions(INES, SAID) == []
    assert list(media.iterdir()) == []


def test_the_log_verifies_afterwards_and_finds_what_is_changed_later(ines, erase, project, whole):
    half = verify_some(project=project, limit=4)
    assert half.verified_seq == 4
    erase()
    assert whole()
    assert verify_some(project=project).whole
    assert verify_some(project=project, restart=True).whole
    out = StringIO()
    call_command("verify_facts", "kiln", stdout=out)
    assert "whole" in out.getvalue()
    entry = FactChange.objects.filter(salt="", actor="editor").exclude(owner="").first()
    for column, value in [("owner", "0" * 64), ("actor", "eve"), ("reason", "x"), ("source", {"by": "eve"})]:
        kept = getattr(entry, column)
        FactChange.objects.filter(pk=entry.pk).update(**{column: value})
        assert verify_some(project=project, restart=True).broken.seq == entry.seq
        FactChange.objects.filter(pk=entry.pk).update(**{column: kept})
    assert whole()


def test_the_receipt_says_what_how_many_when_and_who(ines, erase, project, people):
    there = erasure.erasable(project=project, owner=INES)
    receipt = erase()
    assert receipt.counts == {
        "facts": 3,
        "tombstones": 1,
        "blocks": 2,
        "records": 2,
        "sessions": 1,
        "artifacts": 1,
        "conversations": 1,
        "turns": 1,
        "events": 1,
        "process_values": 1,
        "saved_views": 1,
        "log_entries": receipt.counts["log_entries"],
    }
    # The end of the session with its conversation takes the record of that session before.
    assert {**receipt.counts, "log_entries": 0} == {**there, "log_entries": 0}
    assert receipt.counts["log_entries"] > there["log_entries"] > 10
    assert (receipt.number, receipt.actor, receipt.user, receipt.reason) == (1, "owner", people["owner"], REASON)
    assert receipt.started_at <= receipt.finished_at
    assert set(erasure.erasable(project=project, owner=INES).values()) == {0}


def test_the_last_entry_of_the_log_closes_the_receipt_and_vouches_for_its_counts(ines, erase, project):
    receipt = erase()
    entry = FactChange.objects.get(project=project, kind="erase")
    assert (entry.seq, entry.path, entry.version) == (receipt.entry, "erasures/1", 1)
    assert (entry.owner, entry.actor, entry.reason) == ("", "owner", REASON)
    assert entry.value == chain.canonical(receipt.counts)
    assert entry.seq == FactChange.objects.filter(project=project).order_by("-seq").first().seq


def test_who_looked_at_values_stays_on_record(ines, erase):
    erase()
    looked = FactChange.objects.get(kind="reveal")
    assert (looked.actor, looked.path, looked.owner_erased) == ("editor", "user.name", True)


def test_others_and_other_projects_keep_what_is_theirs(ines, erase, project, put, *, whole):
    elsewhere = ProjectFactory()
    other = [
        fact_put(project=elsewhere, scope="user", owner=INES, path="user.tier", value="gold"),
        put(owner=f"{INES}2"),
        put(scope="project", owner="", path="site.open", value=True),
        put(scope="execution_tree", owner=INES, path="tree.step", value=1),
    ]
    session_of(project, "s-2", "noor", metadata={"a": 1})
    stores.content_set(project=project, name="userPrefs", content={"a": 1}, subject=Subject("noor"))
    block_put(project=project, owner="noor", block_type="core", content="x", expected=None)
    bank_put(project=project, name=INES)
    bank_write(project=project, name=INES, agent="Desk", content="1|2")
    conversation_with(project, "noor", 2)
    values = FactChange.objects.filter(owner__in=[f"{INES}2", "noor", "s-2", ""], value__isnull=False)
    before = set(values.values_list("seq", "value", "owner"))
    erase()
    assert set(Fact.objects.all()) == set(other)
    assert [Model.objects.count() for Model in (StoreRecord, SessionMeta, Block, Conversation)] == [1, 1, 1, 1]
    assert before <= set(values.values_list("seq", "value", "owner"))
    assert FactChange.objects.filter(project=elsewhere, owner=INES, value='"gold"').exists()
    # A bank and an execution tree may have the name of a user without being about that user.
    assert set(FactChange.objects.filter(project=project, owner=INES).values_list("system", "scope")) == {
        ("bank", "bank"),
        ("fact", "execution_tree"),
    }
    assert whole()
    assert whole(elsewhere)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(6))
def test_cut_off_between_two_batches_it_goes_on_with_the_same_receipt(
    ines, erase, project, whole, *, monkeypatch, batch
):
    monkeypatch.setattr(erasure_parts, "FACTS", 2)
    monkeypatch.setattr(erasure_parts, "ENTRIES", 5)
    there = erasure.erasable(project=project, owner=INES)
    done, real = [], erasure._batch

    def dies(*given):
        if len(done) == batch:
            raise RuntimeError("cut off")
        gone = real(*given)
        done.append(gone)
        return gone

    monkeypatch.setattr(erasure, "_batch", dies)
    with pytest.raises(RuntimeError):
        erase()
    cut = Erasure.objects.get()
    assert (cut.finished_at, cut.entry) == (None, None)
    assert whole()
    monkeypatch.setattr(erasure, "_batch", real)
    receipt = erase(reason="again")
    assert (receipt.pk, receipt.reason) == (cut.pk, REASON)
    assert receipt.finished_at is not None
    assert {**receipt.counts, "log_entries": 0} == {**there, "log_entries": 0}
    assert mentions(INES, SAID) == []
    assert whole()


def test_a_batch_that_fails_leaves_neither_half_a_batch_nor_a_count(ines, erase, project, monkeypatch):
    monkeypatch.setattr(erasure_parts, "owner_erase", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        erase()
    assert SessionMeta.objects.filter(user=INES).exists()
    assert Artifact.objects.exists()
    assert "sessions" not in Erasure.objects.get().counts


def test_it_stops_when_its_time_is_over_and_goes_on_when_asked_again(ines, erase, monkeypatch):
    monkeypatch.setattr(erasure_parts, "FACTS", 1)
    receipt = erase(seconds=0)
    assert receipt.finished_at is None
    calls = 1
    while receipt.finished_at is None:
        receipt = erase(seconds=0)
        calls += 1
    assert calls > 5
    assert (receipt.number, receipt.counts["facts"]) == (1, 3)
    assert mentions(INES, SAID) == []


def test_what_is_written_meanwhile_goes_too(ines, erase, put, monkeypatch, whole):
    written, real = [], erasure._closed

    def closed(*given):
        if not written:
            written.append(put(owner=INES, path="user.late", value=SAID))
        return real(*given)

    monkeypatch.setattr(erasure, "_closed", closed)
    receipt = erase()
    assert (receipt.finished_at is not None, receipt.counts["facts"]) == (True, 4)
    assert mentions(INES, SAID) == []
    assert whole()


@pytest.mark.slow
def test_somebody_who_never_stops_writing_leaves_it_unfinished(ines, erase, put, monkeypatch):
    real = erasure._closed

    def closed(*given):
        put(owner=INES, path="user.late", value=SAID)
        return real(*given)

    monkeypatch.setattr(erasure, "_closed", closed)
    assert erase().finished_at is None
    monkeypatch.setattr(erasure, "_closed", real)
    assert erase().finished_at is not None


@pytest.mark.slow
def test_it_ends_whatever_the_id_and_whatever_others_keep(put, project, people, erase):
    owners = ("4", "live", "user", "tier4", "u", "24h", "-changed", "%", "s p", "a=b&c", ".")
    each(((owner, (put, project, people, erase, owner)) for owner in owners), ends_with_one_view_gone)


@undone()
def ends_with_one_view_gone(put, project, people, erase, owner):
    put(owner=owner, value=SAID)
    narrow = {"scope": "user", "below": "user.tier4", "prefix": "user.tier4", "state": "live", "since": "24h",
              "sort": "-changed", "domain": "tier4", "agent": "Desk4", "search": "a=b&cd 100%44 live-4 s p4",
              }  # fmt: skip
    for name, text in narrow.items():
        view_save(project=project, user=people["viewer"], name=name, query=FactQuery(**{name: text}))
    view_save(project=project, user=people["viewer"], name="own", query=FactQuery(scope="user", owner=owner))
    there = erasure.erasable(project=project, owner=owner)
    receipt = erase(owner)
    assert receipt.finished_at is not None
    assert there["saved_views"] == receipt.counts["saved_views"] == 1


def test_the_user_may_come_back_and_be_erased_again_with_a_new_receipt(ines, erase, put, project, whole):
    erase()
    again = put(owner=INES, path="user.name", value=SAID)
    assert again.version == 1
    receipt = erase()
    assert (receipt.number, receipt.counts["facts"]) == (2, 1)
    assert [each.number for each in erasure.receipts_about(project=project, owner=INES)] == [2, 1]
    assert mentions(INES, SAID) == []
    assert whole()


def test_a_conversation_goes_and_only_its_number_stays(ines, erase):
    erase()
    assert not Conversation.objects.exists()
    assert DeletedConversation.objects.get().number == 1


def test_a_turn_at_work_stops_it_before_anything_goes(project, put, erase):
    put(owner=INES, value=SAID)
    turn = conversation_with(project, INES, status="running")
    with pytest.raises(Conflict, match="Cancel it"):
        erase()
    assert Fact.objects.exists()
    Turn.objects.filter(pk=turn.pk).update(status="cancelled")
    assert erase().counts["facts"] == 1


def test_an_owner_who_erases_what_is_about_the_owner_stays_named_on_the_receipt_alone(
    project, people, put, whole, erase
):
    put(owner="owner", value=SAID, actor=people["owner"])
    block_put(project=project, owner="owner", block_type="core", content=SAID, expected=None, actor=people["owner"])
    receipt = erase("owner")
    named = FactChange.objects.filter(actor="owner") | FactChange.objects.filter(user=people["owner"])
    assert [entry.seq for entry in named] == [receipt.entry]
    assert whole()


@pytest.mark.parametrize("owner", ["", "x" * 201, "a\x00b", "\ud800"])
def test_an_id_that_cannot_be_one_is_refused(project, erase, owner):
    with pytest.raises(Invalid) as refused:
        erase(owner)
    assert set(refused.value.fields) == {"owner"}


def test_a_reason_is_needed_that_does_not_name_the_user(ines, erase):
    reasons = ("", "  ", "r" * 301, "a\x00", f"{INES} asked", f"for {INES.upper()}.")
    each(((reason, (erase, reason)) for reason in reasons), is_no_reason)


def is_no_reason(erase, reason):
    with pytest.raises(Invalid) as refused:
        erase(reason=reason)
    assert set(refused.value.fields) == {"reason"}
    assert not Erasure.objects.exists()


def test_an_id_to_which_nothing_belongs_gets_no_receipt(project, erase, log):
    with pytest.raises(Invalid, match="check the spelling"):
        erase()
    assert (Erasure.objects.count(), log()) == (0, [])


def test_a_digest_is_of_one_project_and_cannot_be_made_without_the_key(project, settings):
    digest = erasure.owner_digest(project, INES)
    assert digest == erasure.owner_digest(project, INES)
    assert digest != erasure.owner_digest(ProjectFactory(), INES)
    settings.SECRET_KEY = "another"
    assert digest != erasure.owner_digest(project, INES)


def test_a_receipt_of_another_project_is_not_there(ines, erase):
    erase()
    with pytest.raises(NotFound):
        erasure.receipt_get(project=ProjectFactory(), number=1)
    with pytest.raises(NotFound):
        erasure.receipt_get(project=ProjectFactory(), number=10**20)


def test_counts_are_told_in_words_and_in_order():
    assert erasure.counted({"log_entries": 2, "facts": 1, "blocks": 0}) == [("fact", 1), ("log entries", 2)]
