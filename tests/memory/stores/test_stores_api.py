"""Stores over HTTP: definitions, records, sessions, files, and the calls of a token's user."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from editor import services as editing
from memory.models import FactChange, StoreDefinition, StoreRecord
from memory.stores import services
from memory.stores.selectors import Subject
from tests.memory.stores.kit import PREFERENCES, session_of, store_of

ROOT = "/api/v1/projects/kiln/"
OWN = "/api/v1/memory/stores"
PROBLEM = "application/problem+json"
STORE = {
    "technical_name", "name", "description", "schema", "access", "retention", "strict", "version", "records", "flagged",
    "created_at", "updated_at",
}  # fmt: skip
RECORD = {
    "id", "store", "access", "owner", "session", "content", "errors", "state", "version", "retention", "written_at",
    "expires_at", "purged_at", "virtual_clock", "source",
}  # fmt: skip


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


class Api:
    """Requests of somebody; ``path`` is below ``root``."""

    def __init__(self, client, root, **headers):
        self.client, self.root, self.headers = client, root, headers

    def __call__(self, method, path="", body=None, **query):
        content = json.dumps(body) if body is not None else ""
        address = self.root + path + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")
        return self.client.generic(
            method, address, content, "application/json", headers={"accept": "application/json", **self.headers}
        )


@pytest.fixture
def api(as_role):
    """The project's API as its editor."""
    return Api(as_role("editor"), ROOT)


@pytest.fixture
def own(project, people):
    """The API of a user's own stores by a token."""

    def as_user(role="reviewer"):
        _, secret = editing.token_create(project=project, user=people[role], name="")
        return Api(Client(), OWN, authorization=f"Bearer {secret}")

    return as_user


def test_a_store_is_defined_read_changed_and_deleted(api):
    body = {"technical_name": "userPrefs", "schema": PREFERENCES, "access": "user", "retention": "1_month"}
    made = api("POST", "stores/", body)
    assert made.status_code == 201
    assert set(made.json()) == STORE
    assert (made.json()["name"], made.json()["strict"], made.json()["records"]) == ("userPrefs", False, 0)
    assert api("GET", "stores/").json()["results"] == [made.json()]
    changed = api("PATCH", "stores/userPrefs/", {"strict": True, "expected_version": 1}).json()
    assert (changed["strict"], changed["version"]) == (True, 2)
    assert api("GET", "stores/userPrefs/").json() == changed
    assert api("DELETE", "stores/userPrefs/").json() == {"records": 0}
    assert api("GET", "stores/userPrefs/").status_code == 404


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"schema": {"type": "object", "properties": {"a": {"type": "x"}}}}, "schema", "at /properties/a/type"),
        ({"schema": "text"}, "schema", "a schema is a JSON object"),
        ({"schema": None}, "schema", "may not be null"),
        ({"access": "all"}, "access", '"all" is not one of user, application, session'),
        ({"technical_name": "a b"}, "technical_name", "'a b' is not an identifier"),
        ({"technical_name": 5}, "technical_name", "5 is a number; give a text"),
        ({"strict": "perhaps"}, "strict", '"perhaps" is a text; give true or false'),
        ({"colour": "red"}, "colour", "is not known; there are technical_name, name"),
    ],
)
def test_a_bad_definition_names_the_field(api, changes, field, words):
    body = {"technical_name": "a", "schema": {"type": "object"}, "access": "user", "retention": "1_day", **changes}
    answer = api("POST", "stores/", body)
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)
    assert words in answer.json()["fields"][field]
    assert not StoreDefinition.objects.exists()


def test_a_version_that_is_past_conflicts_with_the_current_definition(api, project):
    store_of(project)
    api("PATCH", "stores/userPrefs/", {"name": "A"})
    answer = api("PATCH", "stores/userPrefs/", {"name": "B", "expected_version": 1})
    assert answer.status_code == 409
    assert answer.json()["current"]["name"] == "A"


def test_a_deletion_may_say_how_many_records_it_was_told_of(api, project):
    store_of(project)
    services.content_set(project=project, name="userPrefs", content={}, subject=Subject("ines"))
    assert api("DELETE", "stores/userPrefs/", records=0).status_code == 409
    assert api("DELETE", "stores/userPrefs/", records="many").status_code == 400
    assert api("DELETE", "stores/userPrefs/", records=1).json() == {"records": 1}


