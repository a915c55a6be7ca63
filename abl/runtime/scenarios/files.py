"""Scenario files (docs/spec 12 §3), read strictly: every mistake is named with its place and what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from abl.analysis.index.languages import is_tag
from abl.project import NONE, Project, ProjectFileError, agents_of, no_such_entry, project_for
from abl.runtime.loading import programs_in
from abl.runtime.memory.in_memory import parse_time, ttl_seconds
from abl.runtime.ports import SCOPES
from abl.runtime.scenarios.memory import MemorySeed, policy_of, read_memory
from abl.runtime.scenarios.strict import ScenarioError, check_keys, listed, mapping
from abl.yaml_reader import UnreadableYaml, load_yaml

TOP_KEYS = [
    "scenario",
    "agents",
    "entry",
    "user",
    "channel",
    "language",
    "now",
    "policy",
    "facts",
    "session",
    "tools",
    "model",
    "turns",
    "start",
    "settings",
    "seed",
    "memory",
]
TURN_KEYS = ["say", "act", "advance", "set", "human", "expect", "new_session", "user", "memory_policy"]
EXPECT_KEYS = [
    "reply",
    "step",
    "waiting",
    "constraints",
    "calls",
    "no_calls",
    "session",
    "facts",
    "events",
    "ended",
    "agent",
    "memory",
]
CASE_KEYS = ["when", "result", "error", "delay_ms", "times", "default"]
RECORD_KEYS = {
    "constraints": [
        "phase",
        "index",
        "outcome",
        "kind",
        "point",
        "action",
        "effect",
        "other_policy_outcome",
        "message",
        "agent",
        "source",
    ],
    "calls": ["tool", "args"],
}
SUFFIX = ".scenario.yaml"
START = "2026-03-01T09:00:00Z"
"""Where the clock of a scenario stands when nothing says otherwise."""
AGENT_SUFFIXES = (".abl", ".agent.yaml")


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of ``turns``; ``place`` is how messages call it."""

    place: str
    say: str | None = None
    act: Mapping[str, Any] | None = None
    advance: str | None = None
    set: Mapping[str, Any] = field(default_factory=dict)
    human: Mapping[str, Any] | None = None
    expect: Mapping[str, Any] | None = None
    new_session: bool = False
    user: str | None = None
    memory_policy: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, checked. ``agents`` are paths as written."""

    name: str
    agents: tuple[str, ...] = ()
    entry: str | None = None
    user: str | None = None
    channel: str = "web"
    language: str | None = None
    now: datetime = field(default_factory=lambda: parse_time(START))
    policy: str = "evaluate"
    seed: int = 0
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    session: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    model: tuple[Mapping[str, Any], ...] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    memory: MemorySeed | None = None
    start: Mapping[str, Any] | None = None
    turns: tuple[Step, ...] = ()


# Reading ---------------------------------------------------------------------------------------------------------


def load_scenario(
    path: Path, *, policy: str = "evaluate", beside: Mapping[str, str] | None = None
) -> tuple[Scenario, dict[str, str]]:
    """A scenario file and the agent files it runs, by path relative to it. Raises ScenarioError.

    ``policy`` is that of a scenario that names none, in a project whose ``project.yaml`` names none (docs/spec 04
    §6.1). ``beside`` are the files of a scenario that names none; without them those of its folder.
    """
    try:
        project = project_for(path.parent)
    except ProjectFileError as error:
        raise ScenarioError(str(error)) from error
    scenario = read_scenario(_read(path), str(path), policy=policy, project=project)
    folder = path.parent
    names = scenario.agents
    if not names and beside is None:
        names = tuple(sorted(p.name for p in folder.iterdir() if p.name.endswith(AGENT_SUFFIXES)))
    files = {name: _read(folder / name, f"{path}: agents: ") for name in names} or dict(beside or {})
    if not files:
        raise ScenarioError(f"{path}: agents: there is no agent file in {folder}")
    return _begun(scenario, files, project), files


def _begun(scenario: Scenario, files: Mapping[str, str], project: Project) -> Scenario:
    """With the entry agent of the project where the scenario names none and runs that one; it may run others."""
    if scenario.entry is not None or project.entry is None:
        return scenario
    if project.entry in programs_in(files):
        return replace(scenario, entry=project.entry)
    agents = programs_in(agents_of(project))
    if project.entry not in agents:
        raise ScenarioError(str(no_such_entry(project, agents)))
    return scenario


def _read(path: Path, prefix: str = "") -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{prefix}{path} cannot be read: {error}") from error


def read_scenario(
    text: str | Mapping[str, Any], place: str = "scenario", *, policy: str = "evaluate", project: Project = NONE
) -> Scenario:
    """A scenario from YAML text or a mapping of the same shape; unknown keys are errors with a suggestion.

    What it does not say is as in ``project`` (12 §3.1), whose tools it replaces one by one; ``policy`` is the default
    of both.
    """
    data: Any = text
    if isinstance(text, str):
        try:
            data = load_yaml(text)
        except UnreadableYaml as error:
            raise ScenarioError(f"{place}: this is no YAML: {error}") from error
    data = mapping(data, place)
    check_keys(data, TOP_KEYS, place)
    if data.get("policy", "evaluate") not in {"evaluate", "skip_unset"}:
        raise ScenarioError(f"{place}: policy is {data['policy']!r}; it is evaluate or skip_unset")
    start = mapping(data.get("start") or {}, f"{place}: start")
    check_keys(start, ["expect"], f"{place}: start")
    turns = listed(data.get("turns") or [], f"{place}: turns")
    return Scenario(
        name=str(data.get("scenario", place)),
        agents=tuple(str(a) for a in listed(data.get("agents") or [], f"{place}: agents")),
        entry=_optional(data, "entry"),
        user=_optional(data, "user"),
        channel=str(data.get("channel", "web")),
        language=_language(data, place) or project.language,
        now=_time(data["now"], f"{place}: now") if "now" in data else project.now or parse_time(START),
        policy=data.get("policy", project.policy or policy),
        seed=_whole(data.get("seed", 0), f"{place}: seed"),
        facts=_facts(data.get("facts") or {}, f"{place}: facts"),
        session=plain(mapping(data.get("session") or {}, f"{place}: session")),
        tools={**project.tools, **_tools(data.get("tools") or {}, f"{place}: tools")},
        model=_model(data.get("model"), f"{place}: model"),
        settings=mapping(data.get("settings") or {}, f"{place}: settings"),
        memory=read_memory(plain(data.get("memory")), f"{place}: memory"),
        start=_expectation(start.get("expect"), f"{place}: start: expect"),
        turns=tuple(_step(entry, f"{place}: turns[{at}]") for at, entry in enumerate(turns)),
    )


def _step(entry: Any, place: str) -> Step:
    data = mapping(entry, place)
    check_keys(data, TURN_KEYS, place)
    act = data.get("act")
    if act is not None:
        act = mapping(act, f"{place}: act")
        check_keys(act, ["id", "value"], f"{place}: act")
        if "id" not in act:
            raise ScenarioError(f"{place}: act needs an id")
    if act is not None and "say" in data:
        raise ScenarioError(f"{place}: say and act exclude each other")
    advance = data.get("advance")
    if advance is not None and ttl_seconds(str(advance)) is None:
        raise ScenarioError(f"{place}: advance is {advance!r}; a duration like 2h is right (units s m h d)")
    return Step(
        place=place.rsplit(": ", 1)[-1],
        say=str(data["say"]) if data.get("say") is not None else None,
        act=act,
        advance=str(advance) if advance is not None else None,
        set=plain(mapping(data.get("set") or {}, f"{place}: set")),
        human=plain(mapping(data["human"], f"{place}: human")) if data.get("human") is not None else None,
        expect=_expectation(data.get("expect"), f"{place}: expect"),
        new_session=bool(data.get("new_session", False)),
        user=_optional(data, "user"),
        memory_policy=policy_of(data.get("memory_policy"), f"{place}: memory_policy"),
    )


def _expectation(data: Any, place: str) -> Mapping[str, Any] | None:
    if data is None:
        return None
    found = mapping(data, place)
    check_keys(found, EXPECT_KEYS, place)
    for key, allowed in RECORD_KEYS.items():
        for at, record in enumerate(listed(found.get(key) or [], f"{place}: {key}")):
            check_keys(mapping(record, f"{place}: {key}[{at}]"), allowed, f"{place}: {key}[{at}]")
    if found.get("memory") is not None:
        check_keys(mapping(found["memory"], f"{place}: memory"), ["bank", "stores"], f"{place}: memory")
    for key in ("events", "no_calls"):
        listed(found.get(key) or [], f"{place}: {key}")
    reply = found.get("reply")
    for matcher in reply if isinstance(reply, list) else [reply]:
        if isinstance(matcher, Mapping):
            check_keys(matcher, ["contains", "matches"], f"{place}: reply")
    return plain(found)  # type: ignore[no-any-return]


def _facts(data: Any, place: str) -> dict[str, dict[str, Any]]:
    found = mapping(data, place)
    check_keys(found, SCOPES, place)
    return {scope: plain(mapping(paths or {}, f"{place}: {scope}")) for scope, paths in found.items()}


def _tools(data: Any, place: str) -> dict[str, tuple[Mapping[str, Any], ...]]:
    tools = {}
    for tool, cases in mapping(data, place).items():
        entries = listed(cases, f"{place}: {tool}")
        for at, case in enumerate(entries):
            where = f"{place}: {tool}[{at}]"
            check_keys(mapping(case, where), CASE_KEYS, where)
            if "result" not in case and "error" not in case:
                raise ScenarioError(f"{where}: a case needs a result or an error")
        tools[str(tool)] = tuple(plain(entries))
    return tools


def _model(data: Any, place: str) -> tuple[Mapping[str, Any], ...] | None:
    if data is None:
        return None
    lines = listed(data, place)
    for at, line in enumerate(lines):
        check_keys(mapping(line, f"{place}[{at}]"), ["reply", "call", "args"], f"{place}[{at}]")
    return tuple(plain(lines))


def plain(value: Any) -> Any:
    """YAML's dates and times as the ISO text that expressions know; everything else as it is."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _language(data: Mapping[str, Any], place: str) -> str | None:
    found = _optional(data, "language")
    if found is not None and not is_tag(found):
        raise ScenarioError(f"{place}: language is {found!r}; a language tag such as en or de-CH is right")
    return found


def _optional(data: Mapping[str, Any], key: str) -> str | None:
    return str(data[key]) if data.get(key) is not None else None


def _time(value: Any, place: str) -> datetime:
    try:
        return parse_time(str(plain(value)))
    except ValueError:
        raise ScenarioError(f"{place}: {value!r} is no time like 2026-03-01T09:00:00Z") from None


def _whole(value: Any, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ScenarioError(f"{place}: {value!r} is no whole number")
