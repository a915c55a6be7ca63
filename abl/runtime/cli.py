"""``abl run`` and ``abl test`` (docs/spec 12 §2)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from abl.configuration import ConfigurationError, configuration_for
from abl.expressions.api import BudgetExceeded
from abl.files import UsageError, files_in, of_one_project, text_of
from abl.output import complain, say
from abl.project import Project, ProjectFileError, misnamed, misnamed_near, no_such_entry, project_for
from abl.runtime.loading import programs_in
from abl.runtime.memory.in_memory import FixedClock, MemoryFacts, MockTools, SystemClock
from abl.runtime.memory.systems_in_memory import MemoryBank
from abl.runtime.scenarios.coverage import Coverage
from abl.runtime.scenarios.expect import first_divergence
from abl.runtime.scenarios.files import AGENT_SUFFIXES, SUFFIX, load_scenario
from abl.runtime.scenarios.player import Result, run_scenario
from abl.runtime.scenarios.scripted import ScriptedModel
from abl.runtime.scenarios.strict import ScenarioError
from abl.runtime.session import NotRunnable, Session, Turn

OK, PROBLEMS, WRONG_USE = 0, 1, 2


def add_commands(subparsers: Any) -> None:
    """Register ``run`` and ``test``; ``handler`` of the parsed arguments is a function giving the exit code."""
    run = subparsers.add_parser("run", help="talk to an agent in the terminal, or play a scenario")
    run.add_argument("path", type=Path, help="an agent file or a folder of agents")
    run.add_argument("--scenario", type=Path, help="play this scenario file against the agents")
    run.add_argument("--trace", type=Path, help="write every event as a line of JSON to this file")
    run.add_argument("--entry", help="name of the agent that begins")
    run.add_argument("--user", default="local", help="the authenticated user (default: local)")
    run.set_defaults(handler=run_command)
    test = subparsers.add_parser("test", help=f"run every *{SUFFIX}")
    test.add_argument("paths", nargs="*", type=Path, default=[Path()], help="files and folders (default: here)")
    test.add_argument("--junit", type=Path, help="write the results as JUnit XML to this file")
    test.add_argument("--coverage", action="store_true", help="show which steps and rules the scenarios touch")
    test.add_argument("--update", action="store_true", help="write the replies that were found into the files")
    test.set_defaults(handler=test_command)


# run -------------------------------------------------------------------------------------------------------------


def run_command(arguments: argparse.Namespace) -> int:
    """``abl run``; 0 fine, 1 not runnable or a failed scenario, 2 wrong use."""
    _tell_misnamed([arguments.path])
    try:
        if arguments.scenario is not None:
            return _play(arguments)
        return _talk(arguments)
    except OSError as error:
        complain(f"abl: {error.filename or arguments.path}: {error.strerror}")
        return WRONG_USE
    except (ScenarioError, ConfigurationError, ProjectFileError, UnicodeDecodeError, UsageError) as error:
        complain(f"abl: {error}")
        return WRONG_USE
    except NotRunnable as error:
        complain(f"cannot run: {error.reason}")
        return PROBLEMS


def _play(arguments: argparse.Namespace) -> int:
    policy = configuration_for(arguments.scenario.parent).policy
    scenario, files = load_scenario(arguments.scenario, policy=policy, beside=_files(arguments.path))
    result = run_scenario(scenario, files)
    for turn in result.turns:
        _show(turn)
    _write_trace(arguments.trace, result.events)
    if result.passed:
        say(f"passed: {result.name}")
        return OK
    complain(f"failed: {result.name}: {first_divergence(result.failures)}{_left_out(result)}")
    return PROBLEMS


def _tell_misnamed(places: Sequence[Path]) -> None:
    for path in misnamed_near(places):
        complain(f"abl: {misnamed(path)}")


def _left_out(result: Result) -> str:
    """What was met in a scenario that failed and is not executed here, in a line of its own; empty without any."""
    met = [event["data"]["construct"] for event in result.events if event["kind"] == "not_executed"]
    return f"\n        not executed in it: {', '.join(dict.fromkeys(met))}" if met else ""


def _talk(arguments: argparse.Namespace) -> int:
    events: list[Any] = []
    files, project = _files(arguments.path), project_for(_folder(arguments.path))
    session = Session(
        files,
        entry=arguments.entry or _entry(project, arguments.path, files),
        on_event=events.append,
        policy=configuration_for(arguments.path).under(project.policy).policy,
        **of_project(project, arguments.user),
    )
    try:
        _converse(session)
    except BudgetExceeded as problem:
        complain(f"the conversation was stopped: {problem}")
        return PROBLEMS
    finally:
        _write_trace(arguments.trace, events)
    return OK


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _entry(project: Project, path: Path, files: Mapping[str, str]) -> str | None:
    """The entry agent of the project, unless only some of its agents are run and that one is not among them."""
    agents = programs_in(files)
    if project.entry is None or project.entry in agents:
        return project.entry
    if project.path is not None and path.is_dir() and path.resolve() == project.path.parent.resolve():
        raise no_such_entry(project, agents)
    return None


def of_project(project: Project, user: str) -> dict[str, Any]:
    """What a session in the terminal takes from its project."""
    clock = FixedClock(project.now) if project.now is not None else SystemClock()
    facts = MemoryFacts()
    for scope, paths in project.facts.items():
        for path, value in paths.items():
            facts.put(scope, user if scope == "user" else "", path, value, at=clock.now())
    return {
        "facts": facts,
        "tools": MockTools(project.tools),
        "model": ScriptedModel(project.model) if project.model is not None else None,
        "clock": clock,
        "user": user,
        "channel": "terminal",
        "language": project.language,
        "settings": project.settings,
        "bank": _bank(project),
        "memory_policy": project.memory_policy,
    }


def _bank(project: Project) -> MemoryBank | None:
    if project.bank is None:
        return None
    bank = MemoryBank(project.bank.get("max_lines"))
    for agent, text in (project.bank.get("texts") or {}).items():
        bank.write(agent, text)
    return bank


def _converse(session: Session) -> None:
    """Turns until the session ends or standard input does."""
    turn = session.start()
    _show(turn)
    while not turn.ended:
        try:
            text = input("> ")
        except (EOFError, KeyboardInterrupt):
            say("")
            return
        turn = session.say(text)
        _show(turn)


def _show(turn: Turn) -> None:
    for reply in turn.replies:
        say(reply)
    for event in turn.events:
        if event["kind"] in {"not_executed", "error"}:
            notes = event["data"].get("notes") or [{}]
            complain(f"[{event['kind']}] {notes[0].get('message', '')}")


def _files(path: Path) -> dict[str, str]:
    found = [path]
    if path.is_dir():
        found = of_one_project(files_in(path, AGENT_SUFFIXES), path)
    if not found:
        raise ScenarioError(f"{path}: there is no agent file")
    base = path if path.is_dir() else path.parent
    return {str(file.relative_to(base)): text_of(file) for file in found}


def _write_trace(path: Path | None, events: Sequence[Any]) -> None:
    if path is not None:
        path.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events), encoding="utf-8")


# test ------------------------------------------------------------------------------------------------------------


def test_command(arguments: argparse.Namespace) -> int:
    """``abl test``; prints the first divergence of each failure."""
    paths = [file for path in arguments.paths for file in _scenarios(path)]
    if not paths:
        complain(f"no *{SUFFIX} found")
        return WRONG_USE
    _tell_misnamed([*arguments.paths, *paths])
    results: list[tuple[Path, Result | ScenarioError]] = []
    coverage: dict[tuple[str, ...], Coverage] = {}
    for path in paths:
        outcome = _run_file(path, coverage, update=arguments.update)
        results.append((path, outcome))
        say(_line(path, outcome))
    if arguments.junit is not None:
        write_junit(arguments.junit, results)
    if arguments.coverage:
        for merged in coverage.values():
            say(_coverage_text(merged))
    failed = sum(not _passed(outcome) for _, outcome in results)
    say(f"{len(results) - failed} passed, {failed} failed")
    return PROBLEMS if failed else OK


def _scenarios(path: Path) -> list[Path]:
    return files_in(path, (SUFFIX,)) if path.is_dir() else [path]


def _run_file(path: Path, coverage: dict[tuple[str, ...], Coverage], *, update: bool) -> Result | ScenarioError:
    try:
        policy = configuration_for(path.parent).policy
        scenario, files = load_scenario(path, policy=policy)
        result = run_scenario(scenario, files)
        if update and not result.passed:
            update_replies(path, result)
            scenario, files = load_scenario(path, policy=policy)
            result = run_scenario(scenario, files)
    except ConfigurationError as error:
        return ScenarioError(str(error))
    except ScenarioError as error:
        return error
    key = tuple(f"{path.parent}/{name}" for name in files)
    if key in coverage:
        coverage[key].merge(result.coverage)
    else:
        coverage[key] = result.coverage
    return result


def _passed(outcome: Result | ScenarioError) -> bool:
    return isinstance(outcome, Result) and outcome.passed


def _line(path: Path, outcome: Result | ScenarioError) -> str:
    if isinstance(outcome, ScenarioError):
        return f"error   {path}: {outcome}"
    if outcome.passed:
        return f"passed  {path}: {outcome.name}"
    return f"failed  {path}: {outcome.name}\n        {first_divergence(outcome.failures)}{_left_out(outcome)}"


def update_replies(path: Path, result: Result) -> None:
    """Write the replies that were found where other replies were expected; the rest of the file stays as data.

    YAML comments of the file are not kept, since the file is written anew.
    """
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    for failure in result.failures:
        if failure.what != "reply":
            continue
        found = failure.found[0] if len(failure.found) == 1 else (failure.found or None)
        if failure.place == "start":
            data["start"]["expect"]["reply"] = found
        else:
            number = int(failure.place.removeprefix("turns[").removesuffix("]"))
            data["turns"][number]["expect"]["reply"] = found
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")


def write_junit(path: Path, results: Sequence[tuple[Path, Result | ScenarioError]]) -> None:
    """The results as JUnit XML: one test case per scenario, its divergences as the failure text."""
    suite = ElementTree.Element(
        "testsuite", name="abl test", tests=str(len(results)), failures=str(sum(not _passed(o) for _, o in results))
    )
    for file, outcome in results:
        name = outcome.name if isinstance(outcome, Result) else file.name
        case = ElementTree.SubElement(suite, "testcase", classname=str(file), name=name)
        if isinstance(outcome, ScenarioError):
            ElementTree.SubElement(case, "error", message=str(outcome))
        elif not outcome.passed:
            failure = ElementTree.SubElement(case, "failure", message=first_divergence(outcome.failures))
            failure.text = "\n".join(str(f) for f in outcome.failures)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _coverage_text(coverage: Coverage) -> str:
    lines = []
    for agent, parts in coverage.report().items():
        counts = ", ".join(f"{kind} {part['seen']}/{part['all']}" for kind, part in parts.items())
        lines.append(f"{agent}: {counts}")
        for kind, part in parts.items():
            if part["missing"]:
                lines.append(f"  {kind} not reached: {', '.join(map(str, part['missing']))}")
        if parts["rules"]["one_sided"]:
            lines.append(f"  rules seen on one side only: {', '.join(map(str, parts['rules']['one_sided']))}")
    return "\n".join(lines)
