"""`abl.check` as a whole: order, suppression, selection, fragments, the index, and that no text makes it fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.analysis import RULES, UnknownCode, check, lookup
from abl.analysis.index.documents import document_index
from abl.analysis.registry import found, rule
from abl.source import Span

TTL = """\
MEMORY:
  remember:
    - WHEN: a IS SET
      STORE: a -> user.a
      TTL: {ttl}
"""
AGENT = 'AGENT: Desk\nGOAL: "Lend books"\n'


def codes(text: str, **options: list[str]) -> list[str]:
    return [d.code for d in check({"desk.agent.abl": text}, **options).diagnostics]


def test_diagnostics_come_in_order_of_path_then_position() -> None:
    bad = TTL.format(ttl='"1w"').replace("a IS SET", "a = 1")
    report = check({"b.abl": bad, "a.abl": bad}, select=["ABL202", "ABL346"])
    assert [(d.path, d.code) for d in report.diagnostics] == [
        ("a.abl", "ABL202"),
        ("a.abl", "ABL346"),
        ("b.abl", "ABL202"),
        ("b.abl", "ABL346"),
    ]


def test_a_comment_switches_a_code_off_for_the_next_meaningful_line() -> None:
    text = TTL.format(ttl="1w").replace("      TTL", "      # abl-ignore ABL346\n\n      # why: legacy\n      TTL")
    assert "ABL346" not in codes(text)
    assert "ABL346" in codes(text.replace("ABL346", "ABL345"))


def test_a_comment_may_name_several_codes_or_names() -> None:
    text = TTL.format(ttl="1w").replace("      TTL", "      # abl-ignore ABL202, bad-ttl\n      TTL")
    assert "ABL346" not in codes(text)


def test_a_comment_for_one_line_leaves_the_others_alone() -> None:
    text = "# abl-ignore ABL346\n" + TTL.format(ttl="1w")
    assert "ABL346" in codes(text)


def test_a_comment_switches_a_code_off_for_the_whole_file() -> None:
    assert "ABL346" not in codes(TTL.format(ttl="1w") + "\n# abl-ignore-file bad-ttl\n")


def test_an_ignore_comment_inside_a_text_block_is_text() -> None:
    text = f"{AGENT}PERSONA: |\n  # abl-ignore-file ABL122\n  Friendly\nVERSION: one\n"
    assert "ABL122" in codes(text)


def test_select_and_ignore_take_codes_names_and_families() -> None:
    bad = TTL.format(ttl="1w")
    assert codes(bad, select=["bad-ttl"]) == ["ABL346"]
    assert codes(bad, select=["ABL34x"], ignore=["ABL346"]) == [
        c for c in codes(bad, select=["ABL34x"]) if c != "ABL346"
    ]


def test_an_unknown_code_is_refused_with_suggestions() -> None:
    with pytest.raises(UnknownCode, match=r"`bad-ttll` is no diagnostic code or name\. Did you mean bad-ttl"):
        check({}, select=["bad-ttll"])


def test_a_fragment_is_not_told_what_only_the_rest_of_the_project_could_say() -> None:
    rule_ = 'CONSTRAINTS:\n  - REQUIRE loans < 3\n    ON_FAIL: "No {{name}}."\n'
    assert codes(rule_, select=["ABL214", "ABL253"]) == []
    assert codes(AGENT + rule_, select=["ABL214", "ABL253"]) == ["ABL214", "ABL253"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.abl", "EXECUTION:\n  max_iterations: 3\n"),
        ("a.abl", "# limits\n\nEXECUTION:\n  tool_timeout: 5000\nMEMORY:\n  session:\n    - topic\n"),
        ("a.agent.yaml", "execution:\n  max_iterations: 3\n"),
    ],
)
def test_a_text_that_begins_with_execution_is_a_fragment(path: str, text: str) -> None:
    assert codes_of(path, text) == []
    assert "ABL904" in codes_of(path, text.replace(": 3", ": three").replace("5000", "soon"))


def codes_of(path: str, text: str) -> list[str]:
    return [d.code for d in check({path: text}).diagnostics if d.severity == "error"]


def test_a_variable_of_the_platform_is_declared() -> None:
    text = (
        AGENT + 'CONSTRAINTS:\n  - REQUIRE conversation_summary IS SET\n    ON_FAIL: "No {{conversation_summary}}."\n'
    )
    assert codes(text, select=["ABL214", "ABL253", "ABL311"]) == []


def test_at_most_one_fix_of_a_diagnostic_is_preferred() -> None:
    text = AGENT + 'CONSTRAINTS:\n  - REQUIRE tier matches "gold" OR tier == null\n    ON_FAIL: "No."\n'
    for diagnostic in check({"desk.agent.abl": text}).diagnostics:
        assert sum(fix.preferred for fix in diagnostic.fixes) <= 1


def test_names_handed_over_by_another_agent_are_known() -> None:
    giver = 'AGENT: Giver\nGOAL: "x"\nHANDOFF:\n  - TO: Taker\n    WHEN: true\n    CONTEXT:\n      pass: [shelf]\n'
    taker = 'AGENT: Taker\nGOAL: "x"\nCOMPLETE:\n  - WHEN: shelf IS SET\n    RESPOND: "{{shelf}}"\n'
    both = check({"giver.abl": giver, "taker.abl": taker}, select=["ABL214", "ABL253"])
    assert both.diagnostics == ()
    alone = check({"taker.abl": taker}, select=["ABL214", "ABL253"])
    assert [d.code for d in alone.diagnostics] == ["ABL214", "ABL253"]


def test_an_unchanged_document_is_read_once() -> None:
    assert document_index("a.abl", AGENT) is document_index("a.abl", AGENT)
    first = check({"a.abl": AGENT}).index.documents["a.abl"]
    second = check({"a.abl": AGENT, "b.abl": AGENT.replace("Desk", "Other")}).index.documents["a.abl"]
    assert first is second


def test_a_code_or_a_name_cannot_be_registered_twice() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        rule("ABL346", "another-name", "error", "…")(lambda: None)
    with pytest.raises(ValueError, match="registered twice"):
        rule("ABL9999", "bad-ttl", "error", "…")(lambda: None)
    assert lookup("ABL9999") is None


def test_a_message_without_a_suggestion_asks_no_question() -> None:
    known = RULES["ABL501"]
    assert known.words({"s": "x", "y": ""}) == "Step `x` is not defined"
    assert known.words({"s": "x", "y": "z"}) == "Step `x` is not defined. Did you mean `z`?"


def test_names_are_kebab_case_and_codes_have_the_form_of_the_catalogue() -> None:
    for code, known in RULES.items():
        assert known.name == known.name.lower().replace("_", "-").replace(" ", "-")
        assert code.startswith("ABL")
        assert 100 <= int(code[3:]) < 1100


def test_found_keeps_what_it_is_given() -> None:
    problem = found(Span(1, 2), severity="hint", node="memory", n=3)
    assert (problem.span, problem.severity, problem.node, dict(problem.data)) == (
        Span(1, 2),
        "hint",
        "memory",
        {"n": 3},
    )


# No text makes it fail ------------------------------------------------------------------------------------------

PIECES = """\
AGENT: A
GOAL: x
MEMORY:
  session:
    - a
      TYPE: int
  persistent:
    - user.a
  remember:
    - WHEN: a IS SET
      STORE: {a: b} -> user.a
      TTL: 1w
  recall:
    - ON: session:start
