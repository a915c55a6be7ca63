"""What is asked about a place is answered from the words that are meant (docs/spec 05 §1, 12 §1), as in the check.

Every text is asked as it is written, and with the right words in place of the misspelt ones: the answers are the same.
"""

from __future__ import annotations

from typing import Any

import pytest

from abl.editing.completion.complete import complete
from abl.editing.hover import hover
from abl.editing.navigate import definition, references
from abl.editing.rename import rename

KEYWORD = "a.agent.abl"
YAML = "a.agent.yaml"
SLIPS = {
    "GAHTER": "GATHER", "MEMROY": "MEMORY", "sesion": "session", "INIITAL": "INITIAL", "ON_FIAL": "ON_FAIL",
    "REPSOND": "RESPOND", "TOLOS": "TOOLS", "descripton": "description", "FLWO": "FLOW", "PRIORTY": "PRIORITY",
    "HANDFOF": "HANDOFF", "purpsoe": "purpose", "CONSTRIANTS": "CONSTRAINTS", "COMPELTE": "COMPLETE",
    "gahter": "gather", "memroy": "memory", "iniital": "initial", "on_fial": "on_fail", "repsond": "respond",
    "tolos": "tools", "confrim": "confirm", "constriants": "constraints", "compelte": "complete", "promt": "prompt",
    "wehn": "when", "delgate": "delegate",
}  # fmt: skip
DESK = """\
AGENT: Desk
GOAL: "Lend books"
MEMROY:
  sesion:
    - member
      TYPE: boolean
      INIITAL: false
GAHTER:
  title:
    promt: "Which book?"
TOLOS:
  find(title: string) -> {id: string}
    descripton: "Finds"
CONSTRIANTS:
  - REQUIRE member == true
    ON_FIAL:
      REPSOND: "No, {{title}}."
COMPELTE:
  - WHEN: member == true
    REPSOND: "Bye."
"""
LIGHT = """\
agent: Desk
goal: "Lend books"
memroy:
  sesion:
    - name: member
      type: boolean
      iniital: false
gahter:
  - name: title
    promt: "Which book?"
tolos:
  - name: find
    confrim: always
    descripton: "Finds"
constriants:
  - require: member == true
    on_fial:
      repsond: "No, {{title}}."
delgate:
  - {agent: Books, wehn: member == true, input: {a: member}, returns: {b: c}}
compelte:
  - wehn: member == true
    repsond: "Bye."
"""
TEXTS = {KEYWORD: DESK, YAML: LIGHT}
Place = tuple[dict[str, str], str, int, int]


def right(text: str) -> str:
    for slip, word in SLIPS.items():
        text = text.replace(slip, word)
    return text


