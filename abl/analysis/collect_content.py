"""The part of the walk over what is read as ``Content``: what messages look like, profiles (docs/spec 09 §10-§15)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abl.analysis.recorder import Recorder
from abl.syntax import nodes
from abl.syntax.content import content_of
from abl.syntax.nodes import Block, Content, same_key

_FORMATS = frozenset({"formats", "richcontent"})
_VOICE = frozenset({"voice", "voiceinstructions", "bargein", "onnoinput"})
_PLAIN = frozenset({"default", "text", "renderables"})  # of a template: no format
_SHOWN = _FORMATS | _VOICE | {"carousel", "actions"}


def is_shown(key: str) -> bool:
    """True for a property that says how a message is shown or spoken."""
    return same_key(key) in _SHOWN


class ContentCollector(Recorder):
    """Makes nodes of how messages are shown, wherever they stand."""

    def described(self, node: nodes.Described) -> None:
        """A node of a section that is read as content, and what is shown below it."""
        self.seen(node)
        match node:
            case nodes.Profile():
                self._profile(node)
            case nodes.Template():
                for member in node.content.members:
                    key = same_key(member.key)
                    if is_shown(member.key):
                        self._shown(member, "template", node.path)
                    elif key not in _PLAIN:
                        self._format(member, "template", node.path)

    def _profile(self, profile: nodes.Profile) -> None:
        if profile.when is not None:
            self.expression(profile.when, "condition", "PROFILE", profile, certain=False)
        flow = profile.content.get("flow")
        for member in profile.content.members:
            if same_key(member.key) != "when":
                self.mention(member.span)
            if same_key(member.key) == "voice":
                self._shown(member, "profile", profile.path)
        if flow is not None:
            self._shown_below(flow, "step", profile.path)

    def shown_in(self, blocks: Iterable[Block], where: str, path: str) -> None:
        """What of some properties says how a message is shown."""
        for block in blocks:
            if is_shown(block.key):
                self.shown(block, where, path)

    def shown_below(self, block: Block, where: str, path: str) -> None:
        """What says how messages are shown, wherever it stands below a block."""
        self._shown_below(content_of(block), where, path)

    def _shown_below(self, content: Content, where: str, path: str) -> None:
        for below in (*content.members, *content.items):
            if is_shown(below.key):
                self._shown(below, where, path)
            else:
                self._shown_below(below, where, path)

    def shown(self, block: Block, where: str, path: str) -> None:
        """One property that says how a message is shown."""
        self._shown(content_of(block), where, path)

    def _shown(self, content: Content, where: str, path: str) -> None:
        key = same_key(content.key)
        if key in _FORMATS:
            entries = [*content.members, *(member for item in content.items for member in item.members)]
            for entry in entries:
                self._format(entry, where, path)
        elif key == "carousel":
            self._format(content, where, path)
        elif key == "actions":
            self.seen(nodes.Elements(**self._fields(content, path), where=where))
        else:
            self.seen(nodes.Voice(**self._fields(content, path), where=where))

    def _format(self, content: Content, where: str, path: str) -> None:
        self.seen(nodes.Format(**self._fields(content, path), where=where))

    def _fields(self, content: Content, path: str) -> dict[str, Any]:
        return {"span": content.span, "path": f"{path}.{content.key}", "block": content.block, "content": content}