CONSTRAINTS:
  - REQUIRE a < 1 < 2
    WHEN: "b"
    ON_FAIL:
      GOTO: s
      COLLECT: [a]
FLOW:
  s:
    REASONING: maybe
    THEN: s
    CALL: t(1, x: 2) AS r
    SET: a.b == 1
    ON_INPUT:
      - IF: input matches "["
      - ELSE:
    RESPOND: "{{#each a}}{{MASK(a, 'x')}
HANDOFF:
  - TO: B
    WHEN: "not now"
TOOLS:
  t(a?: string, a: {b: number}[]) -> {c: string}
GATHER:
  f:
    depends_on: [f]
\t- x
    |
"
-
# abl-ignore
TRANSFORM: a AS b INTO c
    FILTER: b >
\r
é{{\u2028}}
""".splitlines(keepends=True)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_mixture_of_lines_makes_it_fail(text: str) -> None:
    check_places(text)


@pytest.mark.full
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_it_fail(text: str) -> None:
    check_places(text)


def check_places(text: str) -> None:
    """Whatever is found in a text, alone and beside a copy, lies within it."""
    for files in ({"desk.agent.abl": text}, {"desk.agent.abl": text, "other.abl": text}):
        for diagnostic in check(files).diagnostics:
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
            for fix in diagnostic.fixes:
                assert all(0 <= edit.span.start <= edit.span.end <= len(text) for edit in fix.edits)
