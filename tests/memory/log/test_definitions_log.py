"""Definitions of stores and banks in the log: made, changed and deleted by whom, also when a turn makes a bank."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from memory.banks import services as banks
from memory.models import Bank, FactChange, StoreDefinition
from memory.stores import services
from tests.memory.stores.kit import content_put, store_of


@pytest.fixture
def entries(project):
    """System, kind, name, version, actor and what was defined, oldest first."""

    def read():
        found = FactChange.objects.filter(project=project, system__in=("store", "banks")).order_by("seq")
        return [
            (e.system, e.kind, e.path, e.version, e.actor, json.loads(e.value) if e.value is not None else None)
            for e in found
        ]

    return read


def test_a_store_is_logged_with_who_made_changed_and_deleted_it(project, people, entries, whole):
    owner = people["owner"]
    store_of(project, "prefs", actor=owner)
    change = {"project": project, "technical_name": "prefs", "actor": owner}
    services.store_update(**change, changes={"strict": True})
    services.store_update(**change, changes={"strict": True})
    content_put(project, {}, name="prefs")
    services.store_delete(project=project, technical_name="prefs", expected_records=1, actor=owner, reason="not needed")
    first, second, last = entries()
    assert first[:5] == ("store", "write", "prefs", 1, owner.username)
    assert (first[5]["strict"], second[5]["strict"], second[3]) == (False, True, 2)
    assert last == ("store", "delete", "prefs", 2, owner.username, None)
    assert FactChange.objects.get(system="store", kind="delete").reason == "not needed"
    assert whole()


def test_an_import_logs_each_store(project, people, entries):
    data = {"stores": [{"technical_name": "a", "schema": {"type": "object"}, "access": "user", "retention": "1_day"}]}
    services.definitions_import(project=project, data=data, actor=people["editor"])
    services.definitions_import(project=project, data=data, actor=people["editor"])
    assert [entry[:5] for entry in entries()] == [("store", "write", "a", 1, people["editor"].username)]


def test_a_bank_is_logged_with_its_bound(project, people, entries, whole):
    owner = people["owner"]
    banks.bank_create(project=project, name="desk", max_lines=3, actor=owner)
    banks.bank_put(project=project, name="desk", max_lines=3, actor=owner)
    banks.bank_put(project=project, name="desk", max_lines=None, actor=owner)
    banks.bank_delete(project=project, name="desk", actor=owner, reason="over")
    banks.bank_create(project=project, name="desk", actor=owner)
    assert entries() == [
        ("banks", "write", "desk", 1, owner.username, {"name": "desk", "max_lines": 3}),
        ("banks", "write", "desk", 2, owner.username, {"name": "desk", "max_lines": None}),
        ("banks", "delete", "desk", 2, owner.username, None),
        ("banks", "write", "desk", 3, owner.username, {"name": "desk", "max_lines": None}),
    ]
    assert whole()


def test_a_bank_that_a_turn_makes_names_the_turn(project, entries):
    source = {"conversation": 3, "turn": 1, "agent": "Desk"}
    write = banks.BankWrite("Desk", "one", timezone.now(), source)
    banks.bank_commit(project=project, name="fresh", writes=[write])
    assert [entry[:4] for entry in entries()] == [("banks", "write", "fresh", 1)]
    assert FactChange.objects.get(system="banks").source == source


def test_the_pages_show_what_happened_to_a_definition(project, people, see):
    store_of(project, "prefs", actor=people["owner"])
    services.store_update(project=project, technical_name="prefs", changes={"name": "Wishes"}, actor=people["editor"])
    text = see("store", "prefs")
    assert "History of the definition" in text
    assert '"name": "Wishes"' in text
    assert people["editor"].username in text
    banks.bank_seed(
        project=project, name="desk", agent="Desk", content="x", max_lines=4, actor=people["owner"], reason=""
    )
    entry = Bank.objects.get().entries.get()
    assert "History of the bank" in see("bank-text", entry.pk)
    assert "store definition" in see("changes")


def test_who_uses_the_api_is_named(project, as_role, people, entries):
    client = as_role("editor")
    given = {"technical_name": "a", "schema": {"type": "object"}, "access": "user", "retention": "1_day"}
    made = client.post("/api/v1/projects/kiln/stores/", given, content_type="application/json")
    assert made.status_code == 201, made.content
    client.patch("/api/v1/projects/kiln/stores/a/", {"name": "New"}, content_type="application/json")
    client.delete("/api/v1/projects/kiln/stores/a/")
    assert {entry[4] for entry in entries()} == {people["editor"].username}
    assert [entry[1] for entry in entries()] == ["write", "write", "delete"]
    assert not StoreDefinition.objects.exists()
