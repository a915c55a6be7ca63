"""Words in lists, and the actions of routes, that the declaration knows (docs/spec 09 §4, §12, §15)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.conformance.closed_places import Whole, looked_through
from abl.analysis.conformance.value_walk import Stood
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.diagnostics import Severity
from abl.language import key_at, offered_keys
from abl.language.types import Closed
from abl.source import Span
from abl.syntax.nodes import Name

ROUTES: Final = offered_keys("routed")
_ROUTED: Final = frozenset({("routing", "then"), ("routing", "fallback"), ("intent_match", "action"),
                            ("intent_match", "fallback"), ("routed", "fallback")})  # fmt: skip
_ACTION: Final = re.compile(r"[A-Za-z]\w*")


def unknown_in_lists(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL945 for words of lists, and for the action of a route, in a section, profile, step or tool."""
    for stood in looked_through(whole, agent).properties:
        at = stood.place, generic.plain(stood.block.key)
        if at in _ROUTED:
            yield from _unknown_route(stood)
        elif (legal := _listed(stood.place, stood.block.key)) is not None:
            for name in generic.names(agent.own_source, stood.block):
                yield from _unknown_word(stood, name, legal)


@lru_cache(maxsize=4_096)
def _listed(place: str, written: str) -> Closed | None:
    """The words of a list."""
    key = key_at(place, written)
    listed = key is not None and not key.judged and isinstance(key.type, Closed) and key.type.many
    return key.type if key is not None and listed and isinstance(key.type, Closed) else None


def _unknown_word(stood: Stood, name: Name, legal: Closed) -> Iterator[Found]:
    word = name.value.partition("/")[0] if legal.head else name.value
    if not word or word in legal.words or word[0] in "{$" or (legal.head and "/" not in name.value):
        return
    span = Span(name.span.start, name.span.start + len(word))
    best, renames = fixes.rename_to(span, word, [*legal.words])
    if best or not legal.open:
        severity: Severity | None = "warning" if legal.open else None
        yield found(name.span, *renames, severity=severity, k=stood.block.key, x=name.value, y=best)


def _unknown_route(stood: Stood) -> Iterator[Found]:
    """What a route does begins with the name of an action."""
    text = stood.block.value
    first = _ACTION.match(text.value) if text is not None else None
    if text is None or first is None or first[0] in ROUTES or stood.block.children:
        return
    span = text.span_of(*first.span())
    best, renames = fixes.rename_to(span, first[0], ROUTES)
    if best or text.style == "bare" or first[0].isupper():
        said: dict[str, Any] = {} if best else {"wording": f"{{k}} `{{x}}` is unknown; legal are {', '.join(ROUTES)}"}
        yield found(span, *renames, k=stood.block.key, x=first[0], y=best, **said)
