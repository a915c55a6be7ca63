"""The memory API takes what it knows and nothing else: names, kinds, each once (docs/spec 12 §5)."""

from __future__ import annotations

import json
from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from editor import services as editing
from memory.models import Artifact, Bank, Erasure, Fact, StoreDefinition, StoreRecord
from memory.stores import services
from tests.every import each
from tests.memory.stores.kit import content_put, session_of, store_of

FACT = {"scope": "user", "owner": "u1", "path": "user.tier", "value": "gold"}
FACTS = "projects/kiln/facts/"


@pytest.fixture
def ask(project, people):
    """A request with a token of a role: status and body. ``raw`` is a body as it is sent."""
    tokens = {}

    def send(method, path, body=None, *, role="owner", raw=None, **more):
        if role not in tokens:
            _, tokens[role] = editing.token_create(project=project, user=people[role], name="")
        content = raw if raw is not None else json.dumps(body) if body is not None else ""
        answer = Client().generic(
            method,
            f"/api/v1/{path}",
            content,
            "application/json",
            headers={"authorization": f"Bearer {tokens[role]}", **more},
        )
        return answer.status_code, answer.json() if answer.content else None

    return send


@pytest.fixture
def fact(put):
    return put(sensitive=True)


@pytest.fixture
def everything(project, fact):
    """One of each, and the keys of those that have one."""
    Bank.objects.create(project=project, name="desk", created_at=fact.written_at)
    store_of(project)
    session_of(project)
    return {"fact": fact.pk, "record": content_put(project, {}).pk}


def wrong(answer):
    """The fields of a refusal."""
    status, body = answer
    assert status == 400, body
    return body["fields"]


def test_a_misspelt_dry_run_erases_nothing(ask, put):
    put(owner="u3")
    fields = wrong(ask("POST", "projects/kiln/erasures/", {"owner": "u3", "reason": "r", "dryrun": True}))
    assert fields == {"dryrun": "is not known; did you mean dry_run?"}
    assert Fact.objects.exists()
    assert not Erasure.objects.exists()


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"owner": 5, "reason": "r"}, {"owner": "5 is a number; give a text."}),
        ({"owner": "u3", "reason": True}, {"reason": "true is true or false; give a text."}),
        ({"owner": "u3", "reason": "r", "dry_run": "true"}, {"dry_run": '"true" is a text; give true or false.'}),
        ({"owner": "", "reason": "r"}, {"owner": "is empty; give 1 to 200 characters."}),
        ({"reason": "r"}, {"owner": "is missing."}),
        ({"owner": None, "reason": "r"}, {"owner": "is null; leave it out or give a value."}),
    ],
)
def test_what_is_erased_is_said_exactly(ask, put, body, fields):
    put(owner="5")
    assert wrong(ask("POST", "projects/kiln/erasures/", body)) == fields
    assert Fact.objects.exists()


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"TTL": "1d", "Sensitive": True},
         {"TTL": "is not known; did you mean ttl?", "Sensitive": "is not known; did you mean sensitive?"}),
        ({"owner": 5}, {"owner": "5 is a number; give a text."}),
        ({"path": " user.x "}, {"path": "' user.x ' is not a path; use two or more names with dots between, such as "
                                        "user.tier"}),
        ({"scope": "nope"}, {"scope": '"nope" is not one of user, project, execution_tree'}),
        ({"expected_version": "1"}, {"expected_version": '"1" is a text; give a whole number.'}),
        ({"expected_version": True}, {"expected_version": "true is true or false; give a whole number."}),
        ({"expected_version": 1.5}, {"expected_version": "1.5 is a number; give a whole number."}),
        ({"expected_version": 0}, {"expected_version": "is less than 1."}),
        ({"sensitive": 1}, {"sensitive": "1 is a number; give true or false."}),
        ({"ttl": 5}, {"ttl": "5 is a number; give a text."}),
        ({"ttl": "365001d"}, {"ttl": "'365001d' is not a time to live; use a whole number and s, m, h or d, such as "
                                     "90d, at most 365000d"}),
    ],
)  # fmt: skip
def test_a_fact_is_written_exactly_as_it_was_sent_or_not(ask, changes, fields):
    assert wrong(ask("PUT", FACTS, {**FACT, **changes})) == fields
    assert not Fact.objects.exists()


def test_blanks_of_an_owner_are_part_of_it(ask):
    status, body = ask("PUT", FACTS, {**FACT, "owner": " lead "})
    assert (status, body["owner"]) == (201, " lead ")


