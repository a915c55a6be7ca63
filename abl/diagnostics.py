"""The diagnostics record of docs/spec 05 §1. It knows neither the rules nor the tree, so every layer may use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from abl.source import Span

Severity = Literal["error", "warning", "info", "hint"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")
Tag = Literal["deprecated", "unnecessary", "portability"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``span`` of the document by ``text``; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that apply together. ``preferred`` marks the one a "fix all" may take."""

    title: str
    edits: tuple[Edit, ...]
    preferred: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a problem."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of one document. ``node`` is the AST path of docs/spec 01 §10, or empty."""

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    span: Span
    node: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tags: tuple[Tag, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What a parser or rule noticed, before the registry gives it a name, a severity and words.

    ``data`` fills the placeholders of the registered message; ``severity`` overrides the registered one.
    """

    code: str
    span: Span
    data: Mapping[str, Any] = field(default_factory=dict)
    severity: Severity | None = None
    node: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def with_fixes(self, *fixes: Fix) -> Finding:
        """The same finding with fixes added behind those it has."""
        return replace(self, fixes=(*self.fixes, *fixes))