def test_a_schema_is_checked_while_it_is_written(api):
    report = api("POST", "store-check/", {"schema": PREFERENCES, "content": {"recentOrders": 5}}).json()
    assert report["problems"] == []
    assert report["examples"][0]["lastVisit"] == "2026-03-01T09:30:00Z"
    assert report["errors"] == [{"path": "/recentOrders", "message": "5 is of type number; it has to be array"}]
    report = api("POST", "store-check/", {"schema": {"type": "array"}}).json()
    assert (report["problems"][0]["path"], report["examples"]) == ("/type", [])


def test_definitions_are_exported_and_imported(api, project):
    store_of(project)
    export = api("GET", "store-definitions/").json()
    assert [store["technical_name"] for store in export["stores"]] == ["userPrefs"]
    assert api("POST", "store-definitions/", export).json()["unchanged"] == ["userPrefs"]
    export["stores"][0]["access"] = "nobody"
    answer = api("POST", "store-definitions/", {**export, "replace": True})
    assert list(answer.json()["fields"]) == ["stores[0].access"]


def test_records_are_listed_in_pages_and_filtered(api, project, people):
    store_of(project)
    for n in range(5):
        content = {"recentOrders": [] if n else 5}
        services.content_set(project=project, name="userPrefs", content=content, subject=Subject(f"u{n}"))
    page = api("GET", "records/", page_size=3).json()
    assert [record["owner"] for record in page["results"]] == ["u4", "u3", "u2"]
    assert set(page["results"][0]) == RECORD
    following = api.client.get(page["next"]).json()
    assert [record["owner"] for record in following["results"]] == ["u1", "u0"]
    assert [r["owner"] for r in api("GET", "records/", flagged="true").json()["results"]] == ["u0"]
    assert [
        r["owner"] for r in api("GET", "records/", owner="u3", store="userPrefs", state="live").json()["results"]
    ] == ["u3"]


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ({"state": "dead"}, 400, "state"),
        ({"flagged": "yes"}, 400, "flagged"),
        ({"owner": "%00"}, 400, "owner"),
        ({"store": "nothing"}, 404, None),
        ({"cursor": "x"}, 404, None),
    ],
)
def test_filters_that_make_no_sense_are_refused(api, project, query, status, field):
    answer = api("GET", "records/", **query)
    assert answer.status_code == status
    assert field is None or field in answer.json()["fields"]


def test_a_record_is_replaced_merged_and_deleted_by_its_version(api, project):
    store_of(project)
    record = services.content_set(project=project, name="userPrefs", content={"a": 1, "b": 1}, subject=Subject("ines"))
    place = f"records/{record.pk}/"
    merged = api("PATCH", place, {"content": {"b": 2}, "expected_version": 1, "reason": "typo"}).json()
    assert (merged["content"], merged["version"]) == ({"a": 1, "b": 2}, 2)
    replaced = api("PUT", place, {"content": {"c": 3}, "expected_version": 2}).json()
    assert replaced["content"] == {"c": 3}
    late = api("PUT", place, {"content": {}, "expected_version": 2})
    assert (late.status_code, late.json()["current"]["content"]) == (409, {"c": 3})
    assert api("DELETE", place, expected_version=2).status_code == 409
    assert api("DELETE", place, expected_version=3, reason="ticket").status_code == 204
    assert FactChange.objects.order_by("seq").last().reason == "ticket"
    assert api("GET", place).status_code == 404


def test_a_strict_store_answers_with_each_error_by_pointer(api, project):
    store_of(project, strict=True)
    record = services.content_set(project=project, name="userPrefs", content={}, subject=Subject("ines"))
    answer = api("PATCH", f"records/{record.pk}/", {"content": {"recentOrders": [1]}, "expected_version": 1})
    assert (answer.status_code, answer.json()["code"]) == (400, "schema")
    assert answer.json()["errors"] == [
        {"path": "/recentOrders/0", "message": "1 is of type number; it has to be string"}
    ]


