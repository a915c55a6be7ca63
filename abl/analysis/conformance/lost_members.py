"""Members of mappings that lack their colon, in braces and in lines (docs/spec 01 §3.1).

A mapping is read by its keys. What has no key would be left out of it, and a guard with it; so it is an error, here for
the mappings that no reader of their own looks through (``abl.analysis.conformance.value_walk``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis.conformance import generic
from abl.analysis.conformance.closed_places import Whole, walked
from abl.analysis.conformance.value_forms import is_either
from abl.analysis.conformance.wrong_forms import Held, only_names, roots
from abl.analysis.registry import Found, found
from abl.language import Value, has_form, key_at, knows
from abl.language.types import FLAG
from abl.source import Source, Span
from abl.syntax.lines.pieces import closing_bracket
from abl.syntax.lines.texts import first_word, rest_behind
from abl.syntax.nodes import Block, Text
from abl.syntax.readers.context import Context
from abl.syntax.readers.literals import object_blocks, readable
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import is_odd, value_without_colon

_OBJECT: Final = "ABL358"


def in_braces(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL358 for what is no member in the braces of a mapping, or of an entry of a list."""
    for held in (*roots(whole), *_held(whole, source)):
        for block in (held.block, *_entries(source, held)):
            if block.value is not None and block.value.raw[:1] == "{":
                yield from _of_braces(source, block.value)


def _held(whole: Whole, source: Source) -> Iterator[Held]:
    """Every property that takes properties or a list; below names of the author's also what each of them holds."""
    for stood in walked(source, whole).properties:
        if has_form(stood.value):
            yield Held(*stood[:3])
            if only_names(stood.value):
                inner = Value(maps=stood.value.named_maps)
                yield from (Held("", child, inner) for child in generic.members(source, stood.block))


def _entries(source: Source, held: Held) -> Iterator[Block]:
    """The entries of a list that are in braces as a whole; in others the properties are asked themselves."""
    if held.value.lists or held.value.named_lists:
        entries = generic.entries(source, held.block)
        yield from (entry for entry in entries if entry is not held.block and not entry.colon)


def _of_braces(source: Source, value: Text) -> Iterator[Found]:
    if value.style != "bare" or value.raw[:2] == "{{":  # filled in
        return
    its, alone, shift = readable(source, value)
    if closing_bracket(its.text, *alone.span) != alone.span.end - 1:  # of another form, or reported already
        return
    ctx = Context(its, its.text)
    object_blocks(ctx, alone, with_empty=True)
    for one in ctx.findings:
        if one.code == _OBJECT:
            yield found(Span(one.span.start + shift, one.span.end + shift), **one.data)


def without_colon(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL110 for lines of a mapping that begin with a key and lack their colon."""
    for held, line in _colonless(whole, source):
        if line.value is not None and _begins_with_key(source, held, line, line.value):
            ctx = Context(source, source.text)
            value_without_colon(ctx, line.value)
            yield from (found(one.span, *one.fixes, **one.data) for one in ctx.findings)


def other_lines(whole: Whole, source: Source) -> Iterator[Found]:
    """ABL125 for every other line of a mapping without a colon."""
    for held, line in _colonless(whole, source):
        if line.value is None or not _begins_with_key(source, held, line, line.value):
            written = source.text[slice(*line.line_span)].lstrip()
            instead = "text" if written[:1] != "{" else "braces; these stand behind its colon"
            reason = f"`{held.block.key}` takes properties below it, and no {instead}"
            yield found(line.line_span, reason=reason, text=findings.cut(written))


def _begins_with_key(source: Source, held: Held, line: Block, text: Text) -> bool:
    """True where it is plain which colon is missing, as the parser decides it, or behind a key that is known."""
    word = first_word(text)
    if knows(held.value.maps[0], word.value) and rest_behind(source.text, text, word) is not None:
        return True
    return word.value.isidentifier() and is_odd(held.block, line)


def _colonless(whole: Whole, source: Source) -> Iterator[tuple[Held, Block]]:
    """Lines without a colon below keys that take a mapping alone."""
    for held in _held(whole, source):
        if held.block.value is None and held.block.children and _takes_properties(held):
            for line in held.block.children:
                if not line.colon and not line.item and not _is_on(held.value.maps[0], line):
                    yield held, line


def _takes_properties(held: Held) -> bool:
    """True for a key that takes properties below it, and neither a list nor assignments, branches or actions."""
    key, value = key_at(held.place, held.block.key), held.value
    if held.place and (key is None or key.alone):
        return False
    others = value.lists or value.named_lists or value.named_maps or value.kinds
    return len(value.maps) == 1 and not others and not is_either(value.maps[0])


def _is_on(place: str, line: Block) -> bool:
    """True for a switch that stands alone on its line, which is on."""
    declared = key_at(place, generic.word(line))
    return declared is not None and declared.type is FLAG
