"""Every key of the declaration in a text of the corpus, and what becomes of it by one slip of the hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from abl import check, parse
from abl.analysis.conformance.value_walk import below, properties
from abl.diagnostics import Diagnostic
from abl.language import PLACES
from abl.source import Span
from abl.syntax.nodes import Document
from tests.abl.syntax.test_corpus import cases

PATH = "desk.agent.abl"


class Written(NamedTuple):
    """A declared key where a text of the corpus holds it."""

    place: str
    key: str
    yaml: bool
    text: str
    span: Span


@cache
def written() -> tuple[Written, ...]:
    """Every declared key that the corpus holds, once in each form, in the shortest text that has it."""
    found: dict[tuple[str, str, bool], Written] = {}
    for case in cases():
        text = str(case.values[0])
        for one in _in_text(text, parse(text, PATH)):
            at = one.place, one.key, one.yaml
            if at not in found or len(text) < len(found[at].text):
                found[at] = one
    return tuple(found.values())


def _in_text(text: str, document: Document) -> Iterator[Written]:
    for whole in (*document.agents, *document.fragments):
        for section in whole.sections:
            span = section.key_span
            if section.keyword:
                yield Written("agent", section.keyword, document.yaml, text, span)
            for stood in properties(below(document.source, section.keyword, section.block)):
                declared = PLACES[stood.place].key(stood.block.key) if stood.listed and stood.place in PLACES else None
                span = stood.block.key_span
                if declared is not None and text[slice(*span)] == stood.block.key:
                    yield Written(stood.place, declared.name, document.yaml, text, span)


def slips(word: str) -> Iterator[str]:
    """The word with a letter dropped, one doubled and two swapped, each as far inside as it goes."""
    at = len(word) // 2
    yield word[:at] + word[at + 1 :]
    yield word[:at] + word[at] + word[at:]
    swapped = next((n for n in (*range(at, len(word) - 1), *range(at)) if word[n] != word[n + 1]), None)
    if swapped is not None:
        yield word[:swapped] + word[swapped + 1] + word[swapped] + word[swapped + 2 :]


def slipped(one: Written, wrong: str) -> str:
    """The text with the key misspelt."""
    return one.text[: one.span.start] + wrong + one.text[one.span.end :]


@cache
def problems(text: str) -> tuple[Diagnostic, ...]:
    """What is told of a text."""
    return check({PATH: text}).diagnostics


def spelling(one: Written, wrong: str) -> Diagnostic | None:
    """The problem with the misspelt key, if it has the right one as its only suggestion."""
    right = one.text[slice(*one.span)]
    at = Span(one.span.start, one.span.start + len(wrong))
    for problem in problems(slipped(one, wrong)):
        if problem.span == at and problem.severity in ("error", "warning"):
            renames = [fix.edits[0].text for fix in problem.fixes if [edit.span for edit in fix.edits] == [at]]
            if [text.casefold() for text in renames if text] == [right.casefold()]:
                return problem
    return None


def follow_ups(one: Written, wrong: str, told: Diagnostic) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """What is told beside the spelling and not of the right text, and the other way round."""
    before = Counter((problem.code, problem.severity) for problem in problems(one.text))
    after = Counter(
        (problem.code, problem.severity) for problem in problems(slipped(one, wrong)) if problem is not told
    )
    return after - before, before - after
