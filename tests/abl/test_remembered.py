"""Results of texts that are kept, within bounds of memory."""

from __future__ import annotations

from collections import Counter

import pytest

from abl import remembered as module
from abl.remembered import LONG, LONG_SHARE, SHORT, remembered


@pytest.fixture
def counted() -> tuple[Counter[str], object]:
    calls: Counter[str] = Counter()

    @remembered(LONG_SHARE * 2)
    def length(text: str, *, doubled: bool = False) -> int:
        calls[text] += 1
        return len(text) * (1 + doubled)

    return calls, length


def test_short_and_long_texts_are_read_once(counted):
    calls, length = counted
    for text in ("a", "b" * SHORT, "c" * (SHORT + 1), "d" * LONG):
        assert length(text) == length(text) == len(text)
        assert calls[text] == 1


def test_other_arguments_count(counted):
    calls, length = counted
    assert (length("ab"), length("ab", doubled=True)) == (2, 4)
    assert calls["ab"] == 2


def test_a_very_long_text_is_read_each_time(counted):
    calls, length = counted
    text = "a" * (LONG + 1)
    assert length(text) == length(text) == LONG + 1
    assert calls[text] == 2


def test_few_long_texts_are_kept_and_they_push_out_no_short_one(counted):
    calls, length = counted
    length("short")
    texts = [str(n) * SHORT for n in range(10, 13)]
    for text in [*texts, *texts]:
        length(text)
    assert [calls[text] for text in texts] == [2, 2, 2]
    length("short")
    assert calls["short"] == 1


def test_all_can_be_forgotten(counted):
    calls, length = counted
    length("a")
    length.cache_clear()
    length("a")
    assert calls["a"] == 2


def test_expressions_and_templates_are_kept_so():
    from abl.expressions import compile_expression, compile_template

    assert module.LONG == 4_096
    for read in (compile_expression, compile_template):
        assert read("a") is read("a")
        text = "a" + "a" * LONG
        assert read(text) is not read(text)
