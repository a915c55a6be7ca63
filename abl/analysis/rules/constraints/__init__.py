"""4xx about CONSTRAINTS, CHECK and ON_FAIL (docs/spec 04, 05 §7)."""

from abl.analysis.rules.constraints import (
    checkpoints,
    consistency,
    deadlocks,
    on_fail,
    on_fail_blocks,
    on_fail_effects,
    on_fail_exits,
    rule_forms,
    verdicts,
)

__all__ = [
    "checkpoints",
    "consistency",
    "deadlocks",
    "on_fail",
    "on_fail_blocks",
    "on_fail_effects",
    "on_fail_exits",
    "rule_forms",
    "verdicts",
]
