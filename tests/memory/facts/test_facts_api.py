"""Facts over HTTP: shapes, versions, problems, schema."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from memory.models import Fact

PROBLEM = "application/problem+json"


@pytest.fixture
def api(as_role):
    """A request of an editor: method, facts address below the project, JSON body or query."""

    def call(method, tail="", body=None, role="editor", **query):
        client = as_role(role)
        address = reverse("api-facts", args=["kiln"]) + tail
        if method == "get":
            return client.get(address, query)
        return getattr(client, method)(address, body, content_type="application/json", query_params=query)

    return call


@pytest.fixture
def body():
    return {"scope": "user", "owner": "u1", "path": "user.tier", "value": {"a": 1}}


def test_a_fact_is_created_and_read(api, body, project):
    created = api("put", body={**body, "ttl": "90d", "expected_version": None})
    assert created.status_code == 201
    assert set(created.json()) == {
        "id",
        "scope",
        "owner",
        "path",
        "value",
        "type",
        "version",
        "state",
        "sensitive",
        "masked",
        "written_at",
        "expires_at",
        "purged_at",
        "ttl",
        "virtual_clock",
        "source",
    }
    read = api("get", f"{created.json()['id']}/").json()
    assert (read["value"], read["version"], read["state"], read["ttl"]) == ({"a": 1}, 1, "live", "90d")
    assert read["source"]["cause"] == "manual"


def test_the_version_that_was_read_leads_to_the_next(api, body, project):
    api("put", body=body)
    response = api("put", body={**body, "value": 2, "expected_version": 1})
    assert (response.status_code, response.json()["version"]) == (200, 2)


def test_a_stale_version_gives_409_with_the_current_fact(api, body, project):
    api("put", body=body)
    response = api("put", body={**body, "value": 2})
    assert response.status_code == 409
    assert response["Content-Type"] == PROBLEM
    assert (response.json()["code"], response.json()["current"]["version"]) == ("conflict", 1)
    assert api("put", f"{response.json()['current']['id']}/", {"value": 3, "expected_version": 7}).status_code == 409


def test_bad_input_is_a_problem_that_names_the_fields(api, body, project):
    response = api("put", body={**body, "path": "x", "ttl": "soon"})
    assert response.status_code == 400
    assert response["Content-Type"] == PROBLEM
    assert set(response.json()["fields"]) == {"path", "ttl"}
    assert "90d" in response.json()["fields"]["ttl"]


@pytest.mark.parametrize(
    ("change", "field"),
    [({"scope": "planet"}, "scope"), ({"expected_version": "x"}, "expected_version"), ({"value": "a\x00"}, "value")],
)
def test_each_field_is_checked(api, body, project, change, field):
    response = api("put", body={**body, **change})
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"value": NaN}'])
def test_a_body_that_is_not_json_is_bad_input(as_role, project, text):
    response = as_role("editor").put(reverse("api-facts", args=["kiln"]), text, content_type="application/json")
    assert response.status_code == 400
    assert response["Content-Type"] == PROBLEM


def test_the_list_has_filters_and_pages(api, put):
    for number in range(5):
        put(path=f"user.f{number}", ttl="30m" if number % 2 else None)
    put(owner="u2")
    first = api("get", scope="user", owner="u1", page_size=2).json()
    assert [fact["path"] for fact in first["results"]] == ["user.f0", "user.f1"]
    assert first["previous"] is None
    assert first["next"].startswith("http://testserver/api/v1/projects/kiln/facts/?")
    assert "owner=u1" in first["next"]
    assert [fact["path"] for fact in api("get", state="expiring").json()["results"]] == ["user.f1", "user.f3"]
    assert [fact["path"] for fact in api("get", prefix="user.f4").json()["results"]] == ["user.f4"]


def test_following_next_gives_every_fact_once(api, as_role, put):
    for number in range(7):
        put(path=f"user.f{number}")
    address, found = reverse("api-facts", args=["kiln"]) + "?page_size=3", []
    client = as_role("viewer")
    while address:
        page = client.get(address).json()
        found += [fact["path"] for fact in page["results"]]
        address = page["next"]
    assert found == [f"user.f{number}" for number in range(7)]


@pytest.mark.parametrize(
    "query",
    [{"state": "odd"}, {"scope": "x"}, {"sort": "x"}, {"cursor": "x"}, {"page_size": "0"}, {"page_size": "201"},
     {"owner": "u1"}, {"prefix": "\x00"}],
)  # fmt: skip
def test_a_bad_filter_is_named(api, project, query):
    response = api("get", **query)
    assert (response.status_code, list(response.json()["fields"])) == (400, list(query))


def test_an_expired_fact_has_no_value(api, put):
    fact = put(value="secret", ttl="1h", now=timezone.now() - timedelta(hours=4))
    read = api("get", f"{fact.pk}/").json()
    assert (read["value"], read["state"]) == (None, "expired")
    assert [f["value"] for f in api("get", state="expired").json()["results"]] == [None]
    assert api("get", state="live").json()["results"] == []


def test_a_sensitive_value_is_masked_until_it_is_revealed(api, put, log):
    fact = put(value="4471", sensitive=True)
    assert api("get", f"{fact.pk}/", role="owner").json()["value"] == "[REDACTED]"
    assert api("post", f"{fact.pk}/reveal/", {}).status_code == 400
    revealed = api("post", f"{fact.pk}/reveal/", {"reason": "ticket 7"})
    assert (revealed.json()["value"], revealed["Cache-Control"]) == ("4471", "no-store")
    assert log()[-1] == ("reveal", 1)


def test_deletion_takes_the_version_that_was_read(api, put):
    fact = put()
    put(value="silver")
    assert api("delete", f"{fact.pk}/", expected_version=1).status_code == 409
    assert api("delete", f"{fact.pk}/", expected_version=2).status_code == 204
    assert not Fact.objects.exists()
    assert api("delete", f"{fact.pk}/").status_code == 404


def test_the_history_lists_the_log_of_a_fact(api, put):
    put(value="gold")
    fact = put(value="silver", ttl="1h", reason="upgrade")
    entries = api("get", f"{fact.pk}/history/", role="viewer").json()["results"]
    assert [(entry["kind"], entry["version"], entry["value"]) for entry in entries] == [
        ("write", 2, "silver"),
        ("write", 1, "gold"),
    ]
    assert (entries[0]["reason"], entries[0]["ttl"], len(entries[0]["digest"])) == ("upgrade", "1h", 64)


def test_the_schema_describes_every_operation():
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    found = {name: set(paths[name]) for name in paths if "/facts/" in name}
    base = "/api/v1/projects/{slug}/facts/"
    assert found == {
        base: {"get", "put"},
        base + "{id}/": {"get", "put", "delete"},
        base + "{id}/history/": {"get"},
        base + "{id}/reveal/": {"post"},
        base + "{id}/restore/": {"post"},
        base + "{id}/ttl/": {"post"},
        base + "delete-found/": {"post"},
        base + "export/": {"get"},
        base + "tree/": {"get"},
        base + "verification/": {"get", "post"},
    }
