"""Bodies of every size and shape are read in time that grows with their length."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest

from web.api.parsers import ManyValues, holds_more_values, json_value
from web.limits import MAX_VALUES

MANY = 20_000


def seconds(work) -> float:
    """Processor time of a call, whatever it raises."""
    began = time.process_time()
    with suppress(ValueError):
        work()
    return time.process_time() - began


def test_a_key_that_is_there_twice_is_named():
    with pytest.raises(ValueError, match='the key "b" twice'):
        json_value('{"a": 1, "b": 2, "b": 3, "a": 4}')
    assert json_value('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}') == {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}


@pytest.mark.parametrize("at", [0, MANY // 2, MANY - 1], ids=["first", "middle", "last"])
def test_many_keys_of_which_one_is_there_twice_are_read_in_one_pass(at):
    body = json.dumps({f"key_{n}": n for n in range(MANY)})[:-1] + f', "key_{at}": 1}}'
    assert seconds(lambda: json_value(body)) < 0.5


BODIES = {
    "keys": lambda n: json.dumps({f"k{i}": 0 for i in range(n)}),
    "digits": lambda n: "[" + "9" * n + "]",
    "digits behind the point": lambda n: "[0." + "1" * n + "]",
    "an exponent": lambda n: "[1e" + "1" * n + "]",
    "open brackets": lambda n: "[" * n,
    "nested lists": lambda n: "[" * n + "]" * n,
    "nested objects": lambda n: '{"a":' * n + "1" + "}" * n,
    "many empty lists": lambda n: "[" + "[]," * n + "[]]",
    "backslashes": lambda n: '"' + "\\\\" * n + '"',
    "half characters": lambda n: '"' + "\\ud800" * n + '"',
    "blanks": lambda n: " " * n + "1",
    "an open text": lambda n: '"' + "a" * n,
}


@pytest.mark.full
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_ten_times_the_body_takes_some_ten_times_as_long(body):
    small, large = body(20_000), body(200_000)
    # In turns, so that what else the machine does meets both.
    times = [(seconds(lambda: json_value(small)), seconds(lambda: json_value(large))) for _ in range(5)]
    first, tenfold = (min(column) for column in zip(*times, strict=True))
    assert tenfold < 40 * max(first, 0.002)


MANY_VALUES = {
    "empty lists": "[" + "[]," * MAX_VALUES + "[]]",
    "empty objects": "[" + "{}," * MAX_VALUES + "{}]",
    "numbers": "[" + "1," * MAX_VALUES + "1]",
    "empty texts": "[" + '"",' * MAX_VALUES + '""]',
    "keys": "{" + ",".join(f'"{n}":0' for n in range(MAX_VALUES)) + "}",
    "objects in each other": '{"":' * (MAX_VALUES + 1) + "0" + "}" * (MAX_VALUES + 1),
    "a text that ends behind a backslash": '["\\\\",' + "[]," * MAX_VALUES + "[]]",
    "a text without an end behind them": "[" + "[]," * MAX_VALUES + '"',
    "no list behind them": "[" + "[]," * MAX_VALUES + "\\",
}


@pytest.mark.parametrize("body", MANY_VALUES.values(), ids=MANY_VALUES)
def test_very_many_values_are_refused_before_any_is_made(body, monkeypatch):
    monkeypatch.setattr("web.api.parsers.json.loads", None)
    with pytest.raises(ManyValues, match="more than 200,000 values"):
        json_value(body)


def test_a_long_text_is_one_value_whatever_it_holds():
    text = '[{,]}"\\' * MAX_VALUES
    assert json_value(json.dumps({"text": text})) == {"text": text}
    assert json_value(json.dumps([0] * (MAX_VALUES - 2)))[-1] == 0


@pytest.mark.parametrize(
    ("body", "values"),
    [("[]", 2), ("[1, 2]", 3), ('{"a": [1], "b": {}}', 4), (r'["\\", "\"", ",[{"]', 4), ('"a,b"', 1)],
)
def test_values_are_counted_outside_of_texts(body, values):
    assert not holds_more_values(body.encode() + b" " * 100, values + 1)
    assert holds_more_values(body.encode() + b" " * 100, values - 1)
