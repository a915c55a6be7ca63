"""Completion at every key of the corpus and the examples: what stood there is offered, what is offered is legal there
(docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest

from abl.analysis.check import check
from abl.editing.completion.complete import complete
from abl.editing.completion.values import KINDS
from abl.editing.place import Place, place_at, place_in_braces, read_line
from abl.language import PLACES, PROFILE_SECTIONS, SECTIONS, offered_keys, value_of
from abl.source import Source
from abl.syntax import vocabulary
from abl.syntax.recovery.suggest import closest
from tests.abl.syntax.test_corpus import cases

EXAMPLES = Path(__file__).parents[4] / "examples"
EVERY = 31
"""The quick run looks at each of so many places."""
KEY = re.compile(r"^(?P<lead>\s*(?:- +)?)(?P<key>[A-Za-z_][\w.]*(?: BEHAVIOR_PROFILE| INSTRUCTIONS)?)\s*:")

UNREACHED = ["binding", "list_item", "routed", "secure_cancel", "secure_collect"]
MORE = {"tool": frozenset().union(*vocabulary.BINDING_KEYS.values()), "rule": frozenset(vocabulary.RULE_KINDS)}
"""Keys that are offered in a place besides those of the table."""
NAMED = frozenset(
    {"", "set", "with", "map", "input", "returned", "rules", "flow", "tools", "gather", "state", "intents"}
)
"""Places whose keys are names of the author's, or of nobody."""
OTHER_WORDS = frozenset(
    (
        *(
            "MODE",
            "VALIDATION",
            "VALIDATE",
            "EVENT",
            "RETURN",
            "GRANT_MEMORY",
            "CALL_WITH",
            "INITIAL_VALUE",
            "MAX_SIZE",
        ),
        *(
            "DEFAULT_VALUE",
            "ON_FAILURE",
            "TO",
            "SUMMARY",
            "MSG",
            "SUBMITLABEL",
            "SUBMITID",
            "SKILL_TAGS",
            "ENUM_VALUES",
        ),
        *("PRIORITY_BOOST", "CANRESPONDDIRECTLY", "ALLOWEDDIRECTACTIONS", "FORBIDDENACTIONS", "SYNONYMS", "REASONING"),
        *("ON_START", "FILLER_TOOL_CALL_EN"),
    )
)
"""Other spellings, and what is deprecated: read, and not offered everywhere."""


class Spot(NamedTuple):
    """A key in a text: the lines, its number, what precedes it, the key, the place."""

    lines: list[str]
    number: int
    lead: str
    key: str
    place: Place

    def asked(self, written: str, *, keep: bool) -> list[dict[str, str]]:
        """What is offered where the line is written anew up to the cursor, in its own place or before it."""
        text = "\n".join([*self.lines[: self.number], written, *self.lines[self.number + (not keep) :]])
        return complete({"a.agent.abl": text}, "a.agent.abl", self.number + 1, len(written) + 1)


def texts() -> Iterator[str]:
    for case in cases():
        if not case.id.startswith("recovery"):
            yield case.values[0]
    for path in sorted(EXAMPLES.glob("*/*.agent.abl")):
        yield path.read_text(encoding="utf-8")


def spots() -> Iterator[Spot]:
    for text in texts():
        source, lines, pipe = Source(text), text.split("\n"), -1
        for number, line in enumerate(lines):
            indent = len(line) - len(line.lstrip())
            if pipe >= 0 and (not line.strip() or indent > pipe):
                continue
            pipe = indent if line.rstrip().endswith("|") else -1
            match = KEY.match(line)
            if match is not None:
                here = read_line(match["lead"])
                place = place_at(source, number + 1, here.indent, here.item)
                yield Spot(lines, number, match["lead"], match["key"], place)


def not_offered(spot: Spot) -> str:
    offered = {item["label"].upper() for item in spot.asked(spot.lead, keep=False)}
    return "" if spot.key.upper() in offered else f"{spot.place.block}: {spot.lines[spot.number]}"


def is_expected(spot: Spot) -> bool:
    """False for names of the author's, other spellings, and slips that the corpus makes on purpose."""
    known = {key.upper() for place in PLACES for key in offered_keys(place)}.union(*MORE.values())
    block = spot.place.block
    if (
        is_repeated(spot)
        or block in NAMED
        or spot.place.named
        or spot.key.upper() in OTHER_WORDS
        or spot.key.upper() not in known
        or (block == "rule" and spot.key.upper() == "SEVERITY" and not spot.lines[0][:1].islower())  # WARN says it
    ):
        return False
    legal = {key.upper() for key in offered_keys(block)} | MORE.get(block, frozenset())
    return spot.key.upper().replace("VOICE_", "VOICE ") in legal


