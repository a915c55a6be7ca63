"""Entries in brackets and braces mean in keyword form what the lines of the same mean (docs/spec 01 §4)."""

from __future__ import annotations

from pathlib import Path

from abl.syntax import parse
from tests.abl.syntax.dump import dump_document
from tests.every import every
from tests.reading import read_yaml

HEAD = 'AGENT: Desk\nGOAL: "Sell"\n'
CASES = read_yaml(Path(__file__).parent / "brackets.yaml")


@every((case["name"], (case["lines"], case["brackets"])) for case in CASES)
def test_brackets_give_the_tree_of_the_lines(lines: str, brackets: str) -> None:
    assert dump_document(parse(HEAD + brackets)) == dump_document(parse(HEAD + lines))
