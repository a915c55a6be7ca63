"""`abl.format_source`: the style of docs/reference/style.md; a text continues saying the same (docs/spec 12 §1)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abl import format_source, limits
from abl.editing.sameness import same_tree
from abl.syntax import parse
from tests.abl.edits import EXAMPLES, edits, generated

ROOT = Path(__file__).resolve().parents[3]
SEEDS = ROOT.parent / "shared" / "seeds"
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def holds(text: str) -> None:
    """All that is promised of the formatted text, whatever the text is."""
    formatted = format_source(text)
    assert format_source(formatted) == formatted
    assert same_tree(parse(text.removeprefix("\ufeff")), parse(formatted))
    assert comments(formatted) == comments(text)
    kept = text.removeprefix("\ufeff")  # what cannot be laid out without saying something else is given back so
    assert not re.search(r"[ \t\r]$", formatted, re.MULTILINE) or formatted == kept
    assert formatted.endswith("\n") or formatted in ("", kept)


def comments(text: str) -> Counter[str]:
    lines = (line.strip() for line in text.removeprefix("\ufeff").split("\n"))
    return Counter(line for line in lines if line.startswith("#"))


# Every text at hand ----------------------------------------------------------------------------------------------

CASES = sorted((ROOT / "tests/abl/analysis/cases").glob("*.yaml"))
RUNS = sorted((ROOT / "tests/abl/runtime").rglob("*.yaml"))
CORPUS = sorted((ROOT / "tests/abl/corpus").glob("*.txt"))


@pytest.mark.thorough
@pytest.mark.parametrize("path", [*CASES, *RUNS], ids=lambda path: path.stem)
def test_the_texts_of_a_case_file(path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        for text in texts_in(document):
            holds(text)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_texts_of_the_corpus(path: Path) -> None:
    for text in re.split(r"^[=-]{3,}.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        holds(text)


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*/*.abl")), ids=lambda path: path.name)
def test_the_examples_are_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_source(text) == text


@pytest.mark.slow
@pytest.mark.skipif(not SEEDS.exists(), reason="the reference documents are not at hand")
def test_the_samples_of_the_reference_documents() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*.txt"))]
    for text in texts:
        holds(text)
        for sample in FENCED.findall(text):
            holds(sample)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_edited_examples(seed: int) -> None:
    for number, text in enumerate(EXAMPLES):
        for edited in edits(text, 100 * seed + number, 6):
            holds(edited)


def test_a_text_that_would_say_something_else_without_its_first_line_is_given_back() -> None:
    assert format_source("\ufeff\n\ufeff") == "\n\ufeff"
    assert format_source("\ufeff\ufeffAGENT: A") == format_source("\ufeffAGENT: A\n") == "AGENT: A\n"


WORDS = [
    "MEMORY:", "session:", "- a", "-  b", "- WHEN:  x", "STORE : a -> user.b", "FLOW:", "s:", "SET:", "- b = {x: [1,",
    "2]}", "RESPOND: |", "text  ", "# note", "  # deep", "// x", "?? what", "\tTYPE: number", "type: number",
    "LIMITATIONS:", '- "x', "", "AGENT: A", "agent: a", "GOAL:x", "- REQUIRE a > 1", "ON_FAIL:  x", "\r", "\ufeff",
    "- - a", "-", "|", "[", "]", "'",
]  # fmt: skip
lines = st.tuples(st.integers(0, 9), st.sampled_from(WORDS))
documents = st.lists(lines, max_size=14).map(lambda rows: "\n".join(" " * indent + word for indent, word in rows))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
def test_any_arrangement_of_lines(text: str) -> None:
    holds(text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    holds(text)


def test_long_texts_are_formatted_and_those_beyond_the_limit_given_back() -> None:
    holds(generated(60))
    too_long = "# x \n" * (limits.MAX_SOURCE_CHARS // 5 + 1)
    assert format_source(too_long) is too_long


@pytest.mark.full
def test_hostile_texts() -> None:
    for text in (
        "SET:\n" + "".join("  " * i + f"k{i}:\n" for i in range(1, limits.MAX_BLOCK_DEPTH + 40)),
        "".join(" " * i + f"k{i}: [\n" for i in range(200)),
        random.Random(7).randbytes(20_000).decode("latin-1"),
        '"' + '\\"' * 2_000,
    ):
        holds(text)


# The style -------------------------------------------------------------------------------------------------------


def formatted(text: str) -> str:
    return format_source(dedent(text))


def test_indentation_spacing_and_blank_lines() -> None:
    assert formatted(
        """\


        AGENT :   Desk
        GOAL:"Lend books"
        MEMORY:

            session:
            -   loan_ids


            -  overdue_days
               TYPE :  number
               INITIAL:0

        CONSTRAINTS:
              lending:
                  - REQUIRE overdue_days < 1
                       ON_FAIL:
                            RESPOND: "No"

        """
    ) == dedent(
        """\
        AGENT: Desk
        GOAL: "Lend books"

        MEMORY:
          session:
            - loan_ids

            - overdue_days
              TYPE: number
              INITIAL: 0

        CONSTRAINTS:
          lending:
            - REQUIRE overdue_days < 1
              ON_FAIL:
                RESPOND: "No"
        """
    )


def test_tabs_carriage_returns_trailing_blanks_and_a_byte_order_mark_go() -> None:
    assert format_source("\ufeffMEMORY:\r\n\tsession:  \r\n\t\t- a\t\r\n\r\n") == "MEMORY:\n  session:\n    - a\n"


def test_comments_stay_with_what_they_are_about() -> None:
    assert formatted(
        """\
        # the file
        AGENT: Desk
        MEMORY:
            # of session
            session:
                # of a
                - a
                  # deep
                # end of session
            # end of memory
        # of the rules

        # more
        CONSTRAINTS:
            - REQUIRE a > 1
        # the end
        """
    ) == dedent(
        """\
        # the file
        AGENT: Desk

        MEMORY:
          # of session
          session:
            # of a
            - a
              # deep
            # end of session
          # end of memory

        # of the rules

        # more
        CONSTRAINTS:
          - REQUIRE a > 1
        # the end
        """
    )


def test_the_text_of_a_pipe_block_keeps_its_shape() -> None:
    text = "FLOW:\n     s:\n         RESPOND: |\n\n              One\n                # two  \n\n            three\n"
    text += "         THEN: s\n"
    assert format_source(text) == (
        "FLOW:\n  s:\n    RESPOND: |\n\n      One\n        # two\n\n      three\n    THEN: s\n"
    )


def test_lists_over_several_lines_move_with_their_key() -> None:
    assert formatted(
        """\
        SET:
              - b = {x: 1,   # why
                     # y
                     y: 2
                }
        """
    ) == dedent(
        """\
        SET:
          - b = {x: 1,   # why
                 # y
                 y: 2
            }
        """
    )


def test_the_yaml_form_has_the_same_layout() -> None:
    assert formatted(
        """\
        agent: desk
        goal: lend   # why
        memory:
            session:
            - a
            - {name: b,  type: number}
        constraints:
            lending:
            -   require: "a < 1"
                on_fail:
                    respond: "No"
        """
    ) == dedent(
        """\
        agent: desk
        goal: lend   # why

        memory:
          session:
            - a
            - {name: b,  type: number}

        constraints:
          lending:
            - require: "a < 1"
              on_fail:
                respond: "No"
        """
    )


def test_properties_get_the_case_of_their_form() -> None:
    assert format_source("MEMORY:\n  session:\n    - a\n      type: number\n") == (
        "MEMORY:\n  session:\n    - a\n      TYPE: number\n"
    )


def test_unreadable_lines_keep_their_characters_and_misplaced_ones_their_problem() -> None:
    text = "MEMORY:\n    session:\n        - a\n          TYPE: number\n         INITIAL: 0\n??  what :x\nFLOW:\n  s:\n"
    after = format_source(text)
    assert "\n??  what :x\n" in after
    codes = [finding.code for finding in parse(after).findings]
    assert codes == [finding.code for finding in parse(text).findings]
    assert "ABL108" in codes


def test_only_the_section_that_would_change_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from abl.editing import format as format_module

    def broken(document: object, care: list[int]) -> str:
        whole = laid_out(document, care)
        return whole.replace("- b", "- c") if care[1] == 0 else whole

    laid_out = format_module.laid_out
    monkeypatch.setattr(format_module, "laid_out", broken)
    assert format_source("TOOLS:\n    f(a: string)\nMEMORY:\n    session:\n      -   b\n") == (
        "TOOLS:\n  f(a: string)\n\nMEMORY:\n  session:\n    -   b\n"
    )


def test_parts_of_a_directive_list_are_not_set_apart() -> None:
    assert (
        format_source("SET:\n    a = 1\nRESPOND: |\n   x\nCOMPLETE:\n") == "SET:\n  a = 1\nRESPOND: |\n  x\nCOMPLETE:\n"
    )
