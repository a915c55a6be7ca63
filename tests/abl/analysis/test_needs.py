"""What a rule needs of a node (``abl.analysis.needs``) only saves time: nothing goes unseen that it would find."""

from __future__ import annotations

import sys

import pytest

from abl.analysis import needs
from abl.analysis.registry import RULES
from benchmarks.check import empty_caches
from tests.abl.analysis.restyled import spellings
from tests.abl.analysis.test_analysis_rules import CODES, all_told, files_of, load_cases
from tests.every import each


def told(code: str) -> list[list[tuple[str, str, int, int]]]:
    """What is said of every case of a code, as it is written and in the other forms."""
    found = []
    for case in load_cases(code):
        files = files_of(case)
        path = next(iter(files))
        for text in (files[path], *(text for _, text in spellings(files[path]))):
            report = all_told(code, {**files, path: text})
            found.append([(d.code, d.message, *d.span) for d in report.diagnostics])
    return found


def test_no_rule_finds_more_where_it_sees_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [code for code in CODES if RULES[code].needs is not None]
    as_usual = {code: told(code) for code in codes}
    monkeypatch.setattr(sys.modules["abl.analysis.check"], "ASPECTS", {})
    empty_caches()
    each([(code, (code, as_usual[code])) for code in codes], is_told_again)
    empty_caches()


def is_told_again(code: str, as_usual: object) -> None:
    assert told(code) == as_usual


def test_aspects_are_asked_for() -> None:
    """Every class with aspects has rules that need one."""
    wanted = {kind for rule in RULES.values() if rule.needs is not None for kind in kinds(rule.over)}
    assert set(needs.ASPECTS) <= wanted


def kinds(over: type | tuple[type, ...] | None) -> tuple[type, ...]:
    return over if isinstance(over, tuple) else (over,) if over is not None else ()
