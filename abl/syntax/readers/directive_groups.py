"""The lines of a list of directives, each with what belongs to it (docs/spec 06 §3).

WITH, AS and the result blocks belong to the CALL above, ON_FAIL to the nearest CALL or CHECK, presentation keys to the
RESPOND, pipeline keys to the TRANSFORM.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from abl.syntax import vocabulary
from abl.syntax.nodes import Block
from abl.syntax.readers.context import Context
from abl.syntax.readers.directive_lines import keyed
from abl.syntax.readers.entries import legal_key
from abl.syntax.recovery import findings

_CANONICAL: Final = {"SAY": "RESPOND", "COLLECT": "GATHER"}
_MAY_BE_EMPTY: Final = vocabulary.ALONE | {"ON_FAIL"}
"""Directives that may be a word alone, and ON_FAIL, which has a code of its own for that."""
_OWNERS: Final = {
    **dict.fromkeys(vocabulary.RESPOND_KEYS - {"ACTIONS"}, "RESPOND"),
    **dict.fromkeys(vocabulary.CALL_PARTS, "CALL"),
    **dict.fromkeys(vocabulary.TRANSFORM_KEYS - {"AS"}, "TRANSFORM"),
    "ON_FAIL": "CHECKED",
    "PROMPT": "GATHER",
    "STRATEGY": "GATHER",
    "REASON": "TRANSITION",
}
"""What a key belongs to when such a directive is above it; without one it is a directive itself."""
_ROLES: Final = {
    **dict.fromkeys(vocabulary.TRANSITIONS, ("TRANSITION",)),
    "CALL": ("CALL", "CHECKED"),
    "CHECK": ("CHECKED",),
    "RESPOND": ("RESPOND",),
    "GATHER": ("GATHER",),
    "TRANSFORM": ("TRANSFORM",),
}
"""What a directive may own the keys below it as."""


@dataclass(slots=True)
class DirectiveGroup:
    """A directive's block and the sibling blocks that belong to it."""

    key: str
    block: Block
    parts: list[Block] = field(default_factory=list)


def grouped(ctx: Context, blocks: Iterable[Block], place: str) -> list[DirectiveGroup]:
    """The directives of a list; ``place`` names the legal keys. Unknown keys outside of steps are reported (ABL106)."""
    legal = vocabulary.KEYS_BY_PLACE[place]
    groups: list[DirectiveGroup] = []
    nearest: dict[str, DirectiveGroup] = {}
    unknown: list[Block] = []
    for written in blocks:
        block = keyed(ctx, written, legal)
        if not block.colon:
            ctx.skip(block, "This is no directive", "")
            continue
        key = legal_key(block.key, legal)
        owner = nearest.get(_OWNERS.get(key, ""))
        if owner is not None:
            owner.parts.append(block)
            continue
        if key not in legal and place != "step":
            unknown.append(block)
            continue
        if not block.key.isupper() and key in legal and not ctx.yaml and place not in vocabulary.LOWERCASE_PLACES:
            ctx.report(findings.lower_key(block.key_span, block.key))
        group = DirectiveGroup(_CANONICAL.get(key, key), block)
        for role in _ROLES.get(group.key, ()):
            nearest[role] = group
        groups.append(group)
    given = {group.key for group in groups} if unknown else frozenset()
    for block in unknown:
        shown = [vocabulary.as_written(known, False) for known in sorted(legal)]
        ctx.report(findings.unknown_key(ctx.source, block, place, shown, given))
    for group in groups:
        empty = group.block.value is None and not group.block.children and not group.parts
        if empty and group.key not in _MAY_BE_EMPTY:
            ctx.report(findings.empty_block(ctx.source, group.block.span, group.block.key))
    return groups
