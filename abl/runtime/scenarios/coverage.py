"""Which steps, rules and branches a run touched, and with which outcomes (docs/spec 12 §2, ``abl test --coverage``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abl.runtime.events.recorder import Event
from abl.runtime.plan.flow import StepPlan
from abl.runtime.plan.program import Program, programs_of

JUDGED = frozenset({"passed", "failed", "warned", "error"})


class Coverage:
    """Counts by agent. A rule is covered fully when it was seen to hold and to fail."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._programs: dict[str, Program] = {}
        for path, text in sorted(files.items()):
            for program in programs_of(path, text):
                self._programs.setdefault(program.name, program)
        self.steps: dict[str, set[str]] = {name: set() for name in self._programs}
        self.rules: dict[str, dict[int, set[str]]] = {name: {} for name in self._programs}
        self.triggers: dict[str, set[int]] = {name: set() for name in self._programs}
        self.tools: dict[str, set[str]] = {name: set() for name in self._programs}

    def add(self, events: Iterable[Event]) -> None:
        """Count the events of a run."""
        for event in events:
            agent, data = event["agent"], event["data"]
            if agent not in self._programs:
                continue
            match event["kind"]:
                case "step.enter":
                    self.steps[agent].add(data["step"])
                case "constraint" if data["outcome"] in JUDGED:
                    self.rules[agent].setdefault(data["index"], set()).add(data["outcome"])
                case "remember" if data["skipped"] is None:
                    self.triggers[agent].add(data["index"])
                case "call.start":
                    self.tools[agent].add(data["tool"])
                case _:
                    pass

    def merge(self, other: Coverage) -> None:
        """Add what another run covered; both must be over the same agents."""
        for agent in self._programs:
            self.steps[agent] |= other.steps.get(agent, set())
            self.triggers[agent] |= other.triggers.get(agent, set())
            self.tools[agent] |= other.tools.get(agent, set())
            for index, outcomes in other.rules.get(agent, {}).items():
                self.rules[agent].setdefault(index, set()).update(outcomes)

    def report(self) -> dict[str, Any]:
        """By agent: seen and all of steps, rules, triggers and tools, with what is missing."""
        return {name: self._agent(name, program) for name, program in sorted(self._programs.items())}

    def _agent(self, name: str, program: Program) -> dict[str, Any]:
        steps: dict[str, StepPlan] = program.flow.steps if program.flow else {}
        rules = self.rules[name]
        half = [i for i, seen in rules.items() if not ({"passed"} <= seen and seen & {"failed", "warned", "error"})]
        return {
            "steps": _ratio(self.steps[name], steps),
            "rules": {**_ratio(rules, range(program.rule_count)), "one_sided": sorted(half)},
            "triggers": _ratio(self.triggers[name], range(len(program.triggers))),
            "tools": _ratio(self.tools[name], program.tools),
        }


def _ratio(seen: Iterable[Any], everything: Iterable[Any]) -> dict[str, Any]:
    seen, everything = set(seen), list(everything)
    return {
        "seen": len(seen & set(everything)),
        "all": len(everything),
        "missing": [k for k in everything if k not in seen],
    }
