"""Changes abl/runtime and abl/expressions in small ways, one at a time, and tells which changes no test notices.

    scripts/mutation.py [--sample 600] [--seed 1] [--least 0.9] [--quick] [--again]
        [--list] [--tests FOLDER] [--at PATH:LINE] [PATH…]

The sample is the same for a seed. The tests that run agents run in one process, for each change those that reach
it: ``scripts/mutant.py`` says how. ``--quick`` takes the tests of ``make test-fast`` alone. ``--again`` tries what was
not noticed before, after a test has been added. ``--list`` names the sample with its lines and tries nothing. The
working copy is not touched.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import mentions
import mutant as trials
import mutators
import pytest
from mutators import ROOT, Mutant

PACKAGES: Final = ("abl/runtime", "abl/expressions")
FOLDERS: Final = tuple(f"tests/abl/{name}" for name in ("runtime", "expressions", "cli", "realistic", "language"))
ALL: Final = "not thorough and not browser and not server and not slow"
QUICK: Final = f"{ALL} and not full"
KEPT: Final = Path(os.environ.get("ABL_VAR_DIR") or ROOT / "var") / "mutation"


def say(text: str) -> None:
    """A line, at once."""
    sys.__stdout__.write(text + "\n")  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]


class Trial:
    """A plugin of pytest that runs no test for itself: it tries mutants by the tests that were collected."""

    def __init__(self, chosen: list[Mutant], tracer: trials.Tracer, *, again: bool) -> None:
        self.chosen = chosen
        self.tracer = tracer
        self.reached: dict[str, trials.Reached] = {}
        self.tried: list[tuple[Mutant, trials.Tried]] = []
        self.sound: dict[tuple[Path, str, bool], bool] = {}
        file = KEPT / "noticed.json"
        self.before: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if again and file.exists() else {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learn what the tests reach, see that they pass with the code replaced, and try."""
        self.tracer.stop()
        self.functions = trials.functions()
        gc.freeze()
        self.reached = reaches(session.items)
        for name in [name for name, reached in self.reached.items() if reached.fails]:
            say(f"Left out, it fails without a change: {self.reached.pop(name).fails}")
        self.items = {item.nodeid: item for item in session.items}
        self.tests_at: dict[trials.Line, set[str]] = {}
        for name, reached in self.reached.items():
            for line in reached.lines:
                self.tests_at.setdefault(line, set()).add(name)
        if self.reached:
            for mutant in self.chosen:
                before = self.before.get(name_of(mutant), "")
                known = trials.Tried(True, f"before: {before}", 0, 0) if before else None
                self.tried.append((mutant, known or self.attempt(mutant)))
                say(described(len(self.tried), len(self.chosen), *self.tried[-1]))
                if self.tried[-1][1].noticed:
                    self.before[name_of(mutant)] = self.tried[-1][1].why
                    (KEPT / "noticed.json").write_text(json.dumps(self.before), encoding="utf-8")
        return True

    def is_sound(self, mutant: Mutant, failed: str, *, anew: bool) -> bool:
        """Whether the test that failed passes when the code is replaced by itself, or the project is loaded anew."""
        name = failed.partition(" [")[0]
        if name not in self.reached:
            return True  # the process ended, or a file of tests could not be read
        if (mutant.path, name, anew) not in self.sound:
            tests = self.ordered([name])
            if anew:
                again = self.run(partial(trials.load_anew, mutant._replace(number=-1), tests), tests, 120)
            else:
                step = partial(trials.replace, mutant.path, -1, self.functions)
                again = self.run(partial(self.replaced, [step], tests), tests)
            self.sound[mutant.path, name, anew] = not again
            if again:
                say(f"Left out, it fails with the code replaced by itself: {again}")
        return self.sound[mutant.path, name, anew]

    def replaced(self, steps: Iterable[Any], tests: dict[str, float]) -> str:
        """Replace code and run tests; the first failure."""
        for step in steps:
            step()
        trials.limit_memory()
        return trials.run_chosen([self.items[name] for name in tests], tests)

    @staticmethod
    def run(work: Any, tests: dict[str, float], more: float = 1) -> str:
        """The first failure of some tests in a fork."""
        failed: str = trials.in_fork(work, sum(tests.values()) + more)
        return failed

    def ordered(self, names: Iterable[str]) -> dict[str, float]:
        """Tests and their seconds, the fastest first."""
        return {name: self.reached[name].seconds for name in sorted(names, key=lambda name: self.reached[name].seconds)}

    def first_failure(
        self, mutant: Mutant, names: set[str], run: Callable[[dict[str, float]], str], *, anew: bool
    ) -> tuple[str, dict[str, float]]:
        """What fails first for the sake of the change alone, and the tests that were tried."""
        tests = self.ordered(names)
        while tests:
            failed = run(tests)
            if not failed or self.is_sound(mutant, failed, anew=anew):
                return failed, tests
            del tests[failed.partition(" [")[0]]
        return "", tests

    def attempt(self, mutant: Mutant) -> trials.Tried:
        """Try one."""
        begun = time.monotonic()
        pairs = trials.differing(mutant)
        inner = {line for old, _ in pairs for _, _, line in old.co_lines() if line}
        lines = [mutant.line] if mutant.line in inner else sorted(inner)
        is_inside = all(trials.is_of_function(old) for old, _ in pairs)
        failed, tests = "", dict[str, float]()
        if is_inside:
            names = {name for line in lines for name in self.tests_at.get((str(mutant.path), line), ())}
            step = partial(trials.replace, mutant.path, mutant.number, self.functions)
            failed, tests = self.first_failure(
                mutant, names, lambda tests: self.run(partial(self.replaced, [step], tests), tests), anew=False
            )
        is_loaded = any((str(mutant.path), line) in self.tracer.lines for line in lines)
        if (not failed and (not is_inside or is_loaded)) or "Replaced" in failed:
            names = {name for line in mentions.users(mutant.path, mutant.line) for name in self.tests_at.get(line, ())}
            failed, tests = self.first_failure(
                mutant, names, lambda tests: self.run(partial(trials.load_anew, mutant, tests), tests, 120), anew=True
            )
        return trials.Tried(
            bool(failed), failed or ("" if tests else "no test reaches it"), len(tests), time.monotonic() - begun
        )


