"""The quick fix that computes in SET what a remember trigger computes (docs/spec 03 §4, 05 §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from abl.analysis import fixes
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.syntax import nodes

_MOST_STEPS = 3


def in_flags(
    trigger: nodes.RememberTrigger,
    when: ExpressionUse | None,
    value: ExpressionUse | None,
    agent: AgentIndex,
    is_computed: Callable[[en.Node], bool],
) -> tuple[Fix, ...]:
    """Variables for WHEN and for the value, set in the steps behind what gives the names in them their values.

    Nothing where these are set outside of steps, or in many: then there is no single place for a SET.
    """
    target = trigger.store.target if trigger.store is not None else None
    if target is None:
        return ()
    word = target.value.rpartition(".")[2]
    edits: list[Edit] = []
    for use, name, shown in ((when, f"store_{word}", f"store_{word} == true"), (value, f"new_{word}", f"new_{word}")):
        if use is None or not any(is_computed(node) for node in use.reading.nodes):
            continue
        line = f"SET: {name} = {use.reading.text.strip()}"
        places = list(_places(use, agent))
        taken = name in agent.written_roots or name in agent.read_roots
        if taken or not places or isinstance(use.reading.node, en.ObjectNode) or "\n" in line:
            return ()
        edits.append(Edit(use.whole, shown))
        edits += [_below(agent, directive, line) for directive in places]
    return (Fix("Compute it with SET", tuple(edits)),) if edits else ()


def _below(agent: AgentIndex, directive: nodes.Directive, line: str) -> Edit:
    pad = fixes.indent_of(agent.source, directive.span.start)
    return fixes.insert_line_below(agent.source, directive.span, f"{pad}{line}", "").edits[0]


def _places(use: ExpressionUse, agent: AgentIndex) -> Iterator[nodes.Directive]:
    """In each step that gives a name of the expression its value, the last directive that does so."""
    known = agent.derive(_last_writes)
    last: dict[str, int] = {}
    for root in {name.root for name in use.reading.names}:
        for name, start in known.get(root, {}).items():
            last[name] = max(start, last.get(name, 0))
    if len(last) > _MOST_STEPS or "" in last:
        return
    for name, start in sorted(last.items()):
        step = agent.steps.get(name)
        inside = [each for each in (step.directives if step is not None else ()) if each.span.start <= start]
        if not inside or not has_own_lines(agent.source, inside[-1].span):
            return
        yield inside[-1]


def _last_writes(agent: AgentIndex) -> dict[str, dict[str, int]]:
    """By first segment and step (empty outside of steps), where a name is last given a value."""
    found: dict[str, dict[str, int]] = {}
    for write in agent.writes:
        if write.kind not in ("session", "persistent"):
            found.setdefault(write.root, {})[write.step or ""] = write.span.start
    return found
