"""An entry of STEP_CONSTRAINTS is looked at as the same entry of CONSTRAINTS (docs/spec 04 §7).

The texts are those of the cases: each list of rules is written once as the agent's and once as that of a reasoning
step in which the flow begins, and what is told, and each fix, has to be the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest

from abl.analysis import check
from abl.diagnostics import Diagnostic
from tests.abl.analysis.restyled import spellings
from tests.abl.analysis.test_analysis_rules import ALL_CASES, applied
from tests.every import each

LIST: Final = re.compile(r"^CONSTRAINTS:\n((?:  - .*\n(?:    .*\n)*)+)", re.MULTILINE)
HEADER: Final = 'AGENT: Desk\nGOAL: "Lend books"\n'
STEP: Final = (
    "FLOW:\n  steps: [talk]\n  talk:\n    REASONING: true\n{rules}    EXIT_WHEN: input == 1\n    THEN: COMPLETE\n"
)
NOT_SAME: Final = {
    "ABL403": "a sentence of a step is text for its model",
    "ABL215": "a step may set what its rules read",
}
"""Codes that differ, with the reason."""
KIND: Final = re.compile(r"^( *- (?:REQUIRE|LIMIT|RESTRICT|WARN)) (?=\S)", re.MULTILINE)
HEADING: Final = re.compile(r" *(?:STEP_)?CONSTRAINTS:$", re.IGNORECASE)
PATH: Final = "desk.agent.abl"


def written(text: str) -> tuple[str, str] | None:
    """The agent with its rules, and with them in a step; None for a text without a plain list of rules."""
    if not text.endswith("\n"):
        text += "\n"
    rules = LIST.search(text)
    others = re.search(r"^(?:FLOW|---|agent|BEHAVIOR_PROFILE)\b", text, re.MULTILINE)
    if rules is None or others or len(re.findall(r"^(?:AGENT|SUPERVISOR):", text, re.MULTILINE)) > 1:
        return None
    if text.startswith("CONSTRAINTS") or "AGENT:" not in text:
        text = HEADER + text
        rules = LIST.search(text)
        assert rules is not None
    below = "    STEP_CONSTRAINTS:\n" + re.sub(r"^(?=.)", "    ", rules[1], flags=re.MULTILINE)
    without = text[: rules.start()] + text[rules.end() :]
    return text + STEP.format(rules=""), without + STEP.format(rules=below)


def told(text: str) -> list[tuple[Any, Diagnostic]]:
    """What is told, by something that does not depend on where the rules stand."""
    found = []
    for problem in check({PATH: text}).diagnostics:
        shown = re.sub(r"\s+", " ", text[problem.span.start : problem.span.end])
        message = re.sub(r"line \d+", "line", problem.message)
        if problem.code not in NOT_SAME and "CONSTRAINTS" not in message:
            found.append(((problem.code, problem.severity, shown, message), problem))
    return sorted(found, key=lambda each: each[0])


def fixed(text: str, problem: Diagnostic) -> list[Any]:
    """What each fix makes of the text, as lines without their place."""
    made = [
        (fix.title.replace("STEP_CONSTRAINTS", "CONSTRAINTS"), fix.preferred, applied(text, fix).split("\n"))
        for fix in problem.fixes
    ]
    return [
        (title, preferred, Counter(line.strip() for line in lines if not HEADING.match(line)))
        for title, preferred, lines in made
    ]


def told_alike(*texts: str) -> list[list[tuple[Any, Diagnostic]]]:
    own, of_step = (told(each) for each in texts)
    assert [key for key, _ in of_step] == [key for key, _ in own]
    return [own, of_step]


def holds(*texts: str) -> None:
    for (key, one), (_, other) in zip(*told_alike(*texts), strict=True):
        made = [fixed(text, problem) for text, problem in zip(texts, (one, other), strict=True)]
        assert made[0] == made[1], key


def lists() -> Iterator[tuple[str, tuple[str, str]]]:
    for code, case in ALL_CASES:
        texts = written(case.get("source", ""))
        if texts is not None and "repeated" not in case and code != "ABL108":  # what a wrong column means, differs
            yield f"{code}: {case['name']}", texts


@pytest.mark.slow
def test_rules_of_a_step_are_told_and_mended_as_those_of_the_agent() -> None:
    found = list(lists())
    assert len(found) > 250
    each(found, holds)


@pytest.mark.slow
def test_so_are_those_in_other_spellings() -> None:
    found = []
    for name, texts in lists():
        own, of_step = (dict(spellings(KIND.sub(r"\1: ", text))) for text in texts)
        forms = [form for form in ("yaml", "inline") if form in own and form in of_step and "ABL1" not in name]
        found += [(f"{name}, {form}", (own[form], of_step[form])) for form in forms]
    assert len(found) > 250
    each(found, told_alike)
