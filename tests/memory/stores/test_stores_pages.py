"""Pages of stores: what they show, what their forms do, how they refuse."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from memory.models import Artifact, StoreDefinition, StoreRecord
from memory.stores import services
from memory.stores.selectors import Subject
from tests.memory.stores.kit import PREFERENCES, session_of, store_of

HTMX = {"HX-Request": "true"}
FORM = {"name": "Cart", "access": "session", "retention": "session", "description": "", "schema": '{"type": "object"}'}


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def client(as_role):
    return as_role("editor")


def at(name, *arguments):
    return reverse(f"memory:{name}", args=["kiln", *arguments])


def words(answer):
    return answer.content.decode()


def test_without_stores_the_page_offers_one_from_an_example(client, as_role, project):
    page = words(client.get(at("stores")))
    assert "No stores yet" in page
    assert "Create one from an example" in page
    assert "Create one from an example" not in words(as_role("viewer").get(at("stores")))
    assert "recentOrders" in words(client.get(at("store-new")))


def test_the_list_names_each_store_with_its_records_and_flags(client, project):
    store_of(project, strict=True)
    store_of(project, "flags", access="application")
    services.content_set(project=project, name="flags", content={"recentOrders": 5}, subject=Subject())
    page = words(client.get(at("stores")))
    for text in ("userPrefs", "sessionMeta", "strict", "1 flagged", "1 month", "until the session ends"):
        assert text in page


def test_a_store_is_defined_by_the_form(client, project):
    answer = client.post(at("store-new"), {**FORM, "technical_name": "cart", "strict": "1"})
    assert (answer.status_code, answer.url) == (302, at("store", "cart"))
    store = StoreDefinition.objects.get()
    assert (store.access, store.retention, store.strict, store.schema) == (
        "session",
        "session",
        True,
        {"type": "object"},
    )


def test_htmx_is_sent_on_or_told_what_is_wrong(client, project):
    answer = client.post(at("store-new"), {**FORM, "technical_name": "cart"}, headers=HTMX)
    assert (answer.status_code, answer["HX-Redirect"]) == (204, at("store", "cart"))
    for changes, said in (
        ({"technical_name": "a b"}, "is not an identifier"),
        ({"schema": '{"type": "array"}'}, "at /type: "),
        ({"schema": "{"}, "is not valid JSON (line 1, column 2)"),
        ({"technical_name": "cart"}, "unique in a project"),
    ):
        refused = client.post(at("store-new"), {**FORM, "technical_name": "other", **changes}, headers=HTMX)
        assert refused.status_code in (400, 409)
        assert said in words(refused)


def test_a_definition_is_saved_over_the_version_that_was_read(client, project):
    store_of(project)
    page = words(client.get(at("store", "userPrefs")))
    assert 'name="version" value="1"' in page
    saved = {**FORM, "access": "user", "name": "Tastes", "schema": json.dumps(PREFERENCES), "version": "1"}
    assert client.post(at("store-edit", "userPrefs"), saved).status_code == 302
    assert StoreDefinition.objects.get().name == "Tastes"
    assert client.post(at("store-edit", "userPrefs"), saved).status_code == 409
    assert client.post(at("store-edit", "userPrefs"), {**saved, "version": "x"}).status_code == 400


def test_who_may_not_change_it_reads_it(as_role, project):
    store_of(project)
    page = words(as_role("viewer").get(at("store", "userPrefs")))
    assert "readonly" in page
    assert "Save" not in page


def test_deleting_names_how_many_records_go(client, project):
    store_of(project)
    for owner in ("ines", "noor"):
        services.content_set(project=project, name="userPrefs", content={}, subject=Subject(owner))
    page = words(client.get(at("store-delete", "userPrefs")))
    assert "<strong>2 records</strong> will be deleted" in page
    assert "Delete the store and 2 records" in page
    services.content_set(project=project, name="userPrefs", content={}, subject=Subject("late"))
    assert client.post(at("store-delete", "userPrefs"), {"records": "2"}).status_code == 409
    assert client.post(at("store-delete", "userPrefs"), {"records": "3"}).status_code == 302
    assert not StoreDefinition.objects.exists()


def test_the_preview_says_what_is_wrong_by_pointer(client, project):
    bad = {"type": "object", "properties": {"a": {"type": "strng"}}}
    page = words(client.post(at("store-preview"), {"schema": json.dumps(bad)}, headers=HTMX))
    assert "1 problem in the schema" in page
    assert "<code>/properties/a/type</code>" in page
    assert "line 2, column 1" in words(client.post(at("store-preview"), {"schema": "{\n"}))


def test_the_preview_shows_a_form_and_examples(client, project):
    page = words(client.post(at("store-preview"), {"schema": json.dumps(PREFERENCES)}, headers=HTMX))
    assert "The schema is valid" in page
    for name in ("/preferences/language", "/preferences/notifications", "/recentOrders", "/lastVisit"):
        assert f'name="field:{name}"' in page
    assert "Every field" in page
    assert "2026-03-01T09:30:00Z" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"/preferences/language": "en", "/preferences/notifications": "true"}, "Matches the schema"),
        ({"/lastVisit": "soon"}, "&quot;soon&quot; is not a &quot;date-time&quot;"),
        ({"/preferences/notifications": "perhaps"}, "is not valid JSON"),
    ],
)
def test_a_filled_form_is_held_against_the_schema(client, project, fields, said):
    sent = {"schema": json.dumps(PREFERENCES), **{f"field:{name}": value for name, value in fields.items()}}
    assert said in words(client.post(at("store-preview") + "?try=1", sent, headers=HTMX))


def test_names_in_a_schema_are_shown_as_text(client, project):
    schema = {"type": "object", "properties": {"<script>alert(1)</script>": {"type": "string", "title": "<b>x</b>"}}}
    page = words(client.post(at("store-preview"), {"schema": json.dumps(schema)}, headers=HTMX))
    assert "<script>" not in page
    assert "<b>x</b>" not in page


def test_definitions_are_downloaded_and_taken_over(client, project):
    store_of(project)
    answer = client.get(at("stores-export"))
    assert answer["Content-Disposition"] == 'attachment; filename="kiln-stores.json"'
    StoreDefinition.objects.all().delete()
    file = SimpleUploadedFile("stores.json", answer.content)
    assert "1 created, 0 changed, 0 unchanged" in words(client.post(at("stores-import"), {"file": file}))
    assert StoreDefinition.objects.get().technical_name == "userPrefs"


@pytest.mark.parametrize(
    ("data", "said"), [(b"{", "is not valid JSON"), (b"[]", "stores"), (b'{"stores": [{}]}', "stores[0].schema")]
)
def test_a_file_that_cannot_be_taken_over_says_why(client, project, data, said):
    answer = client.post(at("stores-import"), {"file": SimpleUploadedFile("x.json", data)}, headers=HTMX)
    assert answer.status_code == 400
    assert said in words(answer)
    assert client.post(at("stores-import"), headers=HTMX).status_code == 400


def test_records_are_listed_filtered_and_paged(client, project, monkeypatch, now):
    monkeypatch.setattr("memory.stores.record_views.SIZE", 2)
    store_of(project)
    for n in range(5):
        content = {"recentOrders": n if n == 1 else []}
        services.content_set(project=project, name="userPrefs", content=content, subject=Subject(f"user-{n}"))
    old = now - timedelta(days=400)
    services.content_set(project=project, name="userPrefs", content={}, subject=Subject("past"), now=old)
    page = words(client.get(at("records")))
    assert "past" in page
    assert "user-4" in page
    assert "user-3" not in page
    older = page.split('rel="next" href="')[1].split('"')[0]
    assert "user-3" in words(client.get(at("records") + older))
    flagged = words(client.get(at("records"), {"flagged": "1"}))
    assert "user-1" in flagged
    assert "user-4" not in flagged
    assert "past" in words(client.get(at("records"), {"state": "expired", "owner": "past"}))
    assert "No records here" in words(client.get(at("records"), {"owner": "nobody"}))


@pytest.mark.parametrize(
    ("query", "status"),
    [({"state": "dead"}, 400), ({"before": "x"}, 400), ({"owner": "a\x00"}, 400), ({"store": "nothing"}, 404)],
)
def test_a_list_that_makes_no_sense_is_refused(client, project, query, status):
    assert client.get(at("records"), query).status_code == status


def test_a_record_shows_its_content_errors_and_history(client, project, people):
    store_of(project)
    given = {"project": project, "name": "userPrefs", "subject": Subject("ines"), "actor": people["owner"]}
    services.content_set(**given, content={"recentOrders": ["a"]})
    record = services.content_set(**given, content={"recentOrders": 5}, reason="ticket 12")
    page = words(client.get(at("record", record.pk)))
    for text in (
        "Doesn't match the schema of its store",
        "/recentOrders",
        "5 is of type number",
        "Version 2",
        "ticket 12",
    ):
        assert text in page
    assert 'class="minus"' in page
    assert people["owner"].username in page


def test_an_expired_record_shows_no_content(client, project, now):
    store_of(project)
    old = now - timedelta(days=400)
    record = services.content_set(
        project=project, name="userPrefs", content={"recentOrders": ["secret"]}, subject=Subject("ines"), now=old
    )
    page = words(client.get(at("record", record.pk)))
    assert "secret" not in page.split("History")[0]
    assert "no longer readable" in page


def test_a_record_is_edited_and_deleted_by_its_version(client, project):
    store_of(project)
    record = services.content_set(project=project, name="userPrefs", content={}, subject=Subject("ines"))
    edit, delete = at("record-edit", record.pk), at("record-delete", record.pk)
    assert client.post(edit, {"content": '{"recentOrders": ["x"]}', "version": "1"}).status_code == 302
    assert StoreRecord.objects.get().content == {"recentOrders": ["x"]}
    assert client.post(edit, {"content": "{}", "version": "1"}).status_code == 409
    assert "is not valid JSON" in words(client.post(edit, {"content": "{", "version": "2"}, headers=HTMX))
    assert client.post(delete, {"version": "1"}).status_code == 409
    gone = client.post(delete, {"version": "2", "reason": "asked"})
    assert (gone.status_code, gone.url) == (302, f"{at('records')}?store=userPrefs")
    assert not StoreRecord.objects.exists()


def test_a_session_shows_metadata_files_and_records(client, project):
    session_of(project, metadata={"channel": "mobile_app"})
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    services.content_set(project=project, name="cart", content={"items": [1]}, subject=Subject("ines", "s-1"))
    upload = {"file": SimpleUploadedFile("plan.txt", b"The plan")}
    assert client.post(at("artifact-upload", "s-1"), upload).url == at("session", "s-1")
    page = words(client.get(at("session", "s-1")))
    for text in ("mobile_app", "sessionReference", "plan.txt", "8 characters", "in the context", "cart", "PDF, DOCX"):
        assert text in page
    artifact = Artifact.objects.get()
    client.post(at("artifact-toggle", artifact.pk), {"active": "0"})
    assert "left out" in words(client.get(at("session", "s-1")))
    client.post(at("artifact-delete", artifact.pk))
    assert "plan.txt" not in words(client.get(at("session", "s-1")))


def test_a_file_that_is_refused_says_why_on_the_page(client, project):
    session_of(project)
    for sent in ({"file": SimpleUploadedFile("a.exe", b"MZ\x90\x00")}, {}):
        answer = client.post(at("artifact-upload", "s-1"), sent, headers=HTMX)
        assert answer.status_code == 400
        assert "PDF, DOCX, TXT, JSON" in words(answer)


def test_a_session_that_has_ended_says_so_and_takes_no_file(client, project, now):
    session_of(project, metadata={"channel": "web"})
    services.session_end(project=project, session="s-1", now=now)
    page = words(client.get(at("session", "s-1")))
    assert "Its metadata and records were deleted" in page
    assert "Upload" not in page
    assert client.post(at("artifact-upload", "s-1"), {"file": SimpleUploadedFile("a.txt", b"x")}).status_code == 409
