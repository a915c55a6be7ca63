"""``make bench``: what each module measures beside the bars of docs/architecture.md §8; exit 1 when one is missed.

    python -m benchmarks [--quick] [MODULE ...]

``--quick`` takes the small sizes that a module names in ``QUICK`` and compares nothing: whether everything still runs.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import benchmarks


@dataclass(frozen=True)
class Bar:
    """What a figure has to reach: at most ``limit``, or at least where ``more`` is better."""

    limit: float
    unit: str
    more: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value reaches the bar."""
        return value >= self.limit if self.more else value <= self.limit

    def fails(self, value: float) -> bool:
        """Whether a value misses the bar. A time counts as missed at three times its bar: machines differ."""
        return value > 3 * self.limit if self.unit == "ms" else not self.holds(value)

    def __str__(self) -> str:
        return f"{'>=' if self.more else '<='} {number(self.limit)} {self.unit}"


BARS: dict[str, Bar] = {
    "conditions.ratios.evaluate": Bar(2.0, "x a lambda"),
    "conditions.ratios.explain": Bar(6, "x a lambda"),
    "check.cold_to_pyyaml": Bar(0.9, "x PyYAML"),
    "check.growth_10x": Bar(12, "x for ten times the text"),
    "check.edit_2000_ms": Bar(12, "ms"),
    "check.edit_slip_2000_ms": Bar(12, "ms"),
    "project.edit_to_cold": Bar(0.05, "of a cold check of 200 agents"),
    "editing.complete_ms.median": Bar(20, "ms"),
    "editing.format_to_pyyaml": Bar(1, "x PyYAML"),
    "editing.format_growth_10x": Bar(12, "x for ten times the text"),
    "keystroke.median": Bar(60, "ms"),
    "keystroke.p95": Bar(100, "ms"),
    "facts.*.page_ms.*.first": Bar(5, "ms"),
    "facts.*.page_ms.*.page *": Bar(5, "ms"),
    "facts.sqlite.cas_per_s": Bar(3000, "/s", more=True),
    "facts.postgresql.cas_per_s": Bar(1500, "/s", more=True),
    "facts.*.updates_lost": Bar(0, "updates"),
    "facts.*.purge.write_longest_ms": Bar(1000, "ms"),
    "facts.*.purge.expired_values_read": Bar(0, "reads"),
    "facts.*.purge.left": Bar(0, "facts"),
    "recall.*.ms.*.median": Bar(30, "ms"),
    "turns.turns_per_second": Bar(2000, "/s on one core", more=True),
    "message.median": Bar(150, "ms"),
    "viewers.p95": Bar(60, "ms"),
    "viewers.stream_kb": Bar(60, "KB"),
}
"""What figures have to reach, by dotted name; ``*`` stands for anything."""


def modules(chosen: list[str]) -> Iterator[str]:
    """Names of the modules that measure something, in order; all of them or those asked for."""
    names = sorted(info.name for info in pkgutil.iter_modules(benchmarks.__path__) if not info.name.startswith("_"))
    unknown = set(chosen) - set(names)
    if unknown:
        sys.exit(f"No benchmark {', '.join(sorted(unknown))}. There are: {', '.join(names)}.")
    for name in chosen or names:
        if hasattr(importlib.import_module(f"benchmarks.{name}"), "measure"):
            yield name


def figures(measured: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Every figure under its dotted name."""
    for name, value in measured.items():
        if isinstance(value, Mapping):
            yield from figures(value, f"{prefix}.{name}")
        else:
            yield f"{prefix}.{name}", value


def number(value: Any) -> str:
    """Three significant digits; whole numbers and words as they are."""
    return (
        f"{value:.3g}"
        if isinstance(value, float) and abs(value) < 1000
        else f"{value:,.0f}"
        if isinstance(value, float)
        else str(value)
    )


def bar_of(figure: str) -> Bar | None:
    """The bar of a figure, if it has one."""
    return next((bar for pattern, bar in BARS.items() if fnmatchcase(figure, pattern)), None)


def measured_by(name: str, quick: bool) -> dict[str, Any]:
    """Every figure of a module under its dotted name."""
    module = importlib.import_module(f"benchmarks.{name}")
    return dict(figures(module.measure(**module.QUICK) if quick else module.measure(), name))


def report(name: str) -> list[str]:
    """Print what a module measures, figures with a bar first; those that miss theirs, and bars without a figure."""
    # Flushed, since a benchmark takes minutes and the output may be a file.
    print(f"\n{name}: measuring", flush=True)
    measured = measured_by(name, quick=False)
    missed = []
    for figure, value in sorted(measured.items(), key=lambda item: bar_of(item[0]) is None):
        bar = bar_of(figure)
        result = "" if bar is None else "reached" if bar.holds(value) else "MISSED" if bar.fails(value) else "above"
        if result == "MISSED":
            missed.append(figure)
        print(f"  {figure.removeprefix(name + '.'):50} {number(value):>12}  {bar or ''!s:28} {result}".rstrip())
    if any(figure.endswith(".left_out") for figure in measured):
        return missed
    return missed + [bar for bar in BARS if bar.startswith(f"{name}.") and not filter_names(measured, bar)]


def filter_names(names: Iterable[str], pattern: str) -> list[str]:
    """The names that fit a pattern."""
    return [name for name in names if fnmatchcase(name, pattern)]


def try_out(name: str) -> None:
    """Run a module with its small sizes and print how many figures it gave; without any it raises."""
    if not hasattr(importlib.import_module(f"benchmarks.{name}"), "QUICK"):
        print(f"{name}: has no small size", flush=True)
        return
    measured = measured_by(name, quick=True)
    left_out = [str(value) for figure, value in measured.items() if figure.endswith(".left_out")]
    if not measured:
        raise ValueError(f"{name}.measure() gave no figures")
    print(f"{name}: {len(measured) - len(left_out)} figures", *(f"left out: {reason}" for reason in left_out), sep="; ")


def main(arguments: list[str]) -> int:
    """Run the chosen benchmarks, or all; 1 when a bar is missed or not measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="small sizes, compared to nothing")
    parser.add_argument("module", nargs="*", help="all without one")
    given = parser.parse_args(arguments)
    if given.quick:
        for name in modules(given.module):
            try_out(name)
        return 0
    missed = [figure for name in modules(given.module) for figure in report(name)]
    print(f"\nMissed: {', '.join(missed)}" if missed else "\nEvery bar is reached.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
