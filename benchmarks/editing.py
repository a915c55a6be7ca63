"""What an editor asks for: completion while somebody types, formatting, all places of a name (docs/architecture.md §8).

``measure()`` times, in one process: completion at places all over 2,000 lines, each after a one-line edit as it is when
somebody types; formatting of 1,000 and 10,000 lines that are not formatted beside PyYAML's pure loader on a text of the
same size; the references of a name in 2,000 lines.
"""

from __future__ import annotations

import json
import re
import statistics
import sys

import yaml

from abl.editing.completion.complete import complete
from abl.editing.format import format_source
from abl.editing.navigate import references
from benchmarks.check import agent_text, best, empty_caches, growth, timed, yaml_text

PATH = "desk.agent.abl"
ROUNDS = 40
QUICK = {"lines": 100}
PLACES = ("TYPE: ", "CHECK: ", "ON_FAIL: ", "GOTO: ", "    - REQUIRE ", "    REASONING: ", "THEN: ", "  ")


def completions(text: str) -> list[float]:
    """Milliseconds of each completion; before each, one character is typed there."""
    lines = text.split("\n")
    found = []
    for number in range(ROUNDS):
        at = (number * 7919) % len(lines)
        start = PLACES[number % len(PLACES)]
        line = next((n for n in (*range(at, len(lines)), *range(at)) if start in lines[n]), at)
        column = lines[line].find(start) + len(start)
        typed = [*lines[:line], lines[line][:column] + "s", *lines[line + 1 :]]
        files = {PATH: "\n".join(typed)}
        found.append(timed(lambda files=files, line=line, column=column: complete(files, PATH, line + 1, column + 2)))
    return found


def unformatted(text: str) -> str:
    """The same text, twice as far in and with blanks where none belong."""
    return re.sub(r"^( *)(.*)$", lambda m: f"{m[1]}{m[1]}{m[2]} ", text, flags=re.MULTILINE)


def measure(lines: int = 1000) -> dict[str, float]:
    """Milliseconds by name, and formatting as a ratio to PyYAML's loader and to a tenth of the text.

    The names are those of texts with 1,000 ``lines``, twice and ten times as many.
    """
    two_thousand = agent_text(lines * 2)
    completions(two_thousand)
    times = completions(two_thousand)
    small, large = unformatted(agent_text(lines)), unformatted(agent_text(lines * 10))
    format_ms = best(lambda: format_source(small), empty_caches)
    same_size = yaml_text(len(small))
    loader = best(lambda: yaml.load(same_size, Loader=yaml.SafeLoader))
    large_ms, growth_10x = growth(format_source, small, large)
    line = two_thousand[: two_thousand.index("open_loans")].count("\n") + 1
    places = best(lambda: references({PATH: two_thousand}, PATH, line, 9))
    return {
        "complete_ms.median": statistics.median(times),
        "complete_ms.longest": max(times),
        "format_1000_ms": format_ms,
        "format_10000_ms": large_ms,
        "format_growth_10x": growth_10x,
        "format_to_pyyaml": format_ms / loader,
        "references_2000_ms": places,
    }


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=2)
    print()
