"""Collecting fields against docs/spec 07: cases of spec/gather.yaml, and the types, rules and shapes as tables."""

import pytest

from tests.abl.runtime.harness import assert_case, events_of, session, spec_cases


@spec_cases("gather")
def test_a_sentence_of_the_gather_chapter(files, scenario):
    assert_case(files, scenario)


def field(properties, more=""):
    """A flow that asks one field ``f``, whose properties stand one per line."""
    lines = "\n".join(f"        {line}" for line in ('prompt: "F?"\n' + properties).strip("\n").splitlines())
    return (
        f"FLOW:\n  steps: [a]\n  a:\n    REASONING: false\n    GATHER:\n      - f: required\n{lines}\n{more}"
        '    RESPOND: "done"\n    THEN: COMPLETE\n'
    )


@pytest.mark.parametrize(
    ("properties", "message", "value"),
    [
        ("type: string", "  Hello World ", "Hello World"),
        ("type: number", "forty-two", 42),
        ("type: number", "it costs 1,234.50 now", 1234.5),
        ("type: number", "-7", -7),
        ("type: integer", "12", 12),
        ("type: float", "2.5", 2.5),
        ("type: currency", "€ 20", 20),
        ("type: boolean", "Sure", True),
        ("type: boolean", "nope", False),
        ("type: date", "2026-04-05", "2026-04-05"),
        ("type: date", "5 April 2026", "2026-04-05"),
        ("type: date", "today", "2026-03-01"),
        ("type: date", "yesterday", "2026-02-28"),
        ("type: date", "in 2 weeks", "2026-03-15"),
        ("type: email", "mail me at Ann@Example.ORG please", "Ann@example.org"),
        ("type: enum\noptions: [red, dark blue]", "the Dark Blue one", "dark blue"),
        ("type: enum\noptions: [red, green]", "gr", "green"),
        ("type: enum\nvalidate: enum(red, green)", "GREEN", "green"),
        ("type: pattern\nextraction_pattern: '[A-Z]{2}[0-9]+'", "number AB12, please", "AB12"),
        ("type: pattern\nextraction_pattern: 'id ([0-9]+)'\nextraction_group: 1", "my id 77", "77"),
        ("type: number\nlist: true", "1, 2 and 3", [1, 2, 3]),
        ("list: true", "none", []),
        ("type: number\nrange: true", "100 to 200", {"low": 100, "high": 200}),
        ("type: number\nrange: true", "under 200", {"low": None, "high": 200}),
        ("type: location", "Oslo", "Oslo"),
        ("type: string", "f: pair", "pair"),
        ("type: string", "f = pair", "pair"),
        ("type: number\nvalidate: min(5)", "5", 5),
        ("type: number\nvalidate: max(5)", "5", 5),
        ("type: number\nvalidate: min(5) AND max(6)", "6", 6),
        ("type: number\nrange: true\nvalidate: min(5), max(9)", "5 to 9", {"low": 5, "high": 9}),
        ("type: number\nrange: true\nvalidate: max(200)", "under 200", {"low": None, "high": 200}),
        ("type: number\nlist: true\nvalidate: min(1)", "1, 9", [1, 9]),
        ('type: number\nvalidate:\n  type: range\n  rule: "-5-10"', "-5", -5),
        ('type: number\nvalidate:\n  type: range\n  rule: "-5-10"', "10", 10),
        ('type: number\nvalidate:\n  type: range\n  rule: "1-10"', "1", 1),
        ('validate:\n  type: enum\n  rule: "a, b"', "B", "B"),
        ('type: enum\nvalidate:\n  type: enum\n  rule: "red, green"', "gr", "green"),
        ('validate:\n  type: pattern\n  rule: "^a+$"', "aa", "aa"),
        ('validate:\n  type: custom\n  rule: "LENGTH(f) == 2"', "ab", "ab"),
        ('validate:\n  type: llm\n  rule: "LENGTH(f) == 2"', "abc", "abc"),
        ("validate: /^a+$/\nvalidation_process: REGEX", "aa", "aa"),
        ('validate: "is it nice"\nvalidation_process: LLM', "no", "no"),
        ("type: date\nsemantics:\n  temporal: future", "2026-03-01", "2026-03-01"),
        ("type: date\nsemantics:\n  temporal: past", "2026-03-01", "2026-03-01"),
        ("type: date\nsemantics:\n  temporal: any", "2020-01-01", "2020-01-01"),
        ("type: datetime\nsemantics:\n  temporal: past", "2026-03-01 08:00", "2026-03-01T08:00:00Z"),
        ("type: datetime\nsemantics:\n  temporal: future", "2026-03-01 08:00", "2026-03-01T08:00:00Z"),
    ],
)
def test_07_3_and_8_what_a_type_recognises_and_stores(properties, message, value):
    run = session(field(properties))
    run.start()
    turn = run.say(message)
    assert run.value("f") == value
    assert turn.replies == ["done"]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("type: number", "many"), ("type: integer", "2.5"), ("type: boolean", "blue"), ("type: date", "soon"),
        ("type: email", "nobody"), ("type: phone", "12"), ("type: enum\noptions: [red, green]", "blue"),
        ("type: pattern\nextraction_pattern: '[A-Z]{2}[0-9]+'", "ab12"), ("type: number\nvalidate: min(5)", "4"),
        ("type: number\nvalidate: max(5)", "6"), ("validate: pattern(^a+$)", "b"), ("validate: value != \"no\"", "no"),
        ("type: number\nlist: true\nvalidate: max(5)", "1, 9"), ("validate: enum(a, b)", "c"),
        ("type: number\nrange: true\nvalidate: min(5)", "1 to 9"),
        ("type: number\nrange: true\nvalidate: max(5)", "1 to 9"),
        ("type: number\nrange: true\nvalidate: max(199)", "under 200"),
        ("type: number\nlist: true\nvalidate: min(2)", "1, 9"),
        ("type: number\nvalidate: min(5) AND max(6)", "7"), ("type: number\nvalidate: min(5), max(6)", "4"),
        ('type: number\nvalidate:\n  type: range\n  rule: "-5-10"', "-6"),
        ('type: number\nvalidate:\n  type: range\n  rule: "-5-10"', "11"),
        ('type: number\nvalidate:\n  type: range\n  rule: "1-10"', "0"),
        ('validate:\n  type: enum\n  rule: "a, b"', "c"), ('validate:\n  type: pattern\n  rule: "^a+$"', "ab"),
        ('validate:\n  type: custom\n  rule: "LENGTH(f) == 2"', "abc"),
        ("validate: /^a+$/\nvalidation_process: REGEX", "ab"), ("validate: ^a+$\nvalidation_process: REGEX", "ab"),
        ("type: date\nsemantics:\n  temporal: future", "2026-02-28"),
        ("type: date\nsemantics:\n  temporal: past", "2026-03-02"),
    ],
)  # fmt: skip
def test_07_4_a_value_that_does_not_fit_is_rejected_and_counted(properties, message):
    run = session(field(properties + '\nretry_prompt: "Again?"'))
    run.start()
    turn = run.say(message)
    assert (turn.replies, turn.waiting, run.value("f")) == (["Again?"], "gather", None)
    assert run.value("_validation_retries") == {"f": 1}
    assert events_of(turn, "gather.rejected")[0]["field"] == "f"