def name_of(mutant: Mutant) -> str:
    """One change of the file as it is now."""
    return f"{mutant} #{mutant.number} of {hashlib.sha256(mutators.text_of(mutant.path).encode()).hexdigest()}"


def described(at: int, of: int, mutant: Mutant, tried: trials.Tried) -> str:
    """One line about a mutant."""
    outcome = (
        "killed" if tried.noticed else "equivalent" if mutators.key_of(mutant) in mutators.equivalent() else "SURVIVED"
    )
    return f"{at}/{of} {outcome}  {mutant}  ({tried.tests} tests, {tried.seconds:.1f} s) {tried.why}"


def reaches(items: list[pytest.Item]) -> dict[str, trials.Reached]:
    """What each test reaches: kept from the last time where nothing is another, else learned now."""
    file = KEPT / "reached.pickle"
    kept: dict[str, tuple[str, trials.Reached]] = pickle.loads(file.read_bytes()) if file.exists() else {}  # noqa: S301
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.nodeid not in kept or kept[item.nodeid][0] != key_of(item, kept[item.nodeid][1]):
            groups.setdefault(group_of(item), []).append(item)
    learned = sum(map(len, groups.values()))
    for at, group in enumerate(groups.values(), 1):
        rows = trials.in_fork(partial(trials.reach, group), 60)
        for item, row in zip(group, [rows] * len(group) if isinstance(rows, str) else rows, strict=True):
            reached = trials.Reached(frozenset(), 0, f"{item.nodeid} {row}") if isinstance(row, str) else row
            kept[item.nodeid] = key_of(item, reached), reached
        if at % 50 == 0:
            keep(kept)
            say(f"what {at} of {len(groups)} groups of tests reach is learned")
    found = {item.nodeid: kept[item.nodeid][1] for item in items}
    if learned:
        keep(kept)
    say(f"{len(items)} tests; what {learned} of them reach was learned now.")
    return found


def group_of(item: pytest.Item) -> str:
    """Tests that learn together: the hundreds of cases of one test of expressions, else each by itself."""
    return item.nodeid.partition("[")[0] if "tests/abl/expressions" in item.nodeid else item.nodeid


def keep(kept: dict[str, tuple[str, trials.Reached]]) -> None:
    """Write down what tests reach."""
    KEPT.mkdir(parents=True, exist_ok=True)
    there = {name: row for name, row in kept.items() if (ROOT / name.partition("::")[0]).exists()}
    (KEPT / "new.pickle").write_bytes(pickle.dumps(there))
    (KEPT / "new.pickle").replace(KEPT / "reached.pickle")


def key_of(item: pytest.Item, reached: trials.Reached) -> str:
    """Of all that a test is made of and runs; another file that is changed does not alter what it reaches."""
    return digest_of(item.path) + _digests(frozenset(path for path, _ in reached.lines))


