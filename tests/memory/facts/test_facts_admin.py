"""Everything that is remembered in Django's admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.erasure import services as erasure
from memory.facts import saved_views as saved
from memory.lists.query import FactQuery
from memory.log import verification
from memory.models import ChainCheck, Erasure, Fact, FactChange, SavedView, StoreRecord
from memory.stores import services as stores
from memory.stores.selectors import Subject
from tests.emptying import undone
from tests.every import each
from tests.factories import UserFactory
from tests.memory.stores.kit import content_put, session_of, store_of


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
    fact = put(value="the card 4471", sensitive=True)
    for address in (reverse("admin:memory_fact_changelist"), reverse("admin:memory_fact_change", args=[fact.pk])):
        assert "the card 4471" not in admin.get(address).content.decode()


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


@pytest.fixture
def everything(project, put, people, settings, tmp_path):
    """One of each model; the record has expired, the receipt is finished, the log is verified."""
    settings.MEDIA_ROOT = tmp_path / "media"
    put(owner="leaver")
    erasure.erase_owner(project=project, owner="leaver", actor=people["owner"], reason="request 12")
    put(value="the card 4471", sensitive=True)
    saved.view_save(project=project, user=people["owner"], name="Gold", query=FactQuery(search="gold"))
    block_put(project=project, owner="ines", block_type="core", content="Likes tea", expected=None)
    bank_put(project=project, name="notes", max_lines=None)
    bank_write(project=project, name="notes", agent="Desk", content="Lisbon")
    store_of(project)
    past = timezone.now() - timedelta(days=400)
    content_put(project, {"recentOrders": ["the secret"]}, now=past)
    content_put(project, {"recentOrders": ["a"]}, subject=Subject("noor"))
    session_of(project)
    stores.artifact_add(project=project, session="s-1", file=SimpleUploadedFile("plan.txt", b"The plan"))
    verification.verify_some(project=project)


MEMORY = list(apps.get_app_config("memory").get_models())


def addresses(model):
    """List and first object of a model in the admin."""
    name = model._meta.model_name
    pk = model.objects.order_by("pk").values_list("pk", flat=True).first()
    return reverse(f"admin:memory_{name}_changelist"), reverse(f"admin:memory_{name}_change", args=[pk])


@pytest.mark.full
def test_every_model_has_a_list_with_search_and_an_object(admin, everything):
    each(((model.__name__, (admin, model)) for model in MEMORY), has_a_list_with_search_and_an_object)


def has_a_list_with_search_and_an_object(admin, model):
    listed, one = addresses(model)
    for address in (listed, f"{listed}?q=a", one):
        page = admin.get(address)
        assert page.status_code == 200, page.content[:300]
        for hidden in ("the secret", "the card 4471", "The plan"):
            assert hidden not in page.content.decode()


@pytest.mark.full
def test_nothing_is_added_or_edited_there(admin, everything):
    each(((model.__name__, (admin, model)) for model in MEMORY), is_neither_added_nor_edited)


@undone()
def is_neither_added_nor_edited(admin, model):
    _, one = addresses(model)
    before = list(model.objects.order_by("pk").values())
    assert admin.get(reverse(f"admin:memory_{model._meta.model_name}_add")).status_code == 403
    assert admin.post(one, {"reason": "x", "seq": "0"}).status_code == 403
    if model not in (Fact, SavedView):
        assert admin.post(one.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    assert list(model.objects.order_by("pk").values()) == before


def test_receipts_are_found_by_whether_they_are_finished(admin, everything):
    listed, _ = addresses(Erasure)
    assert "1 fact" in admin.get(listed, {"finished_at__isempty": "0"}).content.decode()
    assert "request 12" not in admin.get(listed, {"finished_at__isempty": "1"}).content.decode()


def test_a_log_that_is_broken_is_found(admin, everything):
    listed, _ = addresses(ChainCheck)
    assert "Kiln" in admin.get(listed, {"broken_seq__isempty": "1"}).content.decode()
    ChainCheck.objects.update(broken_seq=3, broken_why="the digest is another")
    found = admin.get(listed, {"broken_seq__isempty": "0"}).content.decode()
    assert "the digest is another" in found


def test_who_was_erased_is_no_digest_in_the_log(admin, everything):
    listed, _ = addresses(FactChange)
    assert "an erased user" in admin.get(listed).content.decode()


def test_records_say_how_long_they_have_and_are_filtered_by_it(admin, everything):
    listed, _ = addresses(StoreRecord)
    live = admin.get(listed, {"state": "live"}).content.decode()
    assert "30d 0h" in live or "29d 23h" in live
    expired = admin.get(listed, {"state": "expired"}).content.decode()
    assert "not readable" in expired
    assert "noor" not in expired


def test_a_member_with_saved_views_can_still_be_deleted(admin, everything):
    view = SavedView.objects.get()
    other = UserFactory(username="leaving")
    SavedView.objects.filter(pk=view.pk).update(user=other)
    admin.post(reverse("admin:editor_user_delete", args=[other.pk]), {"post": "yes"})
    assert not SavedView.objects.exists()
