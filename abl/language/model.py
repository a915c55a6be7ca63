"""What a declaration is made of: keys, the places where they stand, and the sections that hold those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from abl.language.types import ANY, Closed, Flag, Number, Type, parts
from abl.language.written import Lines

ALIASES: Final = {
    "INITIAL_VALUE": "INITIAL",
    "DEFAULT_VALUE": "DEFAULT",
    "EVENT": "ON",
    "MAX_SIZE": "MAXSIZE",
    "VALIDATION": "VALIDATE",
    "PARAMS": "PARAMETERS",
    "CALL_WITH": "WITH",
    "RETURN": "EXPECT_RETURN",
    "DEFAULT_SOURCE": "SOURCE",
    "SHOWFIRST": "SHOW_FIRST",
    "SHOWLAST": "SHOW_LAST",
    "VOICE INSTRUCTIONS": "VOICE_INSTRUCTIONS",
}
"""Documented other spellings of a key (upper case) and the canonical one."""

_PLAIN_ALIASES: Final = {other.replace("_", ""): known for other, known in ALIASES.items() if "_" in other}

Runs = Literal["executed", "simulated", "metadata", "platform"]
"""What the runtime does with a key. ``executed``: carries it out. ``simulated``: a mock, a scripted model or the
tester stands in for what it names. ``metadata``: for readers and the check; there is nothing to run. ``platform``: the
platform does it and nothing here does; hover, `abl check` and docs/reference/keys.md say so (docs/spec 09 §16)."""


def canonical_key(written: str) -> str:
    """Canonical upper-case form of a key as an author wrote it; unknown keys are only put in upper case."""
    upper = written.upper()
    return ALIASES.get(upper) or _PLAIN_ALIASES.get(upper, upper)


def plain(key: str) -> str:
    """A key as it is compared where case and ``_`` say nothing: ``POST_AGENT``, ``postAgent``."""
    return key.replace("_", "").lower()


_GENERAL: Final = {"ABL945": (Closed, Flag), "ABL621": (Number,)}
"""The codes about values of keys that no rule of their own looks at."""


@dataclass(frozen=True, eq=False)
class Key:
    """One key of a place.

    ``name`` is written as authors write it, ``doc`` is its line in hover and reference, ``default`` what holds without
    it, as text; ``required`` keys are missed where they are not there. ``offered``: completion knows it; without that
    it is another spelling, or reported by a rule of its own. ``code``: the rule of its own that checks the value. It,
    ``runs`` and ``spec``, the section of docs/spec, are those of the place where the key says nothing else. ``of``: the
    kinds of thing, such as bindings of tools, that alone have it. ``alone``: the key says all without a value.
    """

    name: str
    type: Type = ANY
    doc: str = ""
    default: str = ""
    required: bool = False
    offered: bool = True
    runs: Runs | None = None
    spec: str = ""
    code: str = ""
    of: tuple[str, ...] = ()
    alone: bool = False

    @property
    def judged(self) -> bool:
        """True where a rule of its own looks at the value, and not the general ones."""
        return bool(self.code)

    @property
    def reported_by(self) -> str:
        """The code that reports a value which the key does not take; empty where any is taken."""
        if self.code:
            return self.code
        general = [code for code, kinds in _GENERAL.items() for one in parts(self.type) if isinstance(one, kinds)]
        return next(iter(general), "")

    @cached_property
    def needs_value(self) -> bool:
        """True for a key that says nothing without a value: none of its types is a text, which may be empty."""
        return not self.alone and not any(one.may_be_empty for one in parts(self.type))

    @property
    def meaning(self) -> str:
        """What hover says of it."""
        needed = "required; " if self.required and not self.doc.startswith("required") else ""
        return f"{needed}{self.doc}" + (f"; default {self.default}" if self.default else "")

    def read(self, block: Lines | None) -> Any:
        """The value as it is meant: what is written, else the default; None where neither can be read."""
        found = self.type.read(block) if block is not None else None
        return found if found is not None else self.default_value

    @cached_property
    def default_value(self) -> Any:
        """The default as a value; None without one, or with one that only readers understand."""
        return self.type.read_word(self.default) if self.default and type(self.type) is not Type else None


@dataclass(frozen=True, eq=False)
class Place:
    """A mapping of the language: where it is met, and its keys.

    ``others`` is the type of every key that is not listed. ``title`` names it for readers. ``lower``: its keys are
    written in lower case. ``parsed``: a reader of ``abl.syntax`` makes nodes of it and checks its keys. ``free``: any
    key may be there. ``heads`` are words that follow the name of an entry, with their meaning.
    ``misses``: a rule of its own misses the required keys, and says which misspelt one was meant. ``runs``, ``spec``
    and ``code`` hold for all of its keys that say nothing else.
    """

    name: str
    listed: tuple[Key, ...]
    others: Type | None = None
    title: str = ""
    lower: bool = False
    parsed: bool = False
    free: bool = False
    heads: Mapping[str, str] = field(default_factory=dict)
    misses: bool = False
    runs: Runs = "executed"
    spec: str = ""
    code: str = ""

    @cached_property
    def keys(self) -> dict[str, Key]:
        """By name in upper case."""
        return {key.name.upper().replace(" ", "_"): key for key in self.listed}

    @cached_property
    def _written(self) -> dict[str, Key]:
        return {plain(key.name.replace(" ", "")): key for key in self.listed}

    def key(self, written: str) -> Key | None:
        """The key that an author means; None for one that the place does not list."""
        upper = written.upper().replace(" ", "_")
        return self.keys.get(upper) or self.keys.get(canonical_key(upper)) or self._written.get(plain(written))


def key(
    name: str,
    type: Type = ANY,
    doc: str = "",
    *,
    default: str = "",
    required: bool = False,
    offered: bool = True,
    runs: Runs | None = None,
    spec: str = "",
    code: str = "",
    of: str = "",
    alone: bool = False,
) -> Key:
    """One entry of a declaration."""
    return Key(name, type, doc, default, required, offered, runs, spec, code, tuple(of.split()), alone)


def place(
    name: str,
    *listed: Key,
    others: Type | None = None,
    title: str = "",
    lower: bool = False,
    parsed: bool = False,
    free: bool = False,
    heads: Mapping[str, str] | None = None,
    misses: bool = False,
    runs: Runs = "executed",
    spec: str,
    code: str = "",
) -> Place:
    """A place with its keys, each of which says what the runtime does with it and where it is described."""
    here = tuple(
        [replace(known, runs=known.runs or runs, spec=known.spec or spec, code=known.code or code) for known in listed]
    )
    return Place(name, here, others, title, lower, parsed, free, heads or {}, misses, runs, spec, code)


def on_platform(*listed: Key) -> tuple[Key, ...]:
    """The keys as nothing here executes them."""
    return tuple([replace(known, runs="platform") for known in listed])


def without(listed: Iterable[Key], names: str) -> tuple[Key, ...]:
    """The keys but some."""
    left = names.split()
    return tuple(known for known in listed if known.name not in left)


def only(listed: Iterable[Key], names: str) -> tuple[Key, ...]:
    """Some of the keys, in this order."""
    by_name = {known.name: known for known in listed}
    return tuple(by_name[name] for name in names.split())


__all__ = [
    "ALIASES",
    "Key",
    "Place",
    "Runs",
    "canonical_key",
    "key",
    "on_platform",
    "only",
    "place",
    "plain",
    "without",
]
