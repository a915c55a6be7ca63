"""The plans of declarations that a program consists of: immutable, compiled, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abl.runtime.evaluation import Formula, TemplateText
from abl.runtime.privacy.masking import Display
from abl.syntax import nodes


@dataclass(frozen=True, slots=True)
class VariablePlan:
    """A declared session variable, entries of one name merged (docs/spec 03 §2)."""

    name: str
    type: str | None
    initial: Any
    dynamic: Formula | None
    reset: str
    span: Any


@dataclass(frozen=True, slots=True)
class PathPlan:
    """A declared persistent path (docs/spec 03 §3)."""

    path: str
    scope: str
    access: str
    type: str | None
    default: Any
    display: Display | None
    domain: str | None
    span: Any

    @property
    def readable(self) -> bool:
        """ACCESS allows reading."""
        return self.access != "write"

    @property
    def writable(self) -> bool:
        """ACCESS allows writing."""
        return self.access != "read"


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A constraint with its static part of the trace record (docs/spec 04 §10)."""

    id: str
    rule: nodes.Rule
    condition: Formula
    gate: Formula | None
    kind: str
    warning: bool
    checkpoint: str | None  # calling | returning | other
    tool: str | None
    message: TemplateText | None
    record: Mapping[str, Any]
    names: tuple[str, ...]
    span: Any


@dataclass(frozen=True, slots=True)
class TriggerPlan:
    """A remember trigger (docs/spec 03 §4); ``names`` is what its WHEN and value read."""

    index: int
    when: Formula
    value: Formula
    target: str
    append: bool
    unique: bool
    max_size: int | None
    ttl: str | None
    ttl_seconds: int | None
    names: tuple[str, ...]
    span: Any
    text: str


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """A recall instruction (docs/spec 03 §5)."""

    index: int
    event: str
    action: str
    paths: tuple[str, ...] | None
    domain: str | None
    instruction: str | None
    span: Any


@dataclass(frozen=True, slots=True)
class HandoffPlan:
    """A HANDOFF entry; ``priority`` already defaulted to its position (docs/spec 09 §5)."""

    index: int
    node: nodes.Handoff
    to: str
    when: Formula
    priority: int
    returns: bool
    on_failure: tuple[str, str]
    """What happens when the target does not accept: CONTINUE, ESCALATE or RESPOND with its text; empty: the default."""
    span: Any


@dataclass(frozen=True, slots=True)
class EscalationPlan:
    """A trigger of ESCALATE (docs/spec 09 §7)."""

    index: int
    when: Formula
    reason: str
    priority: str
    tags: tuple[str, ...]
    sets: nodes.Block | None
    span: Any


@dataclass(frozen=True, slots=True)
class CompletionPlan:
    """A COMPLETE entry (docs/spec 09 §7)."""

    index: int
    node: nodes.Completion
    when: Formula
    terminal: bool
    span: Any
