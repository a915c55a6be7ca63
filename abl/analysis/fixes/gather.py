"""Quick fixes for the fields to collect (docs/spec 10 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from abl.analysis import fixes
from abl.analysis.fixes.entries import add_property, has_own_lines, in_one_list, merge_entries, remove_entry
from abl.analysis.fixes.steps import beside
from abl.analysis.index.fields import names_in
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax import nodes

_NUMBER: Final = re.compile(r"(-?\d+(?:\.\d+)?)\s*%?")
_SHOWN: Final = 5
"""As many alternatives as can be taken in at once."""
_CHOICES: Final = 3
_USUAL_CONFIDENCE: Final = "0.8"


def merge_fields(agent: AgentIndex, first: nodes.GatherField, later: nodes.GatherField) -> Iterator[Fix]:
    """One entry instead of two of a field: what the later says goes to the first. Else the later can go."""
    items = first.block is not None and first.block.item
    merged = merge_entries(agent, first, later) if items else _merge_keys(agent, first, later)
    for fix in merged:
        yield Fix(fix.title, fix.edits, fix.preferred and first.required == later.required)
    if not merged:
        yield from remove_entry(agent, later, "Remove the second entry")


def _merge_keys(agent: AgentIndex, first: nodes.GatherField, later: nodes.GatherField) -> tuple[Fix, ...]:
    """The same for fields that are keys with their properties below them."""
    head, tail = first.block, later.block
    if head is None or tail is None or not (head.children and tail.children) or not in_one_list(agent, first, later):
        return ()
    if not (has_own_lines(agent.source, head.span) and has_own_lines(agent.source, tail.span)):
        return ()
    known = {child.key.lower(): child for child in head.children}
    if len(known) < len(head.children) or len({child.key.lower() for child in tail.children}) < len(tail.children):
        return ()  # first the author has to decide which of two values of one key holds
    edits, lines = [], []
    for child in tail.children:
        before = known.get(child.key.lower())
        if child.item or child.children or child.value is None or child.value.style == "pipe":
            return ()
        text = agent.source.text[slice(*child.value.span)]
        if before is None:
            lines.append(f"\n{' ' * (head.children[0].column - 1)}{child.key}: {text}")
        elif before.value is not None and before.value.style != "pipe" and not before.children:
            edits.append(Edit(before.value.span, text))
        else:
            return ()
    edits += [Edit(Span(head.span.end, head.span.end), "".join(lines))] if lines else []
    return (Fix("Merge the two entries", (*edits, Edit(fixes.whole_lines(agent.source, tail.span), ""))),)


def add_options(agent: AgentIndex, field: nodes.GatherField) -> tuple[Fix, ...]:
    """Options to be written, below the type."""
    prop = field.prop("TYPE")
    value = '["…"]'
    if prop is not None and not (prop.block.item or field.block is prop.block):
        return beside(agent, prop.block, "options", value)
    return add_property(agent, field, f"options: {value}")


def repair_default(agent: AgentIndex, field: nodes.GatherField) -> Iterator[Fix]:
    """The option that was meant, or the first; a default can also go."""
    default, options = field.default, field.options or ()
    if default is None:
        return
    words = [option.value for option in options if isinstance(option.value, str)]
    renames = fixes.rename_to(default.span, default.value, words)[1] if isinstance(default.value, str) else ()
    yield from renames
    if options and not renames:
        first = agent.source.text[slice(*options[0].span)]
        yield fixes.replace(default.span, first, f"Write the first option `{first}`", preferred=False)
    prop = field.prop("DEFAULT")
    if prop is not None and not prop.block.item and has_own_lines(agent.source, prop.block.span):
        yield fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`", preferred=False)


def unlink(agent: AgentIndex, cycle: Sequence[str]) -> Iterator[Fix]:
    """The dependencies of a cycle, each of which breaks it when it is removed; the first ones of a long cycle."""
    for name, other in list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))[:_SHOWN]:
        edit = _without_link(agent.source, agent.fields[name].prop("DEPENDS_ON"), other)
        if edit is not None:
            yield Fix(f"`{name}` no longer depends on `{other}`", (edit,))


def _without_link(source: Source, prop: nodes.Property | None, name: str) -> Edit | None:
    names = names_in(prop)
    if prop is None or prop.block.item or not has_own_lines(source, prop.block.span):
        return None
    at = [number for number, each in enumerate(names) if each.value == name]
    if len(at) != 1:
        return None
    if len(names) == 1:
        return Edit(fixes.whole_lines(source, prop.block.span), "")
    if prop.value is None:
        return Edit(fixes.whole_lines(source, names[at[0]].span), "")
    spans = [_quoted(source, each.span) for each in names]
    number = at[0]
    if number + 1 < len(names):
        return Edit(Span(spans[number].start, spans[number + 1].start), "")
    return Edit(Span(spans[number - 1].end, spans[number].end), "")


def _quoted(source: Source, span: Span) -> Span:
    """A name with the quotes around it."""
    quoted = source.text[span.start - 1 : span.start] in ('"', "'") and source.text[span.end : span.end + 1] in "\"'"
    return Span(span.start - 1, span.end + 1) if quoted else span


def depend_on_earlier(agent: AgentIndex, field: nodes.GatherField) -> Iterator[Fix]:
    """The fields in front of one, the nearest first, as what it depends on."""
    prop = field.prop("ACTIVATION")
    if prop is None:
        return
    for name in agent.derive(_before).get(field.name.span.start, ()):
        if prop.block.item or field.block is prop.block:
            yield from add_property(agent, field, f"depends_on: [{name}]")
        else:
            yield from beside(agent, prop.block, "depends_on", f"[{name}]")


def _before(agent: AgentIndex) -> dict[int, tuple[str, ...]]:
    """By the place of a field's name: the names of the nearest fields in front of it."""
    found: dict[int, tuple[str, ...]] = {}
    for gather in agent.all(nodes.Gather):
        names: tuple[str, ...] = ()
        for field in gather.fields:
            found[field.name.span.start] = tuple(name for name in names if name != field.name.value)
            names = (field.name.value, *names)[:_CHOICES]
    return found


def clamp_confidence(text: nodes.Text) -> Iterator[Fix]:
    """A number between 0 and 1: that of a percentage, the nearest, or the usual one."""
    number = _NUMBER.fullmatch(text.value.strip())
    value = float(number[1]) if number is not None else None
    if value is None:
        yield fixes.replace(text.span, _USUAL_CONFIDENCE, preferred=False)
        return
    if 1 < value <= 100:
        yield fixes.replace(text.span, f"{value / 100:.4g}", preferred=False)
    if "%" not in text.value:
        yield fixes.replace(text.span, "1" if value > 1 else "0", preferred=False)
