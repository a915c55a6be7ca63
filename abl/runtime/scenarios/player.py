"""Playing a scenario: a session for it, its turns, and what diverged from what it expects (docs/spec 12 §3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abl.expressions.api import TURN, Budget, BudgetExceeded
from abl.runtime.events.recorder import Event
from abl.runtime.flow.variables import nested
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools, ttl_seconds
from abl.runtime.memory.systems import Memories
from abl.runtime.scenarios.coverage import Coverage
from abl.runtime.scenarios.expect import Failure, compare
from abl.runtime.scenarios.files import Scenario, Step, read_scenario
from abl.runtime.scenarios.scripted import ScriptedModel
from abl.runtime.scenarios.strict import ScenarioError
from abl.runtime.session import NotRunnable, Session, Turn


@dataclass(slots=True)
class Result:
    """How a scenario went. ``turns`` are all turns in order; ``events`` theirs together."""

    name: str
    passed: bool
    failures: list[Failure]
    events: list[Event]
    coverage: Coverage
    turns: list[Turn] = field(default_factory=list)


def run_scenario(
    scenario: Scenario | Mapping[str, Any] | str, files: Mapping[str, str], *, restore_between: bool = False
) -> Result:
    """Play a scenario. ``restore_between`` goes through a snapshot before every turn, as another process would.

    Never raises for what agents do; :class:`ScenarioError` for a scenario that cannot be used.
    """
    if not isinstance(scenario, Scenario):
        scenario = read_scenario(scenario)
    player = Player(scenario, files, restore_between)
    coverage = Coverage(files)
    failures: list[Failure] = []
    place = "start"
    try:
        failures += player.compared(scenario.start, player.open(scenario.user), place)
        for step in scenario.turns:
            place = step.place
            if step.human is not None and not (player.session is not None and player.session.with_human):
                failures.append(Failure(place, "human", "a conversation that a human has", "nobody took over"))
                continue
            failures += player.compared(step.expect, player.play(step), place)
    except NotRunnable as error:
        failures.append(Failure("start", "runnable", "no errors", error.reason))
    except BudgetExceeded as error:
        failures.append(Failure(place, "budget-exceeded", "a turn within its budget", str(error)))
    events = [event for turn in player.turns for event in turn.events]
    coverage.add(events)
    return Result(scenario.name, not failures, failures, events, coverage, player.turns)


class Player:
    """Runs the steps of a scenario on a session; other sessions of it share facts, clock and tools."""

    def __init__(self, scenario: Scenario, files: Mapping[str, str], restore_between: bool = False) -> None:
        self._scenario = scenario
        self._files = files
        self._restore = restore_between
        self.clock = FixedClock(scenario.now)
        self.facts = MemoryFacts()
        self.memories = scenario.memory.open(scenario.user, self.clock) if scenario.memory is not None else Memories()
        self._kept: dict[str, Any] = {}
        self._count = 0
        self._user = scenario.user
        self.turns: list[Turn] = []
        self.session: Session | None = None

    def compared(self, expected: Mapping[str, Any] | None, found: Turn | list[Turn], place: str) -> list[Failure]:
        """How what was found differs from what is expected; patterns and values are compared within a budget."""
        with Budget.of(TURN):
            return compare(expected, found, self.session, place)

    def open(self, user: str | None) -> Turn:
        """Start the first session."""
        _, turn = self._new_session(user)
        self.turns.append(turn)
        return turn

    def _new_session(self, user: str | None) -> tuple[Session, Turn]:
        """Start a session; the first one also gets the scenario's facts and variables."""
        self._count += 1
        self._user = user
        scenario = self._scenario
        session_id = "session" if self._count == 1 else f"session-{self._count}"
        if self._count == 1:
            self._seed_facts(session_id)
        self.session = Session(
            self._files,
            facts=self.facts,
            tools=self._tools(),
            model=self._model(),
            clock=self.clock,
            policy=scenario.policy,
            seed=scenario.seed,
            user=user,
            channel=scenario.channel,
            session_id=session_id,
            entry=scenario.entry,
            language=scenario.language,
            settings=scenario.settings,
            kept=self._kept,
            checked=self._count > 1,
            variables=nest(scenario.session) if self._count == 1 else None,
            port_memory=self.session.port_memory if self.session is not None else None,
            **self._memory(),
        )
        return self.session, self.session.start()

    def play(self, step: Step) -> list[Turn]:
        """One step: advance, set, then say or act; several turns when there are several."""
        done: list[Turn] = []
        session = self.session
        if session is None:
            raise ValueError("the first session was not opened")
        if step.advance is not None:
            done.append(session.advance(step.advance))
        if step.new_session:
            done.append(session.end())
            session, turn = self._new_session(step.user or self._user)
            done.append(turn)
        for name, value in step.set.items():
            done.append(session.set(name, value))
        session = self._through_snapshot(session)
        if step.human is not None:
            done.append(session.human_done(step.human))
        if step.say is not None:
            done.append(session.say(step.say, memory_policy=step.memory_policy))
        elif step.act is not None:
            act = step.act
            done.append(session.act(str(act["id"]), act.get("value"), memory_policy=step.memory_policy))
        self.turns.extend(done)
        return done

    def _through_snapshot(self, session: Session) -> Session:
        if not self._restore:
            return session
        data = json.loads(json.dumps(session.snapshot()))
        self.session = Session.restore(
            data,
            self._files,
            facts=self.facts,
            tools=self._tools(),
            model=self._model(),
            clock=self.clock,
            settings=self._scenario.settings,
            kept=self._kept,
            **self._memory(),
        )
        return self.session

    def _memory(self) -> dict[str, Any]:
        memories = self.memories
        return {
            "blocks": memories.blocks,
            "records": memories.records,
            "bank": memories.bank,
            "memory_policy": memories.session_policy,
        }

    def _tools(self) -> MockTools:
        return MockTools(self._scenario.tools)

    def _model(self) -> ScriptedModel | None:
        return ScriptedModel(self._scenario.model) if self._scenario.model is not None else None

    def _seed_facts(self, session_id: str) -> None:
        owners = {"user": self._scenario.user, "project": "", "execution_tree": session_id}
        for scope, paths in self._scenario.facts.items():
            owner = owners[scope]
            if owner is None:
                raise ScenarioError("facts: user: facts of a user need user: …")
            for path, given in paths.items():
                value, ttl = given, None
                if isinstance(given, Mapping) and "value" in given and set(given) <= {"value", "ttl"}:
                    value, ttl = given["value"], given.get("ttl")
                    if ttl is not None and ttl_seconds(str(ttl)) is None:
                        raise ScenarioError(f"facts: {scope}: {path}: ttl is {ttl!r}; a duration like 30d is right")
                self.facts.put(scope, owner, path, value, at=self._scenario.now, ttl=str(ttl) if ttl else None)


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """``{"loan.total": 5}`` as ``{"loan": {"total": 5}}``."""
    built: dict[str, Any] = {}
    for name, value in flat.items():
        root, *rest = name.split(".")
        built[root] = nested(built.get(root), rest, value) if rest else value
    return built
