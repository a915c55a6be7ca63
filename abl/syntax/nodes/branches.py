"""What directives and ON_FAIL are made of: assignments, and branches with directives (docs/spec 04 §5, 06 §5).

A CALL may have an ON_FAIL, and that may have branches and assignments, so both modules of nodes begin here.
"""

from __future__ import annotations

from dataclasses import dataclass

from abl.source import Span
from abl.syntax.nodes.base import Name, Node, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    """``target = value`` of a SET."""

    target: Name | None
    value: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive(Node):
    """Base of what a step, branch or handler does. ``keyword`` is the canonical upper-case key."""

    keyword: str
    key_span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Node):
    """``condition`` None = ELSE. ``actions`` in authored order; the last may be a Transition."""

    condition: Text | None
    is_else: bool
    actions: tuple[Directive, ...]
