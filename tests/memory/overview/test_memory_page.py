"""The page of everything that a project remembers: the tree over all systems, some rows of each, one search."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.models import Block, SessionMeta
from memory.overview import owners as owner_counts
from memory.overview.page import Overview, Wanted
from memory.stores import services as stores
from memory.stores.selectors import Subject
from tests.factories import ProjectFactory
from tests.memory.stores.kit import session_of, store_of

OPEN = {"type": "object"}


@pytest.fixture
def block(project):
    """Write a block of ines unless told otherwise."""

    def write(content="Likes tea", **parts):
        key = {"owner": "ines", "block_type": "core", "expected": None, **parts}
        return block_put(project=project, content=content, **key)[0]

    return write


@pytest.fixture
def record(project):
    """Write a record of ines unless told otherwise; its store is there already."""

    def write(name="tastes", content=None, user="ines", session="", **more):
        given = {"language": "de"} if content is None else content
        return stores.content_set(project=project, name=name, content=given, subject=Subject(user, session), **more)

    return write


@pytest.fixture
def filled(project, put, block, record):
    """Something in every system: of ines, of the project, of a session and in a bank."""
    put(owner="ines", path="user.tier", value="gold")
    put(owner="ines", path="user.card", value="4111 1111", sensitive=True)
    put(scope="project", owner="", path="project.rate", value=3)
    block()
    store_of(project, "tastes", schema=OPEN)
    store_of(project, "flags", schema=OPEN, access="application")
    store_of(project, "cart", schema=OPEN, access="session", retention="session")
    session_of(project, "s-1", user="ines", metadata={"channel": "web"})
    record()
    record("flags", {"beta": True}, user="")
    record("cart", {"items": [1]}, session="s-1")
    bank_put(project=project, name="notes", max_lines=None)
    bank_write(project=project, name="notes", agent="Desk", content="Lisbon")
    return project


def view(project, **given):
    return Overview(project, Wanted.read(given), timezone.now())


def shown(project, **given):
    """System to the names of its rows."""
    return {part.system: [row.name for row in part.found.rows] for part in view(project, **given).parts()}


def labels(project, **given):
    return [node.label for node in view(project, **given).tree()]


def test_everything_of_a_user_stands_together(filled):
    assert shown(filled, scope="user", owner="ines") == {
        "fact": ["user.card", "user.tier"],
        "block": ["core"],
        "record": ["tastes"],
        "session": ["s-1"],
    }


def test_without_a_choice_some_of_every_system_is_shown(filled):
    assert shown(filled) == {
        "fact": ["project.rate", "user.card", "user.tier"],
        "block": ["core"],
        "record": ["flags", "cart", "tastes"],
        "session": ["s-1"],
        "bank": ["Desk"],
    }


@pytest.mark.parametrize(
    ("scope", "there"),
    [
        ("project", {"fact": ["project.rate"], "record": ["flags"]}),
        ("session", {"record": ["cart"], "session": ["s-1"]}),
        ("bank", {"bank": ["Desk"]}),
        ("execution_tree", {}),
    ],
)
def test_each_scope_has_its_own(filled, scope, there):
    assert shown(filled, scope=scope) == there


def test_the_tree_opens_a_user_down_to_the_paths(filled, block):
    block(block_type="archival", agent_id="Desk", content="Acme")
    nodes = [(node.depth, node.label, node.number) for node in view(filled, scope="user", owner="ines").tree()]
    assert nodes[:8] == [
        (0, "User", "6"),
        (1, "ines", "6"),
        (2, "Facts", "2"),
        (3, "user.card", "1"),
        (3, "user.tier", "1"),
        (2, "Blocks", "2"),
        (2, "Records", "1"),
        (2, "Sessions", "1"),
    ]


def test_a_name_finds_users_sessions_banks_agents_and_stores(filled, block):
    block(owner="noor")
    session_of(filled, "desk-7", user="noor")
    bank_put(project=filled, name="Desks", max_lines=None)
    store_of(filled, "Deskings", schema=OPEN)
    assert "noor" in labels(filled, find="no")
    assert "ines" not in labels(filled, find="no")
    assert "desk-7" in labels(filled, find="desk")
    assert {"Desks", "Desk in notes", "store Deskings"} <= set(labels(filled, find="Desk"))


def test_who_is_only_in_one_system_is_in_the_tree_too(project, put, block, record):
    put(owner="a-fact")
    block(owner="b-block")
    store_of(project, "tastes", schema=OPEN)
    store_of(project, "second", schema=OPEN)
    for name in ("tastes", "second"):
        record(name, user="c-record")
    session_of(project, "s-2", user="d-session")
    found = owner_counts.owner_page(project=project, scope="user")
    assert [(each.name, {key: int(n) for key, n in each.counts.items()}) for each in found.owners] == [
        ("a-fact", {"fact": 1}),
        ("b-block", {"block": 1}),
        ("c-record", {"record": 2}),
        ("d-session", {"session": 1}),
    ]


def test_owners_are_merged_in_order_up_to_the_limit(project, put, block):
    for number in range(8):
        (put if number % 2 else block)(owner=f"u{number}")
    found = owner_counts.owner_page(project=project, scope="user", limit=5)
    assert [each.name for each in found.owners] == ["u0", "u1", "u2", "u3", "u4"]
    assert found.more
    assert not owner_counts.owner_page(project=project, scope="user", limit=8).more


@pytest.mark.parametrize("text", ["LISBON", "4111", "tea", "GOLD", "web", '"de"'])
def test_values_are_searched_in_every_system_but_never_behind_a_mask(filled, text):
    there = {"LISBON": {"bank": ["Desk"]}, "4111": {}, "tea": {"block": ["core"]}, "GOLD": {"fact": ["user.tier"]}}
    there |= {"web": {"session": ["s-1"]}, '"de"': {"record": ["tastes"]}}
    assert shown(filled, search=text) == there[text]


def test_what_has_expired_is_shown_without_its_value_and_not_searched(filled, record, as_role):
    long_ago = timezone.now() - timedelta(days=400)
    record(user="past", content={"city": "Graz"}, now=long_ago)
    assert shown(filled, search="graz") == {}
    assert shown(filled, state="expired") == {"record": ["tastes"]}
    page = as_role("viewer").get(reverse("memory:memory", args=["kiln"]), {"scope": "user", "owner": "past"})
    assert "Graz" not in page.content.decode()
    assert "No longer readable" in page.content.decode()


def test_states_are_those_of_facts(filled, put):
    put(owner="ines", path="user.soon", ttl="10m")
    assert shown(filled, state="expiring") == {"fact": ["user.soon"]}
    assert shown(filled, state="forever", scope="user", system="block") == {"block": ["core"]}
    assert "session" in shown(filled, state="live")


def test_a_search_that_could_not_look_at_all_says_so(project, block, monkeypatch):
    monkeypatch.setattr("memory.overview.rows.LOOKED", 2)
    for number in range(4):
        block(owner=f"u{number}", content="the word" if number == 0 else "another")
    part = view(project, search="the word").parts()[0]
    assert (part.found.rows, part.found.short) == ([], True)


def test_the_page_masks_what_is_sensitive_and_leads_to_each_list(filled, as_role):
    page = as_role("viewer").get(reverse("memory:memory", args=["kiln"]), {"scope": "user", "owner": "ines"})
    words = page.content.decode()
    assert "4111" not in words
    for address in ("facts/?scope=user&amp;owner=ines", "blocks/?owner=ines", "records/?owner=ines"):
        assert f"/p/kiln/{address}" in words


def test_htmx_gets_the_rows_with_the_tree_and_the_chips_beside(filled, as_role):
    htmx = {"HX-Request": "true", "HX-Target": "memory-list"}
    words = as_role("viewer").get(reverse("memory:memory", args=["kiln"]), headers=htmx).content.decode()
    assert "<html" not in words
    for part in ('id="memory-list"', 'id="memory-tree" hx-swap-oob="true"', 'id="memory-chips" hx-swap-oob="true"'):
        assert part in words


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"scope": "team"}, "scope"),
        ({"system": "cache"}, "system"),
        ({"state": "dead"}, "state"),
        ({"owner": "ines"}, "owner"),
        ({"scope": "project", "owner": "ines"}, "owner"),
        ({"find": "a\x00"}, "find"),
        ({"search": "x" * 601}, "search"),
    ],
)
def test_a_choice_that_there_is_not_is_refused_with_its_field(project, as_role, given, field):
    page = as_role("viewer").get(reverse("memory:memory", args=["kiln"]), given)
    assert page.status_code == 400
    assert field in page.content.decode()


def test_an_empty_project_offers_something_to_do(project, as_role):
    page = as_role("viewer").get(reverse("memory:memory", args=["kiln"]))
    assert "No memory yet" in page.content.decode()


def test_another_project_is_not_looked_into(filled):
    other = ProjectFactory()
    assert shown(other) == {}
    assert [node.number for node in view(other).tree()] == ["0"] * 5
    assert owner_counts.owner_page(project=other, scope="user").owners == []


@pytest.mark.full
def test_the_page_costs_the_same_with_a_thousand_owners_more(filled, as_role):
    address = reverse("memory:memory", args=["kiln"])
    client = as_role("viewer")

    def cost():
        with CaptureQueriesContext(connection) as queries:
            client.get(address, {"scope": "user", "owner": "ines"})
        return len(queries)

    cost()
    few, now = cost(), timezone.now()
    Block.objects.bulk_create(
        Block(
            project=filled,
            owner=f"x{n:04}",
            scope="user",
            block_type="core",
            content="x",
            created_at=now,
            updated_at=now,
        )
        for n in range(1200)
    )
    SessionMeta.objects.bulk_create(
        SessionMeta(project=filled, session=f"x{n:04}", user=f"x{n:04}", recorded_at=now) for n in range(1200)
    )
    assert cost() == few
    page = client.get(address, {"scope": "user"}).content.decode()
    assert "1,000+" in page
    assert "more: type a name prefix above" in page
