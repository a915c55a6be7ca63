"""Bounded numbers of requests at once: of a caller, and in all."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.workbench import eventually
from web import places
from web.errors import Busy
from web.places import Caller, Places


def caller(name: str, most: int = 2) -> Caller:
    return Caller(name, most, f"{name} has {most}")


def test_a_caller_has_some_and_all_together_have_some():
    ours = Places(3, "all are taken")
    held = [ours.take(caller("a")), ours.take(caller("a"))]
    with pytest.raises(Busy, match="a has 2") as refused:
        ours.take(caller("a"))
    assert refused.value.data["retry_after"] >= 1
    held.append(ours.take(caller("b")))
    with pytest.raises(Busy, match="all are taken"):
        ours.take(caller("c"))
    for place in held:
        place.leave()
        place.leave()  # a second time changes nothing
    assert ours.free == 3
    assert not ours._taken_by
    with ours.taken(caller("a")), ours.taken(caller("a")):
        assert ours.free == 1


def test_every_name_of_a_caller_counts():
    ours = Places(9, "all are taken")
    token = caller("token", 1)
    with ours.taken(caller("a", 3), token):
        with pytest.raises(Busy, match="token has 1"):
            ours.take(caller("a", 3), token)
        with ours.taken(caller("a", 3)), ours.taken(caller("a", 3)), pytest.raises(Busy, match="a has 3"):
            ours.take(caller("a", 3))
    assert ours.free == 9


def test_some_work_and_the_others_wait_and_one_caller_does_not_take_every_turn():
    ours = Places(5, "all are taken", at_work=2, each=1)
    first = ours.take(caller("a"))
    with ThreadPoolExecutor(4) as pool:
        second: Future[places.Place] = pool.submit(ours.take, caller("a"))
        eventually(lambda: ours.free == 3)
        other = pool.submit(ours.take, caller("b")).result(20)
        third = pool.submit(ours.take, caller("c"))
        eventually(lambda: ours.free == 1)
        assert not second.done()
        assert not third.done()
        other.leave()
        third.result(20).leave()
        assert not second.done(), "that is the turn of another"
        first.leave()
        second.result(20).leave()
    assert ours.free == 5


def test_who_waits_too_long_is_told_and_leaves_nothing_behind(monkeypatch):
    monkeypatch.setattr(places, "LONGEST_WAIT", 0.01)
    ours = Places(3, "all are taken", at_work=1)
    with ours.taken(caller("a")), pytest.raises(Busy, match="all are taken"):
        ours.take(caller("b"))
    assert ours.free == 3
    assert not ours._taken_by
    assert not ours._working_by


def test_never_more_than_the_bounds_whoever_comes():
    ours = Places(4, "all are taken", at_work=2, each=1)
    lock, at_work, most, refused = threading.Lock(), {"a": 0, "b": 0, "c": 0}, [], []

    def ask(name: str) -> None:
        for _ in range(200):
            try:
                with ours.taken(caller(name)):
                    with lock:
                        at_work[name] += 1
                        most.append((sum(at_work.values()), max(at_work.values())))
                    with lock:
                        at_work[name] -= 1
            except Busy:
                refused.append(name)

    with ThreadPoolExecutor(9) as pool:
        list(pool.map(ask, "abcabcabc"))
    assert most
    assert max(total for total, _ in most) <= 2
    assert max(of_one for _, of_one in most) == 1
    assert ours.free == 4
