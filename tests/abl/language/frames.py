"""A text for every key of the declaration that a text of the project holds, with room for another spelling there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from abl import parse
from abl.analysis.conformance.value_walk import Stood, below, digressions, properties, shared_by_tools, within
from abl.language import PLACES, Key, key_at
from abl.runtime.scenarios.files import Scenario
from abl.source import Source
from abl.syntax.nodes import Block, Document
from tests.abl.analysis.test_analysis_rules import ALL_CASES, files_of
from tests.abl.fuzz.corpus import ROOT, TEXTS
from tests.abl.language.spellings import LINES
from tests.abl.runtime.harness import load_cases, load_file
from tests.reading import read_yaml

_LONGEST = 6_000
"""Characters of a text that is taken: longer ones are cases of bounds."""


class Frame(NamedTuple):
    """A text with a property of a place; the scenario plays it where one is there."""

    place: str
    key: Key
    yaml: bool
    path: str
    files: Mapping[str, str]
    block: Block
    scenario: Scenario | None = None
    whole: bool = True
    beside: bool = False

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The better ones are greater: played, then of an agent, then short."""
        return self.scenario is not None, self.whole, -len(self.text)

    @property
    def text(self) -> str:
        """The text as it stands."""
        return self.files[self.path]

    @property
    def written(self) -> str:
        """The key as it stands, or as it is put beside another."""
        if self.beside:
            lower = self.yaml or PLACES[self.place].lower or self.key.name != self.key.name.upper()
            return self.key.name.lower() if lower and self.key.name.isupper() else self.key.name
        return self.text[slice(*self.block.key_span)]

    def with_value(self, value: str) -> Mapping[str, str]:
        """The project with another value behind the key."""
        return self._with(self.written, value)

    def with_key(self, key: str) -> Mapping[str, str]:
        """The project with the key in another spelling."""
        span = self.block.key_span
        return {**self.files, self.path: self.text[: span.start] + key + self.text[span.end :]}

    def with_both(self, key: str, value: str) -> Mapping[str, str]:
        """The project with the key in a spelling and a value behind it."""
        return self._with(key, value)

    def _with(self, key: str, value: str) -> Mapping[str, str]:
        start = self.block.key_span.start
        column = start - (self.text.rfind("\n", 0, start) + 1)
        if self.block.item:
            end = self.block.value.span.end if self.block.value is not None else self.block.line_span.end
        else:
            end = self.block.span.end
        own = f"{key}: {value}"
        if value.startswith(LINES):
            own = f"{key}:" + "".join(f"\n{' ' * (column + 2)}- {item}" for item in value.split(LINES)[1:])
        if self.beside:
            start, own = end, f"\n{' ' * column}{own}"
        return {**self.files, self.path: self.text[:start] + own + self.text[end:]}


def _projects() -> Iterator[tuple[Mapping[str, str], Scenario | None]]:
    """Everything that the tests of the language hold, what is played first."""
    played = [*load_cases()]
    for path in sorted((ROOT / "tests/abl/runtime/spec").glob("*.yaml")):
        played += load_file(path)
    yield from ((files, scenario) for _, files, scenario in played)
    yield from (({"desk.agent.abl": text}, None) for text in TEXTS)
    yield from ((files_of(case), None) for _, case in ALL_CASES)
    yield from (({"desk.agent.abl": case["fixed"]}, None) for _, case in ALL_CASES if "fixed" in case)
    yield from (({"desk.agent.abl": text}, None) for text in read_yaml(Path(__file__).parent / "frames.yaml"))


@cache
def frames() -> Mapping[tuple[str, str, bool], Frame]:
    """By place, key and form the shortest text that is played, else the shortest one."""
    found: dict[tuple[str, str, bool], Frame] = {}
    for files, scenario in _projects():
        for path, text in files.items():
            if len(text) > _LONGEST or not path.endswith((".abl", ".agent.yaml")):
                continue
            document = parse(text, path)
            for stood in _stood(document):
                key = key_at(stood.place, stood.block.key) if stood.listed else None
                if key is None or not _has_own_line(document.source, stood.block):
                    continue
                at = stood.place, key.name, document.yaml
                whole = bool(document.agents)
                frame = Frame(stood.place, key, document.yaml, path, files, stood.block, scenario, whole)
                if at not in found or frame.rank > found[at].rank:
                    found[at] = frame
    return {**dict(_beside(found)), **found}


def _beside(found: Mapping[tuple[str, str, bool], Frame]) -> Iterator[tuple[tuple[str, str, bool], Frame]]:
    """Keys that no text holds, beside the key of their place that the best text has."""
    best: dict[tuple[str, bool], Frame] = {}
    for (place, _, yaml), frame in found.items():
        there = best.get((place, yaml))
        if there is None or frame.rank > there.rank:
            best[place, yaml] = frame
    for (place, yaml), frame in best.items():
        for key in (*PLACES[place].listed, *(PLACES["binding"].listed if place == "tool" else ())):
            yield (place, key.name, yaml), frame._replace(key=key, beside=True)


def _stood(document: Document) -> Iterator[Stood]:
    source = document.source
    for whole in (*document.agents, *document.fragments):
        walks = [below(source, section.keyword, section.block) for section in whole.sections]
        walks += [shared_by_tools(source, s.block) for s in whole.sections if s.keyword == "TOOLS"]
        walks += [within(source, "tool", tool.block) for tool in whole.tools]
        if whole.flow is not None:
            walks += [within(source, "step", step.block) for step in whole.flow.steps]
            walks += [digressions(source, whole.flow.block)]
        for section in whole.sections:
            if section.keyword == "BEHAVIOR_PROFILE" and section.block is not None:
                walks.append(iter([("inline_profile", _lines(section.block))]))
        for walk in walks:
            yield from properties(walk)

    for section in document.profiles:
        if section.block is not None:
            yield from properties([("profile", _lines(section.block))])
            yield from properties(below(source, "BEHAVIOR_PROFILE", section.block))


def _lines(block: Block) -> tuple[Block, ...]:
    return tuple([child for child in block.children if child.colon])


def _has_own_line(source: Source, block: Block) -> bool:
    """True for a property that nothing stands before but a dash; its value may then be one of lines."""
    start = block.key_span.start
    before = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    key = source.text[slice(*block.key_span)]
    behind = source.text[block.key_span.end : block.key_span.end + 1]
    return before.strip() in ("", "-") and key == block.key and behind == ":"


def without_frame() -> set[tuple[str, str]]:
    """Declared keys of places of which no text holds any key in a line of its own."""
    reached = {(place, key) for place, key, _ in frames()}
    reached |= {("binding", key) for place, key in reached if place == "tool"}
    return {(place.name, key.name) for place in PLACES.values() for key in place.listed} - reached
