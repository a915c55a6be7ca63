"""Ranking lines of text for a query: BM25 over stemmed words without diacritics (docs/spec 11 §1)."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_SATURATION, _LENGTH = 1.2, 0.75
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ers", "er"), ("es", ""), ("ed", ""), ("s", ""))
_SHORTEST_STEM = 3


def words_of(text: str) -> list[str]:
    """Words in lower case, without diacritics, without common English endings."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return [_stem(word) for word in _WORD.findall(plain.casefold())]


def _stem(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= _SHORTEST_STEM:
            return (word[: -len(ending)] + instead).removesuffix("e")
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def scores(lines: Sequence[str], query: str) -> list[float]:
    """For each line a number from 0 (no word of the query) up to, but not including, 1."""
    wanted = set(words_of(query))
    counts = [Counter(words_of(line)) for line in lines]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if lengths else 0.0
    weights = {word: _weight(sum(word in count for count in counts), len(lines)) for word in wanted}
    found = []
    for count, length in zip(counts, lengths, strict=True):
        stretch = _SATURATION * (1 - _LENGTH + _LENGTH * length / average) if average else 1.0
        total = sum(
            weights[word] * count[word] * (_SATURATION + 1) / (count[word] + stretch) for word in wanted & count.keys()
        )
        found.append(round(total / (total + 1), 6))
    return found


def _weight(lines_with_word: int, lines: int) -> float:
    return math.log(1 + (lines - lines_with_word + 0.5) / (lines_with_word + 0.5))