def test_the_metadata_of_a_session_is_written_by_the_api(api, project):
    session_of(project, metadata={"channel": "web"})
    merged = api("PATCH", "sessions/s-1/", {"metadata": {"tier": "gold"}}).json()
    assert merged["metadata"] == {"channel": "web", "tier": "gold"}
    assert merged["ended_at"] is None
    assert api("PUT", "sessions/s-1/", {"metadata": {"a": 1}}).json()["metadata"] == {"a": 1}
    assert api("GET", "sessions/s-1/").json()["sessionInfo"]["appId"] == "kiln"
    assert list(api("PATCH", "sessions/s-1/", {"metadata": 5}).json()["fields"]) == ["metadata"]
    assert api("PATCH", "sessions/s-1/", {}).status_code == 400
    assert api("PATCH", "sessions/nowhere/", {"metadata": {}}).status_code == 404


def test_a_file_is_uploaded_listed_taken_out_and_deleted(api, project):
    session_of(project)
    address = ROOT + "sessions/s-1/artifacts/"
    made = api.client.post(address, {"file": SimpleUploadedFile("plan.txt", b"The plan"), "isActive": "true"})
    assert made.status_code == 201
    artifact = made.json()
    assert (artifact["filename"], artifact["mimetype"], artifact["size"]) == ("plan.txt", "text/plain", 8)
    assert (artifact["text"], artifact["isActive"]) == ("The plan", True)
    assert artifact["downloadUrl"].startswith("http://testserver/artifacts/")
    assert Client().get(artifact["downloadUrl"]).content == b"The plan"
    listed = api("GET", "sessions/s-1/artifacts/").json()["results"]
    assert [file["text"] for file in listed] == [None]
    place = f"artifacts/{artifact['id']}/"
    assert api("PATCH", place, {"isActive": False}).json()["isActive"] is False
    assert api("GET", place).json()["text"] == "The plan"
    assert api("DELETE", place).status_code == 204
    assert api("GET", place).status_code == 404
    assert Client().get(artifact["downloadUrl"]).status_code == 410


def test_an_upload_that_cannot_be_taken_says_what_can(api, project, settings):
    session_of(project)
    address = ROOT + "sessions/s-1/artifacts/"
    answer = api.client.post(address, {"file": SimpleUploadedFile("a.exe", b"MZ\x90\x00")})
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)
    assert "PDF, DOCX, TXT, JSON" in answer.json()["fields"]["file"]
    assert "file" in api.client.post(address, {}).json()["fields"]
    assert api.client.post(address, {"file": SimpleUploadedFile("a.txt", b"")}).status_code == 400
    assert api("POST", "sessions/s-1/artifacts/", {"file": "x"}).status_code == 415
    settings.UPLOAD_BYTES = 100
    large = api.client.post(address, {"file": SimpleUploadedFile("a.txt", b"x" * 101)})
    assert (large.status_code, large.json()["code"]) == (400, "too-large")
    huge = api.client.post(address, {"file": SimpleUploadedFile("a.txt", b"x" * 70_000)})
    assert (huge.status_code, huge.json()["code"]) == (400, "too-large")


def test_an_upload_for_which_a_project_has_no_room_says_what_is_used(api, project, settings):
    session_of(project)
    settings.PROJECT_FILES_MB, address = 1, ROOT + "sessions/s-1/artifacts/"
    assert api.client.post(address, {"file": SimpleUploadedFile("a.txt", b"x" * 450_000)}).status_code == 201
    refused = api.client.post(address, {"file": SimpleUploadedFile("b.txt", b"x" * 200_000)})
    told = refused.json()
    assert (refused.status_code, told["code"], told["used"], told["limit"]) == (
        413,
        "quota-exceeded",
        900_000,
        1_000_000,
    )
    assert "Delete files" in told["fields"]["file"]


def test_a_tokens_user_reads_and_writes_the_own_record(own, project, people):
    store_of(project)
    mine, other = own("reviewer"), own("viewer")
    empty = mine("GET", "/userPrefs").json()
    assert (empty["content"], empty["version"], empty["written_at"]) == (None, None, None)
    put = mine("PATCH", "/userPrefs", {"content": {"preferences": {"language": "en"}, "recentOrders": ["a"]}})
    assert (put.status_code, put.json()["version"]) == (200, 1)
    mine("PATCH", "/userPrefs/", {"content": {"preferences": {"notifications": True}}})
    read = mine("GET", "/userPrefs", projections='{"preferences":1}').json()
    assert read["content"] == {"preferences": {"language": "en", "notifications": True}}
    assert other("GET", "/userPrefs").json()["content"] is None
    assert StoreRecord.objects.get().owner == people["reviewer"].username
    assert StoreRecord.objects.get().source == {"cause": "api", "by": people["reviewer"].username}


