"""``definition`` and ``references``: where a name is declared and used (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abl.analysis.corrected import corrected_symbol
from abl.analysis.index.project import Index
from abl.analysis.symbols.kinds import Occurrence, occurrences
from abl.syntax.incremental.collector import collector_paused


@collector_paused()
def definition(files: Mapping[str, str], path: str, line: int, column: int) -> list[dict[str, Any]]:
    """Where the name at a 1-based position is declared, as ``{path, range}``; of a name without a declaration where it
    first gets a value. Empty where no name stands, for built-in functions, and for an unknown path."""
    index, symbol = corrected_symbol(files, path, line, column)
    if index is None or symbol is None:
        return []
    found = occurrences(index, symbol)
    declared = [occurrence for occurrence in found if occurrence.role == "declaration"]
    return places(index, declared or [occurrence for occurrence in found if occurrence.role == "write"][:1])


@collector_paused()
def references(
    files: Mapping[str, str], path: str, line: int, column: int, *, declarations: bool = True
) -> list[dict[str, Any]]:
    """Every place of the name at a 1-based position as ``{path, range, role}``, in order of path and position.

    ``role`` is declaration, write or read; declarations can be left out. Empty as for ``definition``.
    """
    index, symbol = corrected_symbol(files, path, line, column)
    if index is None or symbol is None:
        return []
    found = [o for o in occurrences(index, symbol) if declarations or o.role != "declaration"]
    return [{**place, "role": occurrence.role} for place, occurrence in zip(places(index, found), found, strict=True)]


def places(index: Index, found: Iterable[Occurrence]) -> list[dict[str, Any]]:
    """Occurrences as JSON."""
    listed = list(found)
    sources = {path: index.source(path) for path in {o.path for o in listed}}
    return [{"path": o.path, "range": sources[o.path].range(o.span).as_dict()} for o in listed]
