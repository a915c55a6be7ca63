"""The memory systems of a session: blocks, records and the bank behind their ports (docs/spec 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.expressions.scope import descend
from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.ports import BankPort, BlockPort, RecordPort, RecordRefused, TurnBuffered

ROOT = "memory"
"""First segment of the paths that reach records: ``memory.<technical_name>.<path>``."""


class Memories:
    """What a session may use of the memory systems. A record is fetched once per turn, and again after a write."""

    def __init__(
        self,
        blocks: BlockPort | None = None,
        records: RecordPort | None = None,
        bank: BankPort | None = None,
        policy: Mapping[str, Any] | MemoryPolicy | None = None,
    ) -> None:
        self.blocks = blocks
        self.records = records
        self.bank = bank
        self.session_policy = MemoryPolicy.read(policy)
        self.policy = self.session_policy
        self._fetched: dict[str, Any] = {}
        ports: tuple[object, ...] = (blocks, records, bank)
        self._buffered = [port for port in ports if isinstance(port, TurnBuffered)]

    def copy(self) -> Memories:
        """The same ports and policy, with nothing fetched."""
        return Memories(self.blocks, self.records, self.bank, self.session_policy)

    def start_turn(self, policy: Mapping[str, Any] | MemoryPolicy | None = None) -> None:
        """Forget what was read; ``policy`` overrides the session's for this turn (ValueError when it is wrong)."""
        self.policy = MemoryPolicy.read(policy, self.session_policy)
        self._fetched.clear()

    def commit(self) -> None:
        """Let the ports that keep the writes of a turn write them."""
        for port in self._buffered:
            port.commit_turn()

    def drop(self) -> None:
        """The turn failed: forget what the ports keep of it."""
        for port in self._buffered:
            port.drop_turn()

    # Records ------------------------------------------------------------------------------------------------------

    def read(self, parts: tuple[str, ...]) -> Any:
        """Value of ``memory.<name>.<path>``; None when there is no such store, record or path."""
        if self.records is None or len(parts) < 2:
            return None
        name = parts[1]
        if name not in self._fetched:
            try:
                self._fetched[name] = self.records.get_content(name)
            except RecordRefused:
                self._fetched[name] = None
        return descend(self._fetched[name], parts[2:])

    def changed(self) -> None:
        """A record was written."""
        self._fetched.clear()
