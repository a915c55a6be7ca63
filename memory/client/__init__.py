"""A client of the memory API: ``MemoryClient`` and, for async code, ``AsyncMemoryClient`` (docs/spec 11 §1).

It needs httpx and nothing else of the workbench: no Django, no settings.

    with MemoryClient("http://127.0.0.1:8000", token="abl_…") as memory:
        core = memory.get("core")
        memory.update("core", "- Prefers short answers", expected_updated_at=core.updated_at)
        memory.set_content("userPrefs", {"preferences": {"language": "en"}})
"""

from memory.client.blocks import AsyncMemoryClient, Block, Match, MemoryClient
from memory.client.http import MemoryConflict, MemoryNotFound, MemoryRefused
from memory.client.stores import AsyncSessionMemory, SessionMemory

__all__ = [
    "AsyncMemoryClient",
    "AsyncSessionMemory",
    "Block",
    "Match",
    "MemoryClient",
    "MemoryConflict",
    "MemoryNotFound",
    "MemoryRefused",
    "SessionMemory",
]
