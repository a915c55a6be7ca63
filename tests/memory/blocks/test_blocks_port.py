"""Memory blocks as a running session sees them: the runtime's port over the database."""

from __future__ import annotations

import pytest

from abl.runtime.memory.ports import BlockRefused
from memory.blocks.port import ProjectBlocks
from memory.models import Block, FactChange
from tests.factories import ProjectFactory


@pytest.fixture
def port(project):
    made = ProjectBlocks(project, {"conversation": 7})
    made.attribute({"agent": "Desk", "session": "s", "turn": 2, "event": 17, "span": {"path": "desk.agent.abl"}})
    return made


@pytest.fixture
def update(port):
    """Write as the tool does."""

    def write(content="- Likes tea", block_type="core", scope="user", agent=None, *, owner="u1", expected=None):
        return port.update(
            owner, block_type=block_type, content=content, scope=scope, agent=agent, expected_updated_at=expected
        )

    return write


def test_a_write_counts_at_once_and_says_who_made_it(update, port):
    view = update(scope="agent", agent="Desk")
    assert (view.block_type, view.scope, view.agent_id, view.content) == ("core", "agent", "Desk", "- Likes tea")
    block = Block.objects.get()
    assert (block.public_id, block.owner) == (view.id, "u1")
    assert block.source == {
        "conversation": 7,
        "session": "s",
        "turn": 2,
        "event": 17,
        "agent": "Desk",
        "cause": "update_memory",
        "document": "desk.agent.abl",
    }
    assert FactChange.objects.get().actor == ""
    assert (
        update(content="- Likes coffee", scope="agent", agent="Desk", expected=view.updated_at).content[8:] == "coffee"
    )


def test_core_blocks_come_with_the_user_first(update, port):
    with_desk = update(scope="agent", agent="Desk")
    update(scope="agent", agent="Another")
    own = update()
    update(block_type="archival")
    update(owner="u2")
    assert port.core("u1", "Desk") == [own, with_desk]
    assert port.core("u1", None) == [own]
    assert port.core("nobody", "Desk") == []
    assert ProjectBlocks(ProjectFactory()).core("u1", "Desk") == []


def test_recall_reads_the_user_and_the_agent(update, port):
    update("- Acme pays late\n- Globex pays early", "archival")
    update("- Acme likes mail", "archival", "agent", "Desk")
    found = port.recall("u1", "acme", agent="Desk", limit=10, min_score=None)
    assert {(match.content, match.agent_id, match.line_number) for match in found} == {
        ("- Acme pays late", None, 1),
        ("- Acme likes mail", "Desk", 1),
    }
    assert [match.content for match in port.recall("u1", "acme", agent=None, limit=1, min_score=0.1)] == [
        "- Acme pays late"
    ]
    assert port.recall("u1", "acme", agent="Desk", limit=10, min_score=1) == []


def test_a_message_of_any_length_and_kind_can_be_looked_up(update, port):
    update("- Acme pays late", "archival")
    assert port.recall("u1", "acme " * 20_000, agent=None, limit=10, min_score=None)
    assert port.recall("u1", "acme \x00\ud800", agent=None, limit=10, min_score=None)
    assert port.recall("u1", "🙂", agent=None, limit=10, min_score=None) == []


def test_a_conflict_carries_the_block_as_it_is(update):
    view = update()
    with pytest.raises(BlockRefused) as stale:
        update("- Likes coffee")
    assert (stale.value.code, stale.value.current) == ("conflict", view)
    with pytest.raises(BlockRefused) as absent:
        update("- x", "archival", expected=view.updated_at)
    assert (absent.value.code, absent.value.current) == ("conflict", None)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"content": "x" * 4001}, "over-limit"),
        ({"content": "- x\n" * 21}, "over-limit"),
        ({"block_type": "diary"}, "invalid"),
        ({"scope": "planet"}, "invalid"),
        ({"scope": "agent"}, "invalid"),
        ({"expected": "soon"}, "invalid"),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_reason(update, given, code):
    with pytest.raises(BlockRefused) as refused:
        update(**given)
    assert refused.value.code == code
    assert refused.value.message
    assert not Block.objects.exists()


def test_an_empty_query_is_refused(port):
    with pytest.raises(BlockRefused) as refused:
        port.recall("u1", " ", agent=None, limit=10, min_score=None)
    assert refused.value.code == "invalid"


def test_characters_that_no_database_keeps_stop_no_turn(update):
    assert update("- a\x00b\ud800").content == "- a\ufffdb\ufffd"
