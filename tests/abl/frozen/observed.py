"""What the language says of a corpus, put down so that any difference shows: `scripts/frozen.py` compares it.

The corpus: the examples, the parser's corpus, every case of a diagnostic, every case of the runtime, and generated
agents. Of each text six things are kept: tokens, diagnostics with their fixes, hover, completion, formatting, and what
happens when it runs.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import abl
from abl.analysis.reporting.render import diagnostic_dict
from abl.runtime.events.reading import without_durations
from abl.runtime.scenarios.files import Scenario, ScenarioError, read_scenario
from abl.runtime.scenarios.player import run_scenario
from abl.source import Source
from tests.abl.analysis.test_analysis_rules import ALL_CASES, files_of
from tests.abl.fuzz.corpus import ROOT, TEXTS
from tests.abl.fuzz.documents import document
from tests.abl.runtime.harness import load_cases, load_file

GENERATED: Final = 150
LONGEST: Final = 20_000
"""Characters; the few longer texts are cases of bounds, of which the diagnostics are kept."""
EVERY_LINE: Final = 5
"""Completion is asked for at one line of so many."""
ASPECTS: Final = ("tokens", "diagnostics", "hover", "completion", "format", "events")


class Frozen(NamedTuple):
    """A project of the corpus: its files, of which the first is looked at, and how it is played, if it is."""

    name: str
    files: Mapping[str, str]
    scenario: Scenario | None = None


def corpus() -> Iterator[Frozen]:
    """Every text, in an order that does not change."""
    for at, text in enumerate(TEXTS):
        yield Frozen(f"text-{at}", {"desk.agent.abl": text})
    for code, case in ALL_CASES:
        yield Frozen(_name(code, case["name"]), files_of(case))
    played = [*load_cases()]
    for path in sorted((ROOT / "tests/abl/runtime/spec").glob("*.yaml")):
        played += load_file(path)
    for name, files, scenario in played:
        yield Frozen(_name("run", name), files, scenario)
    for folder in sorted((ROOT / "examples").iterdir()):
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.abl"))}
        for path in sorted(folder.glob("*.scenario.yaml")):
            yield Frozen(f"example-{folder.name}-{path.name}", files, _scenario(path.read_text(encoding="utf-8")))
    for number in range(GENERATED):
        yield Frozen(f"generated-{number}", {"desk.agent.abl": document(random.Random(number))})


def _name(kind: str, words: str) -> str:
    """The name of a text that stays when others come before it, in one word."""
    return f"{kind}-{re.sub(r'[^A-Za-z0-9.]+', '-', words).strip('-').lower()}"


def _scenario(text: str) -> Scenario | None:
    try:
        return read_scenario(text)
    except ScenarioError:
        return None


def tokens(frozen: Frozen, path: str, text: str) -> Any:
    """Ranges and kinds."""
    return [tuple(token) for token in abl.tokens(text)]


def diagnostics(frozen: Frozen, path: str, text: str) -> Any:
    """Everything that is told, with its fixes."""
    report = abl.check(dict(frozen.files))
    sources = report.index.sources
    return [diagnostic_dict(found, sources) for found in report.diagnostics]


def hover(frozen: Frozen, path: str, text: str) -> Any:
    """What is said at every place where a word begins."""
    source = Source(text, path)
    said = []
    for at in range(1, len(text)):
        if text[at].isalpha() and not (text[at - 1].isalnum() or text[at - 1] in "_."):
            found = abl.hover(frozen.files, path, *source.position(at))
            if found:
                said.append((at, str(found)))
    return said


def completion(frozen: Frozen, path: str, text: str) -> Any:
    """What is offered behind the indentation, behind the colon and at the end of some lines."""
    source = Source(text, path)
    offered = []
    for number in range(1, len(source.line_starts) + 1, EVERY_LINE):
        start, line = source.line_starts[number - 1], source.line_text(number)
        places = {len(line) - len(line.lstrip()), line.find(":") + 2 if ":" in line else len(line), len(line)}
        for column in sorted(place for place in places if place <= len(line)):
            items = abl.complete(frozen.files, path, *source.position(start + column))
            offered.append((start + column, [str(item) for item in items]))
    return offered


def formatting(frozen: Frozen, path: str, text: str) -> Any:
    """The text as the formatter writes it."""
    return abl.format_source(text)


def events(frozen: Frozen, path: str, text: str) -> Any:
    """What happens in its scenario, without how long it takes."""
    if frozen.scenario is None:
        return None
    played = run_scenario(frozen.scenario, frozen.files)
    return [[str(failure) for failure in played.failures], without_durations(played.events)]


_OBSERVERS: Final[Mapping[str, Callable[[Frozen, str, str], Any]]] = dict(
    zip(ASPECTS, (tokens, diagnostics, hover, completion, formatting, events), strict=True)
)


def observed(frozen: Frozen, aspects: Sequence[str] = ASPECTS) -> dict[str, str]:
    """By aspect what is said of a project, as text with a line per piece."""
    path, text = next(iter(frozen.files.items()))
    wanted = [aspect for aspect in aspects if len(text) <= LONGEST or aspect == "diagnostics"]
    return {aspect: _lines(_OBSERVERS[aspect](frozen, path, text)) for aspect in wanted}


def digests(said: Mapping[str, str]) -> dict[str, str]:
    """The same as a few letters each."""
    return {aspect: hashlib.sha256(text.encode()).hexdigest()[:8] for aspect, text in said.items()}


def _lines(said: Any) -> str:
    if isinstance(said, list):
        return "\n".join(json.dumps(each, default=str, sort_keys=True, ensure_ascii=False) for each in said)
    return said if isinstance(said, str) else json.dumps(said, default=str)
