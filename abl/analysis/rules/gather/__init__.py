"""7xx about the fields to collect (docs/spec 07, 10 §3)."""

from abl.analysis.rules.gather import (
    fields,
    options,
    sources,
    use,
    values,
)

__all__ = [
    "fields",
    "options",
    "sources",
    "use",
    "values",
]
