"""The language, declared once: its places, their keys, what may follow each, and what all of it means.

The modules beside this one hold the declaration, a module for a family of sections. The parser's key sets, the
diagnostics about keys and values, completion, hover, the reference and the runtime's reading come from it. Sources:
docs/spec 01 §3 and §6, 03, 04 §5, 06-09.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from abl.language import (
    bindings,
    constraints,
    coordination,
    document,
    escalation,
    execution,
    flow,
    gather,
    lifecycle,
    memory,
    profiles,
    shown,
    supervisors,
    tools,
    understanding,
    waiting,
)
from abl.language.model import ALIASES, Key, Place, canonical_key, plain
from abl.language.types import ANY, Closed, Duration, Flag, Number, Texts, Type, parts
from abl.language.written import Scalar, word

_FAMILIES: Final = (
    flow, waiting, memory, constraints, gather, tools, bindings, coordination, escalation, supervisors, lifecycle,
    execution, understanding, shown, profiles,
)  # fmt: skip
PLACES: Final[Mapping[str, Place]] = {each.name: each for family in _FAMILIES for each in family.PLACES}
"""Every place by its name."""
SECTIONS: Final[Mapping[str, Key]] = {key.name: key for key in document.AGENT.listed}
"""The sections of agents and supervisors by canonical keyword."""
PROFILE_SECTIONS: Final[Mapping[str, Key]] = {key.name: key for key in document.PROFILE.listed}
"""The sections of a profile document of which more is known than that they are texts (docs/spec 09 §12)."""


class Value(NamedTuple):
    """What may stand behind or below a key, by form: places, closed words, kinds of names and expressions."""

    maps: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    named_lists: tuple[str, ...] = ()
    named_maps: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def only_words(self) -> bool:
        """True where nothing but closed words may stand."""
        return bool(self.words) and not (self.maps or self.lists or self.named_lists or self.named_maps or self.kinds)


@cache
def _value(type: Type) -> Value:
    return Value(
        type.maps,
        type.lists,
        type.named_lists,
        type.named_maps,
        tuple([word for closed in closed_types(type) for word in closed.words]),
        type.kinds,
    )


def words_at(place: str, written: str) -> tuple[str, ...]:
    """The closed words that may follow a key."""
    return value_at(place, written).words


@lru_cache(maxsize=4_096)
def number_at(place: str, written: str) -> Number | None:
    """The number that a key takes; None for one that takes something else, or that a rule of its own looks at."""
    found = key_at(place, written)
    return found.type if found is not None and isinstance(found.type, Number) and not found.judged else None


def closed_types(type: Type) -> Iterator[Closed | Flag]:
    """The parts of a type that are closed words or a switch."""
    return (one for one in parts(type) if isinstance(one, Closed | Flag))


@lru_cache(maxsize=4_096)
def key_at(place: str, written: str) -> Key | None:
    """The key that is meant at a place; of a tool also those of its binding. None for one that is not listed."""
    known = PLACES.get(place)
    found = known.key(written) if known is not None else None
    return PLACES["binding"].key(written) if found is None and place == "tool" else found


@lru_cache(maxsize=4_096)
def type_at(place: str, written: str) -> Type:
    """What may follow a key of a place, listed or not."""
    found = key_at(place, written)
    if found is not None:
        return found.type
    known = PLACES.get(place)
    return (known.others if known is not None else None) or ANY


def declared_name(place: str, written: str) -> str:
    """A key as the place spells it; as written where the place does not list it."""
    found = key_at(place, written)
    return found.name if found is not None else written


def value_of_text(place: str, written: str, text: Scalar | str | None) -> Any:
    """A value of a key as it is meant, else the key's default; of a text that does not stand in its own line."""
    declared = key_at(place, written)
    if declared is None:
        return None
    found = declared.type.read_word(word(text)) if text is not None else None
    return found if found is not None else declared.default_value


def is_word(place: str, written: str, text: Scalar | str | None) -> bool:
    """True for a text that is one of the words which a key knows, also where it takes other texts beside them."""
    given = word(text).lower()
    return any(given == known.lower() for known in type_at(place, written).words)


def knows(place: str, written: str) -> bool:
    """True for a key that a place lists."""
    known = PLACES.get(place)
    return known is not None and known.key(written) is not None


def value_at(place: str, written: str) -> Value:
    """What may stand behind or below a key of a place, by form; nothing for one that is not listed."""
    return _value(type_at(place, written))


def value_of(type: Type) -> Value:
    """The same of a type."""
    return _value(type)


def section_value(keyword: str) -> Value:
    """What is below a section of an agent."""
    section = SECTIONS.get(keyword)
    return _value(section.type) if section is not None else Value()


def profile_value(keyword: str) -> Value:
    """What is below a section of a profile document."""
    section = PROFILE_SECTIONS.get(keyword)
    return _value(section.type) if section is not None else Value()


def takes_lines(place: str, written: str) -> bool:
    """True for a key whose value is in the lines below it, and never behind it."""
    value = value_at(place, written)
    return has_form(value) and not (value.words or value.kinds)