def test_a_whole_number_may_be_written_with_a_fraction_of_nothing(ask):
    ask("PUT", FACTS, FACT)
    assert ask("PUT", FACTS, {**FACT, "expected_version": 1.0})[0] == 200


def test_a_misspelt_filter_counts_nobodys_facts(ask, fact):
    for body in ({"filters": {"scope": "user", "ownr": "x"}}, {"filters": {"scope": "user"}, "expectd_count": 1}):
        assert "did you mean" in next(iter(wrong(ask("POST", f"{FACTS}delete-found/", body)).values()))
    assert set(wrong(ask("POST", f"{FACTS}delete-found/", {"filters": {"ownr": "x"}}))) == {"filters.ownr"}
    assert Fact.objects.exists()


BODIES = [
    ("PUT", FACTS + "{fact}/", {"value": 1, "expected_version": 1}),
    ("POST", FACTS + "{fact}/reveal/", {"reason": "r"}),
    ("POST", FACTS + "{fact}/restore/", {"seq": 1, "expected_version": 1}),
    ("POST", FACTS + "{fact}/ttl/", {"ttl": "1d", "expected_version": 1}),
    ("PUT", "memory/blocks/core", {"content": "x", "expected_updated_at": None}),
    ("POST", "memory/recall", {"query": "x"}),
    ("POST", "memory/preview", {"message": "x"}),
    ("POST", "memory/banks", {"name": "other"}),
    ("PUT", "memory/banks/desk", {"max_lines": 1}),
    ("PUT", "memory/banks/desk/entries/a", {"content": "x"}),
    ("PATCH", "memory/stores/userPrefs", {"content": {}}),
    ("PATCH", "projects/kiln/stores/userPrefs/", {"name": "x"}),
    ("POST", "projects/kiln/store-check/", {"schema": {"type": "object"}}),
    ("POST", "projects/kiln/store-definitions/", {"stores": []}),
    ("PUT", "projects/kiln/records/{record}/", {"content": {}, "expected_version": 1}),
    ("PATCH", "projects/kiln/sessions/s-1/", {"metadata": {}}),
]


def test_no_body_has_a_field_that_is_not_known(ask, everything):
    each(((f"{method} {path}", (ask, everything, method, path, body)) for method, path, body in BODIES), is_refused)


def is_refused(ask, everything, method, path, body):
    fields = wrong(ask(method, path.format(**everything), {**body, "expectd_version": 1}))
    assert set(fields) == {"expectd_version"}
    assert fields["expectd_version"].startswith("is not known; ")
    assert (Fact.objects.get().version, StoreRecord.objects.get().version) == (1, 1)


ADDRESSES = [
        FACTS, FACTS + "tree/", FACTS + "export/", FACTS + "verification/", "projects/kiln/erasures/", "memory/blocks",
        "memory/blocks/", "memory/blocks/core", "memory/banks", "memory/banks/desk", "memory/banks/desk/search",
        "memory/stores", "memory/stores/userPrefs", "projects/kiln/stores/", "projects/kiln/records/",
        "projects/kiln/sessions/s-1/",
]  # fmt: skip


def test_no_address_has_a_parameter_that_is_not_known(ask):
    each(((path, (ask, path)) for path in ADDRESSES), takes_nothing_else)


def takes_nothing_else(ask, path):
    assert wrong(ask("GET", f"{path}?nope=1"))["nope"].startswith("is not known")


def test_the_parameter_that_was_meant_is_named(ask):
    assert wrong(ask("GET", f"{FACTS}?scop=user")) == {"scop": "is not known; did you mean scope?"}
    assert wrong(ask("DELETE", "memory/stores/userPrefs?expected_versoin=1")) == {
        "expected_versoin": "is not known; did you mean expected_version?"
    }


def test_a_parameter_is_given_once_unless_it_may_be_repeated(ask, fact):
    assert wrong(ask("GET", f"{FACTS}?owner=a&owner=b&scope=user")) == {"owner": "is given 2 times; give it once"}
    assert wrong(ask("GET", f"{FACTS}export/?fact={fact.pk}&fact=0x1"))["fact"].startswith("'0x1' is not <id>")


def test_who_may_not_ask_is_not_told_what_there_is(people):
    assert Client().get(f"/api/v1/{FACTS}?nope=1").status_code in (401, 403)


def test_a_page_has_a_size_that_there_is(ask):
    asked = product(
        (FACTS, "memory/blocks", "memory/banks", "projects/kiln/records/"), ("0", "-1", "abc", "201", "1e1")
    )
    each(((f"{path} {size}", (ask, path, size)) for path, size in asked), names_the_sizes)


