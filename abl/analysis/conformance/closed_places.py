"""Places whose keys, and properties whose words, the declaration closes (``abl.language``; docs/spec 03, 06-09).

The parser reports keys in the places that have nodes of their own (``parsed``), and many properties have a rule of
their own (``judged``); this module checks the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.conformance.generic import plain
from abl.analysis.conformance.value_walk import Entry, Stood, below, digressions, properties, shared_by_tools, within
from abl.analysis.conformance.values import unfit
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found
from abl.diagnostics import Severity
from abl.language import PLACES, closed_types, key_at, offered_keys, takes_one, type_at, value_at
from abl.language.types import FLAG, Closed, Flag
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery.suggest import IS_GIVEN, closest
from abl.syntax.vocabulary import MAY_REPEAT, TOOL_TYPES, canonical_key

Whole = nodes.Section | nodes.Profile | nodes.Step | nodes.Tool
"""The units that are checked separately, so that an edit of a long FLOW checks one step again."""
LOOKED_THROUGH: Final = (nodes.Section, nodes.Profile, nodes.Step, nodes.Tool)
_FLAG: Final = tuple(FLAG.words)


def unknown_key(stood: Stood, given: Collection[str]) -> Iterator[Found]:
    """ABL106 for a key that its place does not know; ``given`` are the keys of its map."""
    place = PLACES[stood.place]
    if place.parsed or (place.free and stood.place != "intents") or stood.listed:
        return
    key = stood.block.key
    if "." in key or _nested_field(stood):
        return
    best, there, renames = fixes.rename_key(stood.block.key_span, key, _as_written(stood), given)
    # A key near a known one is a slip; any other may be a key of another platform and must not be an error.
    severity: Severity | None = None if best or there else "warning"
    intended = place.key(best) if best else None
    if place.misses and intended is not None and intended.required:
        return
    if stood.place in ("element", "parameter", "intents") and not (best or there):
        return  # the name of a kind, which ABL1067 does not know, of a nested field, or of an intent
    yield found(stood.block.key_span, *renames, severity=severity, **in_words(key, named(stood.place), best, there))


def _nested_field(stood: Stood) -> bool:
    """True for `city: string` below a parameter: it declares a field of it (08 §4)."""
    if stood.place != "parameter" or stood.block.children:
        return stood.place == "parameter"
    written = generic.word(stood.block).rstrip("?")
    return written[:1] == "{" or written.endswith(("]", ">")) or written.lower() in TOOL_TYPES


def in_words(key: str, block: str, best: str, there: str) -> dict[str, Any]:
    """What ABL106 says of a key: what was meant, or which one is there already."""
    said = {"given": there, "wording": f"Unknown key `{{k}}` in {{block}}; {IS_GIVEN}"} if there else {}
    return {"k": key, "block": block, "y": best, **said}


def unknown_word(stood: Stood) -> Iterator[Found]:
    """ABL945 for a word, or a yes or no, that its property does not take."""
    legal = known_words(stood)
    written = generic.word(stood.block) if legal else ""
    if not written or stood.block.value is None or _is_bracketed(stood.block.value):
        return
    if ("{{" in written or written[0] == "$") and not _is_read_here(stood):
        return
    data: dict[str, Any] = {"k": stood.block.key, "x": written}
    text = stood.block.value
    switch = FLAG.read_word(written) if legal == _FLAG else None
    if switch is not None:
        yield from unfit(text, stood.place, stood.block.key, **data, y=str(switch).lower())
        return
    if any(word.endswith("(") for word in legal):
        yield from _unknown_call(text, legal, data)
        return
    # CONTINUE, ESCALATE and RESPOND "m" are actions: their first word says which.
    first = written.split()[0] if legal[0].isupper() else written
    if first in legal or first in _also(stood):
        return
    if _is_open(stood):
        best, renames = fixes.rename_to(text.inner, written, legal)
        if best:
            yield found(text.inner, *renames, severity="warning", **data, y=best)
        return
    if first != written and first.upper() in legal:
        repair = fixes.replace(text.inner, f"{first.upper()}{written[len(first) :]}")
        yield found(text.inner, repair, severity="warning", **data, y=first.upper())
        return
    if not closest(written, legal) and not _is_slip(stood, written):
        data["wording"] = f"{{k}} `{{x}}` is unknown; legal are {', '.join(legal)}"
    yield from unfit(text, stood.place, stood.block.key, **data)


def _is_bracketed(text: nodes.Text) -> bool:
    """True for a list or properties, of which ABL125 tells."""
    return text.style == "bare" and text.raw[:1] in ("{", "[") and text.raw[:2] != "{{"


def _is_read_here(stood: Stood) -> bool:
    """True for a word on which something depends here, so that nothing that a platform fills in can stand for it."""
    key = key_at(stood.place, stood.block.key)
    return (
        key is not None and key.runs == "executed" and not _is_open(stood) and takes_one(stood.place, stood.block.key)
    )


def _unknown_call(text: nodes.Text, legal: tuple[str, ...], data: dict[str, Any]) -> Iterator[Found]:
    """`block("m")` and the like: the word before the bracket says which."""
    known = [word.rstrip("(") for word in legal]
    head = data["x"].split("(")[0].strip()
    if head not in known:
        mild: Severity | None = "warning" if head.lower() in known else None  # read as meant
        best, renames = fixes.rename_to(Span(text.inner.start, text.inner.start + len(head)), head, known)
        said: dict[str, Any] = {} if best else {"wording": f"{{k}} `{{x}}` is unknown; legal are {', '.join(known)}"}
        yield found(text.inner, *renames, severity=mild, **{**data, "x": head}, y=best, **said)


def closed_words(stood: Stood) -> tuple[str, ...]:
    """The words that a property takes, where those are all."""
    return () if _is_open(stood) else known_words(stood)


def known_words(stood: Stood) -> tuple[str, ...]:
    """The known words of a property that no rule of its own checks."""
    legal = _words_of(stood.place, stood.block.key)
    return () if not legal or stood.block.children or _of_another_kind(stood) else legal


@lru_cache(maxsize=4096)
def _words_of(place: str, written: str) -> tuple[str, ...]:
    key = key_at(place, written)
    closed = _closed(place, written)
    if key is None or key.judged or closed is None or closed.many:
        return ()
    value = value_at(place, written)
    alone = not (value.lists or value.kinds or value.named_maps or value.named_lists)
    return value.words if alone else ()


@lru_cache(maxsize=4096)
def _closed(place: str, written: str) -> Closed | None:
    """The closed words of a property; a switch is two of them."""
    found = next(closed_types(type_at(place, written)), None)
    return Closed(words=found.words) if isinstance(found, Flag) else found


def _is_open(stood: Stood) -> bool:
    """True where completion knows words and the specification does not close them: only a near miss is reported."""
    closed = _closed(stood.place, stood.block.key)
    return closed is not None and closed.open


def _is_slip(stood: Stood, written: str) -> bool:
    """True for a known mistake of which the declaration says what it means."""
    closed = _closed(stood.place, stood.block.key)
    return closed is not None and written.lower() in closed.slips


def _also(stood: Stood) -> tuple[str, ...]:
    closed = _closed(stood.place, stood.block.key)
    return closed.also if closed is not None else ()


def _property(stood: Stood) -> str:
    return f"{stood.place}.{canonical_key(stood.block.key)}"


def _of_another_kind(stood: Stood) -> bool:
    """True for the runtime of a lambda, which is the platform's; that of a sandbox has its words (08 §3.2)."""
    if _property(stood) != "tool.RUNTIME":
        return False
    types = (generic.value("tool", "TYPE", p) for p in stood.beside if canonical_key(p.key) == "TYPE")
    return "sandbox" not in types