def at(path: str, text: str, mark: str, inside: int = 1) -> Place:
    """The place in a text where a piece of it stands."""
    before = text[: text.index(mark) + inside]
    return {path: text}, path, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def words(text: str, found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """The lines and texts of places."""
    lines = text.split("\n")
    places = [(one["range"]["start"], one["range"]["end"]) for one in found]
    return [(start["line"], lines[start["line"] - 1][start["column"] - 1 : end["column"] - 1]) for start, end in places]


def slips_of(path: str) -> list[str]:
    return [slip for slip in SLIPS if slip in TEXTS[path]]


@pytest.mark.parametrize("path", TEXTS)
def test_hover_tells_what_a_misspelt_key_means(path: str) -> None:
    text = TEXTS[path]
    for slip in slips_of(path):
        found, meant = hover(*at(path, text, slip)), hover(*at(path, right(text), SLIPS[slip]))
        assert found is not None, slip
        assert meant is not None, slip
        assert found["title"] == SLIPS[slip]
        assert found["text"] == f"`{slip}` is a misspelling of {SLIPS[slip]}.\n{meant['text']}"
        assert words(text, [found])[0][1] == slip


@pytest.mark.parametrize("path", TEXTS)
def test_hover_tells_what_stands_behind_and_below(path: str) -> None:
    text = TEXTS[path]
    for mark in ("ember", "itle", "oolean" if path == KEYWORD else "lways", "ind"):
        found, meant = hover(*at(path, text, mark, 0)), hover(*at(path, right(text), mark, 0))
        assert found is not None, mark
        assert meant is not None, mark
        assert (found["title"], found["text"]) == (meant["title"], meant["text"])
        assert words(text, [found]) == words(right(text), [meant])


@pytest.mark.parametrize("path", TEXTS)
def test_definition_and_references_know_names_below_misspelt_words(path: str) -> None:
    text = TEXTS[path]
    for name in ("member", "title", "find"):
        for ask in (definition, references):
            found = words(text, ask(*at(path, text, name)))
            assert found
            assert found == words(right(text), ask(*at(path, right(text), name)))
    assert len(references(*at(path, text, "member"))) > 2


@pytest.mark.parametrize("path", TEXTS)
def test_rename_reaches_names_below_misspelt_words(path: str) -> None:
    text = TEXTS[path]
    for name in ("member", "title"):
        found = rename(*at(path, text, name), "other")
        assert found["refused"] is None
        assert words(text, found["edits"][path]) == words(
            right(text), rename(*at(path, right(text), name), "other")["edits"][path]
        )


def test_names_are_known_in_other_documents_that_have_slips() -> None:
    first = 'AGENT: A\nGOAL: "g"\nMEMORY:\n  persistent:\n    - user.card\n      SCOPE: user\n'
    other = first.replace("AGENT: A", "AGENT: B").replace("MEMORY", "MEMROY")
    files = {"a.agent.abl": first, "b.agent.abl": other}
    found = references(files, "a.agent.abl", 5, 12)
    assert {place["path"] for place in found} == set(files)


OFFERS = {
    KEYWORD: [
        ('GAHTER:\n  title:\n    promt: "x"\n    |', "TYPE"),
        ("MEMROY:\n  |", "persistent"),
        ("MEMROY:\n  sesion:\n    - member\n      |", "INITIAL"),
        ("CONSTRIANTS:\n  - REQUIRE 1 == 1\n    ON_FIAL:\n      |", "COLLECT"),
        ("CONSTRIANTS:\n  - REQUIRE 1 == 1\n    ON_FIAL: |", "ESCALATE"),
        ("TOLOS:\n  t(a: string)\n    confrim: |", "always"),
        ("COMPELTE:\n  - WHEN: true\n    |", "RESPOND"),
        ("COMPELTE:\n  - WEHN: |", "turn_count"),
        ("HANDFOF:\n  - TO: B\n    |", "WHEN"),
    ],
    YAML: [
        ("gahter:\n  - name: title\n    |", "prompt"),
        ("memroy:\n  sesion:\n    - name: a\n      |", "initial"),
        ("constriants:\n  - require: 1 == 1\n    on_fial:\n      |", "collect"),
        ("tolos:\n  - name: t\n    confrim: |", "always"),
        ("delgate:\n  - {agent: B, |", "when"),
        ("delgate:\n  - {agent: B, wehn: |true}", "turn_count"),
        ("compelte:\n  - wehn: true\n    |", "respond"),
    ],
}


@pytest.mark.parametrize(("path", "text", "wanted"), [(p, *case) for p, cases in OFFERS.items() for case in cases])
def test_completion_offers_what_belongs_to_a_misspelt_key(path: str, text: str, wanted: str) -> None:
    head = 'AGENT: A\nGOAL: "g"\n' if path == KEYWORD else "agent: A\ngoal: g\n"

    def offered(written: str) -> list[dict[str, str]]:
        before, _, after = (head + written).partition("|")
        return complete(*at(path, before + after, before, len(before)))

    slips = {**SLIPS, "WEHN": "WHEN"}
    meant = text
    for slip, word in slips.items():
        meant = meant.replace(slip, word)
    found = offered(text)
    assert wanted.casefold() in {item["label"].casefold() for item in found}
    assert found == offered(meant)


def test_completion_leaves_the_word_that_is_typed_alone() -> None:
    text = 'AGENT: A\nGOAL: "g"\nGATHER:\n  title:\n    promtp: "x"\n'
    offers = complete({KEYWORD: text}, KEYWORD, 5, len("    prom") + 1)
    assert "prompt" in {item["label"].casefold() for item in offers}


def test_a_word_with_two_near_ones_is_read_as_neither() -> None:
    text = 'AGENT: Desk\nGOAL: "Lend"\nDELEGATE:\n  - AGENT: Books\n    COLOUR: "x"\n'
    assert hover(*at(KEYWORD, text, "COLOUR")) is None