def is_repeated(spot: Spot) -> bool:
    """True for a key that its entry has twice, also where one of them is misspelt and read as meant."""
    if "-" in spot.lead:
        return False
    keys = {line.partition(":")[0].strip() for line in spot.lines}
    slips = [key for key in keys if closest(key.upper(), (spot.key.upper(),))]
    same = re.compile(rf"{re.escape(spot.lead)}(?:{'|'.join(map(re.escape, (spot.key, *slips)))})\s*:", re.IGNORECASE)
    above = reversed(spot.lines[: spot.number])
    below = iter(spot.lines[spot.number + 1 :])
    return any(
        bool(same.match(line))
        for lines in (above, below)
        for line in takewhile(lambda line: len(line) - len(line.lstrip()) >= len(spot.lead), lines)
    )


def expected() -> list[Spot]:
    return [spot for spot in spots() if spot.place.block != "agent" and is_expected(spot)]


@pytest.mark.full
def test_a_key_is_offered_where_one_stood() -> None:
    assert [missing for spot in expected()[::EVERY] if (missing := not_offered(spot))] == []


@pytest.mark.thorough
def test_every_key_is_offered_where_it_stood() -> None:
    assert [missing for spot in expected() if (missing := not_offered(spot))] == []


@pytest.mark.full
def test_the_table_knows_nearly_every_key_of_the_corpus() -> None:
    """Keys that no place lists are names, other spellings, or one of the slips that the corpus makes on purpose."""
    every = [spot for spot in spots() if spot.place.block not in {*NAMED, "agent"} and not spot.place.named]
    unknown = Counter(spot.key for spot in every if not is_expected(spot) and spot.key.upper() not in OTHER_WORDS)
    slips = {"ON_FIAL", "TPYE", "NMAE", "RESPNOD", "RESPOOND", "HSITORY", "sesion", "promt"}
    assert len(every) > 2_000
    assert sum(unknown.values()) - sum(unknown[slip] for slip in slips) < len(every) / 20, unknown.most_common(20)


def in_braces() -> Iterator[str]:
    """The places of the maps in braces."""
    for text in texts():
        source = Source(text)
        for number, line in enumerate(text.split("\n"), 1):
            for brace in re.finditer(r"(?<!\{)\{(?!\{)", line):
                found = place_in_braces(source, number, line[: brace.end()])
                yield found[0].block if found is not None else ""


@pytest.mark.full
def test_the_corpus_reaches_every_place_of_the_table_but_a_few() -> None:
    reached = {spot.place.block for spot in spots()} | set(in_braces())
    assert (
        sorted(name for name, place in PLACES.items() if (place.listed or place.others) and name not in reached)
        == UNREACHED
    )


# what is offered -------------------------------------------------------------------------------------------------

LEGAL = frozenset({"ABL105", "ABL106", "ABL107", "ABL115", "ABL122", "ABL123"})
"""Twice, unknown, twice in an entry, a condition out of place, and words in the wrong case."""


def one_for_each_place() -> list[Spot]:
    found: dict[tuple[object, ...], Spot] = {}
    for spot in spots():
        yaml = spot.lines[0][:1].islower()
        if spot.place.block and spot.place.block != "agent" and spot.lines[0][:1].isalpha():
            found.setdefault((spot.place.block, spot.place.item, yaml, spot.place.root), spot)
    return list(found.values())


def codes(lines: list[str]) -> Counter[str]:
    return Counter(problem.code for problem in check({"a.agent.abl": "\n".join(lines)}).diagnostics)


def illegal(spot: Spot) -> list[str]:
    """The keys that are offered before a key and may not be there."""
    before = codes(spot.lines)
    found = []
    for item in spot.asked(spot.lead, keep=True):
        if item["kind"] in ("key", "snippet"):
            written = item["insert"] + (" x" if item["insert"].endswith(":") else "x" * item["insert"].endswith(": "))
            lines = [*spot.lines[: spot.number], spot.lead + written, *spot.lines[spot.number :]]
            found += [f"{code}: {spot.lead}{written}" for code in codes(lines) - before if code in LEGAL]
    return found


@pytest.mark.full
def test_what_is_offered_at_a_place_is_legal_there() -> None:
    assert [wrong for spot in one_for_each_place()[::EVERY] for wrong in illegal(spot)] == []


@pytest.mark.thorough
def test_what_is_offered_at_every_place_is_legal_there() -> None:
    assert [wrong for spot in one_for_each_place() for wrong in illegal(spot)] == []


# the table -------------------------------------------------------------------------------------------------------


def test_the_values_of_the_table_name_places_that_there_are() -> None:
    keys = [*SECTIONS.values(), *PROFILE_SECTIONS.values(), *(key for place in PLACES.values() for key in place.listed)]
    types = [key.type for key in keys] + [place.others for place in PLACES.values() if place.others is not None]
    for type_ in types:
        read = value_of(type_)
        for below in (*read.maps, *read.lists, *read.named_lists, *read.named_maps):
            assert below in PLACES, below
        assert set(read.kinds) <= set(KINDS), read
