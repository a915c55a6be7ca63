"""``abl.check`` against readers of YAML in Python on texts of one size (docs/architecture.md §8).

``measure()`` times, in one process and in turn: a cold check (every cache empty) of 100, 1,000 and 10,000 lines, the
pure loaders of PyYAML and ruamel.yaml on YAML of the same number of characters, Lark reading nothing but the lines and
indentation of that YAML, and a check after a one-line edit in 2,000 lines, also where a key is misspelt.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import _lru_cache_wrapper
from typing import ClassVar

import yaml

from abl.analysis import check
from abl.analysis.reporting.render import diagnostic_dict
from abl.diagnostics import Diagnostic

ROUNDS = 7
QUICK = {"lines": 100}
STEP = """\
  step_{n}:
    REASONING: false
    GATHER:
      - title_{n}: required
        prompt: "Which book for shelf {n}?"
    SET:
      - fee_{n} = days_late_{m} * 0.5 + {n}
      - total.part_{n} = COALESCE(fee_{n}, 0) + open_loans
    CHECK: fee_{n} < 20 AND open_loans < loan_cap
    ON_FAIL:
      RESPOND: "Shelf {n}: {{{{fee_{n}}}}} is too much for {{{{user.name}}}}."
      GOTO: step_0
    RESPOND: "Noted {{{{title_{n}}}}}, {{{{open_loans}}}} loans."
    ON_INPUT:
      - IF: input == "back" AND open_loans > {n}
        THEN: step_{previous}
      - ELSE:
        THEN: step_{following}
"""
HEAD = """\
AGENT: Lending_Desk
GOAL: "Lend books"

MEMORY:
  session:
    - open_loans
      TYPE: number
      INITIAL: 0
    - loan_cap
      TYPE: number
      INITIAL: 5
"""
VARIABLE = """\
    - days_late_{n}
      TYPE: number
      DESCRIPTION: "Days the book {n} is late"
      INITIAL: 0
"""
PERSISTENT = """\
  persistent:
    - user.name
      SCOPE: user
      DEFAULT: "reader"

CONSTRAINTS:
  lending:
"""
RULE = """\
    - REQUIRE days_late_{n} < {n} + 30 AND (open_loans < loan_cap OR user.name == "staff {n}")
      WHEN: open_loans IS SET
      ON_FAIL: "Return book {n} first, {{{{user.name}}}}: it is {{{{days_late_{n}}}}} days late."
