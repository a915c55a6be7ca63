"""The client's calls for code tools against the running product (docs/spec 11 §2)."""

from __future__ import annotations

import asyncio

import pytest

from memory.client import AsyncMemoryClient, MemoryClient, MemoryNotFound, MemoryRefused
from tests.workbench import ROOT, eventually

pytestmark = pytest.mark.slow

PREFS = {"preferences": {"language": "en", "notifications": True}, "lastVisit": "2026-03-01T09:00:00"}
CODE = """
from editor.models import Project, User
from memory.stores import services
project = Project.objects.get(slug="hotel-desk")
object_ = {"type": "object", "properties": {"preferences": {"type": "object"}, "lastVisit": {"type": "string"}}}
wanted = [("codePrefs", "user", "1_month", True), ("codeCart", "session", "session", False)]
for name, access, retention, strict in wanted:
    if not project.stores.filter(technical_name=name).exists():
        services.store_create(project=project, name=name, technical_name=name, schema=object_, access=access,
                              retention=retention, strict=strict)
"""


@pytest.fixture(scope="module")
def server(live_workbench):
    """Address and token of the admin in a project that has two stores."""
    live_workbench.shell(CODE)
    token = live_workbench.manage("api_token", "admin", "hotel-desk").stdout.split()[-1]
    return {"url": live_workbench.url, "token": token}


@pytest.fixture
def session(live_workbench):
    """A conversation of the admin that the worker has started; its session id."""
    with live_workbench.client() as client:
        body = {"user": "admin", "metadata": {"channel": "mobile_app", "userName": "John"}}
        started = client.post("/api/v1/projects/hotel-desk/conversations/", json=body).json()
        address = f"/api/v1/projects/hotel-desk/conversations/{started['number']}/turns/0/"
        eventually(lambda: client.get(address).json()["status"] == "done", 60, "the conversation started")
    return started["session_id"]


def test_a_record_is_written_read_merged_and_deleted(server):
    with MemoryClient(**server) as memory:
        memory.delete_content("codePrefs")
        assert memory.get_content("codePrefs") is None
        assert memory.set_content("codePrefs", PREFS) == PREFS
        memory.set_content("codePrefs", {"preferences": {"language": "de"}})
        assert memory.get_content("codePrefs")["preferences"] == {"language": "de", "notifications": True}
        assert memory.get_content("codePrefs", {"preferences.language": 1, "lastVisit": 1}) == {
            "preferences": {"language": "de"},
            "lastVisit": "2026-03-01T09:00:00",
        }
        assert memory.get_content("codePrefs", {"preferences": 0}) == {"lastVisit": "2026-03-01T09:00:00"}
        assert memory.delete_content("codePrefs") is True
        assert memory.delete_content("codePrefs") is False


def test_a_refusal_has_code_fields_and_errors(server):
    with MemoryClient(**server) as memory:
        with pytest.raises(MemoryRefused) as strict:
            memory.set_content("codePrefs", {"preferences": 5})
        assert (strict.value.status, strict.value.code) == (400, "schema")
        assert strict.value.problem["errors"][0]["path"] == "/preferences"
        with pytest.raises(MemoryRefused) as mixed:
            memory.get_content("codePrefs", {"a": 1, "b": 0})
        assert "projections" in mixed.value.fields
        for call in (memory.get_content, memory.delete_content):
            with pytest.raises(MemoryNotFound):
                call("nothing")
        with pytest.raises(MemoryRefused) as nowhere:
            memory.get_content("codeCart")
        assert "session_id" in nowhere.value.fields


def test_code_of_a_session_has_the_same_calls(server, session):
    with MemoryClient(**server) as client:
        memory = client.session(session)
        meta = memory.get_content("sessionMeta")
        assert meta["metadata"]["channel"] == "mobile_app"
        assert meta["sessionInfo"]["sessionId"] == session
        assert meta["sessionInfo"]["runId"] == f"{session}-0"
        assert memory.set_content("codeCart", {"items": ["r1"]}) == {"items": ["r1"]}
        assert memory.get_content("codeCart") == {"items": ["r1"]}
        with pytest.raises(MemoryRefused) as refused:
            memory.set_content("sessionMeta", {"metadata": {}})
        assert refused.value.code == "read-only"
        assert memory.delete_content("codeCart")
        with pytest.raises(MemoryNotFound):
            client.session("nowhere").get_content("sessionMeta")


def test_the_calls_can_be_awaited(server, session):
    async def talk():
        async with AsyncMemoryClient(**server) as client:
            memory = client.session(session)
            await memory.set_content("codeCart", {"a": 1})
            await client.set_content("codePrefs", PREFS)
            read = await memory.get_content("codeCart"), await client.get_content("codePrefs", {"lastVisit": 1})
            return *read, await memory.delete_content("codeCart"), await memory.delete_content("codeCart")

    assert asyncio.run(talk()) == ({"a": 1}, {"lastVisit": "2026-03-01T09:00:00"}, True, False)


def test_sixteen_writers_over_http_lose_no_field(server):
    from concurrent.futures import ThreadPoolExecutor

    def write(n):
        with MemoryClient(**server) as memory:
            memory.set_content("codePrefs", {"preferences": {f"w{n}": n}})

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(16)))
    with MemoryClient(**server) as memory:
        preferences = memory.get_content("codePrefs")["preferences"]
        assert {name: n for name, n in preferences.items() if name.startswith("w")} == {f"w{n}": n for n in range(16)}
        memory.delete_content("codePrefs")


def test_it_needs_no_framework(live_workbench):
    import subprocess
    import sys

    code = "import sys, memory.client; assert not [m for m in sys.modules if m.startswith('django')]; print('alone')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "alone\n"
