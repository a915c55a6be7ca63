"""Blocks below HTTP: what admins look through and change, erasing a user, provenance."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.blocks import selectors
from memory.blocks.selectors import Filters
from memory.blocks.services import block_delete, block_edit, block_put, blocks_delete, blocks_erase
from memory.log.ledger import writing
from memory.models import Block, FactChange
from tests.factories import ProjectFactory
from web.errors import Conflict, Invalid, NotFound


@pytest.fixture
def keep(project):
    """Create a block; the user u1's core block unless told otherwise."""

    def write(content="- Likes tea", owner="u1", block_type="core", **more):
        place = {"project": project, **more}
        return block_put(**place, owner=owner, block_type=block_type, content=content, expected=None)[0]

    return write


@pytest.fixture
def admin(people):
    return people["owner"]


def test_an_admin_lists_the_blocks_of_everybody_newest_first(keep, project):
    blocks = [keep(), keep(owner="u2"), keep(block_type="archival"), keep(agent_id="desk")]
    keep(project=ProjectFactory())
    assert list(selectors.block_list(project=project)) == blocks[::-1]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"owner": "u2"}, ["u2/core"]),
        ({"agent": "desk"}, ["u1/desk/core"]),
        ({"block_type": "archival"}, ["u1/archival"]),
        ({"scope": "user", "owner": "u1"}, ["u1/archival", "u1/core"]),
        ({"owner": "u3"}, []),
    ],
)
def test_the_list_is_narrowed_by_each_filter(keep, project, filters, found):
    keep()
    keep(owner="u2")
    keep("- Likes coffee", block_type="archival")
    keep(agent_id="desk")
    listed = selectors.block_list(project=project, filters=Filters(**filters))
    assert [f"{block.owner}/{block.path}" for block in listed] == found


def test_owners_are_counted(keep, project):
    keep()
    keep(agent_id="desk")
    keep(owner="v1")
    assert selectors.owner_list(project=project) == [("u1", 2), ("v1", 1)]
    assert selectors.owner_list(project=project, starts="v") == [("v1", 1)]


def test_an_admin_edits_a_block_with_a_reason(keep, project, admin):
    block = keep(agent_id="desk")
    seen = {"project": project, "pk": block.pk, "expected": block.updated_at, "actor": admin}
    edited = block_edit(**seen, content="- Likes coffee", reason="ticket 7")
    assert (edited.pk, edited.content, edited.agent_id, edited.version) == (block.pk, "- Likes coffee", "desk", 2)
    entry = FactChange.objects.order_by("-seq")[0]
    assert (entry.actor, entry.reason, entry.source["by"]) == (admin.username, "ticket 7", admin.username)
    with pytest.raises(Conflict) as stale:
        block_edit(**seen, content="x")
    assert stale.value.current["content"] == "- Likes coffee"
    with pytest.raises(NotFound):
        block_edit(project=ProjectFactory(), pk=block.pk, content="x", expected=edited.updated_at, actor=admin)


def test_chosen_blocks_are_deleted_all_or_none(keep, project, admin):
    first, second = keep(), keep(owner="u2")
    with pytest.raises(Conflict):
        blocks_delete(
            project=project, chosen={first.pk: None, second.pk: second.updated_at - timedelta(seconds=1)}, actor=admin
        )
    assert Block.objects.count() == 2
    chosen = {first.pk: first.updated_at, second.pk: None, 999_999: None}
    assert blocks_delete(project=project, chosen=chosen, actor=admin, reason="asked for it") == 2
    assert not Block.objects.exists()
    assert blocks_delete(project=project, chosen=chosen, actor=admin) == 0


def test_blocks_of_another_project_are_out_of_reach(keep, project):
    elsewhere = keep(project=ProjectFactory())
    assert blocks_delete(project=project, chosen={elsewhere.pk: None}) == 0
    with pytest.raises(NotFound):
        selectors.block_get(project=project, pk=elsewhere.pk)
    with pytest.raises(NotFound):
        block_delete(project=project, owner="u1", block_type="core")


def test_a_user_is_erased_with_every_trace_of_the_texts(keep, project, admin, whole):
    keep("- secret one")
    keep("- secret two", agent_id="desk")
    other = keep("- of somebody else", owner="u2")
    with writing(project.pk, now=other.updated_at) as ledger:
        assert blocks_erase(ledger=ledger, project=project, owner="u1", reason="erased") == 2
    assert list(Block.objects.all()) == [other]
    values = FactChange.objects.filter(owner="u1").values_list("value", flat=True)
    assert set(values) == {None}
    assert whole()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"block_type": "diary"}, "block_type"),
        ({"owner": ""}, "owner"),
        ({"owner": "u" * 201}, "owner"),
        ({"agent_id": "a" * 201}, "agent_id"),
        ({"content": "\0"}, "content"),
        ({"reason": "r" * 301}, "reason"),
        ({"owner": "\ud800"}, "owner"),
    ],
)
def test_bad_input_is_named(keep, change, field):
    with pytest.raises(Invalid) as refused:
        keep(**change)
    assert list(refused.value.fields) == [field]
    assert not Block.objects.exists()


def test_the_source_of_a_run_is_kept_with_the_block_and_in_the_log(keep):
    block = keep(source={"conversation": 7, "turn": 2, "agent": "Desk", "cause": "update_memory", "more": "dropped"})
    kept = {"conversation": 7, "turn": 2, "agent": "Desk", "cause": "update_memory"}
    assert block.source == kept
    assert FactChange.objects.get().source == kept


def test_a_name_with_a_slash_is_not_taken_for_another_place(keep, project):
    keep("one", agent_id="a")
    keep("two", agent_id="a/core")
    assert len({(block.scope, block.path) for block in Block.objects.all()}) == 2
    found = selectors.block_find(project=project, owner="u1", block_type="core", agent_id="a")
    assert found is not None
    assert found.content == "one"
