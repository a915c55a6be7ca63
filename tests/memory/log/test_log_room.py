"""The log takes room on the disk, and bounds what memory may write."""

from __future__ import annotations

import pytest

from memory.facts.services import fact_delete
from memory.log import room
from memory.models import ChangeHead, Fact, FactChange
from tests.factories import ProjectFactory
from web.errors import TooLarge

TEXT = "x" * 100_000
ENTRY = room.ENTRY_BYTES


def taken(project):
    return ChangeHead.objects.values_list("stored_bytes", flat=True).get(project=project)


def test_what_is_written_counts_with_its_entry(project, put):
    put(value=TEXT)
    assert taken(project) == len(TEXT) + 2 + ENTRY
    put(value="é")
    assert taken(project) == len(TEXT) + 2 + len('"é"'.encode()) + 2 * ENTRY


def test_memory_takes_no_more_than_its_project_may(project, put, settings, whole):
    settings.PROJECT_MEMORY_MB = 0.3
    put(value=TEXT)
    put(value=TEXT, path="user.other")
    with pytest.raises(TooLarge) as refused:
        put(value=TEXT, path="user.third")
    words = refused.value.fields["value"]
    told = "has 100,002 bytes; values and changes in the memory of the project take 201,028 of 300,000"
    assert refused.value.code == "quota-exceeded"
    assert words.startswith(told)
    assert "makes room within the hour, or have ABL_PROJECT_MEMORY_MB raised" in words
    assert (Fact.objects.count(), FactChange.objects.count()) == (2, 2)
    assert whole()
    put(value=TEXT, project=ProjectFactory())


def test_without_room_facts_can_be_deleted_and_the_log_is_counted_anew(project, put, settings):
    settings.PROJECT_MEMORY_MB = 0.1012
    fact = put(value=TEXT)
    with pytest.raises(TooLarge):
        put(value=TEXT)
    fact_delete(project=project, pk=fact.pk)
    assert taken(project) == len(TEXT) + 2 + 2 * ENTRY
    assert room.recount() == 1
    assert taken(project) == 2 * ENTRY
    put(value="y" * 90_000)


def test_logs_far_from_their_quota_are_not_counted_anew(project, put, settings):
    settings.PROJECT_MEMORY_MB = 1
    put(value=TEXT)
    assert room.recount() == 0
