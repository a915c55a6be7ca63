"""One slip of the hand is one problem: a misspelt key is told once and read as meant (docs/spec 05 §1).

Made from the declaration: every key that a text of the corpus holds, in both forms. The problems of the text with one
letter dropped, doubled or swapped are those of the right text and the one about the spelling.
"""

from __future__ import annotations

import pytest

from abl import check
from abl.analysis.conformance import misspelt
from abl.language import PLACES
from abl.runtime.loading import refusing_problems
from tests.abl.language.slips import PATH, Written, follow_ups, problems, slips, spelling, written
from tests.every import each

BY_DESIGN = {
    ("destination", "when"): "the misspelling is a warning, what is missing then is an error, and stays one",
    ("agent", "BEHAVIOR_PROFILE"): "what follows is a document of its own, or sections of the one before",
}


def tried() -> list[tuple[Written, str, str]]:
    """Every key of the corpus with one of its slips each, and the right word."""
    found = []
    for number, one in enumerate(written()):
        right = one.text[slice(*one.span)]
        has_colon = one.text[one.span.end :].lstrip("\"' \t").startswith(":")
        if has_colon and (one.place, one.key) not in BY_DESIGN:
            wrong = [slip for slip in dict.fromkeys(slips(right)) if slip != right]
            found.append((one, wrong[number % len(wrong)], right))
    return found


def test_the_corpus_holds_most_keys_of_the_declaration() -> None:
    reached = {(one.place, one.key) for one in written() if one.place in PLACES}
    declared = {(place.name, key.name) for place in PLACES.values() for key in place.listed}
    assert len(reached & declared) > 850


@pytest.mark.slow
def test_a_misspelt_key_is_one_problem_beside_those_of_the_right_text() -> None:
    cases = [(one, wrong, told) for one, wrong, _ in tried() if (told := spelling(one, wrong)) is not None]
    assert len(cases) > 1_600
    nothing = {}, {}

    def only_that(one: Written, wrong: str, told: object) -> None:
        assert follow_ups(one, wrong, told) == nothing  # type: ignore[arg-type]

    each(((f"{one.place}.{one.key} as {wrong}", (one, wrong, told)) for one, wrong, told in cases), only_that)


NESTED = """AGENT: Desk
GOAL: "Lend books"
MEMROY:
  sesion:
    - member
      INIITAL: true
CONSTRAINTS:
  - REQUIRE member == true
    ON_FAIL: "{{member}}"
"""


def codes(text: str) -> list[str]:
    return [problem.code for problem in check({PATH: text}).diagnostics]


def test_what_a_misspelt_section_holds_is_read_too() -> None:
    right = NESTED.replace("MEMROY", "MEMORY").replace("sesion", "session").replace("INIITAL", "INITIAL")
    assert sorted(codes(NESTED)) == sorted([*codes(right), "ABL103", "ABL127", "ABL106"])


def test_a_document_is_read_again_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = NESTED.replace("member", "guest")  # no other test has read it
    monkeypatch.setattr(misspelt, "MAX_READINGS", 1)
    assert "ABL311" in codes(text)  # nothing gives the variable a value, as its misspelt key is not reached
    monkeypatch.undo()
    assert "ABL311" not in codes(text)


def test_a_misspelt_key_in_braces_is_read_as_meant() -> None:
    entry = '{agent: Books, wehn: fines > 2, purpose: "a", input: {a: fines}, returns: {b: c}}'
    text = f'agent: Desk\ngoal: "Lend"\ndelegate:\n  - {entry}\n'
    right = codes(text.replace("wehn", "when"))
    assert sorted(codes(text)) == sorted([*right, "ABL106"])


def test_a_closed_word_is_read_as_meant() -> None:
    text = 'AGENT: Desk\nGOAL: "Lend"\nMEMORY:\n  session:\n    - fines\n      TYPE: nubmer\n      INITIAL: "x"\n'
    assert [code for code in codes(text) if code not in codes(text.replace("nubmer", "number"))] == ["ABL233"]
    assert len(codes(text)) == len(codes(text.replace("nubmer", "number"))) + 1


def test_of_two_words_that_are_equally_near_none_is_read() -> None:
    text = 'AGENT: Desk\nGOAL: "Lend"\nDELEGATE:\n  - AGENT: Books\n    WHEN: true\n    {key}: "x"\n'
    assert codes(text.format(key="PURPOSE")) != codes(text.format(key="COLOUR"))


def test_what_is_misspelt_refuses_as_it_did() -> None:
    text = 'AGENT: Desk\nGOAL: "Lend"\nCONSTRAINTS:\n  - REQUIER turn_count < 3\n    ON_FAIL: "No."\n'
    assert [problem.code for problem in refusing_problems(problems(text))] == ["ABL401"]
    ignored = text.replace("  - REQ", "  # abl-ignore ABL401\n  - REQ")
    assert "ABL401" not in codes(ignored)


def test_a_fix_that_is_another_way_out_is_no_reading() -> None:
    text = 'AGENT: Desk\nGOAL: "Lend"\nFLOW:\n  greet:\n    REASONING: false\n    RESPOND: "Hello."\n    THEN: {to}\n'
    behind = '  ask:\n    REASONING: false\n    RESPOND: "Bye."\n    THEN: COMPLETE\n'
    assert codes(text.format(to="zzzzzz") + behind) == ["ABL501"]  # which may lead to the next step as to any
    assert "ABL504" in codes(text.format(to="COMPLETE") + behind)
