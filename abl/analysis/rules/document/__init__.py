"""1xx about documents: sections, keys, headers, layout (docs/spec 05 §2)."""

from abl.analysis.rules.document import (
    headers,
    keys,
    layout,
    project_files,
)

__all__ = [
    "headers",
    "keys",
    "layout",
    "project_files",
]
