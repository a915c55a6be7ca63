"""Constructs of an agent that the runtime does not execute, by the place where a run reaches them (docs/spec 09
§16).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText

OF_PROFILES = ("BEHAVIOR_PROFILE", "BEHAVIOR_PROFILES")
"""Constructs in a profile are reported when the profile becomes active."""
WHY = "the platform does it; runs here go on without it"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A section or property, as written, and where it stands."""

    construct: str
    span: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LeftOuts:
    """Those of an agent: outside of steps and tools, and of each of these by name."""

    sections: tuple[LeftOut, ...]
    steps: dict[str, tuple[LeftOut, ...]]
    tools: dict[str, tuple[LeftOut, ...]]


def left_outs(program: AgentText, steps: Iterable[nodes.Step]) -> LeftOuts:
    """The outermost constructs that are reported, by where a run reaches them; ``steps`` are those that run."""
    from abl.analysis.conformance.not_executed import of_section

    agent, source = program.agent, program.source
    own = [section for section in agent.sections if section.keyword not in OF_PROFILES]
    sections = [(key, span) for section in own for span, key in of_section(source, section)]
    return LeftOuts(
        tuple([LeftOut(key, program.span(span) or {}) for key, span in sections]),
        {step.name.value: _listed(program, step) for step in steps},
        {tool.name.value: _listed(program, tool) for tool in agent.tools},
    )


def _listed(program: AgentText, whole: nodes.Step | nodes.Tool) -> tuple[LeftOut, ...]:
    from abl.analysis.conformance.not_executed import of_whole

    return tuple([LeftOut(key, program.span(span) or {}) for span, key in of_whole(program.source, whole)])