def test_it_may_compare_and_set(own, project):
    store_of(project)
    mine = own()
    assert mine("PATCH", "/userPrefs", {"content": {}, "expected_version": 1}).status_code == 409
    assert mine("PATCH", "/userPrefs", {"content": {}, "expected_version": None}).status_code == 200
    late = mine("PATCH", "/userPrefs", {"content": {"a": 1}, "expected_version": None})
    assert (late.status_code, late.json()["current"]["version"]) == (409, 1)
    assert mine("DELETE", "/userPrefs", expected_version=2).status_code == 409
    assert mine("DELETE", "/userPrefs", expected_version=1).status_code == 204
    again = mine("DELETE", "/userPrefs")
    assert (again.status_code, again.json()["code"]) == (404, "no-record")


def test_its_stores_are_listed_with_session_meta(own, project):
    store_of(project)
    listed = own("viewer")("GET").json()["results"]
    assert [(store["technical_name"], store["read_only"]) for store in listed] == [
        ("userPrefs", False),
        ("sessionMeta", True),
    ]
    assert own("viewer")("GET", "/").json()["results"] == listed


def test_a_session_has_to_be_one_of_the_users(own, project, people):
    store_of(project, "cart", access="session", retention="session", schema={"type": "object"})
    session_of(project, "mine", people["reviewer"].username, metadata={"channel": "web"})
    session_of(project, "started", "ines", started_by=people["reviewer"])
    session_of(project, "theirs", "noor")
    mine = own("reviewer")
    assert mine("PATCH", "/cart", {"content": {"a": 1}}, session_id="mine").status_code == 200
    assert mine("GET", "/cart", session_id="mine").json()["content"] == {"a": 1}
    assert mine("GET", "/cart", session_id="started").json()["content"] is None
    for name in ("/cart", "/sessionMeta"):
        assert mine("GET", name, session_id="theirs").status_code == 404
    assert "session_id" in mine("GET", "/cart").json()["fields"]
    meta = mine("GET", "/sessionMeta", session_id="mine", projections='{"metadata.channel":1}').json()
    assert meta["content"] == {"metadata": {"channel": "web"}}
    refused = mine("PATCH", "/sessionMeta", {"content": {}}, session_id="mine")
    assert (refused.status_code, refused.json()["code"]) == (403, "read-only")
    assert mine("DELETE", "/sessionMeta", session_id="mine").status_code == 403


def test_the_record_of_the_application_needs_an_editor(own, project):
    store_of(project, "flags", access="application", schema={"type": "object"})
    assert own("reviewer")("PATCH", "/flags", {"content": {"a": 1}}).status_code == 403
    assert own("reviewer")("DELETE", "/flags").status_code == 403
    assert own("editor")("PATCH", "/flags", {"content": {"a": 1}}).status_code == 200
    assert own("viewer")("GET", "/flags").json()["content"] == {"a": 1}


@pytest.mark.parametrize(
    ("method", "path", "body", "query", "field"),
    [
        ("GET", "/userPrefs", None, {"projections": "{"}, "projections"),
        ("GET", "/userPrefs", None, {"projections": '{"a":1,"b":0}'}, "projections"),
        ("GET", "/userPrefs", None, {"projections": "[1]"}, "projections"),
        ("PATCH", "/userPrefs", {}, {}, "content"),
        ("PATCH", "/userPrefs", {"content": [1]}, {}, "content"),
        ("PATCH", "/userPrefs", {"content": None}, {}, "content"),
        ("PATCH", "/userPrefs", {"content": {}, "expected_version": 0}, {}, "expected_version"),
        ("PATCH", "/userPrefs", {"content": {}, "version": 1}, {}, "version"),
        ("DELETE", "/userPrefs", None, {"expected_version": "x"}, "expected_version"),
    ],
)
def test_bad_input_names_the_field(own, project, *, method, path, body, query, field):
    store_of(project)
    answer = own()(method, path, body, **query)
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)
    assert field in answer.json()["fields"]


def test_a_token_reaches_no_other_project(own, project):
    assert own()("GET", "/userPrefs").status_code == 404
    assert own()("GET", "/a%00b").status_code == 404
    client = own().client
    headers = own().headers
    assert client.get("/api/v1/projects/elsewhere/stores/", headers=headers).status_code == 404
