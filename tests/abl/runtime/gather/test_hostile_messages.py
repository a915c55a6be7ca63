"""What a user says is read in time that grows with its length, whatever it is made of (docs/spec 07 §6, §9)."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abl.language import words_at
from abl.runtime.gather.corrections import CUES_IN_A_ROW, said_instead
from abl.runtime.turn.handlers import _in_order
from tests.abl.runtime.harness import session

# The cues of 07 §9 as one pattern, which is easy to read and takes cubic time.
PATTERN = re.compile(
    r"\b(?:actually|i meant|sorry|instead)\b[,:]?\s*(?P<rest>.+)|\bnot\s+(?P<old>.+?)\s+but\s+(?P<new>.+)"
    r"|\b(?:change|make|set)\s+(?P<name>.+?)\s+to\s+(?P<to>.+)|(?P<subject>.+?)\s+should be\s+(?P<be>.+)",
    re.IGNORECASE,
)
WORDS = [
    *("actually,", "sorry", "instead", "I", "meant", "not", "but", "change", "make", "set", "to", "should", "be"),
    *("day", "Friday", "3", "x"),
]


def by_pattern(message: str) -> str | None:
    cue = PATTERN.search(message)
    while cue is not None and cue["rest"] and (inner := PATTERN.search(cue["rest"])):
        cue = inner
    return None if cue is None else next(text for text in (cue["rest"], cue["new"], cue["to"], cue["be"]) if text)


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
@example("not to change day to Friday but Monday")
@example("sorry, the day should be Friday")
@example("Actually")
def test_a_correction_is_what_the_pattern_of_all_cues_finds(message):
    assert said_instead(message) == by_pattern(message)


def test_a_correction_ends_with_its_line_and_blanks_do_not_count():
    assert said_instead("hello\n change   the day \t to\u00a0 Friday \nthanks") == "Friday"
    assert said_instead("sorry " * (CUES_IN_A_ROW + 2) + "Friday").endswith("Friday")


@given(
    st.lists(st.sampled_from(["book", "a", "flight", "b"]), min_size=1, max_size=4),
    st.lists(st.sampled_from(["book", "Book", "a", "flight", "b", "abook", "-"]), max_size=8).map(" ".join),
)
def test_the_words_of_an_intent_stand_in_order(words, message):
    pattern = r"\b.*?\b".join(rf"\b{re.escape(word)}\b" for word in words)
    assert _in_order(words, message) == (re.search(pattern, message, re.IGNORECASE | re.DOTALL) is not None)


FIELDS = [word for word in words_at("field", "TYPE") if word not in ("enum", "pattern")]
ASKED = [
    "type: number",
    "type: number\n          list: true",
    "type: number\n          range: true",
    "preferences: true",
]


def agent(asked: str) -> str:
    """Fields of every type, and one that is asked for; an intent of many words, and corrections."""
    return (
        "FLOW:\n  entry_point: a\n  a:\n    REASONING: false\n    CORRECTIONS: true\n    GATHER:\n      fields:\n"
        + "".join(f"        - f_{kind}\n          type: {kind}\n          required: false\n" for kind in FIELDS)
        + f'        - last\n          {asked}\n          prompt: "Last?"\n'
        '    SUB_INTENTS:\n      - INTENT: a_a_a_a_a_a_b\n        RESPOND: "b"\n    THEN: COMPLETE\n'
    )


MESSAGES = {
    "blanks": lambda n: "a" + " " * n + "b",
    "lines": lambda n: "a" + "\n" * n + "b",
    "words of an intent": lambda n: "a " * (n // 2),
    "cues": lambda n: "sorry " * (n // 6),
    "half a pair": lambda n: "not a " * (n // 6),
    "half of another": lambda n: "change a " * (n // 9),
    "should": lambda n: "a should " * (n // 9),
    "digits": lambda n: "1" * n,
    "numbers": lambda n: "1 " * (n // 2),
    "commas": lambda n: "1," * (n // 2),
    "points": lambda n: "1." * (n // 2),
    "signs": lambda n: "+(" * (n // 2),
    "addresses": lambda n: "a@a." * (n // 4),
    "words of numbers": lambda n: "twenty-" * (n // 7),
    "days": lambda n: "in 1 " * (n // 5),
    "a field": lambda n: "f_string" + " " * n,
    "fields": lambda n: "f_string: " * (n // 10),
    "and": lambda n: "and" + " " * n + "and",
}


def seconds(asked: str, message: str) -> float:
    """Processor time of a turn with a message."""
    talk = session(agent(asked), variables={"f_string": "x"})
    assert talk.start().replies == ["Last?"]
    began = time.process_time()
    talk.say(message)
    return time.process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_ten_times_the_message_takes_some_ten_times_as_long(message):
    for asked in ASKED:
        times = [(seconds(asked, message(2_000)), seconds(asked, message(20_000))) for _ in range(2)]
        small, large = (min(column) for column in zip(*times, strict=True))
        assert large < 30 * max(small, 0.01), asked
