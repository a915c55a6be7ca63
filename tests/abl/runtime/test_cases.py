"""Agents and what they must do, from the case files; each also through a snapshot before every message."""

import pytest

from tests.abl.runtime.harness import assert_case, load_cases

CASES = load_cases()


@pytest.mark.parametrize(("files", "scenario"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_case_does_what_it_says_and_the_same_after_a_restore(files, scenario):
    assert_case(files, scenario)
