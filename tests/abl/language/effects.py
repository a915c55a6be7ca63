"""What each key of the declaration does in a run: agents that hold it, and the events with and without it.

The agents are those of the scenarios of tests/abl/runtime, and those of ``runs`` for what no other has.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from abl import parse
from abl.analysis.conformance.value_walk import Stood, below, properties, shared_by_tools, within
from abl.language import PLACES, key_at
from abl.language.document import AGENT, PROFILE
from abl.runtime.events.reading import without_durations
from abl.runtime.scenarios.files import Scenario
from abl.runtime.scenarios.player import run_scenario
from abl.source import Source, Span
from abl.syntax import nodes
from tests.abl.runtime.harness import SPEC, load_cases, load_file, read_case
from tests.reading import read_yaml

RUNS = Path(__file__).with_name("runs")
MOST = 40
"""Scenarios that are tried for one key."""
INSTEAD = {"ELSE": "IF: false"}
"""What stands in place of a key whose lines mean the same without it."""
TOLD = ("not_executed", "turn.start", "turn.end")
"""Events that say what is not executed, and those around a turn, which count the others."""
NUMBERS = ("seq", "parent")
_MACRO = re.compile(r"(\s*)@(\w+)")


class Use(NamedTuple):
    """A key where an agent of a scenario holds it."""

    size: int
    case: str
    path: str
    span: Span


Key = tuple[str, str]


@cache
def cases() -> Mapping[str, tuple[dict[str, str], Scenario]]:
    """Files and scenario by name."""
    found = [*load_cases()]
    for path in sorted(SPEC.glob("*.yaml")):
        found += load_file(path)
    found += _own()
    found += [(f"inserted: {name}", put, scenario) for name, files, scenario in found if (put := _inserted(files))]
    return {name: (files, scenario) for name, files, scenario in found}


def _inserted(files: Mapping[str, str]) -> dict[str, str]:
    """An agent of which each step but its name stands in a profile that puts it before what is left of it."""
    for path, text in files.items() if len(files) == 1 else ():
        document = parse(text, path)
        agent = document.agents[0] if document.agents and not document.yaml else None
        steps = agent.flow.steps if agent is not None and agent.flow is not None else ()
        lines, left = [], text
        for step in reversed(steps):
            if not step.block.children or step.block.value is not None:
                return {}
            first, last = step.block.children[0].span.start, step.block.children[-1].span.end
            begin = text.rfind("\n", 0, first) + 1
            depth = first - begin
            body = [f"      {line[depth:]}" for line in text[begin:last].split("\n")]
            lines = [f"    - BEFORE: {step.name.value}", *body, *lines]
            left = f"{left[:first]}REASONING: false{left[last:]}"
        if lines and not text[: steps[0].span.start].count("BEHAVIOR_PROFILE"):
            head = "BEHAVIOR_PROFILE: put\nPRIORITY: 1\nWHEN: true\nFLOW:\n  INSERTIONS:\n"
            return {
                path: left.rstrip() + "\nUSE BEHAVIOR_PROFILE: put\n",
                "put.profile.abl": head + "\n".join(lines) + "\n",
            }
    return {}


def _own() -> Iterator[tuple[str, dict[str, str], Scenario]]:
    for path in sorted(RUNS.glob("*.yaml")):
        data = read_yaml(path)
        for case in data["cases"]:
            given = {**case, **({"agent": _filled(case["agent"], data.get("macros", {}))} if "agent" in case else {})}
            yield (f"runs/{path.stem}: {case['name']}", *read_case(given, data.get("head", "")))


def _filled(text: str, macros: Mapping[str, str]) -> str:
    """The text with the lines of a macro in place of ``@name``, as deep as that stands."""
    lines = []
    for line in text.split("\n"):
        named = _MACRO.fullmatch(line)
        lines += [named[1] + each for each in macros[named[2]].rstrip("\n").split("\n")] if named else [line]
    return "\n".join(lines)


@cache
def uses() -> Mapping[Key, tuple[Use, ...]]:
    """Where scenarios hold each key, the shortest first."""
    found: dict[Key, set[Use]] = defaultdict(set)
    for name, (files, _) in cases().items():
        size = sum(map(len, files.values()))
        for path, text in files.items():
            for place, key, span in held(path, text):
                found[place, key].add(Use(size, name, path, span))
    return {key: tuple(sorted(listed)) for key, listed in found.items()}


@cache
def held(path: str, text: str) -> tuple[tuple[str, str, Span], ...]:
    """Every declared key of a document with its place and the span of its lines."""
    document = parse(text, path)
    found = [_named(stood) for stood in _stood(document.source, document)]
    found += [*_sections(document), *_profiles(document)]
    return tuple(one for one in found if one is not None and text[slice(*one[2])].strip())


def _stood(source: Source, document: nodes.Document) -> Iterator[Stood]:
    files = [section.content for section in document.tool_files if section.content is not None]
    for whole in (*document.agents, *document.fragments, *files):
        for section in whole.sections:
            yield from properties(below(source, section.keyword, section.block))
            if section.keyword == "TOOLS":
                yield from properties(shared_by_tools(source, section.block))
        for tool in whole.tools:
            yield from properties(within(source, "tool", tool.block))
        for step in whole.flow.steps if whole.flow is not None else ():
            yield from properties(within(source, "step", step.block))
    for section in document.profiles:
        profile = section.content.profile if section.content is not None else None
        yield from properties(below(source, "BEHAVIOR_PROFILE", profile.block if profile is not None else None))


def _named(stood: Stood) -> tuple[str, str, Span] | None:
    declared = key_at(stood.place, stood.block.key) if stood.listed or stood.place == "tool" else None
    if declared is None:
        return None
    place = "binding" if stood.place == "tool" and PLACES["tool"].key(stood.block.key) is None else stood.place
    return place, declared.name, stood.block.span


def _sections(document: nodes.Document) -> Iterator[tuple[str, str, Span]]:
    for agent in document.agents:
        for section in agent.sections:
            for written in {section.keyword, section.written.upper()}:
                if section.block is not None and (declared := AGENT.key(written)) is not None:
                    yield "agent", declared.name, section.block.span
            if section.keyword == "BEHAVIOR_PROFILE" and section.block is not None:
                for line in section.block.children:
                    if (declared := key_at("inline_profile", line.key)) is not None:
                        yield "inline_profile", declared.name, line.span


def _profiles(document: nodes.Document) -> Iterator[tuple[str, str, Span]]:
    for section in document.profiles:
        profile = section.content.profile if section.content is not None else None
        for part in profile.content.members if profile is not None else ():
            for place in (PROFILE, PLACES["profile"]):
                if (declared := place.key(part.key)) is not None and part.block is not None:
                    yield place.name, declared.name, part.block.span


def effect(key: Key, *, beside_told: bool = False) -> str:
    """A scenario in which the events are others without the key; empty where none is found.

    ``beside_told``: those that say that something is not executed do not count, nor what stands around events.
    """
    for use in uses().get(key, ())[:MOST]:
        files, scenario = cases()[use.case]
        text = files[use.path]
        instead = INSTEAD.get(key[1], "")
        without = {**files, use.path: text[: use.span.start] + instead + text[use.span.end :]}
        if _events(without, scenario, beside_told) != _whole(use.case, beside_told):
            return use.case
    return ""


@cache
def _whole(case: str, beside_told: bool = False) -> str:
    files, scenario = cases()[case]
    return _events(files, scenario, beside_told)


def _events(files: Mapping[str, str], scenario: Scenario, beside_told: bool = False) -> str:
    result = run_scenario(scenario, files)
    events = [_placeless(event) for event in without_durations(result.events)]
    if beside_told:
        kept = [event for event in events if event["kind"] not in TOLD]
        events = [{name: value for name, value in event.items() if name not in NUMBERS} for event in kept]
    return json.dumps(events or [str(failure) for failure in result.failures], default=str)


def _placeless(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _placeless(value) for name, value in found.items() if name not in ("span", "revision", "digest")}
    return [_placeless(each) for each in found] if isinstance(found, list) else found