def _as_written(stood: Stood) -> list[str]:
    """The keys of a place, in the case of what was written."""
    change = str.upper if stood.block.key.isupper() else str.lower if stood.block.key.islower() else str
    return [change(key) for key in offered_keys(stood.place)]


def named(place: str) -> str:
    """A place for a reader."""
    return PLACES[place].title or place.replace("_", " ")


def looked_through(whole: Whole, agent: AgentIndex) -> Walked:
    """The maps and properties of a section, profile, step or tool; a profile checks its TOOLS itself."""
    if isinstance(whole, nodes.Section) and whole.keyword == "TOOLS" and isinstance(agent.agent, nodes.Fragment):
        return walked(agent.own_source, whole) if agent.agent.profile is None else Walked(whole, [], [])
    return walked(agent.own_source, whole)


def unknown_keys(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL106 there."""
    given: dict[int, frozenset[str]] = {}  # of a map once
    for stood in looked_through(whole, agent).properties:
        if stood.listed:
            continue
        at = id(stood.beside)
        if at not in given:
            given[at] = frozenset([canonical_key(other.key) for other in stood.beside])
        yield from unknown_key(stood, given[at])


def unknown_words(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL945 there."""
    for stood in looked_through(whole, agent).properties:
        yield from unknown_word(stood)


_MANY: Final = frozenset({("tools", "file"), ("tools", "name")})
"""Imports, and entries of a list."""


def repeated_keys(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """ABL107 there."""
    source = agent.own_source
    for place, members in looked_through(whole, agent).entries:
        seen: dict[str, Block] = {}
        of_parser = PLACES[place].parsed and place not in ("tool", "hooks")
        for child in members if not PLACES[place].free and not of_parser else ():
            first = seen.setdefault(plain(child.key), child)
            if first is not child and canonical_key(child.key) not in MAY_REPEAT and (place, child.key) not in _MANY:
                line = source.position(first.key_span.start).line
                yield found(child.key_span, k=child.key, entry=named(place), line=line)


class Walked(NamedTuple):
    """What the table of places knows of one thing."""

    whole: Whole | None
    entries: list[Entry]
    properties: list[Stood]


_BY_THEMSELVES = ("FLOW", "TOOLS", "CONSTRAINTS")
"""Steps and tools are asked one by one; in rules the parser reports whatever is closed."""
_BESIDE: Final[Mapping[str, Callable[[Source, Block | None], Iterator[Entry]]]] = {
    "FLOW": digressions,
    "TOOLS": shared_by_tools,
}
"""What else is there."""
_last = [Walked(None, [], [])]
"""Three rules ask for the same thing, one behind the other. Replaced as a whole, so threads do no harm."""


def walked(source: Source, whole: Whole) -> Walked:
    """The maps and properties of a section, profile, step or tool."""
    kept = _last[0]
    if kept.whole is whole:
        return kept
    if isinstance(whole, nodes.Step):
        entries = list(within(source, "step", whole.block))
    elif isinstance(whole, nodes.Tool):
        entries = list(within(source, "tool", whole.block))
    elif isinstance(whole, nodes.Profile):
        entries = list(below(source, "BEHAVIOR_PROFILE", whole.block))
    elif whole.keyword in _BY_THEMSELVES:
        of_others = _BESIDE.get(whole.keyword)
        entries = list(of_others(source, whole.block)) if of_others is not None else []
    else:
        entries = list(below(source, whole.keyword, whole.block))
    _last[0] = kept = Walked(whole, entries, list(properties(entries)))
    return kept
