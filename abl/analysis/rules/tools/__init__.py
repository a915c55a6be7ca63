"""8xx about tools, their calls and their results (docs/spec 08, 10 §4)."""

from abl.analysis.rules.tools import (
    bindings,
    calls,
    context,
    declarations,
    effects,
    parameters,
    properties,
    result_reads,
    secrets,
    signatures,
    transfers,
    uses,
)

__all__ = [
    "bindings",
    "calls",
    "context",
    "declarations",
    "effects",
    "parameters",
    "properties",
    "result_reads",
    "secrets",
    "signatures",
    "transfers",
    "uses",
]
