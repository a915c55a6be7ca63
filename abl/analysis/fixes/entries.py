"""Quick fixes that add, merge or move entries and their properties (docs/spec 05 §5-7, §9)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.language.memory import SCOPE_OF_SEGMENT, scope_by_segment
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.recovery.emptied_blocks import removal

_BARE: Final[dict[type, str]] = {nodes.PersistentPath: "path", nodes.SessionVariable: "name", nodes.GatherField: "name"}
"""The key of what may stand as a bare word."""


def has_own_lines(source: Source, span: Span) -> bool:
    """True when nothing else stands on the lines of a span but the dash of its item."""
    lines = fixes.lines_of(source, span)
    before, behind = source.text[lines.start : span.start], source.text[span.end : lines.end]
    return before.strip() in ("", "-") and not behind.strip()


def remove_entry(agent: AgentIndex, node: nodes.Node, title: str, *, preferred: bool = False) -> tuple[Fix, ...]:
    """Take out an entry with all its lines, unless it shares a line with others; a list that it empties goes, too."""
    if node.block is None or not has_own_lines(agent.source, node.span):
        return ()
    return removal(agent.source, node.span).fixes(title, preferred=preferred)


def remove_property(agent: AgentIndex, prop: nodes.Property, *, preferred: bool = False) -> tuple[Fix, ...]:
    """Take out a property, unless it stands on the first line of its entry."""
    span = prop.block.span
    if prop.block.item or not has_own_lines(agent.source, span):
        return ()
    return (fixes.remove_lines(agent.source, span, f"Remove `{prop.written}`", preferred=preferred),)


def add_property(
    agent: AgentIndex, node: nodes.Node, text: str, *, preferred: bool = False, below: nodes.Property | None = None
) -> tuple[Fix, ...]:
    """A new property below the first one of an entry, or below one given; in braces as their last member.

    Nothing for a bare word, but for what has a key for it: ``- a`` is then ``- {name: a, …}`` where it is in YAML.
    """
    block, title = node.block, f"Insert `{text}`"
    if block is None or not block.item:
        return ()
    first_word = block.key_span if block.colon or block.value is None else block.value.span
    if not braces.is_element(agent.source, first_word):
        return ()
    if not block.colon and (is_yaml(agent) or braces.extent(agent.source, block.span) is not None):
        return _in_new_braces(node, block, text, title, preferred=preferred)
    if braces.extent(agent.source, block.key_span) is not None:
        return (fixes.insert_line_below(agent.source, block.key_span, text, title, preferred=preferred),)
    if not has_own_lines(agent.source, block.span):
        return ()
    indent = agent.source.position(block.key_span.start).column - 1 if block.colon else block.column + 1
    nested = list(takewhile(lambda child: child.column > indent + 1, block.children)) if block.colon else []
    if not block.colon and block.children:
        indent = block.children[0].column - 1
    first = Span(block.line_span.start, block.value.span.end) if block.value is not None else block.line_span
    if nested:
        first = Span(block.line_span.start, nested[-1].span.end)
    if below is not None and not below.block.item:
        first = below.block.span
    return (fixes.insert_line_below(agent.source, first, " " * indent + text, title, preferred=preferred),)


def _in_new_braces(node: nodes.Node, block: nodes.Block, text: str, title: str, *, preferred: bool) -> tuple[Fix, ...]:
    key, value = _BARE.get(node.__class__), block.value  # what has moved is of another type
    if key is None or value is None or block.children:
        return ()
    edits = (
        Edit(Span(value.span.start, value.span.start), f"{{{key}: "),
        Edit(Span(value.span.end, value.span.end), f", {text}}}"),
    )
    return (Fix(title, edits, preferred),)


def is_yaml(agent: AgentIndex) -> bool:
    """True for a document in YAML form."""
    section = agent.agent.section("AGENT") or agent.agent.section("SUPERVISOR")
    return section is not None and section.written.islower()


def append_property(
    agent: AgentIndex, node: nodes.Node, text: str, title: str, *, preferred: bool = True
) -> tuple[Fix, ...]:
    """A new property as the last one of an entry."""
    block = node.block
    if block is None or (not block.item and not block.children):
        return ()
    indent = block.children[0].column - 1 if block.children else block.column + 1
    return (fixes.insert_line_below(agent.source, block.span, " " * indent + text, title, preferred=preferred),)


def _in_braces(agent: AgentIndex, node: nodes.Node) -> bool:
    """True for an entry like ``- {a: b}``, which may go over several lines."""
    return agent.source.text[node.span.start : node.span.start + 80].lstrip("- ")[:1] in ("{", "[")


def set_property(
    agent: AgentIndex, node: nodes.Node, key: str, value: str, *, preferred: bool = False
) -> tuple[Fix, ...]:
    """Give a property a value, whether or not it is there."""
    prop = node.prop(key)
    if prop is not None and prop.value is not None:
        return (fixes.replace(prop.value.span, value, f"Write `{prop.written}: {value}`", preferred=preferred),)
    return add_property(agent, node, f"{key}: {value}", preferred=preferred) if prop is None else ()


def declare_path(agent: AgentIndex, path: str, *, preferred: bool = False) -> tuple[Fix, ...]:
    """Declare a path below ``persistent:`` with its scope; the block is added where MEMORY has none."""
    memory = agent.agent.memory
    if memory is None or memory.block is None or not memory.block.children:
        return ()
    scope = scope_by_segment(path)
    entry, title = (f"path: {path}" if is_yaml(agent) else path), f"Declare `{path}` in persistent"
    block = next((child for child in memory.block.children if child.key.lower() == "persistent"), None)
    if block is None:
        pad = " " * (memory.block.children[0].column - 1)
        lines = f"{pad}persistent:\n{pad}  - {entry}\n{pad}    SCOPE: {scope}"
        return (
            fixes.insert_line_above(agent.source, memory.block.children[0].span, lines, title, preferred=preferred),
        )
    entries = [child for child in block.children if child.item]
    if not entries:
        return ()
    pad = " " * (entries[-1].column - 1)
    lines = f"{pad}- {entry}\n{pad}  SCOPE: {scope}"
    return (fixes.insert_line_below(agent.source, entries[-1].span, lines, title, preferred=preferred),)


def remember_edit(agent: AgentIndex, variable: str, path: str) -> Edit | None:
    """A trigger that stores a variable under a path; the block is added where MEMORY has none."""
    last, is_trigger = agent.derive(_last_of_memory)
    if last is None:
        return None
    pad = " " * (last.column - 1 if is_trigger else last.column + 1)
    lines = f"{pad}- WHEN: {variable} IS SET\n{pad}  STORE: {variable} -> {path}"
    if not is_trigger:
        lines = f"{pad[2:]}remember:\n{lines}"
    return fixes.insert_line_below(agent.source, last.span, lines, "").edits[0]


def _last_of_memory(agent: AgentIndex) -> tuple[nodes.Block | None, bool]:
    """The last remember trigger, or the last block of MEMORY without any; None where no line can follow it."""
    memory = agent.agent.memory
    blocks = memory.block.children if memory is not None and memory.block is not None else ()
    block = next((child for child in blocks if child.key.lower() == "remember"), None)
    entries = [child for child in block.children if child.item] if block is not None else []
    last = entries[-1] if entries else blocks[-1] if blocks and block is None else None
    return (last if last is not None and has_own_lines(agent.source, last.span) else None), bool(entries)


def remember(agent: AgentIndex, path: str) -> tuple[Fix, ...]:
    """A trigger that stores the variable of the path's last word, which the author may have to set."""
    edit = remember_edit(agent, path.rpartition(".")[2], path)
    return (Fix(f"Add a remember trigger for `{path}`", (edit,)),) if edit is not None else ()