@lru_cache(maxsize=4_096)
def takes_no_text(place: str, written: str) -> bool:
    """True for a listed key that takes lines, and of which no type is a text."""
    found = key_at(place, written)
    return found is not None and takes_lines(place, written) and not any(one.may_be_empty for one in parts(found.type))


@lru_cache(maxsize=4_096)
def needs_value(place: str, written: str) -> bool:
    """True for a key of a place that says nothing without a value behind or below it."""
    found = key_at(place, written)
    return found is not None and found.needs_value


@lru_cache(maxsize=4_096)
def takes_one(place: str, written: str) -> bool:
    """True for a key whose value is one word, switch, number or time, and neither a list nor lines below it."""
    return any(isinstance(one, Closed | Flag | Number | Duration) for one in _single(place, written))


@lru_cache(maxsize=4_096)
def takes_text(place: str, written: str) -> bool:
    """True for a key whose value is one of those, a condition or an expression, and has no lines below it."""
    expressions = any({"condition", "expression"}.intersection(one.kinds) for one in _single(place, written))
    return expressions or takes_one(place, written)


def _single(place: str, written: str) -> tuple[Type, ...]:
    """The types of a key that takes one value; none where it may have several or properties."""
    found = key_at(place, written)
    if found is None or has_form(value_at(place, written)):
        return ()
    types = tuple(parts(found.type))
    return () if any(isinstance(one, Texts) or getattr(one, "many", False) for one in types) else types


def has_form(value: Value) -> bool:
    """True for what is written as properties or as a list."""
    return bool(value.maps or value.lists or value.named_lists or value.named_maps)


def offered_keys(place: str) -> tuple[str, ...]:
    """The keys of a place that completion offers, as authors write them."""
    known = PLACES.get(place)
    return tuple([key.name for key in known.listed if key.offered]) if known is not None else ()


def is_lower(place: str) -> bool:
    """True where keys are written in lower case."""
    known = PLACES.get(place)
    return known is not None and known.lower


def legal_keys(place: str) -> frozenset[str]:
    """The keys of a place in upper case."""
    return frozenset(PLACES[place].keys)


def _hovered(place: str, written: str) -> Key | None:
    """The key that hover explains: at the margin a section, or the directive of a list of directives."""
    if place == "agent":
        return SECTIONS.get(canonical_key(written).replace(" ", "_")) or key_at("step", written)
    return key_at("tool" if place == "tools" and not knows(place, written) else place, written)


def key_meaning(place: str, written: str) -> str:
    """What a key means at a place; an empty text when it is none of the place's."""
    found = _hovered(place, written)
    return found.meaning if found is not None else ""


_SAID: Final[Mapping[str | None, str]] = {"platform": "not executed here", "simulated": "simulated here"}


def runs_here(place: str, written: str) -> str:
    """What readers must know of how a key runs, with its section of docs/spec; an empty text where it just does."""
    found = _hovered(place, written)
    said = _SAID.get(found.runs, "") if found is not None else ""
    return f"{said} (docs/spec {found.spec})" if found is not None and said else ""


def runs_at(place: str) -> tuple[str, ...]:
    """The keys of a place that the runtime carries out, as authors write them."""
    return tuple([key.name for key in PLACES[place].listed if key.runs == "executed"])


def platform_keys(place: str) -> tuple[str, ...]:
    """The keys of a place that nothing here executes, in upper case; those with a code of their own are left out."""
    return tuple([name for name, key in PLACES[place].keys.items() if key.runs == "platform" and key.offered])


def word_meaning(place: str, written: str, word: str) -> str:
    """What a closed word means behind a key of a place, in any case; an empty text when nothing is known of it."""
    found = key_at(place, written)
    if found is None:
        return ""
    words = found.type.words
    meant = word_meant(place, written, word)
    return next((words[each] for each in (word, f"{word}(", f"{word}()", meant) if each in words), "")


def word_meant(place: str, written: str, word: str) -> str:
    """The closed word, or ``true`` or ``false``, as which a word behind a key of a place is read; empty for none."""
    found = key_at(place, written)
    one_of = closed_types(found.type) if found is not None else ()
    value = next((value for each in one_of if (value := each.read_word(word)) is not None), None)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def head_meaning(place: str, word: str) -> str:
    """What a word means that follows the name of an entry: ``- title: required``."""
    known = PLACES.get(place)
    return known.heads.get(word, "") if known is not None else ""


__all__ = [
    "ALIASES",
    "PLACES",
    "PROFILE_SECTIONS",
    "SECTIONS",
    "Key",
    "Place",
    "Value",
    "canonical_key",
    "closed_types",
    "declared_name",
    "has_form",
    "head_meaning",
    "is_lower",
    "is_word",
    "key_at",
    "key_meaning",
    "knows",
    "legal_keys",
    "needs_value",
    "number_at",
    "offered_keys",
    "plain",
    "platform_keys",
    "profile_value",
    "runs_at",
    "runs_here",
    "section_value",
    "takes_lines",
    "takes_no_text",
    "takes_one",
    "takes_text",
    "type_at",
    "value_at",
    "value_of",
    "value_of_text",
    "word_meaning",
    "word_meant",
    "words_at",
]
