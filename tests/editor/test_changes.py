"""What changed between two texts: right for every pair, and found within a bound of work."""

from __future__ import annotations

import random

import pytest
from django.urls import reverse

from abl.limits import MAX_COMPARED_LINES, MAX_LINE_COMPARISONS
from abl.matching import Bounded, changes
from editor import services
from editor.changes import MOST_SHOWN, changed_lines, count, shown
from web import costly

LONG = 9_900
REPEATING = [str(n % 101) for n in range(LONG)]
REPEATING_OTHERWISE = [str(2 * n % 101) for n in range(LONG)]


def carried_out(old: list[str], new: list[str]) -> list[str]:
    """The older lines after the changes that were found."""
    found, _ = changes(old, new)
    made, at = [], 0
    for first, last, begin, end in found:
        made += old[at:first] + new[begin:end]
        at = last
    return made + old[at:]


def pairs():
    dice = random.Random(7)
    for _ in range(300):
        old = [dice.choice("abcd") for _ in range(dice.randrange(12))]
        new = [dice.choice("abcd") for _ in range(dice.randrange(12))]
        yield old, new


@pytest.mark.parametrize("work", [MAX_LINE_COMPARISONS, 30, 0])
def test_changes_make_one_text_of_the_other_whatever_may_be_compared(monkeypatch, work):
    monkeypatch.setattr(Bounded.__init__, "__defaults__", (work,))
    assert [(old, new) for old, new in pairs() if carried_out(old, new) != new] == []


@pytest.mark.parametrize("most", [3, MAX_COMPARED_LINES])
def test_lines_are_counted_without_being_made(monkeypatch, most):
    monkeypatch.setattr("abl.matching.MAX_COMPARED_LINES", most)
    dice = random.Random(8)
    old = [str(n) for n in range(200)]
    for _ in range(50):
        new = [line for line in old if dice.random() < 0.95]
        found, _ = changes(old, new)
        assert count(found, len(new)) == len(list(shown(old, new, found)))


def test_a_difference_says_what_it_leaves_out():
    found = changed_lines("", "\n".join(map(str, range(20))), most=5)
    assert [line.text for line in found.lines] == ["0", "1", "2", "3", "4"]
    assert (found.more, found.coarse) == (15, False)


def test_lines_that_repeat_are_compared_within_the_bound(monkeypatch):
    compared = []
    search = Bounded.find_longest_match

    def counted(self, *place):
        before = self.work
        found = search(self, *place)
        compared.append(before - self.work)
        return found

    monkeypatch.setattr(Bounded, "find_longest_match", counted)
    _, coarse = changes(REPEATING, REPEATING_OTHERWISE)
    assert coarse
    assert 0 < sum(compared) <= MAX_LINE_COMPARISONS
    assert carried_out(REPEATING, REPEATING_OTHERWISE) == REPEATING_OTHERWISE


def test_beyond_the_bound_what_is_the_same_at_both_ends_stays():
    head, tail = ["first"] * 40, ["last"] * 40
    found, coarse = changes([*head, *REPEATING, *tail], [*head, *REPEATING_OTHERWISE, *tail])
    assert coarse
    assert found[0].first >= 40
    assert found[-1].last <= 40 + LONG


def test_more_lines_than_are_compared_count_as_replaced_between_what_is_the_same():
    old = ["a", *map(str, range(MAX_COMPARED_LINES)), "z"]
    found, coarse = changes(old, ["a", "b", "z"])
    assert (found, coarse) == ([(1, MAX_COMPARED_LINES + 1, 1, 2)], True)


@pytest.fixture
def repeating(document, editor):
    services.document_save(document=document, user=editor, text="\n".join(REPEATING), base_revision=1)
    services.document_save(document=document, user=editor, text="\n".join(REPEATING_OTHERWISE), base_revision=2)
    return document


@pytest.mark.django_db
@pytest.mark.full
def test_the_page_and_the_api_say_that_a_difference_is_coarse(as_, repeating):
    page = as_("viewer").get(reverse("editor:revision", args=["library", repeating.path, 3])).content.decode()
    assert "too repetitive to compare every line" in page
    assert "more lines not shown" in page
    answer = as_("viewer").get(f"/api/v1/projects/library/agents/{repeating.path}/diff/").json()
    assert answer["coarse"] is True
    assert len(answer["lines"]) == MOST_SHOWN
    assert answer["more"] > 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/projects/library/agents/{}/diff/",
        "/api/v1/projects/library/agents/{}/revisions/",
        "/api/v1/projects/library/agents/{}/revisions/1/",
        "editor:revisions",
        "editor:revision",
    ],
)
def test_revisions_and_differences_take_a_place_of_costly_requests(as_, document, monkeypatch, address):
    monkeypatch.setattr(costly.costly, "total", 0)
    number = [1] if address == "editor:revision" else []
    path = (
        reverse(address, args=["library", document.path, *number]) if ":" in address else address.format(document.path)
    )
    assert as_("viewer").get(path).status_code == 429
