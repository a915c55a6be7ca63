"""What stands for hundreds of tests tells as much as they did."""

from __future__ import annotations

import pytest

from editor.models import User
from tests.emptying import undone
from tests.every import each, every


def is_even(number: int) -> None:
    assert number % 2 == 0, f"{number} is odd"


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    with pytest.raises(ExceptionGroup, match="2 of 4 cases failed") as caught:
        each(((f"number {n}", (n,)) for n in range(4)), is_even)
    assert [error.__notes__ for error in caught.value.exceptions] == [["Case: number 1"], ["Case: number 3"]]
    assert "1 is odd" in str(caught.value.exceptions[0])


def test_what_should_have_been_raised_and_was_not_is_named_too() -> None:
    def refuses(number: int) -> None:
        with pytest.raises(ZeroDivisionError):
            1 / number

    with pytest.raises(BaseExceptionGroup) as caught:
        each([("zero", (0,)), ("one", (1,))], refuses)
    assert [error.__notes__ for error in caught.value.exceptions] == [["Case: one"]]


def test_a_test_of_all_cases_has_the_name_of_its_test_and_no_arguments() -> None:
    made = every((f"{n}", (n,)) for n in (0, 2, 1))(is_even)
    assert made.__name__ == "is_even"
    for _ in range(2):  # a second try finds the cases again
        with pytest.raises(ExceptionGroup, match="1 of 3"):
            made()


def test_its_marks_count_on_either_side_of_the_cases() -> None:
    @pytest.mark.server
    @every([("2", (2,))])
    @pytest.mark.slow
    def test(number: int) -> None:
        is_even(number)

    assert {mark.name for mark in test.pytestmark} == {"server", "slow"}


def test_no_cases_are_no_test() -> None:
    with pytest.raises(AssertionError):
        every([])


@pytest.mark.django_db
def test_what_a_case_writes_is_taken_back() -> None:
    with undone():
        User.objects.create(username="case")
        assert User.objects.filter(username="case").exists()
    assert not User.objects.filter(username="case").exists()
