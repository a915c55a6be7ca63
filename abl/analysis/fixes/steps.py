"""Quick fixes for steps, their branches and what is in them (docs/spec 10 §2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from abl.analysis import fixes
from abl.analysis.fixes.entries import add_property, has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.symbols.agent_links import links_of
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, Name

_STEP_EVENT: Final = re.compile(r"step:(?:enter|exit):(\w+)")
_QUOTE: Final = re.compile(r"[\"']")
_DOTS: Final = '"…"'
"""What the author is to fill in."""


def free_name(word: str, taken: Container[str]) -> str:
    """A name with a number that is not among those taken."""
    number = 2
    while f"{word}_{number}" in taken:
        number += 1
    return f"{word}_{number}"


def cased_like(agent: AgentIndex, block: Block, key: str) -> str:
    """A key in small letters where the key of a block is written so."""
    return key.lower() if agent.source.text[slice(*block.key_span)].islower() else key


def beside(agent: AgentIndex, block: Block, key: str, value: str) -> tuple[Fix, ...]:
    """A line ``key: value`` below another key, in its column; none where that key shares its lines."""
    if not has_own_lines(agent.source, block.span):
        return ()
    text = f"{cased_like(agent, block, key)}: {value}"
    line = " " * (agent.source.position(block.key_span.start).column - 1) + text
    return (fixes.insert_line_below(agent.source, block.span, line, f"Insert `{text}`", preferred=False),)


def remove_directive(agent: AgentIndex, block: Block | None, title: str) -> tuple[Fix, ...]:
    """Take out what is in a list of actions, unless that list would be empty or its line is shared."""
    if block is None or block.item or not has_own_lines(agent.source, block.span):
        return ()
    lines = fixes.whole_lines(agent.source, block.span)
    if not _has_sibling(agent.source, block.column, lines):
        return ()
    return (fixes.remove_lines(agent.source, block.span, title, preferred=False),)


def _has_sibling(source: Source, column: int, lines: Span) -> bool:
    """True when something of the same column belongs to the same block, in front of these lines or behind them."""
    first, last = source.position(lines.start).line, source.position(max(lines.end - 1, lines.start)).line
    behind = next(_columns(source, range(last + 1, source.line_count + 1)), 0)
    before = next((at for at in _columns(source, range(first - 1, 0, -1)) if at <= column), 0)
    return column in (behind, before)


def _columns(source: Source, numbers: Iterable[int]) -> Iterator[int]:
    """The columns in which lines begin, what is behind a dash counted as its beginning; neither blanks nor comments."""
    for number in numbers:
        text = source.line_text(number)
        words = text.lstrip()
        if words and not words.startswith("#"):
            yield len(text) - len(words) + 1 + (2 if words.startswith("- ") else 0)


# Branches -------------------------------------------------------------------------------------------------------


def add_else(agent: AgentIndex, branches: tuple[nodes.Branch, ...]) -> tuple[Fix, ...]:
    """An ELSE with a message to be written, behind the last branch."""
    last = branches[-1].block
    if last is None or not last.item or not has_own_lines(agent.source, last.span):
        return ()
    pad, word = " " * (last.column - 1), cased_like(agent, last, "ELSE")
    lines = f"{pad}- {word}:\n{pad}  {cased_like(agent, last, 'RESPOND')}: {_DOTS}"
    return (fixes.insert_line_below(agent.source, last.span, lines, f"Add `{word}`", preferred=False),)


def add_exits(agent: AgentIndex, branch: nodes.Branch) -> Iterator[Fix]:
    """The ways to leave a branch that has none: to the next step, where there is one, or out of the flow."""
    section, _, rest = branch.path.partition(".")
    following = agent.derive(following_steps).get(rest.partition(".")[0]) if section == "flow" else None
    for target in (*((following,) if following in agent.steps else ()), "COMPLETE", "ESCALATE"):
        key = cased_like(agent, branch.block, "THEN") if branch.block is not None else "THEN"
        for fix in add_property(agent, branch, f"{key}: {target}"):
            edits = _behind_a_colon(agent, branch, fix.edits)
            if edits:
                yield replace(fix, edits=edits)


def _behind_a_colon(agent: AgentIndex, branch: nodes.Branch, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """With the colon that a bare ``- ELSE`` needs as soon as something is below it; nothing for one in brackets."""
    block = branch.block
    if block is None or not block.item or block.key.upper() != "ELSE":
        return edits
    end = block.key_span.end
    if agent.source.text[end : end + 2].strip(" \"'")[:1] == ":":
        return edits
    first, *more = edits
    if more or not first.text.startswith("\n") or agent.source.text[end : first.span.start].strip():
        return ()
    return (Edit(Span(end, first.span.start), ":" + first.text),)


def following_steps(agent: AgentIndex) -> dict[str, str]:
    """The next step of each in the order of the flow (docs/spec 06 §2 rule 2)."""
    flow = agent.agent.flow
    return dict(pairwise(flow.order)) if flow is not None else {}


# Assignments ----------------------------------------------------------------------------------------------------


def remove_assignment(agent: AgentIndex, assignment: nodes.Assignment) -> tuple[Fix, ...]:
    """Take out an assignment: its line of a SET, or a SET of one line."""
    block, target = assignment.block, assignment.target
    if block is None or target is None or not has_own_lines(agent.source, block.span):
        return ()
    title = f"Remove the assignment of `{target.value}`"
    column = block.column + (2 if block.item else 0)
    if not _has_sibling(agent.source, column, fixes.whole_lines(agent.source, block.span)):
        return ()
    return (fixes.remove_lines(agent.source, block.span, title, preferred=False),)


def remove_as(agent: AgentIndex, call: nodes.Call) -> tuple[Fix, ...]:
    """Take out the AS of a call, written in the line of the call or below it."""
    prop = call.prop("AS")
    if prop is not None:
        return (fixes.remove_lines(agent.source, prop.block.span, "Remove `AS`", preferred=False),)
    if call.as_ is None or call.block is None:
        return ()
    at = agent.source.text.rfind(" AS ", call.block.span.start, call.as_.span.start)
    return (fixes.replace(Span(at, call.as_.span.end), "", "Remove `AS`", preferred=False),) if at >= 0 else ()


def rename_item(agent: AgentIndex, transform: nodes.Transform) -> tuple[Fix, ...]:
    """Another name for the item of a TRANSFORM, wherever the pipeline reads it."""
    item = transform.item
    if item is None:
        return ()
    name = f"{item.value}_item"
    if name in agent.written_roots:
        name = free_name(name, agent.written_roots)
    edits = [Edit(item.span, name)]
    for use in agent.expressions_of(transform):
        for read in use.reading.names:
            if read.root == item.value and read.root in use.locals:
                start = use.span(read.start, read.end).start
                edits.append(Edit(Span(start, start + len(item.value)), name))
    sort = transform.sort_by
    if sort is not None and sort.value.startswith(f"{item.value}."):
        edits.append(Edit(sort.span_of(0, len(item.value)), name))
    return (Fix(f"Rename the item to `{name}`", tuple(edits)),)


# Intents --------------------------------------------------------------------------------------------------------


def add_intent(agent: AgentIndex, handler: nodes.IntentHandler) -> tuple[Fix, ...]:
    """An INTENT to be written, as the first key of an entry."""
    prop, block = handler.prop("INTENT"), handler.block
    if prop is not None:
        place = prop.value.span if prop.value is not None else Span(prop.block.line_span.end, prop.block.line_span.end)
        text = _DOTS if prop.value is not None else f" {_DOTS}"
        return (Fix(f"Write `{prop.written}: {_DOTS}`", (Edit(place, text),)),)
    if block is None or not block.item or not block.colon or agent.source.text[block.key_span.start] in "{[":
        return ()
    key = cased_like(agent, block, "INTENT")
    pad = " " * (agent.source.position(block.key_span.start).column - 1)
    return (fixes.insert(block.key_span.start, f"{key}: {_DOTS}\n{pad}", f"Insert `{key}`", preferred=False),)


def move_to_global(agent: AgentIndex, digressions: nodes.IntentHandlers) -> tuple[Fix, ...]:
    """Let digressions of a step be those of the whole flow (06 §7)."""
    flow, block = agent.agent.flow, digressions.block
    if flow is None or flow.block is None or not flow.block.children or not digressions.handlers or block is None:
        return ()
    if digressions.keyword != "DIGRESSIONS" or flow.shape == "E" or not has_own_lines(agent.source, block.span):
        return ()
    entries = [handler.block for handler in digressions.handlers]
    first, known = entries[0], flow.digressions[-1].block if flow.digressions else None
    if first is None or any(entry is None or entry.column != first.column for entry in entries):
        return ()
    text = agent.source.text[fixes.whole_lines(agent.source, first.span).start : block.span.end]
    column = known.column if known is not None else flow.block.children[0].column + 2
    body = _shifted(text, column - first.column)
    if body is None:
        return ()
    if known is not None:
        added = fixes.insert_line_below(agent.source, known.span, body, "")
    else:
        head = f"{' ' * (flow.block.children[0].column - 1)}global_digressions:\n"
        top = flow.block.children[0]
        place = top.comments[0].span if top.comments else top.span
        added = fixes.insert_line_above(agent.source, place, head + body, "")
    removal = Edit(fixes.whole_lines(agent.source, block.span), "")
    return (Fix("Move to `global_digressions`", (*added.edits, removal)),)


def _shifted(text: str, by: int) -> str | None:
    """Lines further to the right, or to the left; None where something is in the way."""
    lines = text.split("\n")
    if by < 0 and any(line[:-by].strip() for line in lines):
        return None
    return "\n".join(" " * by + line if by > 0 and line.strip() else line[-by:] if by < 0 else line for line in lines)


# Whole steps ----------------------------------------------------------------------------------------------------


def rename_step(agent: AgentIndex, step: nodes.Step) -> tuple[Fix, ...]:
    """Another name for a step, wherever this document names it; none for one that is there twice."""
    old = step.name.value
    if old in agent.derive(_repeated_steps):
        return ()
    name = f"{old.lower()}_step"
    name = free_name(name, agent.steps) if name in agent.steps else name
    places = {Edit(span, name): None for span in _step_places(agent, old)}
    return (Fix(f"Rename the step to `{name}`, with its references", tuple(places)),)


def _repeated_steps(agent: AgentIndex) -> frozenset[str]:
    return frozenset([name for name, times in Counter(agent.names("steps")[0]).items() if times > 1])


def _step_places(agent: AgentIndex, name: str) -> Iterator[Span]:
    flow = agent.agent.flow
    if flow is not None:
        named = (*flow.listed, *((flow.entry_point,) if flow.entry_point else ()))
        yield from (each.span for each in named if each.value == name)
    yield from (step.name.span for step in agent.all(nodes.Step) if step.name.value == name)
    yield from (ref.name.span for ref in agent.step_refs if ref.name.value == name)
    yield from (link.name.span for link in agent.derive(links_of) if link.kind == "step" and link.name.value == name)
    for on in [recall.on for recall in agent.all(nodes.RecallInstruction) if recall.on is not None]:
        event = _STEP_EVENT.fullmatch(on.value)
        if event is not None and event[1] == name:
            yield on.span_of(*event.span(1))


def split_step(
    agent: AgentIndex, step: nodes.Step, second: nodes.Directive, *, reasoning: bool | None = None
) -> tuple[Fix, ...]:
    """A step of its own for a directive and all that follows it; ``reasoning`` as in the step, or as given."""
    block, call, then = step.block, second.block, step.then
    if block is None or call is None or block.item or call.item or block.key != step.name.value:
        return ()
    shared = not has_own_lines(agent.source, call.span) or not has_own_lines(agent.source, block.span)
    if shared or (then is not None and then.span.start < call.span.start):
        return ()
    name = free_name(step.name.value, agent.steps)
    pad, outer = " " * (call.column - 1), " " * (block.column - 1)
    then_key, mode = cased_like(agent, call, "THEN"), cased_like(agent, call, "REASONING")
    acts = "true" if (step.reasoning if reasoning is None else reasoning) else "false"
    lines = f"{pad}{then_key}: {name}\n{outer}{name}:\n{pad}{mode}: {acts}"
    place = call.comments[0].span if call.comments else call.span
    added = fixes.insert_line_above(agent.source, place, lines, "")
    return (Fix(f"Go on in a step `{name}`", (*_listed_after(agent, step.name.value, name), *added.edits)),)


def _listed_after(agent: AgentIndex, name: str, new: str) -> Iterator[Edit]:
    """The new name behind another in the list of steps, if that is there."""
    flow = agent.agent.flow
    listed = next((each for each in flow.listed if each.value == name), None) if flow is not None else None
    if listed is not None:
        yield _behind(agent.source, listed, new)


def _behind(source: Source, listed: Name, new: str) -> Edit:
    line = source.line_span(source.position(listed.span.start).line)
    before = source.text[line.start : listed.span.start]
    if before.lstrip().startswith("- "):
        return Edit(Span(line.end, line.end), f"\n{before[: len(before) - len(before.lstrip())]}- {new}")
    at = listed.span.end + bool(_QUOTE.match(source.text, listed.span.end))
    return Edit(Span(at, at), f" -> {new}" if "->" in source.text[line.start : line.end] else f", {new}")
