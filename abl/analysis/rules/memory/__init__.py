"""3xx about MEMORY and what changes it (docs/spec 03, 05 §5-§6)."""

from abl.analysis.rules.memory import (
    facts,
    persistent,
    pipelines,
    recall_actions,
    recall_events,
    recall_paths,
    remember,
    sensitive,
    session_memory,
    session_use,
    state,
    stores,
    trees,
    triggers,
)

__all__ = [
    "facts",
    "persistent",
    "pipelines",
    "recall_actions",
    "recall_events",
    "recall_paths",
    "remember",
    "sensitive",
    "session_memory",
    "session_use",
    "state",
    "stores",
    "trees",
    "triggers",
]
