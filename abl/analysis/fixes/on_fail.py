"""Quick fixes for the block of ON_FAIL (docs/spec 04 §5)."""

from __future__ import annotations

from abl.analysis import fixes
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.fixes.steps import free_name
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes


def without_clear(agent: AgentIndex, action: nodes.OnFail, prop: nodes.Property) -> tuple[Fix, ...]:
    """CLEAR of an ON_FAIL written in a way that every platform knows: COLLECT clears, and so can a step."""
    if prop.block.item or not has_own_lines(agent.source, prop.block.span) or not action.clear:
        return ()
    if action.collect is not None:
        cleared = {name.value for name in action.clear} <= {name.value for name in action.collect}
        title = "Remove `CLEAR`: what is collected is cleared anyway"
        return (fixes.remove_lines(agent.source, prop.block.span, title),) if cleared else ()
    if action.then is not None or action.retry is not None:
        return ()
    return (*_in_a_step(agent, action, prop), *(_asked_again(agent, action, prop) if action.goto is None else ()))


def _asked_again(agent: AgentIndex, action: nodes.OnFail, prop: nodes.Property) -> tuple[Fix, ...]:
    names = ", ".join(name.value for name in action.clear)
    pad = fixes.indent_of(agent.source, prop.block.span.start)
    text = f"COLLECT: [{names}]\n{pad}THEN: retry"
    return (Fix(f"Ask for `{names}` again", (Edit(prop.block.span, text),)),)


def _in_a_step(agent: AgentIndex, action: nodes.OnFail, prop: nodes.Property) -> tuple[Fix, ...]:
    """Go to a step of its own that clears, and from there to where the rule went, or to where it is asked again."""
    flow, source = agent.agent.flow, agent.source
    if flow is None or not flow.steps or (flow.listed and "->" in source.line_text(_line(agent, flow.listed[0].span))):
        return ()
    target = action.goto.value if action.goto is not None else _collecting_step(agent, action.clear[0].value)
    last = flow.steps[-1]
    if not target or last.block is None or not has_own_lines(source, last.span) or last.block.key != last.name.value:
        return ()
    name = f"clear_{action.clear[0].value.replace('.', '_')}"
    name = free_name(name, agent.steps) if name in agent.steps else name
    pad = fixes.indent_of(source, last.span.start)
    names = ", ".join(each.value for each in action.clear)
    body = f"{pad}{name}:\n{pad}  REASONING: false\n{pad}  CLEAR: [{names}]\n{pad}  THEN: {target}"
    edits = [*fixes.insert_line_below(source, last.span, body, "").edits, *_listed(agent, name)]
    if action.goto is not None:
        edits += [Edit(action.goto.span, name), Edit(fixes.whole_lines(source, prop.block.span), "")]
    else:
        edits.append(Edit(prop.block.span, f"GOTO: {name}"))
    return (Fix(f"Clear in a step `{name}`", tuple(edits)),)


def _line(agent: AgentIndex, span: Span) -> int:
    return agent.source.position(span.start).line


def _collecting_step(agent: AgentIndex, name: str) -> str:
    """The step that asks for a value, if it is one alone; else where the flow begins."""
    steps = agent.derive(_gathering).get(name.partition(".")[0], ())
    return next(iter(steps)) if len(steps) == 1 else (agent.graph.entry or "")


def _gathering(agent: AgentIndex) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for write in agent.writes:
        if write.kind == "gather" and write.step:
            found.setdefault(write.root, set()).add(write.step)
    return found


def _listed(agent: AgentIndex, name: str) -> tuple[Edit, ...]:
    """The name at the end of the list of steps, if there is one."""
    flow = agent.agent.flow
    if flow is None or not flow.listed:
        return ()
    last = flow.listed[-1].span
    line = agent.source.line_text(_line(agent, last))
    if line.lstrip().startswith("- "):
        indent = fixes.indent_of(agent.source, last.start)
        return fixes.insert_line_below(agent.source, last, f"{indent}- {name}", "").edits
    end = last.end + (1 if agent.source.text[last.end : last.end + 1] in ('"', "'") else 0)
    return (Edit(Span(end, end), f", {name}"),)
