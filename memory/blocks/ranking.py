"""Ranking lines for a query: BM25 over stemmed words without diacritics (docs/spec 11 §1).

SQLite's full-text engine cuts the texts into words and stems them, in memory and so alike on every database: a user
has few lines, at most two blocks of them. Its own ``bm25()`` counts a word that half of the lines have as nothing,
which is right among a million texts and wrong among five. So the weights are computed here: the usual sum, with a
weight that is never zero, and no collection taken for smaller than ``FEWEST``.
"""

from __future__ import annotations

import math
import re
import sqlite3
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

SATURATION, LENGTH = 1.2, 0.75
"""The usual ``k1`` and ``b``."""
FEWEST = 10
"""Lines for the statistics, at least: among two lines it is not known whether a word is common."""
LONGEST_QUERY = 20_000
MOST_WORDS = 200
"""Words of a query beyond these are left out."""
DIGITS = 6

_TABLES = """
CREATE VIRTUAL TABLE line USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE asked USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE word USING fts5vocab(line, 'instance');
CREATE VIRTUAL TABLE wanted USING fts5vocab(asked, 'row');
"""
_FOUND = "SELECT doc, count(*) FROM word WHERE term = ? GROUP BY doc"
# Among few lines such a word would weigh as much as any other.
_SAYS_NOTHING = """
a about all am an and any are as at be been but by can could did do does for from had has have he her him his how i if
in into is it its me my no not of on or our please she should so some than that the their them then there these they
this those to us was we were what when where which who whose why will with would you your
"""
_EMPTY = frozenset(_SAYS_NOTHING.split())
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_WORD = re.compile(r"\w+")
_local = threading.local()
# Languages that put no space between words: each character counts as one.
_UNSPACED = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff])")


def ranked(lines: Sequence[str], query: str) -> list[tuple[int, float]]:
    """(index, score) of the lines that share a word with the query, best first, then in the order given.

    The score is between 0 and 1: how much of the query the line holds, each word weighed by how rare it is. A line of
    usual length that says every word once has 0.67. Repeated words raise the score only in a line that contains all
    words of the query.
    """
    texts = [folded(line) for line in lines]
    asked = words_of(query)
    if not texts or not asked:
        return []
    with _indexed(texts, " ".join(asked)) as index:
        terms = [row[0] for row in index.execute("SELECT term FROM wanted")]
        counts = [dict(index.execute(_FOUND, (term,))) for term in terms]
    lengths = [len(_WORD.findall(text)) for text in texts] if any(counts) else []
    return sorted(scores(counts, lengths).items(), key=lambda found: (-found[1], found[0]))


@contextmanager
def _indexed(texts: Sequence[str], query: str) -> Iterator[sqlite3.Connection]:
    """This thread's index with the texts, numbered from 0, and the query in it; empty again afterwards."""
    index: sqlite3.Connection | None = getattr(_local, "index", None)
    if index is None:
        index = _local.index = sqlite3.connect(":memory:", isolation_level=None)
        index.executescript(_TABLES)
    index.execute("BEGIN")
    try:
        index.executemany("INSERT INTO line(rowid, text) VALUES (?, ?)", enumerate(texts))
        index.execute("INSERT INTO asked(rowid, text) VALUES (0, ?)", (query,))
        yield index
    finally:
        index.execute("ROLLBACK")


def words_of(query: str) -> list[str]:
    """The words that a query asks for, folded; those that say nothing only when there is no other."""
    words = dict.fromkeys(_WORD.findall(folded(query[:LONGEST_QUERY])))
    return ([word for word in words if word not in _EMPTY] or list(words))[:MOST_WORDS]


def scores(counts: Sequence[Mapping[int, int]], lengths: Sequence[int]) -> dict[int, float]:
    """Score of each line that was found.

    :param counts: for each word asked for, line to how often it is there. :param lengths: words of each line.
    """
    average = sum(lengths) / len(lengths) if lengths else 1.0
    weights = [weight_of(len(found), max(len(lengths), FEWEST)) for found in counts]
    total: dict[int, float] = {}
    covered: dict[int, float] = {}
    words = Counter(line for found in counts for line in found)
    for found, weight in zip(counts, weights, strict=True):
        for line, said in found.items():
            times = said if words[line] == len(counts) else 1
            stretch = SATURATION * (1 - LENGTH + LENGTH * lengths[line] / average)
            total[line] = total.get(line, 0.0) + weight * times * (SATURATION + 1) / (times + stretch)
            covered[line] = covered.get(line, 0.0) + weight
    most = sum(weights)
    parts = {line: value / (most * (SATURATION + 1)) * min(covered[line] / most, 1) for line, value in total.items()}
    return {line: score for line, part in parts.items() if (score := round(_spread(part), DIGITS))}


def _spread(part: float) -> float:
    """The score as a share of the highest possible sum, raised because most lines contain a word only once."""
    return math.sqrt(part)


def weight_of(lines_with_word: int, lines: int) -> float:
    """The weight of a word: higher the rarer it is. A word that no line has weighs as little as one that half have."""
    having = lines_with_word or lines / 2
    return math.log(1 + (lines - having + 0.5) / (having + 0.5))


def folded(text: str) -> str:
    """Text without diacritics and differences of case; characters of unspaced languages stand apart."""
    if text.isascii():
        return text.lower()
    plain = _BEYOND_ASCII.sub(_without_marks, unicodedata.normalize("NFKD", text))
    return _UNSPACED.sub(r" \1 ", plain.casefold())


def _without_marks(found: re.Match[str]) -> str:
    return "".join(char for char in found[0] if not unicodedata.combining(char))