@cache
def _digests(paths: frozenset[str]) -> str:
    digests = [_digest(Path(path)) if Path(path).exists() else "" for path in sorted(paths)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@cache
def digest_of(path: Path) -> str:
    """Of the file of a test, its helpers and data, and the language but for the two packages."""
    tests = [each for each in (ROOT / "tests" / Path(*path.relative_to(ROOT).parts[1:3])).rglob("*") if is_source(each)]
    text = path.read_text(encoding="utf-8")
    helpers = [each for each in tests if each == path or (each.suffix == ".py" and not each.name.startswith("test_"))]
    helpers += [
        each
        for each in tests
        if each.suffix != ".py" and (each.stem in text or "load_cases" in text or ".glob(" in text)
    ]
    return hashlib.sha256("".join(map(_digest, [*helpers, *_common()])).encode()).hexdigest()


def is_source(path: Path) -> bool:
    """A file that is no bytecode."""
    return path.is_file() and path.suffix != ".pyc"


@cache
def _common() -> list[Path]:
    own = [*(ROOT / "tests").glob("*.py"), *(ROOT / "examples").rglob("*.*")]
    language = [path for path in (ROOT / "abl").rglob("*.py") if not str(path).startswith(trials.WATCHED)]
    return sorted(path for path in [*own, *language] if path.is_file())


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sample(paths: list[Path], size: int, seed: int, at: list[str]) -> tuple[list[Mutant], int]:
    """So many mutants whose code differs, the same for a seed, and how many are possible; with ``at`` all of its lines.

    The order is that of digests of what is changed, so that an edit elsewhere leaves the others in the sample.
    """
    files = [file.resolve() for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))]
    possible, met = [], Counter[tuple[str, str, str]]()
    for mutant in mutators.mutants(files):
        key = mutators.key_of(mutant)
        met[key] += 1
        possible.append((hashlib.sha256(f"{seed} {key} {met[key]}".encode()).hexdigest(), mutant))
    wanted = (mutant for _, mutant in sorted(possible) if not at or str(mutant).rpartition(": ")[0] in at)
    return list(islice((mutant for mutant in wanted if trials.differing(mutant)), size)), len(possible)


def stale() -> list[str]:
    """Entries of the list of equivalent mutants that fit no change."""
    files = {ROOT / path for path, _, _ in mutators.equivalent()}
    keys = {mutators.key_of(mutant) for mutant in mutators.mutants(sorted(files))}
    return [" | ".join(key) for key in mutators.equivalent() if key not in keys]


def report(tried: list[tuple[Mutant, trials.Tried]], possible: int, seconds: float) -> float:
    """The figures; the share of those that are noticed among those that can be."""
    killed = [mutant for mutant, how in tried if how.noticed]
    same = [m for m, how in tried if not how.noticed and mutators.key_of(m) in mutators.equivalent()]
    left = [(m, how) for m, how in tried if not how.noticed and mutators.key_of(m) not in mutators.equivalent()]
    for mutant, how in left:
        say(f"SURVIVED  {mutant}  {how.why}\n          {mutators.lines_of(mutant.path)[mutant.line - 1].strip()}")
    for package in PACKAGES:
        counts = [mutators.figures(each)[package] for each in (killed, [m for m, _ in left], same)]
        say("{}: {} killed, {} survived, {} equivalent".format(package, *counts))
    share = len(killed) / max(1, len(killed) + len(left))
    say(f"{share:.1%} of {len(killed) + len(left)} are noticed ({possible} possible changes, {seconds:.0f} s).")
    return share


def main() -> int:
    """Try a sample; 1 where too few are noticed, 2 where nothing could be tried."""
    parser = argparse.ArgumentParser(description="Which small changes of the runtime does no test notice?")
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / package for package in PACKAGES])
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.9, help="the share that has to be noticed")
    parser.add_argument("--quick", action="store_true", help="by the tests of make test-fast alone")
    parser.add_argument("--tests", action="append", default=[], help="a folder of tests (more than once)")
    parser.add_argument("--again", action="store_true", help="try only what was not noticed before")
    parser.add_argument("--list", action="store_true", help="name the sample and try nothing")
    parser.add_argument("--at", action="append", default=[], help="FILE:LINE, alone (more than once)")
    arguments = parser.parse_args()
    if stale():
        say("These changes are no longer possible; take them out of equivalent_mutants.txt:\n" + "\n".join(stale()))
        return 2
    os.chdir(ROOT)
    begun = time.monotonic()
    chosen, possible = sample(arguments.paths, arguments.sample, arguments.seed, arguments.at)
    if arguments.list:
        for mutant in sorted(chosen):
            say(f"{mutant}\n          {mutators.lines_of(mutant.path)[mutant.line - 1].strip()}")
        return 0
    tracer = trials.Tracer()
    trial = Trial(chosen, tracer, again=arguments.again)
    tracer.start()
    options = ["-q", "-n0", "--tb=native", "-p", "no:cacheprovider", "-m", QUICK if arguments.quick else ALL]
    pytest.main([*options, *(arguments.tests or FOLDERS)], plugins=[trial])
    if len(trial.tried) < len(chosen):
        say("Not all could be tried.")
        return 2
    return 0 if report(trial.tried, possible, time.monotonic() - begun) >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
