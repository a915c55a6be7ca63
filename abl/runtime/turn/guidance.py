"""Instructions to the model about terms and tone: the glossary, COMMUNICATION (docs/spec 09 §2, §4, §10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from abl.language.entry import Entry

if TYPE_CHECKING:
    from abl.runtime.plan.program import Program


def guidance(program: Program) -> Iterator[str]:
    """Lines for the prompt, those of COMMUNICATION first."""
    section = program.agent.section("COMMUNICATION")
    if section is not None:
        yield from _manner(Entry.at("communication", section.block))
    nlu = program.agent.section("NLU")
    terms = Entry.at("nlu", nlu.block).texts("glossary") if nlu is not None else ()
    if terms:
        yield "Terms:"
        yield from (f"- {term}" for term in terms)


def _manner(given: Entry) -> Iterator[str]:
    if language := given.text("language"):
        yield f"Answer in this language: {language}."
    if formality := given.value("formality"):
        yield f"Tone: {formality}."
    yield from given.texts("constraints")
    pronouns, words = given.below("pronouns"), given.below("vocabulary")
    for found, key, said in (
        (pronouns, "use", "Forms of address to use"),
        (pronouns, "avoid", "Forms of address to avoid"),
        (words, "prefer", "Words to prefer"),
        (words, "avoid", "Words to avoid"),
    ):
        if listed := found.texts(key):
            yield f"{said}: {', '.join(listed)}."
