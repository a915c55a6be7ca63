"""A call and how it ended, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abl.language.entry import Entry
from abl.runtime.constraints.failures import Failure
from abl.runtime.memory.tools import MemoryTool
from abl.syntax import nodes


@dataclass(frozen=True, slots=True)
class Called:
    """How a call ended: executed with a result, failed with an envelope, or blocked by a rule.

    ``exit`` is where the tool's own ``do`` list leads; the caller takes it before its branches (06 §6.2).
    """

    result: Any = None
    error: dict[str, Any] | None = None
    blocked: Failure | None = None
    asked: bool = False  # it waits for the user's consent
    exit: nodes.Transition | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """Which tool is called from where: ``origin`` is flow, hook, on_start, complete, model or do.

    ``may_ask``: the caller can wait for the user's consent. ``sensitive`` names arguments that must not be shown.
    """

    name: str
    tool: nodes.Tool | None
    origin: str
    span: Any
    as_name: str | None = None
    memory: MemoryTool | None = None
    may_ask: bool = False
    sensitive: frozenset[str] = frozenset()


def entry_of(tool: nodes.Tool | None) -> Entry:
    """The properties of a tool as typed values; none of a tool that nothing declares."""
    return tool.typed if tool is not None else Entry("tool", {})
