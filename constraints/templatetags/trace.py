"""Tags and filters of the trace pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.safestring import SafeString

from constraints.models import Conversation, Turn
from constraints.running import programs
from constraints.traces.rows import microseconds
from constraints.traces.values import Tree, shown, tree
from web.templatetags.wb import icon, state_icon, state_word

register = template.Library()

LONG = 1500
"""Characters from which a text scrolls in a box of its own."""
OUTCOMES = ("passed", "failed", "error", "warned", "gated", "skipped", "not_reached")


@register.simple_tag
def given(turn: Turn, conversation: Conversation) -> Mapping[str, Any]:
    """The input of a turn as it may be shown."""
    return programs.shown_input(turn, conversation)


@register.filter
def micro(us: int) -> str:
    """``1.9 ms`` of microseconds; nothing for 0."""
    return microseconds(us) if us else ""


@register.filter
def outcome_icon(outcome: str) -> SafeString:
    """The icon of an outcome, for the gutter of the source."""
    return icon(state_icon(outcome))


@register.filter
def counted(tally: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """(outcome, how many, word) of the rules of a turn, in the order of the design."""
    words = {"gated": "gated"}
    return [(name, tally[name], words.get(name, state_word(name))) for name in OUTCOMES if tally.get(name)]


@register.filter
def as_value(value: Any) -> str:
    """A value in one line, as the language writes it."""
    return shown(value)


@register.filter
def as_tree(value: Any) -> Tree:
    """A value member by member."""
    return tree(value)


@register.filter
def is_long(text: str) -> bool:
    """Whether a text is so long that it scrolls in a box of its own."""
    return len(text) > LONG
