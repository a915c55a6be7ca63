"""Did-you-mean (docs/spec 05 §1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from abl.limits import MAX_COMPARED_NAMES
from abl.syntax.vocabulary import MAY_REPEAT, canonical_key

_SEPARATORS: Final = str.maketrans("", "", "_- ")
_MAX_SUGGESTIONS: Final = 3
_MAX_WORD: Final = 64
_KEPT_WORDS: Final = 4_096
_KEPT_LISTS: Final = 128
IS_GIVEN: Final = "`{given}` is given already"
"""What is said of a misspelt key instead of "Did you mean" where the right one is beside it."""


def closest(word: str, candidates: Iterable[str], compared: int = MAX_COMPARED_NAMES) -> tuple[str, ...]:
    """Up to three candidates near ``word``, best first.

    Equal but for case, ``_``, ``-`` or space always counts. Otherwise the Damerau-Levenshtein distance of the
    case-folded words may be 1 for words of up to 4 characters, 2 up to 8, 3 beyond. Of very many candidates the first
    ``compared`` count, of a set those first in order.
    """
    if not word or len(word) > _MAX_WORD:
        return ()
    return _closest(word, _some(candidates, compared))


def not_given(word: str, close: Iterable[str], given: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Those of the keys that are ``close`` to a word which are free; where the best one is not, that one.

    ``given`` are canonical keys; what may repeat is always free. Instead of the best only what is as near is offered.
    """
    close = tuple(close)
    free = tuple(each for each in close if (key := canonical_key(each)) not in given or key in MAY_REPEAT)
    if free[:1] == close[:1]:
        return free, ""
    nearest = _distance(word, close[0])
    free = tuple(each for each in free if _distance(word, each) <= nearest)
    return free, "" if free else close[0]


def nearest(word: str, suggestions: Sequence[str]) -> str:
    """The candidate nearest to a word; empty if two are equally near, or if there is none."""
    if len(word) > _MAX_WORD:
        return ""
    ranked = sorted({each.casefold(): (_distance(word, each), each) for each in suggestions}.values())
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return ""
    return ranked[0][1]


def _distance(word: str, other: str) -> int:
    from rapidfuzz.distance import OSA

    return int(OSA.distance(word.casefold(), other.casefold()))


def _some(candidates: Iterable[str], compared: int) -> tuple[str, ...]:
    """As many candidates as are compared, each once."""
    if isinstance(candidates, frozenset):
        return _first_in_order(candidates, compared)
    if isinstance(candidates, set):
        candidates = sorted(candidates)
    elif isinstance(candidates, tuple) and len(candidates) <= compared:
        return candidates
    return tuple(dict.fromkeys(islice(candidates, compared)))


@lru_cache(maxsize=_KEPT_LISTS)
def _first_in_order(candidates: frozenset[str], compared: int) -> tuple[str, ...]:
    return tuple(sorted(candidates)[:compared])


@lru_cache(maxsize=_KEPT_WORDS)
def _closest(word: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """One word is often misspelt, or missing, in many places."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    folded = word.casefold()
    others, alike = _compared(candidates)
    allowed = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
    same = set(alike.get(folded.translate(_SEPARATORS), ()))
    found = [(0, candidate) for candidate in same]
    for _, distance, at in extract(folded, others, scorer=OSA.distance, score_cutoff=allowed, limit=None):
        if candidates[at] not in same:
            found.append((int(distance), candidates[at]))
    found.sort()
    return tuple(candidate for _, candidate in found[:_MAX_SUGGESTIONS])


@lru_cache(maxsize=_KEPT_LISTS)
def _compared(candidates: tuple[str, ...]) -> tuple[list[str], dict[str, list[str]]]:
    """The candidates as they are compared: case-folded in order, and by what is left without separators."""
    alike: dict[str, list[str]] = {}
    folded = [candidate.casefold() for candidate in candidates]
    for candidate, other in zip(candidates, folded, strict=True):
        alike.setdefault(other.translate(_SEPARATORS), []).append(candidate)
    return folded, alike
