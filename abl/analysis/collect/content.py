"""The part of the walk over what is read as ``Content``: what messages look like, profiles (docs/spec 09 §10-§15)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abl.analysis.collect.places import PlaceCollector
from abl.analysis.conformance import places
from abl.analysis.conformance.properties import named
from abl.syntax import nodes
from abl.syntax.nodes import Block, Content, same_key
from abl.syntax.readers.content import content_of

_FORMATS = frozenset({"formats", "richcontent"})
_VOICE = frozenset({"voice", "voiceinstructions", "bargein", "onnoinput"})
_PLAIN = frozenset({"default", "text", "renderables"})  # of a template: no format
_SHOWN = _FORMATS | _VOICE | {"carousel", "actions"}


def is_shown(key: str) -> bool:
    """True for a property that says how a message is shown or spoken."""
    return same_key(key) in _SHOWN


class ContentCollector(PlaceCollector):
    """Makes nodes of how messages are shown, wherever they stand, and records what these say."""

    def described(self, node: nodes.Described) -> None:
        """A node of a section that is read as content, and what is shown below it."""
        self.seen(node)
        match node:
            case nodes.Format() | nodes.Elements() | nodes.Voice():
                self.presented(node.content, node)
            case nodes.Guardrail():
                self.by_shape(node.content, places.GUARD, node)
            case nodes.Attachment():
                self.write(node.name, "gather", node)
                self.by_shape(node.content, places.FILE, node)
            case nodes.Understanding(keyword=keyword) if keyword in places.ENTITIES:
                self._entities(node, places.ENTITIES[keyword])
            case nodes.Template():
                for member in node.content.members:
                    key = same_key(member.key)
                    if is_shown(member.key):
                        self.shown_content(member, "template", node.path)
                    elif key not in _PLAIN:
                        self._format(member, "template", node.path)
                    elif key == "renderables":
                        self.presented(member, node)

    def _entities(self, node: nodes.Understanding, key: str) -> None:
        """The rules that the values of entities have to meet (09 §10)."""
        for name, entity in named(node.content.get(key) if key else node.content):
            rule = entity.get("validation")
            if rule is not None:
                self.validated(rule, name.value, node)

    def shown_in(self, blocks: Iterable[Block], where: str, path: str) -> None:
        """What of some properties says how a message is shown."""
        for block in blocks:
            if is_shown(block.key):
                self.shown(block, where, path)

    def shown_below(self, block: Block, where: str, path: str) -> None:
        """What says how messages are shown, wherever it is below a block."""
        self.shown_below_content(content_of(block), where, path)

    def shown_below_content(self, content: Content, where: str, path: str) -> None:
        """The same of what was read already."""
        for below in (*content.members, *content.items):
            if is_shown(below.key):
                self.shown_content(below, where, path)
            else:
                self.shown_below_content(below, where, path)

    def shown(self, block: Block, where: str, path: str) -> None:
        """One property that says how a message is shown."""
        self.shown_content(content_of(block), where, path)

    def shown_content(self, content: Content, where: str, path: str) -> None:
        """The same of what was read already."""
        key = same_key(content.key)
        if key in _FORMATS:
            entries = [*content.members, *(member for item in content.items for member in item.members)]
            for entry in entries:
                self._format(entry, where, path)
        elif key == "carousel":
            self._format(content, where, path)
        elif key == "actions":
            self.described(nodes.Elements(**self._fields(content, path), where=where))
        else:
            self.described(nodes.Voice(**self._fields(content, path), where=where))

    def _format(self, content: Content, where: str, path: str) -> None:
        self.described(nodes.Format(**self._fields(content, path), where=where))

    def _fields(self, content: Content, path: str) -> dict[str, Any]:
        return {"span": content.span, "path": f"{path}.{content.key}", "block": content.block, "content": content}
