"""Case files: agents with scenarios, as data (see the first lines of cases/constraints.yaml)."""

from copy import deepcopy
from pathlib import Path

import pytest

from abl.runtime import Session
from abl.runtime.events.reading import without_durations
from abl.runtime.memory.in_memory import FixedClock, MockTools
from abl.runtime.scenarios.files import read_scenario
from abl.runtime.scenarios.player import run_scenario
from tests.reading import read_yaml

FOLDER = Path(__file__).parent / "cases"
SPEC = Path(__file__).parent / "spec"
HEAD = 'AGENT: Desk\nGOAL: "Lend items"\n'


def load_cases():
    """Every case of every file as (id, files, scenario)."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        found += load_file(path)
    return found


def load_file(path):
    """The cases of one file as (id, files, scenario)."""
    data = deepcopy(read_yaml(path))
    head = data.get("head", "")
    return [(f"{path.stem}: {case['name']}", *read_case(case, head)) for case in data["cases"]]


def read_case(case, head):
    case = dict(case)
    name = case.pop("name")
    files = case.pop("files", None)
    if files is None:
        files = {"desk.agent.abl": head + case.pop("agent")}
    return files, read_scenario({"scenario": name, **case}, name)


def spec_cases(name):
    """A decorator: the test runs for every case of ``spec/NAME.yaml``."""
    cases = load_file(SPEC / f"{name}.yaml")
    return pytest.mark.parametrize(("files", "scenario"), [c[1:] for c in cases], ids=[c[0] for c in cases])


def assert_case(files, scenario):
    """The case does what it says, and gives the same events through a snapshot before every message."""
    straight = run_scenario(scenario, files)
    assert [str(f) for f in straight.failures] == []
    restored = run_scenario(scenario, files, restore_between=True)
    assert without_durations(restored.events) == without_durations(straight.events)


def session(agent, **more):
    """A session of one agent, given without its header; ``tools`` are mock cases."""
    tools = MockTools(more.pop("tools", {}))
    return Session({"desk.agent.abl": HEAD + agent}, tools=tools, clock=more.pop("clock", FixedClock()), **more)


def events_of(turn, kind):
    """The data of the events of a kind."""
    return [event["data"] for event in turn.events if event["kind"] == kind]
