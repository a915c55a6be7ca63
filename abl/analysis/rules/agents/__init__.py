"""5xx and 9xx about agents: who has control, and how agents begin, fail and end (docs/spec 09 §2-§9, 10 §5-§6)."""

from abl.analysis.rules.agents import (
    completions,
    delegates,
    error_types,
    escalation,
    execution,
    intents,
    lifecycle_errors,
    lifecycle_hooks,
    lifecycle_start,
    parts,
    returns,
    routing_conditions,
    targets,
    words,
)

__all__ = [
    "completions",
    "delegates",
    "error_types",
    "escalation",
    "execution",
    "intents",
    "lifecycle_errors",
    "lifecycle_hooks",
    "lifecycle_start",
    "parts",
    "returns",
    "routing_conditions",
    "targets",
    "words",
]