_LOOKED_THROUGH = 10_000
"""Characters between two entries beyond which they do not count as in one list: many may repeat the first."""


def in_one_list(agent: AgentIndex, first: nodes.Node, later: nodes.Node) -> bool:
    """True when nothing between two entries ends the list in which the first stands."""
    if first.block is None or later.block is None or first.block.column != later.block.column:
        return False
    start = fixes.whole_lines(agent.source, later.span).start
    if start - first.span.end > _LOOKED_THROUGH:
        return False
    between = agent.source.text[first.span.end : start]
    return all(
        len(line) - len(line.lstrip()) >= first.block.column - 1 for line in between.splitlines() if line.strip()
    )


def merge_entries(agent: AgentIndex, first: nodes.Node, later: nodes.Node) -> tuple[Fix, ...]:
    """One entry instead of two: a bare one is dropped; else the later's properties go to the first and win there."""
    title = "Merge the two entries"
    if not in_one_list(agent, first, later) or _in_braces(agent, first) or _in_braces(agent, later):
        return ()
    if not later.props or not first.props:
        return remove_entry(agent, first if later.props else later, title, preferred=True)
    props = {prop.key: prop for prop in later.props}
    moved = tuple(_moved(agent, first, props.values()))
    if not has_own_lines(agent.source, later.span) or len(moved) != len(props):
        return ()
    dropped = Edit(fixes.whole_lines(agent.source, later.span), "")
    return (Fix(title, (*moved, dropped), preferred=True),)


def _moved(agent: AgentIndex, first: nodes.Node, props: Iterable[nodes.Property]) -> Iterable[Edit]:
    for prop in props:
        known = first.prop(prop.key)
        if prop.value is None or prop.value.style == "pipe":
            continue
        text = agent.source.text[slice(*prop.value.span)]
        if known is not None and known.value is not None:
            yield Edit(known.value.span, text)
        else:
            for fix in add_property(agent, first, f"{prop.written}: {text}"):
                yield from fix.edits


def move_behind(agent: AgentIndex, entry: nodes.Node, last: nodes.Node) -> tuple[Fix, ...]:
    """An entry of a list as the last one."""
    if not in_one_list(agent, entry, last) or not all(has_own_lines(agent.source, each.span) for each in (entry, last)):
        return ()
    source = agent.source
    lines, at = fixes.whole_lines(source, entry.span), fixes.whole_lines(source, last.span).end
    text = source.text[slice(*lines)].rstrip("\n")
    text = f"{text}\n" if source.text[at - 1 : at] == "\n" else f"\n{text}"
    return (Fix("Move it to the end", (Edit(lines, ""), Edit(Span(at, at), text)), preferred=True),)


def create_in_section(agent: AgentIndex, keyword: str, name: str, *lines: str) -> Fix:
    """Declare an entry in a section, which is added at the end where there is none."""
    section = agent.agent.section(keyword)
    title = f"Create `{name}` in {keyword}"
    if section is None or section.block is None or not section.block.children:
        body = f"{keyword}:\n  {name}:" + "".join(f"\n    {line}" for line in lines)
        return fixes.insert_line_below(agent.source, agent.agent.span, body, title, preferred=False)
    pad = " " * (section.block.children[-1].column - 1)
    body = f"{pad}{name}:" + "".join(f"\n{pad}  {line}" for line in lines)
    return fixes.insert_line_below(agent.source, section.block.children[-1].span, body, title, preferred=False)


def is_without_scope(path: str, agent: AgentIndex) -> bool:
    """True when a path is declared without its first segment, which is reported there (ABL320)."""
    scope, _, rest = path.partition(".")
    return scope in SCOPE_OF_SEGMENT and rest in agent.persistent and "." not in rest
