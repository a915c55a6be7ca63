"""The Python client of memory blocks, against the running product (docs/spec 11 §1)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime

import httpx
import pytest

from memory.client import AsyncMemoryClient, MemoryClient, MemoryConflict, MemoryNotFound, MemoryRefused
from tests.workbench import ROOT

ACME = "- Acme renewal: CFO wants pricing options."
LINES = f"{ACME}\n- Globex implementation: legal approved the DPA."


@pytest.fixture
def server(live_workbench):
    """Address and a fresh token; the blocks of its user are gone afterwards."""
    token = live_workbench.manage("api_token", "admin", "hotel-desk").stdout.split()[-1]
    given = {"url": live_workbench.url, "token": token}
    yield given
    with MemoryClient(**given) as memory:
        for block in memory.list(scope="all"):
            memory.delete(block.block_type, agent_id=block.agent_id)


@pytest.mark.slow
def test_a_block_is_created_read_updated_listed_and_deleted(server):
    with MemoryClient(**server) as memory:
        made = memory.update("core", "- Prefers short answers", None)
        assert (made.block_type, made.scope, made.agent_id) == ("core", "user", None)
        assert isinstance(made.updated_at, datetime)
        assert made.updated_at.tzinfo is not None
        assert memory.get("core") == made
        seeds = memory.update("core", "- Works in Berlin", expected_updated_at=made.updated_at.isoformat())
        again = memory.update("core", "- Works in Oslo", seeds.updated_at)
        assert again.updated_at > seeds.updated_at > made.updated_at
        with_agent = memory.update("core", "- Short mails", None, scope="agent", agent_id="agent_emails")
        assert memory.get("core", scope="agent", agent_id="agent_emails") == with_agent
        assert memory.list() == [again]
        assert memory.list("agent") == [with_agent]
        assert memory.list(scope="all") == [again, with_agent]
        memory.delete("core")
        with pytest.raises(MemoryNotFound) as missing:
            memory.get("core")
        assert (missing.value.status, missing.value.code) == (404, "not-found")


@pytest.mark.slow
def test_a_conflict_carries_the_current_block(server):
    with MemoryClient(**server) as memory:
        with pytest.raises(MemoryConflict) as nothing:
            memory.update("core", "x", datetime(2026, 4, 30, 16, 20))
        assert nothing.value.current is None
        made = memory.update("core", "one", None)
        with pytest.raises(MemoryConflict) as stale:
            memory.update("core", "two", None)
        assert stale.value.current == made
        assert memory.update("core", "two", stale.value.current.updated_at).content == "two"


@pytest.mark.slow
def test_recall_gives_ranked_lines(server):
    with MemoryClient(**server) as memory:
        memory.update("archival", LINES, None)
        memory.update("archival", "- Acme is strategic.", None, agent_id="agent_records")
        best, *rest = memory.recall("Acme renewal", agent_id="agent_records", limit=5)
        assert (best.content, best.line_number, best.scope) == (ACME, 1, "user")
        assert 0 < rest[0].score < best.score <= 1
        assert [match.agent_id for match in rest] == ["agent_records"]
        assert memory.recall("Acme renewal", min_score=1.0) == []


@pytest.mark.slow
def test_other_refusals_name_the_fields(server):
    with MemoryClient(**server) as memory:
        with pytest.raises(MemoryRefused) as large:
            memory.update("core", "x" * 4001, None)
        assert (large.value.status, large.value.code, large.value.problem["limit"]) == (400, "over-limit", 4000)
        assert "content" in large.value.fields
        with pytest.raises(MemoryRefused):
            memory.recall(" ")
    with MemoryClient(server["url"], "abl_wrong") as stranger, pytest.raises(MemoryRefused) as unknown:
        stranger.list()
    assert unknown.value.status == 401


@pytest.mark.slow
def test_the_async_client_does_the_same(server):
    async def talk():
        async with AsyncMemoryClient(**server) as memory:
            made = await memory.update("archival", LINES, None)
            assert await memory.get("archival") == made
            assert await memory.list() == [made]
            matches = await memory.recall("globex", limit=3)
            assert [match.line_number for match in matches] == [2]
            with pytest.raises(MemoryConflict) as stale:
                await memory.update("archival", "two", datetime(2026, 1, 1, tzinfo=UTC))
            assert stale.value.current == made
            await memory.delete("archival")
            with pytest.raises(MemoryNotFound):
                await memory.get("archival")
            return await memory.list(scope="all")

    assert asyncio.run(talk()) == []


# Without a server ---------------------------------------------------------------------------------------------------

STAMP = "2026-04-30T16:20:00.000001+00:00"
BLOCK = {
    "id": "mem_1", "block_type": "core", "content": "a", "scope": "user", "agent_id": None, "created_at": STAMP,
    "updated_at": STAMP,
}  # fmt: skip


def client(answer):
    """A client whose server is a function, and the requests that it got."""
    seen: list[httpx.Request] = []

    def serve(request):
        seen.append(request)
        return answer(request)

    return MemoryClient("http://desk.test/abl/", "abl_x", transport=httpx.MockTransport(serve)), seen


def test_the_path_prefix_and_the_token_are_sent():
    memory, seen = client(lambda _: httpx.Response(200, json=BLOCK))
    with memory:
        assert memory.get("core", agent_id="a/b c").updated_at == datetime.fromisoformat(STAMP)
    assert str(seen[0].url) == "http://desk.test/abl/api/v1/memory/blocks/core?agent_id=a%2Fb+c"
    assert seen[0].headers["authorization"] == "Bearer abl_x"


def test_the_stamp_is_sent_as_it_was_read():
    memory, seen = client(lambda _: httpx.Response(200, json=BLOCK))
    memory.update("core", "b", datetime.fromisoformat(STAMP))
    memory.update("core", "b", None)
    assert [json.loads(request.content)["expected_updated_at"] for request in seen] == [STAMP, None]


def test_a_list_follows_its_pages_on_the_same_server():
    def serve(request):
        following = (
            "https://other.test/api/v1/memory/blocks?cursor=abc&scope=all"
            if "cursor" not in request.url.params
            else None
        )
        return httpx.Response(200, json={"results": [BLOCK], "next": following, "previous": None})

    memory, seen = client(serve)
    assert len(memory.list(scope="all")) == 2
    assert {request.url.host for request in seen} == {"desk.test"}
    assert dict(seen[1].url.params) == {"cursor": "abc", "scope": "all"}


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]"])
def test_an_answer_that_is_no_problem_object_is_a_refusal_all_the_same(body):
    memory, _ = client(lambda _: httpx.Response(502, content=body))
    with pytest.raises(MemoryRefused) as refused:
        memory.list()
    assert refused.value.status == 502


def test_a_name_that_is_empty_is_refused_before_anything_is_sent():
    memory, seen = client(lambda _: httpx.Response(200, json=BLOCK))
    with memory:
        for call in (memory.get, memory.delete, lambda name: memory.update(name, "x", None)):
            with pytest.raises(ValueError, match="block_type is ''; give its name"):
                call("")
        for call in (memory.get_content, memory.delete_content, lambda name: memory.set_content(name, {})):
            with pytest.raises(ValueError, match="technical_name is ''; give its name"):
                call("")
    assert seen == []


def test_the_connection_ends_with_the_block():
    memory, _ = client(lambda _: httpx.Response(200, json=BLOCK))
    with memory:
        pass
    with pytest.raises(RuntimeError):
        memory.get("core")


def test_it_needs_no_django():
    script = "import sys; sys.modules['django'] = None; import memory.client; print('django.conf' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
