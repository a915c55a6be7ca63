"""Properties by table: what an object needs, and which values its properties may have (docs/spec 09 §10-§15).

An ``ObjectSchema`` says it for one kind of object; ``problems`` compares what is written with it. Keys in shapes are
written as the documentation has them and compared as ``same_key`` says.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from abl.syntax.nodes import Content, Name, Node, same_key
from abl.syntax.vocabulary import canonical_key


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """What one kind of object looks like.

    ``needs`` are required keys, ``values`` the legal words of others, ``ranges`` the least and greatest number of
    others. ``lists`` are arrays: what a problem calls one of its elements, and their shape.
    """

    needs: tuple[str, ...] = ()
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ObjectSchema]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lack:
    """``what`` at ``content`` lacks keys; ``values`` are the words that some of them may have."""

    what: str
    content: Content
    keys: tuple[str, ...]
    values: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Misfit:
    """The value of a member is none of the ``legal`` words, or (``legal`` is empty) not between two numbers."""

    content: Content
    legal: tuple[str, ...]
    low: float = 0
    high: float = 0


def problems(content: Content, shape: ObjectSchema, what: str) -> Iterator[Lack | Misfit]:
    """Everything in which an object differs from its shape; ``what`` is the word for it."""
    lacking = tuple(key for key in shape.needs if (member := content.get(key)) is None or member.is_empty)
    if lacking:
        yield Lack(what, content, lacking, shape.values)
    for key, legal in shape.values.items():
        member = content.get(key)
        if member is not None and is_fixed(member) and member.word_of() not in legal:
            yield Misfit(member, tuple(legal))
    for key, (low, high) in shape.ranges.items():
        member = content.get(key)
        if member is not None and is_fixed(member) and not in_range(member.word_of(), low, high):
            yield Misfit(member, (), low, high)
    for key, (name, inner) in shape.lists.items():
        member = content.get(key)
        for element in elements_of(member) if member is not None else ():
            yield from problems(element, inner, name)


def elements_of(array: Content) -> Iterator[Content]:
    """The elements of an array: literal ones, or the template of those that come from a path (09 §14)."""
    template = array.get("template")
    if template is not None and template.text is None:
        yield template
    elif array.get("from") is None:
        yield from array.items


def is_fixed(content: Content) -> bool:
    """True for a value that is known before anything runs."""
    return content.text is not None and bool(content.text.value.strip()) and "{{" not in content.text.value


def in_range(word: str, low: float, high: float) -> bool:
    """True for a number between two others."""
    value = number(word)
    return value is not None and low <= value <= high


def number(word: str) -> float | None:
    """A plain number, or None."""
    try:
        return float(word) if word[-1:].isdigit() else None
    except ValueError:
        return None


def whole(text: str) -> int | None:
    """A whole number from 0, or None."""
    word = text.strip()
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def named(content: Content | None) -> Iterator[tuple[Name, Content]]:
    """The entries of a map, or of a list by their NAME or ID, with their names."""
    if content is None:
        return
    for member in content.members:
        yield Name(member.key, member.key_span), member
    for item in content.items:
        text = item.text if item.text is not None else item.text_of("name", "id")
        if text is not None:
            yield Name(text.value.strip(), text.inner), item
        elif len(item.members) == 1:
            yield Name(item.members[0].key, item.members[0].key_span), item.members[0]


def looks_given(node: Node, key: str, keys: Container[str]) -> bool:
    """True when an entry has a property that is no ``keys`` one and looks like ``key``, which another rule reports."""
    from abl.syntax.recovery.suggest import closest

    block = node.block
    written = [] if block is None else [block.key, *(child.key for child in block.children)]
    return any(word and canonical_key(word) not in keys and closest(word, (key,)) for word in written)


def misspelt(content: Content, key: str, keys: Sequence[str]) -> Content | None:
    """A member that is none of the ``keys`` keys and looks like ``key``, which is missing."""
    from abl.syntax.recovery.suggest import closest

    legal = {same_key(word) for word in keys}
    others = [member for member in content.members if same_key(member.key) not in legal]
    return next((member for member in others if closest(same_key(member.key), (same_key(key),))), None)
