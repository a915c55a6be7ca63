"""5xx and 6xx about FLOW and its steps (docs/spec 06, 10 §1-§2)."""

from abl.analysis.rules.flow import (
    branches,
    collecting,
    course,
    digressions,
    elements,
    handlers,
    keys,
    locales,
    paths,
    reasoning,
    references,
    results,
    secure_input,
    shapes,
    steps,
    transforms,
)

__all__ = [
    "branches",
    "collecting",
    "course",
    "digressions",
    "elements",
    "handlers",
    "keys",
    "locales",
    "paths",
    "reasoning",
    "references",
    "results",
    "secure_input",
    "shapes",
    "steps",
    "transforms",
]
