"""A plugin of pytest that tries mutants: it collects the tests once, learns which lines each reaches, and forks.

Each test runs once in a process of its own, without a change, and what it reaches is kept while source and test stay
the same. A mutant is tried in a fork of the process that has collected the tests. A change inside of functions
replaces their code there; one outside of them (a constant, a default) loads the project anew. The tests that reach the
line run, the fastest first, until one fails. Time is that of the processor, so that other work on the machine does not
count.
"""

from __future__ import annotations

import gc
import importlib.abc
import os
import pickle
import resource
import select
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple

import mutators
import pytest
from _pytest.runner import runtestprotocol
from mutators import ROOT, Mutant

Line = tuple[str, int]
SECONDS_MORE: Final = 3.0
TIMES: Final = 10
"""What a test may take with a change: as many times its own time, and some seconds more."""
MOST_CALLS: Final = 300
"""Of one function in one test that are traced: what these do not reach, later ones do not either."""
WALL: Final = 60
"""Times of the wall clock by those of the processor: a process that waits for ever is ended after so many."""
WATCHED: Final = tuple(str(ROOT / package) + os.sep for package in ("abl/runtime", "abl/expressions"))


class Reached(NamedTuple):
    """The lines that a test reaches, its seconds of the processor, and what it fails with without any change."""

    lines: frozenset[Line]
    seconds: float
    fails: str


class Tried(NamedTuple):
    """Whether a mutant is noticed, and by what: a test and its message, or what else happened."""

    noticed: bool
    why: str
    tests: int
    seconds: float


