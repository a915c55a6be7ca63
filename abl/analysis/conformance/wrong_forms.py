"""Lists where properties are due, and properties where a list is due, by the table of places (docs/spec 01 §5, §10).

The table (``abl.language``) says in which form each value stands. A value in the other form would be ignored, so it is
reported (ABL115, ABL125); what is inside is still checked
(``abl.analysis.conformance.value_walk``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any, Final, NamedTuple

from abl.analysis.conformance import generic
from abl.analysis.conformance.closed_places import Whole, walked
from abl.analysis.conformance.value_forms import (
    LIST,
    MAP,
    MIXED,
    belongs_below,
    entries_of_map,
    form_of,
    is_either,
    is_wrong,
)
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.registry import Found, found
from abl.diagnostics import Edit, Fix
from abl.language import (
    PROFILE_SECTIONS,
    Value,
    has_form,
    key_at,
    knows,
    profile_value,
    section_value,
    shown,
    takes_no_text,
    takes_one,
    takes_text,
    value_at,
)
from abl.language.written import items_of
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.readers.entries import NAME, key_column
from abl.syntax.recovery import findings
from abl.syntax.vocabulary import canonical_key, words

_REPORTED_BY_PARSER: Final = words(
    """
    section.CONSTRAINTS section.HANDOFF section.COMPLETE section.FLOW section.GATHER section.TOOLS
    memory.SESSION memory.PERSISTENT memory.REMEMBER memory.RECALL flow.GLOBAL_DIGRESSIONS hook.BRANCHES
    on_start.BRANCHES step.DIGRESSIONS step.SUB_INTENTS step.ON_INPUT secure_input.FIELDS
    """
)
"""Where the parser or a rule of its own says the same."""


_ALSO_TEXTS: Final = frozenset([each.name for each in shown.PLACES]) | {"voice", "transform", "await_attachment"}
"""Places of which a text is read, too: what is shown may come from a path, and a step may name what it waits for."""
_TERM: Final = re.compile(r"\s(?:--|–|—)\s")


class Held(NamedTuple):
    """What a key holds: the place of the key, its block, what may be there."""

    place: str
    block: Block
    value: Value


def unlisted(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL115 for the properties of one entry, or of several, where a list is due."""
    for held in _wrong(whole, source):
        form = form_of(source, held.block)
        if form == MAP and _is_entry(source, held):
            yield _without_dash(source, held)
        elif form == MIXED and held.value.lists:
            yield _among_items(source, held)


