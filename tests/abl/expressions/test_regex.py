"""The two engines behind one function give the same answers (docs/spec 02 §5.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl.expressions.regex import Pattern, _compile, _quick, clean, compile_pattern, match_record, regex_problem

PIECES = ["a", "POL-", ".", r"\d", r"\w", r"\s", r"\.", "[a-c]", "[A-Z0-9_]", r"\d{2}", ".{3}", "x{0}", " ", "-"]


@given(
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "a+", ".*", r"\d*"]),
    st.text("aPOL-.1 é\nx_\v\u0660", max_size=14),
)
def test_quick_patterns_mean_the_same(pieces, anchored, ended, repeated, text):
    pattern = ("^" if anchored else "") + "".join(pieces) + repeated + ("$" if ended else "")
    quick = _quick(pattern)
    if quick is None:
        return
    exact, _ = _compile(pattern, "")
    one, two = quick.search(text), exact.search(clean(text))
    assert (one is None) == (two is None)
    if one is not None:
        assert (one.group(0), one.start()) == (two.group(0), two.start())


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "a*a*b", "a|b", "(?i)a", "a?", r"\bx", "[^a]", "a+b", "a{1,3}", "é", r"a\n"],
)
def test_everything_else_runs_on_re2(pattern):
    assert _quick(pattern) is None
    assert isinstance(compile_pattern(pattern), Pattern)


def test_shorthands_are_ascii_and_the_end_is_the_end():
    assert compile_pattern(r"^\d+$").search("٣") is None
    assert compile_pattern("^a$").search("a\n") is None
    assert compile_pattern(r"\s").search("\v") is None


def test_what_re2_refuses_has_a_reason():
    assert compile_pattern("(?=a)") is None
    assert regex_problem("a(") is not None
    assert regex_problem("a{2000}") is not None
    assert regex_problem("x" * 10_001) is not None
    assert regex_problem("ok") is None


def test_groups_by_number_and_name():
    found = compile_pattern(r"(?P<a>x)(y)?").search("xz")
    assert match_record(found) == {"0": "x", "1": "x", "2": None, "a": "x"}


def test_half_a_surrogate_pair_is_no_crash():
    assert compile_pattern("(é)").search("\ud800é").group(1) == "é"
