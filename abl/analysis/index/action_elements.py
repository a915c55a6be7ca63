"""The elements of ACTIONS and of forms: buttons, selects and inputs in any of their spellings (docs/spec 09 §14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from abl.analysis.conformance.properties import ObjectSchema, elements_of
from abl.analysis.index.formats import ELEMENT, ELEMENT_TYPES, PROPERTIES, format_of
from abl.language import value_of_text
from abl.source import Span
from abl.syntax.nodes import Content, Elements, Format, Name, same_key

_WRAPPERS: Final = ("elements", "items", "actions")
_KNOWN: Final = frozenset(same_key(word) for word in (*PROPERTIES, "message_key", "style", "render_id"))


class Element(NamedTuple):
    """One element. ``type`` is in lower case, "" when it is not given; ``odd``: a word stands for it."""

    content: Content
    type: str
    at: Span  # of its type, else of the element
    id: Name | None
    odd: str
    shape: ObjectSchema


def holding_elements(node: Elements | Format) -> Iterator[Content]:
    """The blocks of elements in ACTIONS, in a form and in the cards of a carousel (09 §14)."""
    name = None if isinstance(node, Elements) else format_of(node.content.key)
    if isinstance(node, Elements):
        yield node.content
    elif name == "FORM":
        yield from (fields for fields in (node.content.get("fields"),) if fields is not None)
    elif name == "CAROUSEL":
        cards = node.content.get("cards") or node.content
        yield from (buttons for card in elements_of(cards) if (buttons := card.get("buttons")) is not None)


def elements(content: Content) -> Iterator[Element]:
    """The elements of a block; none of those that come from a path but their template."""
    containers = [content, *(member for key in _WRAPPERS if (member := content.get(key)) is not None)]
    for container in containers:
        for part in elements_of(container):
            yield _element(part)


def _element(content: Content) -> Element:
    given = content.get("type")
    if given is not None and given.word_of():
        kind = value_of_text("element", "type", given.text) or given.word_of()
        return Element(content, kind, given.place, _id_of(content), "", ELEMENT)
    first = content.members[0] if content.members else None
    word = same_key(first.key) if first is not None else ""
    if first is not None and word in ELEMENT_TYPES:
        arrow = behind_arrow(first)
        lacks = tuple(
            key
            for key in ELEMENT.needs
            if key != "type" and not (key == "label" and first.word_of()) and not (key == "id" and arrow)
        )
        shape = ObjectSchema(lacks, ELEMENT.values, ELEMENT.ranges, ELEMENT.lists)
        return Element(content, word, first.key_span, arrow or _id_of(content), "", shape)
    odd = first.key if first is not None and first.key.isupper() and word not in _KNOWN else ""
    return Element(content, "", first.key_span if odd and first else content.place, _id_of(content), odd, ELEMENT)


def _id_of(content: Content) -> Name | None:
    text = content.text_of("id")
    return Name(text.value.strip(), text.inner) if text is not None and text.value.strip() else None


def behind_arrow(content: Content) -> Name | None:
    """The id of ``BUTTON: "Label" -> id``."""
    text = content.text
    if text is None or (text.style != "bare" and text.value[:1] not in ('"', "'")):
        return None  # quotes around all of it are the label's, but not those of YAML
    for arrow in ("->", "→"):
        _, found, name = text.value.rpartition(arrow)
        if found and name.strip() and '"' not in name:
            start = len(text.value) - len(name.lstrip())
            return Name(name.strip(), text.span_of(start, start + len(name.strip())))
    return None
