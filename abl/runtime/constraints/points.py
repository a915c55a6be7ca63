"""The point of a constraint pass (docs/spec 04 §6): where it runs and what it judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abl.runtime.state import Message


@dataclass(frozen=True, slots=True)
class Point:
    """One pass. ``name`` is turn, tool_call or response; ``target`` the tool that is about to be called.

    ``origin`` is where a call comes from (``Invocation``), ``said`` the replies that the pass `response` judges.
    ``completing``: a COMPLETE is about to end the agent's work. ``results_only``: in the pass `response`, only rules
    with BEFORE returning results judge.
    """

    name: str
    target: str | None = None
    origin: str = "flow"
    said: Sequence[Message] = ()
    completing: bool = False
    results_only: bool = False
