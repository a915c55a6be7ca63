"""Guardrails, language understanding, profiles and presentation (docs/spec 09 §10-§15).

These sections have many properties, few of which other parts of the language refer to. So their nodes hold one tree of
``Content`` instead of a field for each property.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abl.source import Span
from abl.syntax.nodes.base import Block, Name, Node, Text


@dataclass(frozen=True, slots=True)
class Content:
    """One key or list item with everything below it, whether it is written in lines or in brackets.

    ``key`` is the word before ``:`` as written ("" for an item without one); ``text`` the value, None when it is an
    object or list in brackets. ``members`` are the keys below it and ``items`` the list items; both may be there.
    ``block`` holds the lines, None for what stands within brackets; ``brackets`` is the place of an object or list.
    """

    key: str
    key_span: Span
    text: Text | None
    members: tuple[Content, ...]
    items: tuple[Content, ...]
    span: Span
    block: Block | None = None
    brackets: Span | None = None

    def get(self, *keys: str) -> Content | None:
        """The last member of one of these keys, which count as ``same_key`` says."""
        wanted = {same_key(key) for key in keys}
        return next((member for member in reversed(self.members) if same_key(member.key) in wanted), None)

    def text_of(self, *keys: str) -> Text | None:
        """The text of that member."""
        member = self.get(*keys)
        return member.text if member is not None else None

    def word(self, *keys: str) -> str:
        """The same without blanks around it; empty without one."""
        member = self.get(*keys)
        return member.word_of() if member is not None else ""

    def word_of(self) -> str:
        """Its own text without blanks around it."""
        return self.text.value.strip() if self.text is not None else ""

    @property
    def place(self) -> Span:
        """Where a problem with the value is shown: the value, else the key, else the line."""
        if self.text is not None:
            return self.text.inner
        if self.key:
            return self.key_span
        return self.block.line_span if self.block is not None else self.span

    @property
    def is_empty(self) -> bool:
        """True when there is nothing but the key."""
        return self.text is None and not self.members and not self.items and self.brackets is None

    def texts(self) -> Iterator[Text]:
        """The texts of a list in any form; one text counts as a list of it."""
        if self.text is not None:
            yield self.text
        yield from (item.text for item in self.items if item.text is not None)

    def walk(self) -> Iterator[Content]:
        """This and everything below it."""
        yield self
        for below in (*self.members, *self.items):
            yield from below.walk()


def same_key(key: str) -> str:
    """A key as it is compared: without case, ``_``, ``-`` and blanks (``image_url`` and ``imageUrl`` are one)."""
    return key.replace("_", "").replace("-", "").replace(" ", "").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(Node):
    """Base of the nodes below."""

    content: Content


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail(Described):
    """An entry of GUARDRAILS (09 §11)."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding(Described):
    """NLU, INTENTS or ENTITIES as a whole."""

    keyword: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Described):
    """A BEHAVIOR_PROFILE: a document of its own, or ``inline`` in an agent."""

    name: Name | None
    inline: bool
    priority: Text | None = None
    when: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template(Described):
    """An entry of TEMPLATES."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Format(Described):
    """One variant of a message (``CAROUSEL``, ``HTML`` ...); ``where`` names what it is in."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice(Described):
    """VOICE, or a voice property outside of one; ``where`` names what it is in."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements(Described):
    """ACTIONS: buttons, selects and inputs below a message."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment(Described):
    """An entry of ATTACHMENTS."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(Described):
    """CONVERSATION of an agent."""
