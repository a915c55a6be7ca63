"""Facts in Django's admin."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import Fact, FactChange
from tests.factories import UserFactory


@pytest.fixture
def admin(db):
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    return client


@pytest.mark.parametrize("model", ["fact", "factchange", "changehead"])
def test_lists_and_objects_open(admin, put, model):
    put(ttl="90d")
    put(path="user.name")
    assert admin.get(reverse(f"admin:memory_{model}_changelist")).status_code == 200
    pk = {"fact": Fact, "factchange": FactChange}.get(model, FactChange).objects.first()
    pk = pk.project_id if model == "changehead" else pk.pk
    assert admin.get(reverse(f"admin:memory_{model}_change", args=[pk])).status_code == 200


@pytest.mark.parametrize(
    ("state", "shown"), [("live", True), ("expiring", True), ("expired", False), ("forever", False)]
)
def test_facts_are_filtered_by_state_and_found_by_path(admin, put, state, shown):
    put(ttl="30m")
    found = admin.get(reverse("admin:memory_fact_changelist"), {"state": state, "q": "user.t"}).content.decode()
    assert ("user.tier" in found) == shown


def test_the_time_left_is_a_column(admin, put):
    put(ttl="30m")
    found = admin.get(reverse("admin:memory_fact_changelist")).content.decode()
    assert "29m" in found or "30m 0s" in found
    assert "(soon)" in found


def test_sensitive_values_are_masked(admin, put):
    fact = put(value="4471", sensitive=True)
    for address in (reverse("admin:memory_fact_changelist"), reverse("admin:memory_fact_change", args=[fact.pk])):
        assert "4471" not in admin.get(address).content.decode()


def test_deleting_goes_through_the_log(admin, put, log, whole):
    facts = [put(), put(path="user.name")]
    data = {"action": "delete_selected", "_selected_action": [fact.pk for fact in facts], "post": "yes"}
    admin.post(reverse("admin:memory_fact_changelist"), data)
    assert not Fact.objects.exists()
    assert sorted(log()) == [("delete", 1), ("delete", 1), ("write", 1), ("write", 1)]
    assert FactChange.objects.filter(actor="root").count() == 2
    assert whole()


@pytest.mark.parametrize("model", ["factchange", "changehead"])
def test_the_log_cannot_be_changed(admin, put, model):
    put()
    assert admin.get(reverse(f"admin:memory_{model}_add")).status_code == 403
    pk = FactChange.objects.get().pk if model == "factchange" else Fact.objects.get().project_id
    assert admin.post(reverse(f"admin:memory_{model}_delete", args=[pk]), {"post": "yes"}).status_code == 403
    assert admin.post(reverse(f"admin:memory_{model}_change", args=[pk]), {"reason": "x"}).status_code == 403
    assert FactChange.objects.count() == 1


def test_a_fact_cannot_be_edited_past_the_log(admin, put):
    fact = put()
    assert admin.get(reverse("admin:memory_fact_add")).status_code == 403
    assert admin.post(reverse("admin:memory_fact_change", args=[fact.pk]), {"path": "user.x"}).status_code == 403
