"""Cycles in directed graphs: of steps that follow each other, of fields that depend on each other (docs/spec 10 §1).

All functions take time linear in the nodes and edges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

Following = Callable[[str], Iterable[str]]


def strongly_connected_components(names: Iterable[str], following: Following) -> Iterator[list[str]]:
    """The names in groups of those that lead to each other; what a group leads to comes before it.

    ``following`` says what follows a name, and must know every name that it gives. This is Tarjan's algorithm, with
    a stack of its own: a chain may be longer than Python's.
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: dict[str, None] = {}  # names whose group is not known yet, in the order they were met
    for root in names:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        open_[root] = None
        trail = [(root, iter(following(root)))]
        while trail:
            name, others = trail[-1]
            new = _next_new(name, others, number, lowest, open_)
            if new is not None:
                number[new] = lowest[new] = len(number)
                open_[new] = None
                trail.append((new, iter(following(new))))
                continue
            trail.pop()
            if trail:
                before = trail[-1][0]
                lowest[before] = min(lowest[before], lowest[name])
            if lowest[name] == number[name]:
                yield _closed(name, open_)


def _next_new(
    name: str, others: Iterator[str], number: dict[str, int], lowest: dict[str, int], open_: dict[str, None]
) -> str | None:
    """The next name that was not met yet; of those met, which are before ``name`` is noted."""
    for other in others:
        if other not in number:
            return other
        if other in open_:
            lowest[name] = min(lowest[name], number[other])
    return None


def _closed(first: str, open_: dict[str, None]) -> list[str]:
    """Take a whole group off the open names."""
    group: list[str] = []
    while True:
        name, _ = open_.popitem()
        group.append(name)
        if name == first:
            return group[::-1]


class Cycles(NamedTuple):
    """Names that lead back to themselves: the number of the group of those that lead to each other, and where each
    leads within its group."""

    group: dict[str, int]
    moves: dict[str, list[str]]


def cycles_in(moves: Mapping[str, Sequence[str]]) -> Cycles:
    """The cycles of a graph; every name that occurs as a target has to be a key."""
    group: dict[str, int] = {}
    for names in strongly_connected_components(moves, moves.__getitem__):
        if len(names) > 1 or names[0] in moves[names[0]]:
            group.update(dict.fromkeys(names, len(group)))
    return Cycles(group, {name: [n for n in moves[name] if group.get(n) == number] for name, number in group.items()})


def shortest_cycle(start: str, following: Following) -> tuple[list[str], int]:
    """A shortest way from a name back to it, the name first, and how many names were looked at; empty without one."""
    before: dict[str, str] = {}  # for each name that was reached, the one before it
    open_ = deque([start])
    while open_:
        name = open_.popleft()
        for other in following(name):
            if other == start:
                path = [name]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1], len(before) + 1
            if other not in before:
                before[other] = name
                open_.append(other)
    return [], len(before) + 1
