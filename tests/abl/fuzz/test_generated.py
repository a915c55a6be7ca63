"""No text makes parse, check, format_source, tokens, complete, hover or an expression raise, hang, or point outside.

A failure names the number of its text: ``case(random.Random(number))`` makes it again. What was found once is a case in
``test_found.py``.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.abl.fuzz.lengths import length
from tests.abl.fuzz.run import (
    Finding,
    case,
    expression_case,
    prove_document,
    prove_expression,
    run_documents,
    run_expressions,
)

CHANCES = st.randoms(use_true_random=False)  # so that hypothesis can make what fails small
QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}


def told(finding: Finding) -> None:
    """A long run says at once what it found."""
    print(finding, flush=True)


@pytest.mark.slow
def test_some_documents() -> None:
    assert run_documents(0, 40, told) == []


@pytest.mark.slow
def test_some_expressions_and_templates() -> None:
    assert run_expressions(0, 1_000, told) == []


@pytest.mark.thorough
def test_many_documents() -> None:
    assert run_documents(1_000, length(150, 200_000), told) == []


@pytest.mark.thorough
def test_many_expressions_and_templates() -> None:
    assert run_expressions(10_000, length(3_000, 200_000), told) == []


@pytest.mark.thorough
@settings(max_examples=length(30, 5_000), **QUIET)
@given(CHANCES)
def test_documents_that_hypothesis_makes(chance: random.Random) -> None:
    prove_document(case(chance))


@settings(max_examples=length(100, 5_000), **QUIET)
@given(CHANCES)
def test_expressions_that_hypothesis_makes(chance: random.Random) -> None:
    prove_expression(expression_case(chance))
