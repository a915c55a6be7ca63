"""No text makes the parser raise or take long; every bound is reached by a test (docs/spec 01 §10)."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abl import limits
from abl.syntax import nodes, parse

WORDS = [
    "MEMORY:", "session:", "persistent:", "remember:", "recall:", "CONSTRAINTS:", "FLOW:", "steps:", "TOOLS:",
    "GATHER:", "AGENT: A", "- REQUIRE a", "- a", "- WHEN: x", "STORE: a -> user.b", "TTL: 1d", "ON_FAIL:",
    "ON_FAIL: HANDOFF X", "SET:", "SET: a = 1", "- b = 2", "TRANSFORM: a AS b INTO c", "CALL: f(", "WITH:",
    "ON_INPUT:", "- IF: a", "- ELSE:", "RESPOND: |", "THEN: s", "REASONING: false", "s:",
    "f(a: string) -> {b: {c: d}[]}", "PATHS: [a,", "]", "{a: 1}", "# note", "// note", '"open', "'", "->", "-",
    "|", "a # b", "😀:", "BEFORE", "WHEN", "\t", "\r", "\x00", "\u2028",
]  # fmt: skip

lines = st.tuples(st.integers(0, 6), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
documents = st.lists(lines, max_size=14).map(
    lambda rows: "\n".join(" " * (2 * indent) + " ".join(words) for indent, words in rows)
)


def check_tree(text: str) -> nodes.Document:
    document = parse(text)
    for finding in document.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        for fix in finding.fixes:
            assert all(0 <= edit.span.start <= edit.span.end <= len(text) for edit in fix.edits)
    for root in document.blocks:
        for block in root.walk():
            for child in block.children:
                assert block.span.start <= child.span.start <= child.span.end <= block.span.end
            if block.value is not None and block.value.style != "pipe":
                assert text[slice(*block.value.inner)] == block.value.raw
    return document


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
def test_no_arrangement_of_lines_raises(text: str) -> None:
    check_tree(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    check_tree(text)


def timed(text: str) -> tuple[nodes.Document, float]:
    start = time.process_time()
    document = parse(text)
    return document, time.process_time() - start


HOSTILE = {
    "a megabyte of random bytes": random.Random(7).randbytes(1_000_000).decode("latin-1"),
    "an unclosed quote on line 1": '"AGENT: A\n' + "GOAL: y\n" * 2_000,
    "ten thousand open brackets": "MEMORY:\n  session:\n    - a\n      INITIAL: " + "[" * 10_000,
    "ten thousand nested types": "AGENT: A\nTOOLS:\n  f(a: " + "{a:" * 10_000 + "}" * 10_000 + ")\n",
    "a condition of 100,000 characters": "- REQUIRE " + "a AND " * 16_000 + "b\n",
    "quotes escaped without end": 'RESPOND: "' + '\\"' * 50_000,
    "an open bracket on every deeper line": "".join(" " * i + f"k{i}: [\n" for i in range(1_500)),
    "sections over and over": "MEMORY:\n" * 5_000,
    "one chain of arrows": "FLOW:\n  " + "a -> " * 20_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_gives_findings_within_a_second(name: str) -> None:
    document, seconds = timed(HOSTILE[name])
    assert seconds < 2.0  # one second on a quiet machine
    assert len(document.findings) <= limits.MAX_PARSER_FINDINGS
    assert document.findings or name in ("a condition of 100,000 characters", "one chain of arrows")


@pytest.mark.slow
def test_parsing_grows_linearly() -> None:
    unit = "    - var_%d\n      TYPE: number\n      INITIAL: [1, 2]\n"
    small = "MEMORY:\n  session:\n" + "".join(unit % i for i in range(300))
    large = "MEMORY:\n  session:\n" + "".join(unit % i for i in range(3_000))
    few = min(timed(small)[1] for _ in range(5))
    many = min(timed(large)[1] for _ in range(3))
    assert many < 25 * few


def test_documents_of_a_file_are_read_up_to_a_number_and_it_says_so() -> None:
    document = parse("AGENT: A\n" * (limits.MAX_DOCUMENTS + 5))
    assert len(document.agents) == limits.MAX_DOCUMENTS
    assert [str(limits.MAX_DOCUMENTS) in f.data["reason"] for f in document.findings if f.code == "ABL125"] == [True]
    assert len(document.blocks) == limits.MAX_DOCUMENTS + 5


@pytest.mark.slow
@pytest.mark.parametrize("line", ["MEMORY: x\n", "UNHEARD_OF: x\n", "FLOW: a -> b\n", "BEHAVIOR_PROFILE: x\n"])
def test_sections_of_one_line_grow_linearly(line: str) -> None:
    few = min(timed(line * 2_000)[1] for _ in range(3))
    many = timed(line * 40_000)[1]
    assert many < 60 * few


@pytest.mark.slow
def test_a_file_is_read_up_to_the_size_limit_and_says_so() -> None:
    text = "AGENT: A\n" + "# filler\n" * (limits.MAX_SOURCE_CHARS // 9) + 'GOAL: "never read"\n'
    document = parse(text)
    assert document.agents[0].goal is None
    assert [f.code for f in document.findings] == ["ABL125"]
    assert str(limits.MAX_SOURCE_CHARS) in document.findings[0].data["reason"]


def test_blocks_nest_up_to_the_depth_limit() -> None:
    text = "SET:\n" + "".join("  " * i + f"k{i}:\n" for i in range(1, limits.MAX_BLOCK_DEPTH + 40))
    document = parse(text)

    def depth(block: nodes.Block) -> int:
        return 1 + max((depth(child) for child in block.children), default=0)

    assert depth(document.blocks[0]) == limits.MAX_BLOCK_DEPTH
    assert "ABL125" in {f.code for f in document.findings}


def test_values_nest_up_to_the_depth_limit() -> None:
    def initial(depth: int) -> nodes.Document:
        return parse("MEMORY:\n  session:\n    - a\n      INITIAL: " + "[" * depth + "]" * depth + "\n")

    assert initial(limits.MAX_VALUE_DEPTH).findings == ()
    (finding,) = initial(limits.MAX_VALUE_DEPTH + 1).findings
    assert finding.code == "ABL125"


def test_findings_stop_at_the_limit() -> None:
    assert len(parse("?\n" * (limits.MAX_PARSER_FINDINGS + 500)).findings) == limits.MAX_PARSER_FINDINGS
