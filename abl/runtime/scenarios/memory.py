"""``memory`` of a scenario: what the memory systems hold when it begins (docs/spec 11, 12 §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.ports import BLOCK_TYPES, BlockRefused
from abl.runtime.memory.systems import Memories
from abl.runtime.memory.systems_in_memory import MemoryBank, MemoryBlocks, MemoryRecords
from abl.runtime.ports import Clock
from abl.runtime.scenarios.strict import ScenarioError, check_keys, listed, mapping

KEYS = ["bank", "max_lines", "stores", "session_meta", "blocks", "policy"]
BLOCK_KEYS = ["block_type", "agent", "content"]


@dataclass(frozen=True, slots=True)
class MemorySeed:
    """What is there at the beginning; a system that is None does not exist in the scenario."""

    bank: Mapping[str, str] | None = None
    max_lines: int | None = None
    stores: Mapping[str, Any] | None = None
    session_meta: Mapping[str, Any] | None = None
    blocks: tuple[Mapping[str, str], ...] | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)

    def open(self, user: str | None, clock: Clock) -> Memories:
        """The systems; they are shared by all sessions of the scenario. Blocks belong to ``user``."""
        bank = MemoryBank(self.max_lines) if self.bank is not None else None
        for key, content in (self.bank or {}).items():
            if bank is not None:
                bank.write(key, content)
        records = None
        if self.stores is not None or self.session_meta is not None:
            records = MemoryRecords(dict(self.stores or {}), session_meta=self.session_meta)
        return Memories(self._blocks(user, clock), records, bank, self.policy)

    def _blocks(self, user: str | None, clock: Clock) -> MemoryBlocks | None:
        if self.blocks is None:
            return None
        if user is None and self.blocks:
            raise ScenarioError("memory: blocks: blocks of a user need user: …")
        found = MemoryBlocks(clock)
        for at, block in enumerate(self.blocks):
            agent = block.get("agent")
            try:
                found.update(
                    user or "",
                    block_type=block["block_type"],
                    content=block["content"],
                    scope="user" if agent is None else "agent",
                    agent=agent,
                    expected_updated_at=None,
                )
            except BlockRefused as refused:
                raise ScenarioError(f"memory: blocks[{at}]: {refused.message}") from None
        return found


def read_memory(data: Any, place: str) -> MemorySeed | None:
    """The ``memory`` of a scenario, None when it has none. Raises ScenarioError."""
    if data is None:
        return None
    found = mapping(data, place)
    check_keys(found, KEYS, place)
    most = found.get("max_lines")
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        raise ScenarioError(f"{place}: max_lines is {most!r}; a whole number from 1 on is right")
    return MemorySeed(
        bank=_texts(found["bank"], f"{place}: bank") if "bank" in found else None,
        max_lines=most,
        stores=mapping(found["stores"] or {}, f"{place}: stores") if "stores" in found else None,
        session_meta=mapping(found["session_meta"], f"{place}: session_meta") if "session_meta" in found else None,
        blocks=_blocks(found["blocks"], f"{place}: blocks") if "blocks" in found else None,
        policy=policy_of(found.get("policy"), f"{place}: policy") or {},
    )


def policy_of(data: Any, place: str) -> Mapping[str, Any] | None:
    """A memory policy as written, checked. Raises ScenarioError."""
    if data is None:
        return None
    try:
        MemoryPolicy.read(data)
    except ValueError as error:
        raise ScenarioError(f"{place}: {error}") from None
    return mapping(data, place)


def _texts(data: Any, place: str) -> dict[str, str]:
    return {str(key): str(text) for key, text in mapping(data or {}, place).items()}


def _blocks(data: Any, place: str) -> tuple[Mapping[str, str], ...]:
    blocks = []
    for at, entry in enumerate(listed(data or [], place)):
        block = mapping(entry, f"{place}[{at}]")
        check_keys(block, BLOCK_KEYS, f"{place}[{at}]")
        if block.get("block_type") not in BLOCK_TYPES or not isinstance(block.get("content"), str):
            raise ScenarioError(f"{place}[{at}]: a block needs a block_type ({' or '.join(BLOCK_TYPES)}) and a content")
        blocks.append(block)
    return tuple(blocks)
