"""Random numbers of a session: reproducible, and kept in its state."""

from __future__ import annotations

from abl.runtime.state import SessionState


class SeededRandom:
    """Random numbers whose state is one integer of the session (an xorshift generator)."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def choice(self, seq: str, /) -> str:
        """One character of the text."""
        x = self._state.random or 0x9E3779B97F4A7C15
        x ^= (x << 13) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= (x << 17) & 0xFFFFFFFFFFFFFFFF
        self._state.random = x
        return seq[(x >> 11) % len(seq)]
