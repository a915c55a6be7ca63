"""Memory blocks over HTTP: paths, scopes, compare-and-set, limits, stamps, problems (docs/spec 11 §1)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from editor import services as editing
from memory.models import Block, FactChange
from tests.factories import MembershipFactory, ProjectFactory, UserFactory

BLOCKS = "/api/v1/memory/blocks"
PROBLEM = "application/problem+json"
FIELDS = {"id", "block_type", "content", "scope", "agent_id", "created_at", "updated_at"}


class Caller:
    """Requests with a token; ``tail`` is what follows the address of the blocks, query string included."""

    def __init__(self, project, user):
        _, secret = editing.token_create(project=project, user=user, name="")
        self.user = user
        self.headers = {"authorization": f"Bearer {secret}"}

    def get(self, tail=""):
        return Client().get(BLOCKS + tail, headers=self.headers)

    def put(self, tail, content="- Likes tea", expected=None, **body):
        body = {"content": content, "expected_updated_at": expected, **body}
        return Client().put(BLOCKS + tail, body, content_type="application/json", headers=self.headers)

    def put_raw(self, tail, body):
        return Client().put(BLOCKS + tail, body, content_type="application/json", headers=self.headers)

    def delete(self, tail):
        return Client().delete(BLOCKS + tail, headers=self.headers)


@pytest.fixture
def ann(project, people):
    return Caller(project, people["viewer"])


@pytest.fixture
def ben(project, people):
    return Caller(project, people["editor"])


def test_a_block_is_created_with_null_and_read_back(ann, project):
    created = ann.put("/core", "- Prefers short answers")
    assert created.status_code == 201
    assert set(created.json()) == FIELDS
    assert created.json()["id"].startswith("mem_")
    read = ann.get("/core").json()
    assert read == created.json()
    assert (read["block_type"], read["scope"], read["agent_id"]) == ("core", "user", None)
    assert read["content"] == "- Prefers short answers"
    assert read["created_at"] == read["updated_at"]
    assert datetime.fromisoformat(read["updated_at"]).tzinfo is not None
    assert len(read["updated_at"].partition(".")[2].partition("+")[0]) == 6


@pytest.mark.parametrize("tail", ["", "/"])
def test_every_address_works_with_and_without_a_final_slash(ann, project, tail):
    assert ann.put(f"/core{tail}").status_code == 201
    assert ann.get(f"/core{tail}").status_code == 200
    assert [block["block_type"] for block in ann.get(tail).json()["results"]] == ["core"]
    assert ann.delete(f"/core{tail}").status_code == 204


def test_the_stamp_that_was_read_replaces_the_block(ann, project):
    first = ann.put("/core", "one").json()
    second = ann.put("/core", "two", first["updated_at"])
    assert (second.status_code, second.json()["content"]) == (200, "two")
    assert second.json()["id"] == first["id"]
    assert second.json()["created_at"] == first["created_at"]
    assert second.json()["updated_at"] > first["updated_at"]


def test_a_stale_stamp_is_a_conflict_with_the_current_block(ann, project):
    first = ann.put("/core", "one").json()
    second = ann.put("/core", "two", first["updated_at"]).json()
    refused = ann.put("/core", "three", first["updated_at"])
    assert refused.status_code == 409
    assert refused["Content-Type"] == PROBLEM
    assert (refused.json()["code"], refused.json()["current"]) == ("conflict", second)
    assert ann.get("/core").json() == second


def test_null_where_the_block_exists_is_a_conflict_with_it(ann, project):
    first = ann.put("/core", "one").json()
    refused = ann.put("/core", "two")
    assert (refused.status_code, refused.json()["current"]) == (409, first)


def test_a_stamp_where_no_block_is_is_a_conflict_with_null(ann, project):
    refused = ann.put("/core", "two", "2026-04-30T16:20:00")
    assert refused.status_code == 409
    assert "current" in refused.json()
    assert refused.json()["current"] is None
    assert not Block.objects.exists()


def test_a_missing_stamp_is_bad_input_and_never_an_overwrite(ann, project):
    ann.put("/core", "one")
    refused = ann.put_raw("/core", {"content": "two"})
    assert refused.status_code == 400
    assert refused["Content-Type"] == PROBLEM
    assert list(refused.json()["fields"]) == ["expected_updated_at"]
    assert ann.get("/core").json()["content"] == "one"


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("2026-04-30T16:20:00+00:00", "2026-04-30T16:20:00"),
        ("2026-04-30T16:20:00+00:00", "2026-04-30T16:20:00Z"),
        ("2026-04-30T16:20:00+00:00", "2026-04-30T18:20:00+02:00"),
        ("2026-04-30T16:20:00+00:00", "2026-04-30T16:20:00.000000+00:00"),
        ("2026-04-30T16:20:00.000001+00:00", "2026-04-30 12:20:00.000001-04:00"),
    ],
)
def test_a_stamp_may_be_written_in_any_way_that_iso_has(ann, project, written, sent):
    ann.put("/core", "one")
    Block.objects.update(updated_at=datetime.fromisoformat(written))
    assert ann.get("/core").json()["updated_at"] == datetime.fromisoformat(written).isoformat(timespec="microseconds")
    assert ann.put("/core", "two", sent).status_code == 200


@pytest.mark.parametrize(
    "sent", ["", "soon", "2026-13-01T00:00:00", "0001-01-01T00:00:00+23:59", "now\x00", "\ud800", 7, True, [], {}]
)
def test_what_is_no_stamp_is_bad_input(ann, project, sent):
    ann.put("/core", "one")
    refused = ann.put("/core", "two", sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["expected_updated_at"])
    assert ann.get("/core").json()["content"] == "one"


@pytest.mark.parametrize("content", [None, 5, True, ["a"], {"a": 1}, "a\x00b", "a\ud800"])
def test_a_content_that_is_no_storable_text_is_bad_input(ann, project, content):
    refused = ann.put("/core", content)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["content"])
    assert not Block.objects.exists()


def test_space_and_blank_lines_stay_as_they_were_sent(ann, project):
    text = "  - one\n\n\t- two \r\n"
    assert ann.put("/core", text).json()["content"] == text
    assert ann.put("/archival", "").json()["content"] == ""


@pytest.mark.parametrize(
    ("block_type", "content", "said"),
    [
        ("core", "x" * 4001, ("characters", 4000, 4001)),
        ("core", "\n".join(["- x"] * 21), ("entries", 20, 21)),
        ("archival", "é" * 8001, ("characters", 8000, 8001)),
    ],
)
def test_over_the_limit_says_which_limit_and_what_was_sent(ann, project, block_type, content, said):
    kept = ann.put(f"/{block_type}", "kept").json()
    refused = ann.put(f"/{block_type}", content, kept["updated_at"])
    assert refused.status_code == 400
    assert refused["Content-Type"] == PROBLEM
    body = refused.json()
    assert (body["code"], (body["which"], body["limit"], body["size"])) == ("over-limit", said)
    assert list(body["fields"]) == ["content"]
    assert ann.get(f"/{block_type}").json() == kept


@pytest.mark.parametrize(
    ("block_type", "content"),
    [
        ("core", "🦉" * 4000),
        ("core", "\n \n".join(["- x"] * 20)),
        ("archival", "x" * 8000),
        ("archival", "\n".join(["x"] * 4000)),
    ],
)
def test_up_to_the_limit_a_block_is_stored(ann, project, block_type, content):
    assert ann.put(f"/{block_type}", content).status_code == 201


def test_a_block_belongs_to_the_user_of_the_token_alone(ann, ben, project):
    ann.put("/core", "of ann")
    assert ben.get("/core").status_code == 404
    assert ben.put("/core", "of ben").status_code == 201
    assert ann.get("/core").json()["content"] == "of ann"
    assert ann.get("").json()["results"][0]["content"] == "of ann"
    for address, names in (
        ("?user={0}&owner={0}", {"user", "owner"}),
        ("/core?user_id={0}&project=x", {"user_id", "project"}),
    ):
        answer = ann.get(address.format(ben.user.username))
        assert (answer.status_code, set(answer.json()["fields"])) == (400, names)
    assert ben.delete("/core").status_code == 204
    assert ann.get("/core").status_code == 200


def test_a_block_belongs_to_the_project_of_the_token_alone(ann, project):
    elsewhere = ProjectFactory()
    MembershipFactory(project=elsewhere, user=ann.user)
    ann.put("/core", "here")
    there = Caller(elsewhere, ann.user)
    assert there.get("/core").status_code == 404
    assert there.get("?scope=all").json()["results"] == []


def test_agent_scope_is_selected_by_scope_or_by_agent_id_alone(ann, project):
    ann.put("/core", "mine")
    created = ann.put("/core?scope=agent&agent_id=agent_emails", "with emails")
    assert created.status_code == 201
    assert (created.json()["scope"], created.json()["agent_id"]) == ("agent", "agent_emails")
    assert ann.get("/core?agent_id=agent_emails").json()["content"] == "with emails"
    assert ann.get("/core?scope=agent&agent_id=agent_emails").json()["content"] == "with emails"
    assert ann.get("/core?scope=user").json()["content"] == "mine"
    assert ann.get("/core").json()["content"] == "mine"
    assert ann.get("/core?agent_id=agent_records").status_code == 404
    assert ann.delete("/core?agent_id=agent_emails").status_code == 204
    assert ann.get("/core").status_code == 200


def test_the_list_shows_the_scope_that_was_asked_for(ann, project):
    for tail in ("/core", "/archival", "/core?agent_id=a", "/archival?agent_id=a", "/core?agent_id=b"):
        ann.put(tail)

    def listed(query):
        return [(block["agent_id"], block["block_type"]) for block in ann.get(query).json()["results"]]

    mine = [(None, "core"), (None, "archival")]
    of_a = [("a", "core"), ("a", "archival")]
    assert listed("") == mine
    assert listed("?scope=user") == mine
    assert listed("?scope=agent") == [*of_a, ("b", "core")]
    assert listed("?scope=agent&agent_id=a") == of_a
    assert listed("?agent_id=a") == of_a
    assert listed("?scope=all") == [*mine, *of_a, ("b", "core")]
    assert listed("?scope=all&agent_id=b") == [*mine, ("b", "core")]


def test_the_list_comes_in_pages(ann, project):
    for number in range(5):
        ann.put(f"/core?agent_id=a{number}")
    first = ann.get("?scope=all&page_size=3").json()
    assert len(first["results"]) == 3
    assert first["previous"] is None
    rest = Client().get(first["next"], headers=ann.headers).json()
    assert [block["agent_id"] for block in rest["results"]] == ["a3", "a4"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("tail", "field"),
    [
        ("/core?scope=planet", "scope"),
        ("/core?scope=all", "scope"),
        ("/core?scope=agent", "agent_id"),
        ("/core?scope=agent&agent_id=", "agent_id"),
        ("/core?scope=user&agent_id=a", "agent_id"),
        ("/core?agent_id=" + "a" * 201, "agent_id"),
        ("/core?agent_id=a%00", "agent_id"),
        ("?scope=planet", "scope"),
        ("?scope=user&agent_id=a", "agent_id"),
    ],
)
def test_a_bad_place_is_named(ann, project, tail, field):
    refused = ann.get(tail)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert refused["Content-Type"] == PROBLEM


@pytest.mark.parametrize("tail", ["/core", "/archival", "/diary", "/core?agent_id=nobody", "/CORE"])
def test_what_is_not_there_is_not_found(ann, project, tail):
    for answer in (ann.get(tail), ann.delete(tail)):
        assert answer.status_code == 404
        assert answer["Content-Type"] == PROBLEM


def test_quick_writes_never_share_a_stamp_though_the_clock_stands_or_goes_back(ann, project, monkeypatch):
    start = timezone.now()
    stamps = [ann.put("/core", "0").json()["updated_at"]]
    for number, step in enumerate([0, 0, -3600, -7200, 1]):
        monkeypatch.setattr("memory.blocks.services.timezone.now", lambda step=step: start + timedelta(seconds=step))
        stamps.append(ann.put("/core", str(number), stamps[-1]).json()["updated_at"])
    assert stamps == sorted(set(stamps))


def test_a_block_that_is_made_anew_is_not_taken_for_the_old_one(ann, project, monkeypatch):
    old = ann.put("/core", "old").json()
    ann.delete("/core")
    earlier = timezone.now() - timedelta(hours=1)
    monkeypatch.setattr("memory.blocks.services.timezone.now", lambda: earlier)
    new = ann.put("/core", "new").json()
    assert new["updated_at"] > old["updated_at"]
    assert new["id"] != old["id"]
    assert ann.put("/core", "by the old stamp", old["updated_at"]).status_code == 409
    assert Block.objects.get().version == 2


def test_the_log_keeps_who_wrote_and_who_deleted_but_no_text_of_what_was_deleted(ann, project, whole):
    first = ann.put("/core?agent_id=a", "one secret").json()
    ann.put("/core?agent_id=a", "two secrets", first["updated_at"])
    written = FactChange.objects.order_by("seq")
    assert [(e.kind, e.version, e.value) for e in written] == [
        ("write", 1, '"one secret"'),
        ("write", 2, '"two secrets"'),
    ]
    ann.delete("/core?agent_id=a")
    entries = list(FactChange.objects.filter(project=project, system="block").order_by("seq"))
    assert [entry.kind for entry in entries] == ["write", "write", "delete"]
    assert {entry.actor for entry in entries} == {ann.user.username}
    assert {(entry.scope, entry.owner, entry.path) for entry in entries} == {("agent", ann.user.username, "a/core")}
    assert {entry.value for entry in entries} == {None}
    assert entries[0].source["by"] == ann.user.username
    assert whole()


@pytest.mark.parametrize("body", ["", "{", "[]", '"text"', "5", "[" * 500])
def test_a_body_that_is_no_object_is_bad_input(ann, project, body):
    refused = ann.put_raw("/core", body)
    assert refused.status_code == 400
    assert refused["Content-Type"] == PROBLEM


def test_a_signed_in_browser_is_told_that_a_token_is_needed(as_role, project):
    for role in ("owner", "viewer", "stranger"):
        answer = as_role(role).get(BLOCKS)
        assert (answer.status_code, answer.json()["code"]) == (403, "token-needed")
    assert Client().get(BLOCKS).status_code == 401


def test_a_token_ends_with_the_membership_of_its_user(ann, project):
    project.memberships.filter(user=ann.user).delete()
    assert ann.get("").status_code in (401, 404)
    assert ann.put("/core").status_code in (401, 404)
    assert not Block.objects.exists()


def test_the_admin_needs_a_token_too_and_has_blocks_of_their_own(project):
    admin = Caller(project, UserFactory(is_superuser=True))
    assert admin.put("/core", "of the admin").status_code == 201
    assert Block.objects.get().owner == admin.user.username


def test_the_description_of_the_api_lists_the_addresses_without_a_final_slash(db):
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    ours = {path: set(methods) for path, methods in paths.items() if "/memory/blocks" in path or "/recall" in path}
    assert ours == {
        "/api/v1/memory/blocks": {"get"},
        "/api/v1/memory/blocks/{block_type}": {"get", "put", "delete"},
        "/api/v1/memory/recall": {"post"},
    }
    assert set(paths["/api/v1/memory/blocks/{block_type}"]["put"]["responses"]) >= {"200", "201", "400", "404", "409"}
