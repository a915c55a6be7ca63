"""MEMORY (docs/spec 03)."""

from __future__ import annotations

from dataclasses import dataclass

from abl.syntax.nodes.base import Literal_, Name, Node, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionVariable(Node):
    """An entry of ``session`` (03 §2)."""

    PLACE = "session"
    name: Name
    type: Text | None = None
    description: Text | None = None
    initial: Literal_ | None = None
    reset: Text | None = None

    @property
    def type_word(self) -> str:
        """Its type as words are compared, also one that is unknown; empty without one."""
        return self.type.value.strip().lower() if self.type is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentPath(Node):
    """An entry of ``persistent`` (03 §3)."""

    PLACE = "persistent"
    name: Name  # the dotted path
    scope: Text | None = None
    access: Text | None = None
    type: Text | None = None
    unit: Text | None = None
    default: Literal_ | None = None
    description: Text | None = None
    sensitive: Text | None = None
    sensitive_display: Text | None = None
    mask_config: Literal_ | None = None
    domain: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Store(Node):
    """``value -> target`` or the block form (03 §4). ``value`` may be an object literal in expression syntax."""

    PLACE = "store"

    value: Text | None
    target: Name | None
    operation: Text | None = None
    unique: Text | None = None
    max_size: Text | None = None
    arrow: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberTrigger(Node):
    """An entry of ``remember`` (03 §4)."""

    PLACE = "remember"
    when: Text | None
    store: Store | None
    ttl: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallInstruction(Node):
    """An entry of ``recall`` (03 §5)."""

    PLACE = "recall"
    on: Text | None
    action: Text | None = None
    paths: tuple[Name, ...] | None = None
    domain: Text | None = None
    instruction: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Node):
    """MEMORY of an agent (03)."""

    session: tuple[SessionVariable, ...] = ()
    persistent: tuple[PersistentPath, ...] = ()
    remember: tuple[RememberTrigger, ...] = ()
    recall: tuple[RecallInstruction, ...] = ()