def names_the_sizes(ask, path, size):
    assert wrong(ask("GET", f"{path}?page_size={size}")) == {
        "page_size": f"'{size}' is not a whole number from 1 to 200"
    }


def test_a_key_that_is_there_twice_is_named(ask):
    raw = '{"scope": "user", "owner": "dup", "path": "user.x", "value": 1, "value": 2}'
    status, body = ask("PUT", FACTS, raw=raw)
    assert (status, body["detail"]) == (400, 'The body is not valid JSON: it has the key "value" twice in one object.')
    status, body = ask("PUT", FACTS, raw='{"scope": "user", "owner": "d", "path": "user.x", "value": {"a": 1, "a": 2}}')
    assert status == 400
    assert '"a" twice' in body["detail"]
    assert not Fact.objects.exists()


def test_a_form_refuses_a_key_that_is_there_twice(as_role, at, project):
    given = {"scope": "user", "owner": "u1", "path": "user.a", "value": '{"a": 1, "a": 2}'}
    page = as_role("editor").post(at("write"), given)
    assert "the key &quot;a&quot; twice" in page.content.decode()
    schema = '{"type": "object", "type": "object"}'
    stored = {"technical_name": "zz", "schema": schema, "access": "user", "retention": "1_day"}
    page = as_role("editor").post(at("store-new"), stored)
    assert "the key &quot;type&quot; twice" in page.content.decode()
    assert not Fact.objects.exists()
    assert not StoreDefinition.objects.exists()


def test_one_file_is_uploaded_at_a_time(as_role, at, project, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    session_of(project)
    two = {"file": [SimpleUploadedFile("a.txt", b"1"), SimpleUploadedFile("b.txt", b"2")]}
    answer = as_role("editor").post("/api/v1/projects/kiln/sessions/s-1/artifacts/", two)
    assert (answer.status_code, answer.json()["fields"]) == (
        400,
        {"file": "there are 2 files in this form; send one at a time"},
    )
    two = {"file": [SimpleUploadedFile("a.txt", b"1"), SimpleUploadedFile("b.txt", b"2")]}
    assert "there are 2 files" in as_role("editor").post(at("artifact-upload", "s-1"), two).content.decode()
    more = {"file": SimpleUploadedFile("a.txt", b"1"), "active": "true"}
    answer = as_role("editor").post("/api/v1/projects/kiln/sessions/s-1/artifacts/", more)
    assert answer.json()["fields"] == {"active": "is not known; did you mean isActive?"}
    assert not Artifact.objects.exists()


def test_a_json_file_may_repeat_a_key(project, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    session_of(project)
    file = SimpleUploadedFile("a.json", b'{"a": 1, "a": 2}')
    assert services.artifact_add(project=project, session="s-1", file=file).mimetype == "application/json"


def test_a_bank_keeps_its_bound_unless_another_is_given(ask, project):
    assert ask("POST", "memory/banks", {"name": "bound", "max_lines": 2})[0] == 201
    assert wrong(ask("PUT", "memory/banks/bound", {})) == {
        "max_lines": "is missing; give a number of lines, or null to keep all."
    }
    status, body = ask("POST", "memory/banks", {"name": "bound"})
    assert (status, body["current"]["name"], body["current"]["max_lines"]) == (409, "bound", 2)
    assert Bank.objects.get().max_lines == 2
    assert ask("PUT", "memory/banks/bound", {"max_lines": None})[1]["max_lines"] is None


def test_a_store_goes_when_its_records_are_counted(ask, as_role, at, project):
    store_of(project)
    store_of(project, "empty")
    content_put(project, {})
    address = "projects/kiln/stores/userPrefs/"
    assert wrong(ask("DELETE", address)) == {"records": "is missing; 1 record would go, so send records=1"}
    page = as_role("editor").post(at("store-delete", "userPrefs"), {"records": "x"})
    assert "is not a whole number" in page.content.decode()
    assert StoreRecord.objects.exists()
    assert ask("DELETE", "projects/kiln/stores/empty/") == (200, {"records": 0})
    assert ask("DELETE", f"{address}?records=1") == (200, {"records": 1})


def test_a_schema_says_what_would_be_right(ask):
    _, report = ask("POST", "projects/kiln/store-check/", {"schema": {"type": "object", "minProperties": -1}})
    assert report["problems"] == [
        {"path": "/minProperties", "message": "-1 is not a value for minProperties: -1 is less than 0"}
    ]
