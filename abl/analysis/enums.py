"""Properties with a fixed set of values: what is wrong with one, and what was meant (docs/spec 05 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abl.analysis import fixes
from abl.analysis.registry import Found, found
from abl.diagnostics import Severity
from abl.syntax.nodes import Text

_MEANT_BOOLEANS = {"yes": "true", "no": "false"}


def not_one_of(
    text: Text | None, legal: Sequence[str], node: str, slips: Mapping[str, str] | None = None, **data: Any
) -> Iterator[Found]:
    """A value outside ``legal``; one that differs only in case is taken as meant. ``slips`` maps known slips."""
    written = text.value.strip() if text is not None else ""
    if text is None or not written or written in legal:
        return
    meant = next((word for word in legal if word.lower() == written.lower()), "")
    if meant:
        yield found(text.inner, fixes.replace(text.inner, meant), severity="warning", node=node, y=meant, **data)
        return
    slip = (slips or {}).get(written.lower())
    best, repairs = (
        (slip, fixes.rename_fixes(text.inner, [slip])) if slip else fixes.rename_to(text.inner, written, legal)
    )
    yield found(text.inner, *repairs, node=node, y=best, **data)


def not_boolean(text: Text | None, node: str, **data: Any) -> Iterator[Found]:
    """A value other than true and false; ``yes`` and ``no`` are taken as meant."""
    written = text.value.strip() if text is not None else ""
    if text is None or not written or written in ("true", "false"):
        return
    lower = written.lower()
    meant = _MEANT_BOOLEANS.get(lower, lower)
    if meant in ("true", "false"):
        severity: Severity = "hint" if lower in _MEANT_BOOLEANS else "warning"
        yield found(text.inner, fixes.replace(text.inner, meant), severity=severity, node=node, **data)
    else:
        yield found(text.inner, node=node, **data)
