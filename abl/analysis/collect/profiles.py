"""The part of the walk over behaviour profiles (docs/spec 06 §11, 07 §11, 09 §12)."""

from __future__ import annotations

from abl.analysis.collect.tools import ToolCollector
from abl.analysis.conformance import places
from abl.syntax import nodes
from abl.syntax.nodes import Block, Content, Name, same_key
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.context import Context


class ProfileCollector(ToolCollector):
    """Walks what a profile changes in the agents that use it."""

    def described(self, node: nodes.Described) -> None:
        """A node of a section that is read as content, and what is below it."""
        super().described(node)
        if isinstance(node, nodes.Profile):
            self.profile(node)

    def profile(self, profile: nodes.Profile) -> None:
        """WHEN, and each block; the sections of a profile document are walked as those of an agent."""
        if profile.when is not None:
            self.expression(profile.when, "condition", "PROFILE", profile, certain=False)
        for member in profile.content.members:
            match same_key(member.key):
                case "when" | "priority":
                    continue
                case "voice":
                    self.shown_content(member, "profile", profile.path)
                case "flow":
                    self._flow_edits(member, profile)
                case "gather":
                    self._field_edits(member, profile)
                case "instructions":
                    if profile.inline:
                        self.template(member.text, "INSTRUCTIONS", profile)
                case "constraints" if not profile.inline:
                    continue  # a section of the document
                case _:
                    self.mention(member.span)

    def _flow_edits(self, flow: Content, profile: nodes.Profile) -> None:
        """SKIP, OVERRIDES, INSERTIONS; the names of steps stay words."""
        for member in flow.members:
            self.mention(member.span)
            match same_key(member.key):
                case "overrides":
                    self.by_shape(member, places.STEP_OVERRIDES, profile)
                    self.shown_below_content(member, "step", profile.path)
                case "insertions":
                    for number, item in enumerate(member.items):
                        self._inserted(item, f"{profile.path}.FLOW.INSERTIONS[{number}]")
                case _:
                    self.shown_below_content(member, "step", profile.path)

    def _inserted(self, item: Content, path: str) -> None:
        """The body of a step that is put before or after another."""
        for member in item.members:
            if member.block is None or same_key(member.key) in ("before", "after"):
                continue
            self.directives(self.read_below(_read_line, member.block, path))

    def _field_edits(self, gather: Content, profile: nodes.Profile) -> None:
        """FIELD_OVERRIDES: the keys are fields of the agents that use the profile."""
        for member in gather.members:
            if same_key(member.key) != "fieldoverrides":
                self.mention(member.span)
                continue
            for field in member.members:
                name = Name(field.key, field.key_span)
                self.read(name, profile, certain=False)
                self.by_shape(field, places.FIELD_OVERRIDE, profile)
                rule = field.get("validation", "validate")
                if rule is not None:
                    self.validated(rule, name.value, profile)


def _read_line(ctx: Context, block: Block, path: str) -> tuple[nodes.Directive, ...]:
    """One line of the body of a step."""
    return read_directives(ctx, (block,), "step", path)
