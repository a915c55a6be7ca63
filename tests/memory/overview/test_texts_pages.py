"""The pages of memory blocks and banks: who may see and change what, and what a change does."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.urls import reverse

from memory.banks.services import bank_put, bank_write
from memory.blocks.services import block_put
from memory.blocks.texts import stamp
from memory.models import Bank, BankEntry, Block, FactChange, System
from tests.emptying import undone
from tests.every import each
from tests.factories import ProjectFactory
from tests.memory.routes import EVERYONE, MAY, Route

STAMP = "2026-04-30T16:20:00"
PAGES = [
    ("memory:blocks", "get", "view", None, 200),
    ("memory:block", "get", "view", None, 200),
    ("memory:block-edit", "post", "edit", {"content": "- Likes tea", "expected_updated_at": STAMP}, 302),
    ("memory:block-delete", "post", "edit", {"expected_updated_at": STAMP}, 302),
    ("memory:banks", "get", "view", None, 200),
    ("memory:bank-seed", "get", "edit", None, 200),
    ("memory:bank-seed", "post", "edit", {"bank": "notes", "agent": "Desk", "content": "seed"}, 302),
    ("memory:bank-text", "get", "view", None, 200),
    ("memory:bank-text-edit", "post", "edit", {"content": "2|3", "version": "1"}, 302),
    ("memory:bank-text-delete", "post", "edit", {"version": "1"}, 302),
]
ROUTES = [Route(*row) for row in PAGES]
LISTS = {"memory:blocks", "memory:banks", "memory:bank-seed"}


def made_block(project: Any, **parts: Any) -> Block:
    key = {"owner": "ana", "block_type": "core", "content": "- Prefers short answers", "expected": None} | parts
    return block_put(project=project, **key)[0]


def made_text(project: Any, agent: str = "Counter", content: str = "1|2") -> BankEntry:
    bank_put(project=project, name="sums", max_lines=3)
    return bank_write(project=project, name="sums", agent=agent, content=content)


@pytest.fixture
def block(project):
    return made_block(project)


@pytest.fixture
def entry(project):
    return made_text(project)


def ask(client: Any, route: Route, block: Block, entry: BankEntry) -> Any:
    """One request for the thing that the route is about, with the stamp that was read."""
    thing = entry if "bank" in route.name else block
    data = dict(route.data or {})
    if "expected_updated_at" in data:
        data["expected_updated_at"] = stamp(block.updated_at)
    address = reverse(route.name, args=["kiln"] if route.name in LISTS else ["kiln", thing.pk])
    return route.send(client, address, data)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.name}-{route.method}")
def test_each_role_gets_what_it_may(as_role, block, entry, route):
    each(((role, (as_role, block, entry, role, route)) for role in EVERYONE), gets_what_it_may)


@undone()
def gets_what_it_may(as_role, block, entry, role, route):
    route.check(ask(as_role(role), route, block, entry), role)
    if role not in MAY[route.needs]:
        block.refresh_from_db()
        entry.refresh_from_db()
        assert (block.version, entry.version) == (1, 1)
        assert FactChange.objects.exclude(system="banks").count() == 2


@pytest.mark.parametrize("name", ["memory:block", "memory:bank-text"])
def test_what_belongs_to_another_project_is_not_there(as_role, project, name):
    other = ProjectFactory()
    pk = (made_block(other) if name == "memory:block" else made_text(other)).pk
    assert as_role("owner").get(reverse(name, args=["kiln", pk])).status_code == 404


def test_the_list_of_blocks_is_narrowed_by_user_agent_type_and_text(as_role, project):
    made_block(project)
    made_block(project, agent_id="Desk", block_type="archival", content="Acme renewal in May")
    made_block(project, owner="bo", content="Works in Lisbon")
    client = as_role("viewer")

    def shown(**filters: str) -> list[str]:
        rows = client.get(reverse("memory:blocks", args=["kiln"]), filters).context["rows"]
        return sorted(f"{block.owner}:{block.path}" for block, _ in rows)

    assert shown() == ["ana:Desk/archival", "ana:core", "bo:core"]
    assert shown(owner="bo") == ["bo:core"]
    assert shown(agent="Desk") == ["ana:Desk/archival"]
    assert shown(block_type="archival") == ["ana:Desk/archival"]
    assert shown(text="lisbon") == ["bo:core"]
    assert shown(text="nothing like this") == []


def test_a_long_list_goes_on_over_the_page(as_role, project):
    for number in range(53):
        made_block(project, owner=f"u{number:02}")
    client, address = as_role("viewer"), reverse("memory:blocks", args=["kiln"])
    first, second = client.get(address).context, client.get(address, {"page": "2"}).context
    owners = [block.owner for block, _ in [*first["rows"], *second["rows"]]]
    assert len(first["rows"]) == 50
    assert sorted(owners) == [f"u{number:02}" for number in range(53)]
    assert (first["newer"], first["older"]) == ("", "?page=2")
    assert (second["newer"], second["older"]) == ("?", "")


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999999999999", "²"])
def test_a_page_that_cannot_be_is_refused_with_its_name(as_role, project, page):
    response = as_role("viewer").get(reverse("memory:blocks", args=["kiln"]), {"page": page})
    assert response.status_code == 400
    assert "page" in response.content.decode()


def test_an_edit_keeps_the_lines_as_typed_and_says_in_the_log_who_and_why(as_role, people, project, block):
    response = as_role("editor").post(
        reverse("memory:block-edit", args=["kiln", block.pk]),
        {"content": "- One\r\n- Two", "expected_updated_at": stamp(block.updated_at), "reason": "asked by phone"},
    )
    assert response.status_code == 302
    block.refresh_from_db()
    assert (block.content, block.version) == ("- One\n- Two", 2)
    entry = FactChange.objects.filter(system=System.BLOCK).order_by("-seq").first()
    assert (entry.actor, entry.reason, entry.path) == (people["editor"].username, "asked by phone", "core")
    page = as_role("viewer").get(reverse("memory:block", args=["kiln", block.pk])).content.decode()
    assert "asked by phone" in page
    assert '<span class="plus">' in page


def test_a_text_that_somebody_changed_meanwhile_is_not_overwritten(as_role, project, block):
    seen = stamp(block.updated_at)
    block_put(project=project, owner="ana", block_type="core", content="- Newer", expected=block.updated_at)
    response = as_role("editor").post(
        reverse("memory:block-edit", args=["kiln", block.pk]), {"content": "- Mine", "expected_updated_at": seen}
    )
    assert response.status_code == 409
    block.refresh_from_db()
    assert block.content == "- Newer"


def test_a_text_over_the_limit_is_refused_with_limit_and_size(as_role, project, block):
    response = as_role("editor").post(
        reverse("memory:block-edit", args=["kiln", block.pk]),
        {"content": "x" * 4001, "expected_updated_at": stamp(block.updated_at)},
    )
    assert response.status_code == 400
    assert "has 4,001 characters; a block of type core holds 4,000" in html.unescape(response.content.decode())


@pytest.mark.parametrize("version", ["", "x", "7"])
def test_the_version_that_was_read_is_needed_to_change_a_bank_text(as_role, project, entry, version):
    address = reverse("memory:bank-text-edit", args=["kiln", entry.pk])
    response = as_role("editor").post(address, {"content": "9|9", "version": version})
    assert response.status_code == (409 if version == "7" else 400)
    entry.refresh_from_db()
    assert entry.content == "1|2"


def test_a_seed_makes_the_bank_and_its_bound(as_role, project):
    response = as_role("owner").post(
        reverse("memory:bank-seed", args=["kiln"]),
        {"bank": "fib", "agent": "Fib", "content": "a\r\nb\r\n21|34", "max_lines": "1"},
    )
    entry = BankEntry.objects.select_related("bank").get()
    assert response.url == reverse("memory:bank-text", args=["kiln", entry.pk])
    assert (entry.bank.name, entry.bank.max_lines, entry.agent, entry.content) == ("fib", 1, "Fib", "21|34")


@pytest.mark.parametrize(
    ("field", "value"), [("bank", "no spaces"), ("agent", ""), ("max_lines", "0"), ("max_lines", "many")]
)
def test_a_seed_that_cannot_be_names_its_field_and_leaves_nothing(as_role, project, field, value):
    data = {"bank": "fib", "agent": "Fib", "content": "1|1", field: value}
    response = as_role("owner").post(reverse("memory:bank-seed", args=["kiln"]), data)
    assert response.status_code == 400
    assert field in response.content.decode()
    assert not Bank.objects.exists()


def test_what_a_deleted_text_said_is_gone_from_the_log_too(as_role, project, entry):
    as_role("owner").post(reverse("memory:bank-text-delete", args=["kiln", entry.pk]), {"version": "1"})
    assert not BankEntry.objects.exists()
    entries = FactChange.objects.exclude(system="banks").order_by("seq")
    assert list(entries.values_list("kind", "value")) == [("write", None), ("delete", None)]


def test_texts_cannot_break_out_of_the_page(as_role, project):
    hostile = "</textarea><script>alert(1)</script>"
    block, entry = made_block(project, content=hostile), made_text(project, content=hostile)
    client = as_role("owner")
    for address in (
        reverse("memory:blocks", args=["kiln"]),
        reverse("memory:block", args=["kiln", block.pk]),
        reverse("memory:banks", args=["kiln"]),
        reverse("memory:bank-text", args=["kiln", entry.pk]),
    ):
        assert "<script>alert" not in client.get(address).content.decode()
