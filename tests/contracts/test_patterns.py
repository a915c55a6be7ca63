"""No pattern in the code takes time that grows faster than the text it is tried on (docs/architecture.md §8).

The engine of ``re`` goes back: a pattern such as ``\\s*(.*?)\\s*$`` takes a second for 20,000 blanks, and holds the
interpreter meanwhile, so a small document stops all pages. Each pattern that is in a module is tried on texts that
repeat what it is made of.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import abl
import constraints
import editor
import memory
import web

PACKAGES = (abl, constraints, editor, memory, web)
LENGTHS = (30, 300, 3_000, 20_000)
TRIED_OTHERWISE = {
    "abl.analysis.collect.places._CLOSING": "from a quote on, once for each",
    "abl.analysis.symbols.agent_links._HANDED": "on a whole value, by the function that it is given to",
    "abl.analysis.symbols.agent_links._ROUTE_TO": "on a whole value, by the function that it is given to",
    "abl.editing.completion.complete._CONSUMERS": "on the last 1,000 characters",
    "abl.editing.completion.complete._WORD_BEFORE": "on the last 1,000 characters",
    "abl.editing.completion.each._INDEXED": "on the last 1,000 characters",
    "abl.editing.completion.snippets._KEY": "on texts of our own",
    "abl.editing.completion.snippets._RULE": "on texts of our own",
    "abl.syntax.lines.texts._CLOSED": "where a value opens, once for each",
    "memory.templatetags.facts._TOKEN": "on lines of JSON of our own, whose quotes are closed",
    "abl.expressions.template_parser._QUOTED": "from a quote on, and never goes back",
}
"""Patterns that the code tries in a way that this test cannot see, with what bounds them."""
SECONDS = 0.5
"""Of processor time for 20,000 characters; linear patterns take about a millisecond."""
OFTEN = (" ", "a", "1", "-", ".", "\n", '"', "{", "\\")


class TooSlow(Exception):
    """A text for which a pattern takes too long."""


def found() -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns that are names of modules, or are in their tuples and dicts."""
    seen = set()
    for package in PACKAGES:
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if any(part in info.name for part in (".migrations", ".management", "__main__")):
                continue
            module = importlib.import_module(info.name)
            for name, value in vars(module).items():
                for pattern in patterns_in(value):
                    if isinstance(pattern.pattern, str) and pattern not in seen:
                        seen.add(pattern)
                        yield f"{info.name}.{name}", pattern


def ways(name: str, pattern: re.Pattern[str]) -> list[Callable[[str], object]]:
    """How its module tries a pattern: from one place, on the whole text, or at every place."""
    module, _, known = name.rpartition(".")
    code = Path(str(importlib.import_module(module).__file__)).read_text(encoding="utf-8")
    used = set(re.findall(rf"\b{re.escape(known)}\.(\w+)\(", code))
    anchored = [getattr(pattern, way) for way in ("match", "fullmatch") if way in used]
    return anchored if used and used <= {"match", "fullmatch"} else [*anchored, pattern.search]


def patterns_in(value: Any, depth: int = 2) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict | list | tuple | frozenset) and len(value) < 100:
        for item in value.values() if isinstance(value, dict) else value:
            yield from patterns_in(item, depth - 1)


def literals(parsed: Any) -> Iterator[str]:
    """Runs of characters that a pattern names, and one character of each set in it."""
    run = ""
    for op, argument in parsed:
        if str(op) == "LITERAL":
            run += chr(argument)
            continue
        if run:
            yield run
        run = ""
        if str(op) == "IN":
            yield from (chr(each) for kind, each in argument[:3] if str(kind) == "LITERAL")
        else:
            yield from below(argument)
    if run:
        yield run


def below(argument: Any) -> Iterator[str]:
    if isinstance(argument, parser.SubPattern):
        yield from literals(argument)
    elif isinstance(argument, list | tuple):
        for item in argument:
            yield from below(item)


def texts(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What a text begins with and what it repeats."""
    words = list(dict.fromkeys(literals(parser.parse(pattern.pattern, pattern.flags))))[:12]
    starts = ["", *words[:8], *(one + other for one, other in pairwise(words))][:14]
    after = [f"{one}{other}" for one, other in pairwise(words[:6])]
    pumps = dict.fromkeys(
        [*OFTEN, *words, *after, *(f"{word} " for word in words[:6]), *(f"{word}a" for word in words[:4])]
    )
    yield from ((start, pump) for start in starts for pump in pumps)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises TooSlow, also from within the engine, which looks for signals."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def slow(pattern: re.Pattern[str], *tried: Callable[[str], object]) -> str | None:
    """A text for which the pattern takes too long; None where none was found."""
    for start, pump in texts(pattern):
        for length in LENGTHS:
            text = start + pump * (length // len(pump)) + "\x00"
            try:
                with within(SECONDS):
                    for way in tried or [pattern.search]:
                        way(text)
            except TooSlow:
                return f"{start!r} + {pump!r} * {length // len(pump)}"
    return None


@pytest.mark.thorough
def test_no_pattern_goes_back_again_and_again():
    known = list(found())
    assert len(known) > 150
    assert {
        name: f"{pattern.pattern[:80]} on {text}"
        for name, pattern in known
        if name not in TRIED_OTHERWISE and (text := slow(pattern, *ways(name, pattern)))
    } == {}


@pytest.mark.full
def test_what_would_go_back_is_found():
    assert slow(re.compile(r"\{\{\s*[^{}]*?\s*\}\}")) is not None
    assert slow(re.compile(r"(?s)(?:<!--.*?-->\s*)*<html")) is not None
    assert slow(re.compile(r"<!--[^-]*+-->")) is None