class Tracer:
    """Notes the lines of the two packages that run."""

    def __init__(self) -> None:
        self.lines: set[Line] = set()
        self.calls: Counter[CodeType] = Counter()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        path = frame.f_code.co_filename
        if not path.startswith(WATCHED) or self.calls[frame.f_code] > MOST_CALLS:
            return None
        self.calls[frame.f_code] += 1
        lines = self.lines

        def note(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            lines.add((path, frame.f_lineno))
            return note

        return note(frame, event, argument)

    def start(self) -> None:
        """In this thread and those that it starts."""
        threading.settrace(self)
        sys.settrace(self)

    def stop(self) -> None:
        """No more."""
        sys.settrace(None)
        threading.settrace(None)


def in_fork(work: Callable[[], Any], seconds: float) -> Any:
    """What the work gives in a fork of this process; a text that says why where it gives nothing."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        os.setpgid(0, 0)
        _be_silent()
        try:
            given = work()
        except BaseException as error:  # whatever it is, the fork ends here
            given = f"the fork: {type(error).__name__}: {error}"
        try:
            with os.fdopen(writing, "wb") as file:
                pickle.dump(given, file)
        finally:  # who asked may be gone; this process ends here in any case
            os._exit(0)
    os.close(writing)
    parts, deadline, late = [], time.monotonic() + seconds * WALL, False
    while True:
        if not select.select([reading], [], [], max(0, deadline - time.monotonic()))[0]:
            late = True
            break
        part = os.read(reading, 1 << 20)
        if not part:
            break
        parts.append(part)
    os.close(reading)
    if late:
        os.kill(process, signal.SIGKILL)
    status = os.waitpid(process, 0)[1]
    if late:
        return "waits for ever"
    return pickle.loads(b"".join(parts)) if parts else f"ends by {_ending(status)}"  # noqa: S301


def _ending(status: int) -> str:
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"


def _be_silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def limit_processor(seconds: float) -> None:
    """End this process when it has computed for so long from now on."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def limit_memory() -> None:
    """A change may make a list grow without end."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (3 << 30), now + (3 << 30)))


def failure(item: pytest.Item, following: pytest.Item | None = None) -> str:
    """Run a test; what it fails with, or an empty text."""
    for report in runtestprotocol(item, log=False, nextitem=following):
        if report.failed:
            return f"{item.nodeid} [{report.when}] {' '.join(str(report.longrepr).split())[-160:]}"
    return ""


def reach(items: Sequence[pytest.Item]) -> list[Reached]:
    """What tests reach, each what all of them do; to be called in a fork."""
    tracer, seconds, fails = Tracer(), [], []
    for item in items:
        begun = time.process_time()
        tracer.start()
        try:
            fails.append(failure(item))
        finally:
            tracer.stop()
        seconds.append(time.process_time() - begun)
    lines = frozenset(tracer.lines)
    return [Reached(lines, *row) for row in zip(seconds, fails, strict=True)]


class Loader(SourceFileLoader):
    """Loads a module with a change."""

    number = -1

    def get_code(self, fullname: str) -> CodeType:
        """The code of the mutant."""
        return mutators.code_of(Path(self.path), self.number)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the mutated module, and no other."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        self.name = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of the mutant; None for every other module."""
        if fullname != self.name:
            return None
        loader = Loader(fullname, str(self.mutant.path))
        loader.number = self.mutant.number
        return spec_from_file_location(fullname, self.mutant.path, loader=loader)


def _nested(code: CodeType) -> Iterable[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _own(code: CodeType) -> tuple[Any, ...]:
    constants = [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars


def differing(mutant: Mutant) -> list[tuple[CodeType, CodeType]]:
    """The pieces of code that the change makes another, without and with it. None: the change makes no difference."""
    changed = _by_place(mutators.code_of(*mutant[:2]))
    pairs = ((old, changed.get(place)) for place, old in _by_place(mutators.code_of(mutant.path)).items())
    return [(old, new) for old, new in pairs if new is not None and _own(old) != _own(new)]


def _by_place(code: CodeType) -> dict[tuple[Any, ...], CodeType]:
    """The pieces by where they stand. What nothing leads to, as behind an endless loop, has none."""
    met: Counter[tuple[str, str, int]] = Counter()
    places: dict[tuple[Any, ...], CodeType] = {}
    for piece in _nested(code):
        met[_place(piece)] += 1
        places[*_place(piece), met[_place(piece)]] = piece
    return places


def is_of_function(code: CodeType) -> bool:
    """Whether it runs when it is called, not when its module is loaded."""
    return bool(code.co_flags & 0x2)  # CO_NEWLOCALS


def functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    """All functions of the two packages by file, name and line."""
    gc.unfreeze()
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(WATCHED):
            found.setdefault(_place(each.__code__), []).append(each)
    return found


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


class Replaced(Exception):
    """A function has no code that could be replaced."""


def replace(path: Path, number: int, functions: dict[tuple[str, str, int], list[FunctionType]]) -> None:
    """Give every function of a file its code with the change."""
    for code in _nested(mutators.code_of(path, number)):
        for function in functions.get(_place(code), ()):
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                raise Replaced(code.co_qualname)
            function.__code__ = code


class Chosen:
    """A plugin for a run with the project loaded anew: the chosen tests alone, in their order, each in its time."""

    def __init__(self, tests: dict[str, float]) -> None:
        self.tests = tests
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the others."""
        order = {name: at for at, name in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that can not be read is noticed too."""
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} [collect] {' '.join(str(report.longrepr).split())[-300:]}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Stop at the first failure."""
        if not self.failed:
            self.failed = run_chosen(session.items, self.tests)
        return True


def run_chosen(items: Sequence[pytest.Item], seconds: dict[str, float]) -> str:
    """Run tests one after another, each in its time; the first failure, or an empty text."""
    for at, item in enumerate(items):
        limit_processor(TIMES * seconds[item.nodeid] + SECONDS_MORE)
        if failed := failure(item, items[at + 1] if at + 1 < len(items) else None):
            return failed
    return ""


def load_anew(mutant: Mutant, tests: dict[str, float]) -> str:
    """Load the project with the change, in a fork, and run tests; the first failure, or an empty text."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("abl", "tests")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder(mutant))
    chosen = Chosen(tests)
    limit_processor(120)
    os.environ["TEST_RERUNS"] = "0"
    files = dict.fromkeys(name.partition("::")[0] for name in tests)
    try:
        pytest.main(["-q", "-n0", "--tb=native", "-p", "no:cacheprovider", *files], plugins=[chosen])
    except Exception as error:  # such as a conftest that can not be loaded
        return f"[load] {type(error).__name__}: {error}"
    return chosen.failed
