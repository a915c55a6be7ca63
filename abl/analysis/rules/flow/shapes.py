"""6xx about the five shapes in which steps can be written (docs/spec 06 §2, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from abl.analysis import fixes
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.flow.keys import outdented
from abl.diagnostics import Edit, Fix
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import STEP_EXITS

_LONGEST_LINE = 100
_TITLE = "Write the steps in the canonical shape"


@rule("ABL651", "uncommon-shape", "hint", "Steps are written in shape {shape}", off=True, over=nodes.Flow)
def uncommon_shape(flow: nodes.Flow, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Steps are below `steps:` (C), in a chain `a -> b` (D), or outside of FLOW (E).
    Why: The shape with a list of names and the definitions beside it is what others expect and tools write.
    Bad:
        FLOW:
          greet -> lend
          greet:
            REASONING: false
            RESPOND: "Hello."
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    Good:
        FLOW:
          steps: [greet, lend]
          greet:
            REASONING: false
            RESPOND: "Hello."
            THEN: lend
          lend:
            REASONING: false
            RESPOND: "Which book?"
            THEN: COMPLETE
    """
    if flow.shape not in ("C", "D", "E") or flow.block is None:
        return
    if flow.shape == "C":
        held = next((child for child in flow.block.children if child.key.upper() == "STEPS" and child.children), None)
        if held is not None:
            yield found(held.key_span, *_unnested(held, flow, agent), shape="C, below `steps`")
    elif flow.shape == "D" and flow.listed:
        chain = Span(flow.listed[0].span.start, flow.listed[-1].span.end)
        yield found(chain, *_listed(chain, flow, agent), shape="D, a chain")
    elif flow.shape == "E":
        outside = [step for step in flow.steps if step.span.start >= flow.block.span.end]
        if outside:
            yield found(outside[0].name.span, *_indented(outside, flow, agent), shape="E, outside of FLOW")


def _unnested(held: nodes.Block, flow: nodes.Flow, agent: AgentIndex) -> tuple[Fix, ...]:
    """The definitions beside ``steps``, which lists their names."""
    names = [child.key for child in held.children if child.colon]
    columns = held.children[0].column - held.column
    if flow.listed or len(names) != len(held.children) or columns <= 0:
        return ()
    head = Edit(Span(held.key_span.start, held.line_span.end), _list(names, held.column - 1))
    inner = Span(held.children[0].span.start, held.span.end)
    return (Fix(_TITLE, (head, *outdented(agent, inner, columns)), preferred=True),)


def _list(names: list[str], indent: int) -> str:
    """``steps: [a, b]``, or a block list when that is too long."""
    line = f"steps: [{', '.join(names)}]"
    if indent + len(line) <= _LONGEST_LINE:
        return line
    return "steps:" + "".join(f"\n{' ' * (indent + 2)}- {name}" for name in names)


def _listed(chain: Span, flow: nodes.Flow, agent: AgentIndex) -> tuple[Fix, ...]:
    """A list in place of the chain, and THEN in each step that goes on to the next by the chain only (06 §2 D).

    What follows is the next step that is defined: for the last of the chain, that is the first that it does not name.
    """
    source = agent.source
    if "\n" in source.text[slice(*chain)]:
        return ()
    names = [name.value for name in flow.listed]
    line = source.line_text(source.position(chain.start).line)
    written = f"[{', '.join(names)}]"
    edits = [Edit(chain, written if ":" in line else f"steps: {written}")]
    order = [name for name in flow.order if name in agent.steps]
    for name, following in pairwise(order):
        step = agent.steps[name]
        if name not in names or any(d.keyword in STEP_EXITS for d in step.directives):
            continue
        if not step.directives or any(isinstance(d, nodes.IntentHandlers) for d in step.directives):
            return ()  # no line to put THEN below; or RESUME of a SUB_INTENT, which follows a THEN but no chain
        last = step.directives[-1]
        pad = fixes.indent_of(source, step.directives[0].span.start)
        edits += fixes.insert_line_below(source, last.span, f"{pad}THEN: {following}", "").edits
    return (Fix(_TITLE, tuple(edits), preferred=True),)


def _indented(outside: list[nodes.Step], flow: nodes.Flow, agent: AgentIndex) -> tuple[Fix, ...]:
    """The definitions below FLOW, when nothing else stands between."""
    source = agent.source
    if flow.block is None or not flow.block.children:
        return ()
    pad = " " * (flow.block.children[0].column - 1)
    edits: list[Edit] = []
    at = flow.block.span.end
    for step in outside:
        between = source.text[at : step.span.start].splitlines()
        if any(line.strip() and not line.lstrip().startswith("#") for line in between):
            return ()
        if not has_own_lines(source, step.span):
            return ()
        first, last = source.position(step.span.start).line, source.position(step.span.end - 1).line
        lines = range(first, last + 1)
        edits += [
            Edit(Span(at_, at_), pad)
            for n in lines
            if source.line_text(n).strip()
            for at_ in (source.line_starts[n - 1],)
        ]
        at = step.span.end
    return (Fix(_TITLE, tuple(edits), preferred=True),)