def test_07_5_a_span_is_used_once_and_a_hint_beats_the_order():
    more = "      - g: required\n        type: number\n        prompt: G?\n        extraction_hints: [guests]\n"
    run = session(field("type: number", more))
    run.start()
    turn = run.say("3 guests and 4 else")
    assert (run.value("f"), run.value("g")) == (4, 3)
    assert turn.replies == ["done"]


def test_07_5_digits_inside_a_word_are_no_number():
    more = '      - g: required\n        type: number\n        prompt: "G?"\n'
    run = session(field("type: string", more))
    run.start()
    turn = run.say("abCD-9876")
    assert (run.value("f"), run.value("g"), turn.replies) == ("abCD-9876", None, ["G?"])
    run.say("10-12")
    assert run.value("g") == 10


def test_07_4_retry_counters_reset_when_the_flow_moves_on():
    other = """  b:
    REASONING: false
    GATHER:
      - g: required
        type: number
        prompt: "G?"
    THEN: COMPLETE
"""
    run = session(field("type: number").replace("THEN: COMPLETE", "THEN: b").replace("[a]", "[a, b]") + other)
    run.start()
    run.say("hm")
    assert run.value("_validation_retries") == {"f": 1}
    run.say("4")
    assert not run.value("_validation_retries")


@pytest.mark.parametrize(
    ("message", "state"),
    [
        ("actually 5", {"f": 5}), ("f should be 6", {"f": 6}), ("change f to 7", {"f": 7}), ("f: 8", {"f": 8}),
        ("sorry, 9", {"f": 9}), ("not 4 but 10", {"f": 10}), ("actually change f to 11", {"f": 11}),
        ("blue", {"f": 4, "note": "blue"}),
    ],
)  # fmt: skip
def test_07_9_cues_correct_a_field_only_with_corrections(message, state):
    more = '      - note: required\n        prompt: "Note?"\n      - last: required\n        prompt: "Last?"\n'
    run = session(field("type: number", more + "    CORRECTIONS: true\n"))
    run.start()
    run.say("4")
    turn = run.say(message)
    assert {name: run.value(name) for name in state} == state
    assert bool(events_of(turn, "gather.corrected")) == (message != "blue")
    plain = session(field("type: number", more))
    plain.start()
    plain.say("4")
    plain.say(message)
    assert plain.value("f") == 4


def test_07_5_set_counts_as_system_for_satisfied_by():
    for allowed, replies in (("user_input", ["F?"]), ("system", ["done"]), ("user_input, system", ["done"])):
        run = session(field(f"satisfied_by: [{allowed}]"), variables={"f": "given"})
        assert run.start().replies == replies


def test_07_6_a_default_is_applied_last_and_never_prompted_wherever_it_stands():
    more = '      - g: required\n        prompt: "G?"\n'
    run = session(field("default: d", more))
    assert run.start().replies == ["G?"]
    assert run.value("f") is None
    turn = run.say("x")
    assert (run.value("f"), run.value("g"), turn.replies) == ("d", "x", ["done"])
    assert [d["field"] for d in events_of(turn, "gather.default")] == ["f"]
