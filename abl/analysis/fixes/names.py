"""Quick fixes that give a variable another name wherever one agent uses it (docs/spec 05 §2, §4).

An editor's rename (docs/spec 12 §1) asks for the name and looks at the whole project. Here a name is proposed;
nothing is offered where another agent, or a place that can only be written in another way, would need it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis.index.model import AgentIndex
from abl.analysis.symbols.agent_links import theirs_of
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes, vocabulary

_MOST_PLACES: Final = 200
"""Places beyond which no fix is offered: every problem would carry them all."""


def rename_in_agent(agent: AgentIndex, name: str, new: str) -> tuple[Fix, ...]:
    """Write ``new`` where the agent declares, sets, clears or reads ``name``; a dotted name is taken as a whole.

    Nothing if the new name is none, or is in use, or if one of the places cannot be changed by itself.
    """
    root = name.partition(".")[0]
    if re.fullmatch(vocabulary.NAME_PATTERN, new, re.ASCII) is None or _in_use(agent, new) or root in agent.mentions:
        return ()
    places = agent.derive(_places).get(root, ())
    if len(places) > _MOST_PLACES or root in agent.derive(_bound):
        return ()
    spans = {Span(span.start, span.start + len(name)) for path, span in places if f"{path}.".startswith(f"{name}.")}
    if any(agent.source.text[slice(*span)] != name for span in spans):
        return ()
    return (Fix(f"Rename `{name}` to `{new}` in this agent", tuple(Edit(span, new) for span in sorted(spans))),)


def _in_use(agent: AgentIndex, name: str) -> bool:
    return name in agent.written_roots or name in agent.read_roots or name in agent.mentions or name in agent.tools


def _places(agent: AgentIndex) -> dict[str, list[tuple[str, Span]]]:
    """By first segment, the dotted names and where they stand; ``session.a`` is ``a``."""
    places = [(write.path, write.span) for write in agent.writes]
    places += [(read.path, read.span) for read in agent.reads]
    places += [(cleared.value, cleared.span) for cleared, _ in agent.cleared]
    places += [(each.value, each.span) for action in agent.all(nodes.OnFail) for each in action.collect or ()]
    found: dict[str, list[tuple[str, Span]]] = {}
    for path, span in places:
        below = path.removeprefix("session.")
        at = Span(span.start + len(path) - len(below), span.end)
        found.setdefault(below.partition(".")[0], []).append((below, at))
    return found


def _bound(agent: AgentIndex) -> frozenset[str]:
    """First segments of names that are keys as well, or names of other agents too.

    ``{a}`` means ``{a: a}``, an argument may be named by its value, and a handoff hands over names.
    """
    return frozenset([path.partition(".")[0].strip() for path in _bound_paths(agent)])


def _bound_paths(agent: AgentIndex) -> Iterator[str]:
    yield from (theirs.name.value for theirs in agent.derive(theirs_of))
    for use in agent.expressions:
        for node in use.reading.nodes:
            for value in node.values if isinstance(node, en.ObjectNode) else ():
                if use.reading.text[: value.start].rstrip()[-1:] in ("{", ","):
                    yield use.reading.slice(value)
    for call in agent.all(nodes.Call):
        for argument in (*call.arguments, *call.with_):
            if argument.name is None and argument.value is not None:
                yield argument.value.value
