"""The parts of an agent that are not simulated because the check found an error in them (docs/spec 05 §1).

An error refuses the smallest thing around it that is carried out as a whole: a step, tool, remember trigger, recall,
handoff, completion or hook. What is declared for all of an agent (variables, paths, fields, sections) cannot be left
out, and without a rule the rest would run unguarded, so an error there refuses the agent; one outside of all agents
refuses the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from abl.runtime.plan.program import Program
from abl.source import Span
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.diagnostics import Diagnostic
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

TOO_MANY = "ABL100"
"""Says that a document has more problems than are reported (docs/spec 05 §1); any of it may have an error."""

AGENT = "agent"
"""The place of what refuses all of an agent."""

Refusals = dict[str, dict[str, dict[str, str]]]
"""By agent and place (``start:end``) what is refused: ``kind``, ``code`` and ``message`` of the first error."""


class Sorted(NamedTuple):
    """Errors by what they refuse: everything, whole agents by name, things inside of agents."""

    everything: list[Diagnostic]
    agents: dict[str, list[Diagnostic]]
    inside: Refusals


def sort_errors(programs: Mapping[str, Program], problems: Iterable[Diagnostic]) -> Sorted:
    """Find what each problem of severity error refuses. ``problems`` may hold others; they refuse nothing."""
    listed = list(problems)
    full = {problem.path for problem in listed if problem.code == TOO_MANY}
    by_path: dict[str, list[Program]] = {}
    for program in programs.values():
        by_path.setdefault(program.source.path, []).append(program)
    found = Sorted([], {}, {})
    for problem in listed:
        if problem.severity != "error":
            continue
        at = problem.span.start
        around = [p for p in by_path.get(problem.path, ()) if _holds(p.agent.span, problem.span)]
        if not around:
            found.everything.append(problem)
            continue
        program = around[0]
        unit = next(((kind, span) for kind, span in _units(program) if span.start <= at < span.end), None)
        if unit is None or problem.path in full:
            found.agents.setdefault(program.name, []).append(problem)
            kind, place = AGENT, AGENT
        else:
            kind, place = unit[0], key_of(unit[1])
        said = {"kind": kind, "code": problem.code, "message": problem.message}
        found.inside.setdefault(program.name, {}).setdefault(place, said)
    return found


def _holds(whole: Span, part: Span) -> bool:
    return whole.start <= part.start and part.end <= whole.end


def _units(program: Program) -> Iterator[tuple[str, Span]]:
    """What is carried out as a whole, and where it stands; none lies within another."""
    agent = program.agent
    if agent.flow is not None:
        yield from (("step", step.span) for step in agent.flow.steps)
    yield from (("tool", tool.span) for tool in agent.tools)
    if agent.memory is not None:
        yield from (("remember trigger", trigger.span) for trigger in agent.memory.remember)
        yield from (("recall", recall.span) for recall in agent.memory.recall)
    yield from (("handoff", handoff.span) for handoff in agent.handoffs)
    yield from (("completion", completion.span) for completion in agent.completions)
    yield from (("hook", whole(actions)) for _, actions in (("", agent.on_start), *agent.hooks) if actions)


def whole(actions: Sequence[nodes.Directive]) -> Span:
    """Where a list of actions stands."""
    return Span(actions[0].span.start, actions[-1].span.end)


def key_of(span: Span) -> str:
    """A place as a key of ``Refusals``, which are kept as JSON."""
    return f"{span.start}:{span.end}"


def why_refused(engine: Engine, agent: str) -> str | None:
    """Why all of an agent is not simulated; None when it is."""
    found = engine.state.refused.get(agent, {}).get(AGENT)
    return f"agent {agent!r} is not simulated: {found['code']} {found['message']}" if found is not None else None


def refused(engine: Engine, thread: Thread, node: Any) -> str | None:
    """Why a thing is not simulated, which is recorded as an error each time it is reached; None when it is.

    ``node``: anything with ``span``, or a span.
    """
    known = engine.state.refused.get(thread.agent)
    if not known:
        return None
    span = node if isinstance(node, Span) else node.span
    found = known.get(key_of(span))
    if found is None:
        return None
    why = f"the {found['kind']} is not simulated: {found['code']} {found['message']}"
    place = engine.program(thread).span(span)
    engine.recorder.error("RUN015", "refused", why, place, construct=found["kind"], diagnostic=found["code"])
    return why
