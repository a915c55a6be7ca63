"""Circles and groups in what leads to what, against the plain way to find them."""

from __future__ import annotations

import random

from abl.analysis.flow.cycles import cycles_in, shortest_cycle, strongly_connected_components
from abl.analysis.flow.graph import Edge, FlowGraph
from abl.limits import MAX_CYCLE_STEPS


def drawn(seed: int) -> dict[str, list[str]]:
    """A few names and where each leads."""
    chance = random.Random(seed)
    names = [f"n{number}" for number in range(chance.randint(1, 9))]
    return {name: chance.sample(names, chance.randint(0, min(3, len(names)))) for name in names}


def reached(start: str, moves: dict[str, list[str]]) -> set[str]:
    seen: set[str] = set()
    open_ = list(moves[start])
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            open_ += moves[name]
    return seen


def test_groups_are_names_that_lead_to_each_other_and_come_behind_what_they_lead_to():
    for seed in range(300):
        moves = drawn(seed)
        behind = {name: reached(name, moves) for name in moves}
        groups = list(strongly_connected_components(moves, moves.__getitem__))
        assert sorted(name for group in groups for name in group) == sorted(moves)
        number = {name: at for at, group in enumerate(groups) for name in group}
        for one in moves:
            for other in moves:
                together = one == other or (other in behind[one] and one in behind[other])
                assert (number[one] == number[other]) is together
                assert other not in behind[one] or number[other] <= number[one]


def test_what_leads_back_to_itself_is_in_a_circle():
    for seed in range(300):
        moves = drawn(seed)
        found = cycles_in(moves)
        assert set(found.group) == {name for name in moves if name in reached(name, moves)}
        for name in found.group:
            way, _ = shortest_cycle(name, found.moves.__getitem__)
            assert way[0] == name
            assert all(after in moves[before] for before, after in zip(way, [*way[1:], name], strict=True))


def graph(moves: dict[str, list[str]], *anywhere: str) -> FlowGraph:
    edges = [Edge(one, other, "then", False) for one, others in moves.items() for other in others]
    return FlowGraph(next(iter(moves)), tuple(moves), edges, set(anywhere))


def test_a_step_leads_to_what_is_reached_and_to_what_is_reached_from_anywhere():
    for seed in range(200):
        moves = drawn(seed)
        more = {"n0"} if seed % 2 else set()
        flow = graph(moves, *more)
        with_more = {name: [*others, *more] for name, others in moves.items()}
        for one in moves:
            behind = reached(one, with_more)
            assert {other for other in moves if flow.leads_to(one, other)} == behind
            assert {other for other in moves if other in flow.reachable_from([one])} == behind


def test_a_chain_is_no_deeper_than_python():
    moves = {f"n{number}": [f"n{number + 1}"] for number in range(20_000)} | {"n20000": []}
    assert len(list(strongly_connected_components(moves, moves.__getitem__))) == 20_001


def test_of_very_many_cycles_each_group_has_one_told():
    size = 2_000
    one = {f"a{n}": [f"a{(n + 1) % size}", "a0"] for n in range(size)}
    other = {"b0": ["b1"], "b1": ["b0"]}
    one["a0"].append("b0")
    told = [cycle for cycle, _ in graph({**one, **other}).cycles_without_wait()]
    assert ["b0", "b1"] in told
    assert 2 <= len(told) < size
    assert sum(map(len, told)) <= MAX_CYCLE_STEPS + size
