"""The diagnostics record of docs/spec 05 §1. It knows neither the rules nor the tree, so every layer may use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

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


class LaterFixes(Sequence[Fix]):
    """Fixes that are worked out when somebody looks at them: after most edits nobody does. Equal to a tuple of them."""

    __slots__ = ("_fixes", "_make")

    def __init__(self, make: Callable[[], Iterable[Fix]]) -> None:
        self._make: Callable[[], Iterable[Fix]] | None = make
        self._fixes: tuple[Fix, ...] = ()

    @property
    def _made(self) -> tuple[Fix, ...]:
        make = self._make
        if make is not None:
            self._fixes = tuple(make())
            self._make = None  # frees what the function refers to
        return self._fixes

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[Fix]:
        return iter(self._made)

    @overload
    def __getitem__(self, at: int) -> Fix: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fix]: ...
    def __getitem__(self, at: int | slice) -> Fix | Sequence[Fix]:
        return self._made[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | LaterFixes) and self._made == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made)

    def __repr__(self) -> str:
        return repr(self._made)


Fixes = tuple[Fix, ...] | LaterFixes


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
    fixes: Fixes = ()
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
    fixes: Fixes = ()

    def with_fixes(self, *fixes: Fix) -> Finding:
        """The same finding with fixes added behind those it has."""
        return replace(self, fixes=(*self.fixes, *fixes))
