"""What a session carries: metadata that only the API writes, and what the system knows of it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memory.models import FactChange, SessionMeta
from memory.stores import selectors, services
from memory.stores.selectors import Subject
from tests.memory.stores.kit import session_of
from web.errors import Conflict, Invalid, NotFound

INFO = {"sessionId", "appId", "sessionReference", "userReference", "userId", "runId", "timestamp"}


@pytest.fixture
def content(project):
    """The content of ``sessionMeta`` of the session s-1."""

    def get():
        subject = Subject("ines", "s-1")
        return selectors.content_now(project=project, name="sessionMeta", subject=subject, now=timezone.now())

    return get


def test_it_holds_what_the_caller_passed_and_what_the_system_knows(project, people, content):
    session_of(
        project,
        metadata={"channel": "mobile_app", "customerTier": "premium"},
        session_reference="ticket 12",
        user_reference="crm-7",
        started_by=people["editor"],
        run="r-1",
    )
    found = content()
    assert found["metadata"] == {"channel": "mobile_app", "customerTier": "premium"}
    assert found["artifacts"] == []
    assert set(found["sessionInfo"]) == INFO
    stamp = found["sessionInfo"].pop("timestamp")
    assert stamp.endswith("Z")
    assert found["sessionInfo"] == {
        "sessionId": "s-1",
        "appId": "kiln",
        "sessionReference": "ticket 12",
        "userReference": "crm-7",
        "userId": "ines",
        "runId": "r-1",
    }


def test_a_session_that_begins_twice_stays_as_it_was(project, content):
    session_of(project, metadata={"a": 1})
    session_of(project, user="noor", metadata={"b": 2})
    assert content()["metadata"] == {"a": 1}
    assert content()["sessionInfo"]["userId"] == "ines"


def test_metadata_is_merged_or_replaced_and_logged(project, people, content, log, whole):
    session_of(project, metadata={"a": {"x": 1}})
    services.metadata_set(project=project, session="s-1", metadata={"a": {"y": 2}}, actor=people["editor"])
    assert content()["metadata"] == {"a": {"x": 1, "y": 2}}
    services.metadata_set(project=project, session="s-1", metadata={"b": 1}, merge=False, actor=people["editor"])
    assert content()["metadata"] == {"b": 1}
    assert log() == [("write", 1), ("write", 2), ("write", 3)]
    change = FactChange.objects.order_by("seq").last()
    assert (change.system, change.scope, change.owner, change.path) == ("record", "session", "s-1", "sessionMeta")
    assert change.actor == people["editor"].username
    assert whole()


@pytest.mark.parametrize(
    ("metadata", "words"),
    [([], "give an object"), ({"a": "\x00"}, "cannot be stored"), ({"a": "x" * 70_000}, "at most 65,536 are stored")],
)
def test_metadata_that_cannot_be_stored_is_refused(project, content, metadata, words):
    session_of(project, metadata={"a": 1})
    with pytest.raises(Invalid) as refused:
        services.metadata_set(project=project, session="s-1", metadata=metadata)
    assert words in refused.value.fields["metadata"]
    assert content()["metadata"] == {"a": 1}


def test_a_reference_that_is_too_long_is_refused(project):
    with pytest.raises(Invalid) as refused:
        session_of(project, user_reference="x" * 201)
    assert "user_reference" in refused.value.fields


def test_metadata_ends_with_its_session(project, content, now, whole):
    session_of(project, metadata={"email": "ines@example.org"})
    services.session_end(project=project, session="s-1", now=now)
    assert content()["metadata"] == {}
    assert SessionMeta.objects.get().metadata is None
    end = FactChange.objects.get(kind="expire")
    assert (end.path, end.at, end.reason) == ("sessionMeta", now, "the session ended")
    assert not FactChange.objects.filter(value__isnull=False).exists()
    with pytest.raises(Conflict) as refused:
        services.metadata_set(project=project, session="s-1", metadata={})
    assert refused.value.code == "session-ended"
    assert whole()


def test_a_session_ends_once(project, now, log):
    session_of(project, metadata={"a": 1})
    services.session_end(project=project, session="s-1", now=now)
    services.session_end(project=project, session="s-1", now=now)
    assert log() == [("write", 1), ("expire", 1)]


def test_a_session_that_is_not_there(project, content):
    with pytest.raises(NotFound):
        content()
    with pytest.raises(NotFound):
        services.metadata_set(project=project, session="s-1", metadata={})


def test_session_meta_needs_a_session(project):
    with pytest.raises(Invalid) as refused:
        selectors.content_now(project=project, name="sessionMeta", subject=Subject("ines"), now=timezone.now())
    assert "session_id" in refused.value.fields