"""


def agent_text(lines: int) -> str:
    """An agent of about that many lines; each has its own words, so that nothing is read from a cache."""
    units = max(1, (lines - 30) // (len(STEP.splitlines()) + len(VARIABLE.splitlines()) + len(RULE.splitlines())))
    parts = [HEAD, *(VARIABLE.format(n=n) for n in range(units))]
    parts.append(PERSISTENT)
    parts += [RULE.format(n=n) for n in range(units)]
    parts.append("\nFLOW:\n  entry_point: step_0\n")
    for n in range(units):
        parts.append(STEP.format(n=n, m=n, previous=max(n - 1, 0), following=min(n + 1, units - 1)))
    return "".join(parts)


def yaml_text(characters: int) -> str:
    """YAML of about that many characters, of the same kind of content."""
    entry = '- name: variable_{n}\n  type: number\n  description: "Days the book {n} is late"\n  initial: 0\n'
    entry += '  rules:\n    - condition: "days_late < {n}"\n      message: "Return book {n} first"\n'
    pieces: list[str] = []
    size = 0
    while size < characters:
        pieces.append(entry.format(n=len(pieces)))
        size += len(pieces[-1])
    return "".join(pieces)


def empty_caches() -> None:
    """Forget everything any function of the product remembers about texts."""
    gc.collect()
    for item in gc.get_objects():
        if isinstance(item, _lru_cache_wrapper) and str(getattr(item, "__module__", "")).startswith("abl"):
            item.cache_clear()


def timed(work: Callable[[], object], before: Callable[[], None] = lambda: None) -> float:
    """Milliseconds of processor time of one run, which waits for nothing: what else the machine does counts less."""
    before()
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def best(work: Callable[[], object], before: Callable[[], None] = lambda: None) -> float:
    """The median time in milliseconds."""
    return statistics.median(timed(work, before) for _ in range(ROUNDS))


def against(
    work: Callable[[], object], peer: Callable[[], object], before_peer: Callable[[], None] = lambda: None
) -> tuple[float, float, float]:
    """Medians of cold work and of its peer, and of their ratios pair by pair: a machine that slows down slows both."""
    pairs = [(timed(work, empty_caches), timed(peer, before_peer)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs), ratio


def growth(work: Callable[[str], object], small: str, large: str) -> tuple[float, float]:
    """The median time of cold work on a large text, and how often it contains that on a small one if it has ten times
    the characters.

    The two are measured in turn and compared pair by pair; the time includes the collection of garbage that the work
    causes. A text of ten times the lines has a little more than ten times the characters. The work on the small one is
    done twice and the second time counts, so that it does not pay for what the large one leaves behind.
    """

    def prepare_small() -> None:
        empty_caches()
        work(small)
        empty_caches()

    time_of_large, _, ratio = against(lambda: work(large), lambda: work(small), prepare_small)
    return time_of_large, ratio * 10 * len(small) / len(large)


def edited(text: str) -> Callable[[], list[Diagnostic]]:
    """A check of the text with one line changed, another one each time."""
    lines = text.splitlines(keepends=True)
    middle = next(i for i in range(len(lines) // 2, len(lines)) if "SET" not in lines[i] and "RESPOND" in lines[i])
    state = {"n": 0}

    def work() -> list[Diagnostic]:
        state["n"] += 1
        changed = lines[middle].replace('"Noted', f'"Noted {state["n"]}').replace('"Shelf', f'"Shelf {state["n"]}')
        report = check({"desk.agent.abl": "".join([*lines[:middle], changed, *lines[middle + 1 :]])})
        return list(report.diagnostics)

    return work


LINES = r"""
start: entry*
entry: LINE _NL [_INDENT entry+ _DEDENT]
LINE: /[^\n]+/
_NL: /(\r?\n[ ]*)+/
%declare _INDENT _DEDENT
"""


def peers(text: str) -> dict[str, float]:
    """Milliseconds of other readers of a text of that size, where they are installed."""
    found = {}
    with suppress(ImportError):
        from ruamel.yaml import YAML

        found["ruamel_1000_ms"] = best(lambda: YAML(typ="safe", pure=True).load(text))
    with suppress(ImportError):
        from lark import Lark
        from lark.indenter import Indenter

        class Lines(Indenter):
            """Indentation of two columns or more opens a block."""

            NL_type = "_NL"
            OPEN_PAREN_types: ClassVar[list[str]] = []
            CLOSE_PAREN_types: ClassVar[list[str]] = []
            INDENT_type = "_INDENT"
            DEDENT_type = "_DEDENT"
            tab_len = 4

        reader = Lark(LINES, parser="lalr", postlex=Lines())
        found["lark_lines_1000_ms"] = best(lambda: reader.parse(text))
    return found


def measure(lines: int = 1000) -> dict[str, float]:
    """Milliseconds by name, and the ratio of docs/architecture.md §8: cold check of 1,000 lines to PyYAML (below 1).

    The names are those of texts with 1,000 ``lines``, a tenth, twice and ten times as many.
    """
    hundred, thousand, ten_thousand = agent_text(lines // 10), agent_text(lines), agent_text(lines * 10)
    check({"warm.agent.abl": agent_text(100)})
    empty_caches()
    same_size = yaml_text(len(thousand))
    cold, loader, ratio = against(
        lambda: check({"desk.agent.abl": thousand}), lambda: yaml.load(same_size, Loader=yaml.SafeLoader)
    )
    small = best(lambda: check({"desk.agent.abl": hundred}), empty_caches)
    large, growth_10x = growth(lambda text: check({"desk.agent.abl": text}), thousand, ten_thousand)
    work = edited(agent_text(lines * 2))
    work()
    edit = best(work)
    work = edited(agent_text(lines * 2).replace("REASONING", "REASONNG", 1))
    work()
    edit_with_slip = best(work)
    report = check({"desk.agent.abl": thousand})
    sources = report.index.sources
    encode = best(lambda: json.dumps([diagnostic_dict(d, sources) for d in report.diagnostics]))
    return {
        "cold_100_ms": small,
        "cold_1000_ms": cold,
        "cold_10000_ms": large,
        "growth_10x": growth_10x,
        "pyyaml_1000_ms": loader,
        **peers(same_size),
        "cold_to_pyyaml": ratio,
        "edit_2000_ms": edit,
        "edit_slip_2000_ms": edit_with_slip,
        "json_ms": encode,
        "diagnostics": len(report.diagnostics),
    }


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=2)
    print()
