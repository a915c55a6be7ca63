"""Many texts by number, and what went wrong: each number is a text that can be made again (``make fuzz``)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.abl.fuzz import properties
from tests.abl.fuzz.corpus import TEXTS
from tests.abl.fuzz.documents import document
from tests.abl.fuzz.expressions import any_expression, template
from tests.abl.fuzz.mutations import mutated
from tests.abl.fuzz.reduction import failure, place, reduced
from tests.abl.fuzz.yaml_documents import yaml_form


class Case(NamedTuple):
    """A text, a text that stood there before, and a place in the text."""

    text: str
    before: str
    offset: int
    thorough: bool  # with what costs several checks


class Finding(NamedTuple):
    """The first text that failed in a place, made short."""

    number: int
    failure: str
    text: str


def case(chance: random.Random) -> Case:
    """A document, harmed or not; or a part of the examples and of the parser's corpus, harmed."""
    roll = chance.random()
    if roll < 0.7:
        before = yaml_form(chance) if chance.random() < 0.15 else document(chance)
    else:
        before = _part(chance.choice(TEXTS), chance)
    if roll > 0.9:
        before = _joined(before, document(chance), chance)
    text = mutated(before, chance) if roll > 0.3 else before
    return Case(text, before, chance.randrange(len(text) + 1), chance.random() < 0.1)


def _part(text: str, chance: random.Random) -> str:
    """The text, or, of a long one, mostly its head and some lines together."""
    rows = text.split("\n")
    if len(rows) < 40 or chance.random() < 0.03:
        return text
    at = chance.randrange(len(rows))
    return "\n".join([*rows[:2], *rows[at : at + 30]])


def _joined(one: str, two: str, chance: random.Random) -> str:
    """The first lines of one text and the last lines of another."""
    first, last = one.split("\n"), two.split("\n")
    return "\n".join(first[: chance.randrange(len(first) + 1)] + last[chance.randrange(len(last) + 1) :])


def prove_document(one: Case) -> None:
    """All that holds for a document."""
    properties.survives(one.text, one.offset)
    if one.thorough:
        properties.survives_changes(one.text, one.before)


def prove_expression(text: str) -> None:
    """All that holds for an expression, in time."""
    with properties.in_time(text):
        properties.evaluated(text)


def expression_case(chance: random.Random) -> str:
    """An expression or a template, harmed now and then."""
    text = any_expression(chance) if chance.random() < 0.6 else template(chance)
    return mutated(text, chance, 2) if chance.random() < 0.3 else text


def run_documents(first: int, count: int, heard: Callable[[Finding], None]) -> list[Finding]:
    """Findings among the documents of these numbers, one for each place that failed; each is told when it is found."""
    found: dict[str, Finding] = {}
    for number in range(first, first + count):
        one = case(random.Random(number))
        try:
            prove_document(one)
        except Exception as error:
            _keep(found, number, one.text, _by_text(one), error, heard=heard)
    return list(found.values())


def run_expressions(first: int, count: int, heard: Callable[[Finding], None]) -> list[Finding]:
    """The same for expressions and templates."""
    found: dict[str, Finding] = {}
    for number in range(first, first + count):
        text = expression_case(random.Random(number))
        try:
            prove_expression(text)
        except Exception as error:
            _keep(found, number, text, prove_expression, error, heard=heard)
    return list(found.values())


def _by_text(one: Case) -> Callable[[str], None]:
    return lambda text: prove_document(one._replace(text=text, offset=min(one.offset, len(text))))


def _keep(
    found: dict[str, Finding],
    number: int,
    text: str,
    prove: Callable[[str], None],
    error: Exception,
    *,
    heard: Callable[[Finding], None],
) -> None:
    """Remember a failure; one that does not happen again has to do with the texts before it, or with time."""
    again = failure(prove, text)
    where = again or f"only behind others: {place(error)} {str(error)[:500]}"
    if where not in found:
        found[where] = Finding(number, where, reduced(prove, text) if again else text)
        heard(found[where])
