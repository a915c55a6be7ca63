"""Every accepted spelling of every key means the same, wherever the key stands: in the plans and in a run.

Made from the declaration (docs/spec 01 §3.1). A frame is a text of the project that holds the key, or another of its
place beside which it is put. In it each spelling of the key and of its value is held against the canonical one: the
same plans, the same events (so the same masking), no error that the canonical one has not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import pytest

from abl import check
from abl.language import ALIASES, PLACES, needs_value, plain
from abl.language.types import Closed, Texts, parts
from tests.abl.language.frames import Frame, frames, without_frame
from tests.abl.language.meaning import planned, played
from tests.abl.language.spellings import LINES, Spelled, spelled
from tests.every import each

Tried = tuple[str, tuple[Frame, Mapping[str, str], Mapping[str, str]]]
"""The name of a case; its frame, the project as it should be written, and in another spelling."""
WITHOUT_FRAME: dict[tuple[str, str], str] = {}
"""Keys that no frame holds, with the reason. May only shrink."""
NOT_ALIKE = {
    ("carousel", "from"): "the path of a list; names in brackets are none",
    ("listed", "from"): "the path of a list; names in brackets are none",
    ("shown_list", "items"): "one text is the path of a list, not a list of one name",
    ("table", "columns"): "one text is the path of a list, not a list of one name",
    ("chart", "data"): "one text is the path of a list, not a list of one name",
    ("validation", "rule"): "a list is the rule of type enum only; of another type it is the text of the rule",
}
"""Keys whose values mean something else in another form, with the reason. May only shrink."""
SAMPLE = 60
"""Spellings of values, and of keys, that the quick suite tries."""


def canonical_of(frame: Frame) -> Iterator[Spelled]:
    """The values of the key with their spellings; a list is the one that stands there."""
    listed = any(isinstance(one, Texts) or (isinstance(one, Closed) and one.many) for one in parts(frame.key.type))
    there = frame.key.type.read(frame.block) if listed and not frame.beside else None
    if isinstance(there, tuple) and len(there) > 1 and all(item.replace("_", "").isalnum() for item in there):
        in_brackets = f"[{', '.join(there)}]"
        if not getattr(frame.key.type, "sentences", False):
            yield Spelled(in_brackets, ", ".join(there))
        yield Spelled(in_brackets, "".join(f"{LINES}{item}" for item in there))
        yield Spelled(in_brackets, "".join(f'{LINES}"{item}"' for item in there))
        yield Spelled(in_brackets, "[" + ", ".join(f"'{item}'" for item in there) + "]")
    else:
        yield from (one for one in spelled(frame.key.type) if not (frame.yaml and _is_no_yaml(one.other)))


def _is_no_yaml(value: str) -> bool:
    """True for a quoted text with more behind it, which YAML has not."""
    return value[:1] in ("'", '"') and "," in value.partition(value[0])[2].partition(value[0])[2]


def keys_of(frame: Frame) -> Iterator[str]:
    """Other spellings of the key: in another case, without ``_``, by another name."""
    name = frame.written
    first, *rest = name.lower().split("_")
    camel = first + "".join(word.capitalize() for word in rest)
    upper = name.upper().replace(" ", "_")
    taken = {plain(known.name) for known in PLACES[frame.place].listed}
    others = [alias.lower() for alias, known in ALIASES.items() if known == upper and plain(alias) not in taken]
    yield from dict.fromkeys(each for each in (name.upper(), name.lower(), camel, *others) if each != name)


def of_values() -> Iterator[Tried]:
    """Every spelling of every value."""
    for (place, key, yaml), frame in sorted(frames().items()):
        for one in canonical_of(frame) if (place, key) not in NOT_ALIKE else ():
            name = f"{place}.{key} {'yaml' if yaml else 'abl'}: {one.other!r}"
            yield name, (frame, frame.with_value(one.canonical), frame.with_value(one.other))


def of_keys() -> Iterator[Tried]:
    """Every spelling of every key that a text holds."""
    for (place, key, yaml), frame in sorted(frames().items()):
        bare = frame.block.value is None and not frame.block.children and needs_value(place, key)  # refused as it is
        for other in keys_of(frame) if not frame.beside and not bare else ():
            name = f"{place}.{key} {'yaml' if yaml else 'abl'}: {other}"
            yield name, (frame, frame.files, frame.with_key(other))


@lru_cache(maxsize=64)
def _refused(texts: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple([problem.code for problem in check(dict(texts)).errors])


def refused(files: Mapping[str, str]) -> frozenset[str]:
    """The codes of the errors of a project."""
    return frozenset(_refused(tuple(files.items())))


def means_the_same(frame: Frame, canonical: Mapping[str, str], other: Mapping[str, str]) -> None:
    """The plans and the events of the two are one."""
    assert planned(other, frame.path) == planned(canonical, frame.path)
    assert played(other, frame.scenario) == played(canonical, frame.scenario)


def value_means_the_same(frame: Frame, canonical: Mapping[str, str], other: Mapping[str, str]) -> None:
    """A value that the type reads is not refused in one of its spellings."""
    assert refused(other) <= refused(canonical)
    means_the_same(frame, canonical, other)


def key_means_the_same(frame: Frame, canonical: Mapping[str, str], other: Mapping[str, str]) -> None:
    """A key is refused in a spelling, or read; what is dropped without a word is a lost guard."""
    if Counter(_refused(tuple(other.items()))) <= Counter(_refused(tuple(canonical.items()))):
        means_the_same(frame, canonical, other)


def sample(cases: Sequence[Tried]) -> list[Tried]:
    """Some cases, the same in every run; of each key one at most."""
    chosen: dict[str, Tried] = {}
    for case in random.Random(17).sample(cases, len(cases)):
        chosen.setdefault(case[0].split(" ")[0], case)
    return [*chosen.values()][:SAMPLE]


@pytest.mark.slow
def test_every_key_of_every_place_has_a_frame() -> None:
    assert without_frame() == set(WITHOUT_FRAME)


def test_what_is_left_out_is_declared() -> None:
    declared = {(place.name, key.name) for place in PLACES.values() for key in place.listed}
    assert {*WITHOUT_FRAME, *NOT_ALIKE} - declared == set()


@pytest.mark.slow
def test_some_spellings_of_values_mean_the_same() -> None:
    each(sample([*of_values()]), value_means_the_same)


@pytest.mark.slow
def test_some_spellings_of_keys_mean_the_same() -> None:
    each(sample([*of_keys()]), key_means_the_same)


@pytest.mark.slow
def test_what_is_left_out_still_differs() -> None:
    """An entry whose forms have come to mean the same goes from the list."""
    assert {at for at in NOT_ALIKE if not any(_differs(frame) for frame in _frames_of(at))} == set()


def _frames_of(at: tuple[str, str]) -> list[Frame]:
    return [frame for (place, key, _), frame in frames().items() if (place, key) == at]


def _differs(frame: Frame) -> bool:
    for one in spelled(frame.key.type):
        try:
            value_means_the_same(frame, frame.with_value(one.canonical), frame.with_value(one.other))
        except AssertionError:
            return True
    return False


@pytest.mark.thorough
def test_every_spelling_of_every_value_means_the_same() -> None:
    cases = [*of_values()]
    assert len(cases) > 10_000
    each(cases, value_means_the_same)


@pytest.mark.thorough
def test_every_spelling_of_every_key_means_the_same() -> None:
    cases = [*of_keys()]
    assert len(cases) > 2_000
    each(cases, key_means_the_same)
