"""Did-you-mean (docs/spec 05 §1)."""

from __future__ import annotations

from abl.syntax.recovery.suggest import closest


def test_the_allowed_distance_grows_with_the_length_of_the_word():
    assert closest("TPY", ["TYPE"]) == ()
    assert closest("TPYE", ["TYPE"]) == ("TYPE",)
    assert closest("REST", ["RESET"]) == ("RESET",)
    assert closest("XESEX", ["RESET"]) == ("RESET",)
    assert closest("CONSTRIANTSS", ["CONSTRAINTS"]) == ("CONSTRAINTS",)


def test_case_and_separators_do_not_count():
    assert closest("Per Step", ["per_step", "per_session"])[0] == "per_step"
    assert closest("sensitivedisplay", ["SENSITIVE_DISPLAY"]) == ("SENSITIVE_DISPLAY",)


def test_at_most_three_come_back_the_best_first():
    assert closest("abcd", ["abce", "abcd", "abcf", "abcg", "zzzz"]) == ("abcd", "abce", "abcf")


def test_a_far_or_very_long_word_has_no_neighbour():
    assert closest("banana", ["RESET"]) == ()
    assert closest("x" * 10_000, ["x" * 9_999]) == ()
    assert closest("", ["a"]) == ()
