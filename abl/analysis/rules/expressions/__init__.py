"""2xx about expressions, names, types and templates (docs/spec 05 §3-§4)."""

from abl.analysis.rules.expressions import (
    comparisons,
    conditions,
    declared_types,
    functions,
    names,
    templates,
    texts,
    types,
)

__all__ = [
    "comparisons",
    "conditions",
    "declared_types",
    "functions",
    "names",
    "templates",
    "texts",
    "types",
]
