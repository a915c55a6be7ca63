"""CONSTRAINTS and ON_FAIL (docs/spec 04)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abl.language import value_of_text
from abl.syntax.nodes.base import Name, Node, Text
from abl.syntax.nodes.branches import Assignment, Branch

Form = Literal[
    "message", "respond", "handoff", "escalate", "block", "redact", "step", "then", "structured", "branches", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnFail(Node):
    """ON_FAIL of a rule, CHECK or CALL (04 §5, 06 §5.9). ``form`` as written; fields are those that form uses.

    ``form="step"`` holds a single word (``target``), which in a rule is its ``message``, too. ``structured`` may set
    message, collect, goto, retry, then, clear, sets; ``order`` gives the authored order of its keys.
    """

    form: Form
    message: Text | None = None
    target: Name | None = None
    reason: Text | None = None
    collect: tuple[Name, ...] | None = None
    goto: Name | None = None
    retry: Text | None = None
    then: Name | None = None
    clear: tuple[Name, ...] = ()
    sets: tuple[Assignment, ...] = ()
    order: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()

    @property
    def then_word(self) -> str | None:
        """``continue`` or ``retry`` where THEN is one of these; None for a step."""
        word: str | None = value_of_text("on_fail", "THEN", self.then.value) if self.then is not None else None
        return word


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Node):
    """BEFORE target: ``calling`` with the tool's name, ``returning`` results, or ``other`` text without effect."""

    kind: Literal["calling", "returning", "other"]
    tool: Name | None
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Node):
    """REQUIRE, LIMIT, RESTRICT or WARN with its gates and ON_FAIL (04 §1)."""

    kind: Name  # REQUIRE LIMIT RESTRICT WARN as written (canonical upper case in ``kind.value``)
    condition: Text | None
    when: Text | None = None
    whens: tuple[Text, ...] = ()  # every gate that was written; two are an error (ABL433)
    before: Checkpoint | None = None
    on_fail: OnFail | None = None
    severity: Text | None = None
    phase: str = "always"
    index: int = 0  # 0-based in the flattened list

    @property
    def is_warning(self) -> bool:
        """True when a failure only warns (04 §4)."""
        if self.severity is not None:
            return bool(value_of_text("rule", "SEVERITY", self.severity) == "warning")
        return self.kind.value == "WARN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase(Node):
    """A named group of rules (04 §2)."""

    name: Name
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence(Node):
    """A list item under CONSTRAINTS that is no rule (ABL403).

    ``unknown_kind`` is set when it begins like a rule of an unknown kind, which the parser reports (ABL401).
    """

    text: Text
    unknown_kind: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints(Node):
    """CONSTRAINTS of an agent (04)."""

    phases: tuple[Phase, ...] = ()
    rules: tuple[Rule, ...] = ()  # flattened, declaration order
    sentences: tuple[Sentence, ...] = ()
