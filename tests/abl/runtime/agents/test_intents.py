"""Which intent a message has (docs/spec 09 §10), and that finding it counts toward the budget of a turn (02 §8.1)."""

import pytest

from abl.expressions.budget import TURN, Budget, BudgetExceeded, Limits
from abl.runtime.agents.intents import Hit, IntentPlan, content_words, hits

FEW = Limits(1_000, 10_000, 1_000, 100, 5.0)


def plan(name="a", patterns=(), examples=()):
    return IntentPlan(name, tuple(patterns), tuple(content_words(text) for text in examples))


def test_a_pattern_counts_more_as_a_word_than_within_one_and_more_than_an_example():
    plans = (plan("like", examples=["refund the lamp now"]), plan("within", ["fund"]), plan("word", ["refund"]))
    found = hits(plans, "my refund and the lamp")
    assert found == [Hit("word", 1.0, 3), Hit("within", 0.9, 5), Hit("like", 0.667, 3)]


def test_an_example_counts_by_the_share_of_its_words_and_stands_where_the_first_of_them_does():
    message = "hello, my lamps broke"
    assert hits((plan(examples=["broken lamp", "order status"]),), message) == [Hit("a", 0.25, message.index("lamps"))]


@pytest.mark.parametrize(
    "given",
    [plan(patterns=[f"zz{n}" for n in range(3_000)]), plan(examples=[f"zz{n} word" for n in range(3_000)])],
    ids=["patterns", "examples"],
)
def test_very_many_run_out(given):
    with pytest.raises(BudgetExceeded), Budget.of(FEW):
        hits((given,), "nothing of it")
    with Budget.of(TURN):
        assert hits((given,), "nothing of it")[0].score == 0.0