def misread(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL125 for every other value in a form that its key does not take."""
    for held in _wrong(whole, source):
        form = form_of(source, held.block)
        if form == LIST:
            yield _listed(source, held)
        elif form == MIXED:
            yield from _among_properties(source, held)
        elif not _is_entry(source, held):
            reason = f"`{held.block.key}` takes a list; each entry begins with `- `"
            yield _wrong_form(held.block, reason=reason)


def several(whole: Whole | nodes.Rule | nodes.OnFail, source: Source) -> Iterator[Found]:
    """ABL125 for a list, braces or lines below where one word, switch, number or time stands (01 §3.1)."""
    for place, block in _properties(whole, source):
        below = block.value is None and bool(block.children) and takes_text(place, block.key)
        if below or ((block.children or _is_bracketed(block)) and takes_one(place, block.key)):
            other = "lines below it" if block.children else "list or properties in brackets"
            reason = f"`{block.key}` takes one value behind its colon, and no {other}"
            yield _wrong_form(block, *_as_one(source, place, block), reason=reason)


def plain_texts(whole: Whole | nodes.Rule | nodes.OnFail, source: Source) -> Iterator[Found]:
    """ABL125 for a text where properties or a list are due, and nothing reads a text (01 §3.1)."""
    for place, block in _properties(whole, source):
        if block.value is None or not takes_no_text(place, block.key) or block.children or not _is_text(block.value):
            continue
        value, key = value_at(place, block.key), key_at(place, block.key)
        by_parser = f"{place}.{canonical_key(block.key)}" in _REPORTED_BY_PARSER
        below = {*value.maps, *value.lists, *value.named_lists, *value.named_maps}
        read = key is None or key.alone or any(is_either(each) or each in _ALSO_TEXTS for each in below)
        if not by_parser and not read and key is not None and key.runs == "executed":
            due = "a list" if value.lists or value.named_lists else "properties"
            yield _wrong_form(block, reason=f"`{block.key}` takes {due} below it, and no text")


def _is_text(value: nodes.Text) -> bool:
    """True for a text that nothing is filled into, and that is not empty."""
    written = value.value.strip()
    if not written or written[0] == "$" or "{{" in written or written.lower() in ("null", "~"):
        return False
    return value.style != "bare" or value.raw[:1] not in ("[", "{")


def _properties(whole: Whole | nodes.Rule | nodes.OnFail, source: Source) -> Iterable[tuple[str, Block]]:
    if isinstance(whole, nodes.Rule | nodes.OnFail):
        place = "rule" if isinstance(whole, nodes.Rule) else "on_fail"
        return ((place, prop.block) for prop in whole.props if prop.block is not None)
    inline = isinstance(whole, nodes.Section) and whole.keyword == "BEHAVIOR_PROFILE" and whole.block is not None
    own = whole.block.children if inline and whole.block is not None else ()
    stood = walked(source, whole).properties
    return (*(("inline_profile", block) for block in own), *((one.place, one.block) for one in stood))


def _is_bracketed(block: Block) -> bool:
    value = block.value
    return value is not None and value.style == "bare" and value.raw[:1] in ("[", "{") and value.raw[:2] != "{{"


def _as_one(source: Source, place: str, block: Block) -> tuple[Fix, ...]:
    """The value alone, where a list holds one."""
    items = [*items_of(block)] if block.value is None or block.value.raw[:1] == "[" else []
    declared = key_at(place, block.key)
    if len(items) != 1 or declared is None or declared.type.read_word(items[0]) is None:
        return ()
    start = source.text.index(":", block.key_span.end) + 1
    end = block.value.span.end if block.value is not None else block.children[-1].span.end
    return (Fix(f"Write `{items[0]}`", (Edit(Span(start, end), f" {items[0]}"),), True),)


def unread_terms(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL125 for entries of NLU's glossary that are no ``term -- meaning`` (09 §10)."""
    keys = generic.by_key(source, whole.block) if isinstance(whole, nodes.Section) and whole.keyword == "NLU" else {}
    glossary = keys.get("glossary")
    for item in glossary.children if glossary is not None else ():
        if _TERM.search(source.text, item.line_span.start, item.line_span.end) is not None:
            continue
        fixes: tuple[Fix, ...] = ()
        if (
            _begins_with_key(source, item)
            and item.colon
            and item.value is not None
            and not item.children
            and item.value.style == "bare"
        ):
            between = Span(item.key_span.end, item.value.span.start)
            fixes = (Fix("Write ` -- `", (Edit(between, " -- "),), True),)
        yield found(item.line_span, *fixes, severity="warning", reason="A glossary entry is written `term -- meaning`")


_last: list[tuple[Whole | None, tuple[Held, ...]]] = [(None, ())]
"""Two rules ask for the same thing, one behind the other. Replaced as a whole, so threads do no harm."""


def _wrong(whole: Whole, source: Source) -> tuple[Held, ...]:
    kept, wrong = _last[0]
    if kept is not whole:
        wrong = tuple([held for held in _held(whole, source) if _is_wrong(held, source)])
        _last[0] = whole, wrong
    return wrong


def _is_wrong(held: Held, source: Source) -> bool:
    by_parser = f"{held.place}.{canonical_key(held.block.key)}" in _REPORTED_BY_PARSER
    return not by_parser and is_wrong(source, held.value, held.block)


def _held(whole: Whole, source: Source) -> Iterator[Held]:
    """Every value of a form that the table knows of something, with the blocks of its own that carry names."""
    stood = [one for one in walked(source, whole).properties if one.listed and has_form(one.value)]
    for held in (*roots(whole), *(Held(*one[:3]) for one in stood)):
        yield held
        if only_names(held.value) and form_of(source, held.block) == MAP:
            inner = Value(maps=held.value.named_maps)
            yield from (Held(held.place, child, inner) for child in generic.members(source, held.block))


def only_names(value: Value) -> bool:
    return bool(value.named_maps) and not (value.maps or value.lists or value.named_lists or value.kinds)


def roots(whole: Whole) -> Iterator[Held]:
    """The section itself; of a profile the sections that the table knows."""
    block = whole.block
    if block is None:
        return
    if isinstance(whole, nodes.Profile):
        of_profile = [child for child in block.children if child.key.upper() in PROFILE_SECTIONS]
        yield from (Held("profile", child, profile_value(child.key.upper())) for child in of_profile)
    elif isinstance(whole, nodes.Section) and any(value := section_value(whole.keyword)):
        yield Held("section", block, value)


def _is_entry(source: Source, held: Held) -> bool:
    """True for properties of entries, and not names of the author's with properties below them."""
    return any(knows(held.value.lists[0], member.key) for member in generic.members(source, held.block))


def _among_items(source: Source, held: Held) -> Found:
    """Properties between items: an entry of their own where the one above has them already."""
    block = held.block
    at = next(at for at, child in enumerate(block.children) if not child.item)
    unattached = tuple(takewhile(lambda child: not child.item, block.children[at:]))
    above = {member.key.upper() for member in generic.members(source, block.children[at - 1])} if at else set()
    if unattached[0].colon and unattached[0].key.upper() in above and has_own_lines(source, unattached[0].span):
        spans = [Span(group[0].span.start, group[-1].span.end) for group in entries_of_map(unattached)]
        problem = findings.item_expected(source, unattached[0].line_span, block.key, spans)
        return _wrong_form(block, *problem.fixes, span=problem.span, **problem.data)
    return _wrong_form(block, span=unattached[0].line_span, block=block.key)


def _among_properties(source: Source, held: Held) -> Iterator[Found]:
    """An item between properties, which is one of them when its dash goes."""
    for child in held.block.children if not held.value.lists else ():
        if child.item:
            keys = {canonical_key(other.key) for other in held.block.children if not other.item}
            members = [canonical_key(member.key) for member in generic.members(source, child)]
            alone = len(members) == 1 and members[0] not in keys and _can_lose_dashes(source, [child])
            edit = Edit(Span(child.span.start, child.key_span.start), "")
            fixes = (Fix("Remove the dash", (edit,), True),) if alone and not child.children else ()
            yield found(child.line_span, *fixes, reason=f"`{held.block.key}` takes properties, and no list items")


def _first_line(block: Block) -> Span:
    return block.value.span if block.value is not None else block.children[0].line_span


def _wrong_form(about: Block, *fixes: Fix, span: Span | None = None, **data: Any) -> Found:
    """A finding about the form of a whole block, which suppresses findings about what is missing in the block."""
    return found(span or _first_line(about), *fixes, form=True, **data)


def _without_dash(source: Source, held: Held) -> Found:
    """The entries begin where a property is given again, as the parser puts them together."""
    block = held.block
    if block.value is not None or not all(has_own_lines(source, child.span) for child in block.children):
        fixes = (Fix("Write a list", tuple(_bracketed(block)), True),) if block.value is not None else ()
        return _wrong_form(block, *fixes, block=block.key)
    spans = [Span(group[0].span.start, group[-1].span.end) for group in entries_of_map(block.children)]
    problem = findings.item_expected(source, block.children[0].line_span, block.key, spans)
    return _wrong_form(block, *problem.fixes, span=problem.span, **problem.data)


def _bracketed(block: Block) -> Iterator[Edit]:
    if block.value is not None:
        yield Edit(Span(block.value.span.start, block.value.span.start), "[")
        yield Edit(Span(block.value.span.end, block.value.span.end), "]")


def _listed(source: Source, held: Held) -> Found:
    """A list where properties or names are due."""
    block, value = held.block, held.value
    place = value.maps[0] if value.maps else ""
    key = belongs_below(source, place, block) if place else ""
    if key:
        return _wrong_form(block, *_put_below(source, block, key), reason=f"The list belongs below `{key}:`")
    if value.named_maps:
        reason = f"`{block.key}` takes names, each with its properties below, and no list"
        fixes = _as_names(source, block, value.named_maps[0])
        if all(generic.by_key(source, entry).keys() & {"name", "id"} for entry in generic.entries(source, block)):
            return found(_first_line(block), *fixes, reason=reason)  # each is known by its name, and judged
        return _wrong_form(block, *fixes, reason=reason)
    reason = f"`{block.key}` takes properties, and no list"
    return _wrong_form(block, *_without_dashes(source, block, place), reason=reason)


def _put_below(source: Source, block: Block, key: str) -> tuple[Fix, ...]:
    """The list with the key that it lacks above it."""
    if block.value is not None:
        start, end = block.value.span
        return (Fix(f"Insert `{key}:`", (Edit(Span(start, start), f"{{{key}: "), Edit(Span(end, end), "}")), True),)
    items = [child for child in block.children if child.item]
    if len(items) < len(block.children) or not all(has_own_lines(source, item.span) for item in items):
        return ()
    first, last = _lines_of(source, Span(items[0].span.start, items[-1].span.end))
    start = source.line_starts[first - 1]
    margin = source.text[start : items[0].span.start]
    moved = [number for number in range(first, last + 1) if source.line_text(number).strip()]
    edits = [Edit(Span(start, start), f"{margin}{key}:\n  ")]
    edits += [Edit(Span(at, at), "  ") for number in moved[1:] for at in (source.line_starts[number - 1],)]
    return (Fix(f"Insert `{key}:` above the list", tuple(edits), True),)


def _lines_of(source: Source, span: Span) -> tuple[int, int]:
    return source.position(span.start).line, source.position(max(span.start, span.end - 1)).line


def _without_dashes(source: Source, block: Block, place: str) -> tuple[Fix, ...]:
    """The items as properties, where each is one and none is there twice."""
    items = block.children
    keys = [canonical_key(member.key) for item in items for member in generic.members(source, item)]
    of_place = not place or all(knows(place, key) for key in keys)
    if len(set(keys)) < len(keys) or not (keys and of_place and _can_lose_dashes(source, items)):
        return ()
    return (Fix("Remove the dashes", tuple(_blank_dashes(items)), True),)


def _as_names(source: Source, block: Block, place: str) -> tuple[Fix, ...]:
    """``- colors: …`` as ``colors: …``, and ``- NAME: colors`` with properties below as ``colors:``."""
    items = block.children
    if not _can_lose_dashes(source, items):
        return ()
    edits: list[Edit] = []
    called: list[str] = []
    for item in items:
        if item.key.upper() == "NAME" and item.value is not None and len(generic.members(source, item)) > 1:
            called.append(item.value.value)
            if item.value.style != "bare" or NAME.fullmatch(item.value.value) is None:
                return ()
            edits.append(Edit(Span(item.span.start, item.value.span.end), f"{item.value.value}:"))
        elif len(generic.members(source, item)) == 1 and not knows(place, item.key) and item.key.upper() != "NAME":
            called.append(item.key)
            edits += _blank_dashes([item])
        else:
            return ()
    same = len({edit.text.endswith(":") for edit in edits}) > 1  # names in two columns would be one below the other
    if len(set(called)) < len(called) or same:
        return ()
    return (Fix("Write names without dashes", tuple(edits), True),)


def _can_lose_dashes(source: Source, items: Iterable[Block]) -> bool:
    """True for items that are properties on lines of their own, in one column and behind one dash."""
    blocks = list(items)
    columns = {key_column(item) for item in blocks if item.item and item.colon}
    return len(columns) == 1 and all(
        item.item and item.colon and has_own_lines(source, item.span) and _begins_with_key(source, item)
        for item in blocks
    )


def _begins_with_key(source: Source, item: Block) -> bool:
    """True for ``- key: …``, and not for ``- {key: …}``."""
    return item.item and source.text[item.span.start : item.key_span.start].strip(" \t") == "-"


def _blank_dashes(items: Iterable[Block]) -> Iterator[Edit]:
    return (Edit(Span(item.span.start, item.span.start + 1), " ") for item in items)
