"""Steps that behaviour profiles put into the flow of an agent (docs/spec 06 §11).

The text of a profile stands behind that of the agent, so that an expression of an inserted step is read, and its place
shown, as one of the agent's own steps is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from abl.language import key_at
from abl.language.written import word
from abl.source import Source
from abl.syntax import nodes, vocabulary
from abl.syntax.incremental.relocation import moved_block
from abl.syntax.nodes import Block, Step, same_key
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import item_head
from abl.syntax.readers.flow import read_step
from abl.syntax.readers.flow_style import expanded, expanded_item, section_in_lines

_SIDES = ("before", "after")


class Lent(NamedTuple):
    """A document with profiles that insert steps: its text is read behind that of agents that use one."""

    path: str
    text: str
    profiles: tuple[str, ...]


class Inserted(NamedTuple):
    """A step of a profile, and on which side of which step of the flow it stands."""

    step: Step
    profile: str
    side: str
    beside: str


def lent_by(documents: Mapping[str, nodes.Document]) -> tuple[Lent, ...]:
    """The documents whose profiles insert steps."""
    found = []
    for path, document in documents.items():
        ctx = Context(document.source, document.source.text, yaml=document.yaml)
        names = tuple(_name(profile) for profile in _profiles(document) if any(_items(ctx, profile)))
        if names:
            found.append(Lent(path, document.source.text, names))
    return tuple(found)


def inserted_steps(
    used: Sequence[str], source: Source, documents: Sequence[tuple[nodes.Document, int]], taken: Collection[str]
) -> tuple[Inserted, ...]:
    """The steps that the profiles insert, under names that are not ``taken``.

    Each document comes with where its text begins in the source. Of two profiles with one name the first counts.
    """
    found: list[Inserted] = []
    names = set(taken)
    for name in used:
        offers = [(d, p, start) for d, start in documents for p in _profiles(d) if _name(p) == name]
        for document, profile, start in offers[:1]:
            ctx = Context(source, source.text, yaml=document.yaml)
            for item in _items(ctx, profile, start):
                made = _inserted(ctx, item, name, names)
                if made is not None:
                    names.add(made.step.name.value)
                    found.append(made)
    return tuple(found)


def _inserted(ctx: Context, item: Block, profile: str, taken: Collection[str]) -> Inserted | None:
    head, rest = item_head(item, keep_nested=True)
    lines = (head, *rest)
    place = next((line for line in lines if same_key(line.key) in _SIDES), None)
    beside = word(place.value) if place is not None else ""
    if place is None or not beside:
        return None
    side = same_key(place.key)
    number = 1
    while f"{beside}__{side}_{number}" in taken:
        number += 1
    key = f"{beside}__{side}_{number}"
    body = tuple(below for line in lines for below in (line.children if line is place else (_respelt(line),)))
    block = Block(key, place.key_span, None, body, item.span, item.line_span, item.column)
    return Inserted(read_step(ctx, block), profile, side, beside)


def _respelt(line: Block) -> Block:
    """A key of a step in its own spelling: a profile may write it as keys outside of flows are (01 §3.1)."""
    declared = key_at("insertion", line.key)
    if declared is None or vocabulary.canonical_key(line.key) in vocabulary.STEP_DIRECTIVES:
        return line
    return replace(line, key=declared.name)


def _items(ctx: Context, profile: nodes.Profile, start: int = 0) -> Iterator[Block]:
    """The entries of FLOW.INSERTIONS, each in lines; ``start`` is where the document begins in the text."""
    whole = moved_block(profile.block, start) if profile.block is not None else None
    for flow in (block for block in (whole.children if whole is not None else ()) if same_key(block.key) == "flow"):
        for listed in section_in_lines(ctx, flow).children:
            if same_key(listed.key) == "insertions":
                yield from (expanded_item(ctx, item) for item in expanded(ctx, listed).children)


def _profiles(document: nodes.Document) -> Iterator[nodes.Profile]:
    for section in document.profiles:
        if section.content is not None and section.content.profile is not None:
            yield section.content.profile


def _name(profile: nodes.Profile) -> str:
    return profile.name.value.strip() if profile.name is not None else ""
