"""Which intent a message has, found without a model (docs/spec 09 §10)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abl.expressions.budget import spends
from abl.language.entry import Entry
from abl.language.written import listed
from abl.runtime.memory.ranking import words_of
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText

WHOLE_WORD, WITHIN = 1.0, 0.9
"""Scores of a pattern that is in the message as words, and of one that stands within words."""
THRESHOLD = 0.5
MAX_MESSAGE = 2_000
"""Characters of a message that are looked at."""
SEARCH_STEPS = 100
"""Steps of a budget for one search of a pattern, which is compiled for it."""
EXAMPLE_WORDS = 16
"""Words of an example that are compared in one step."""
_FILLERS = frozenset(
    words
    for text in (
        "a an the my your his her its our their this that these those is are was were be been am do does did to of in",
        "on for with at by from and or i you he she it we they me him us them can could would will shall should may",
        "might must please want wants wish like need needs user users customer customers ask asks about how when",
    )
    for words in words_of(text)
)


@dataclass(frozen=True, slots=True)
class IntentPlan:
    """An intent or category: what its messages contain, and sentences that are like them."""

    name: str
    patterns: tuple[str, ...]
    examples: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """How well a message fits an intent, and where in it that shows."""

    name: str
    score: float
    at: int


def intent_plans(program: AgentText) -> tuple[IntentPlan, ...]:
    """NLU intents, categories and INTENTS, in this order; of one name the first counts and takes over the others."""
    from abl.analysis.index.vocabularies import lists_of

    found: dict[str, IntentPlan] = {}
    sections = [program.agent.section(keyword) for keyword in ("NLU", "INTENTS")]
    for section in sections:
        if section is None or _words_do_not_count(section):
            continue
        for node in section.described:
            for kind, entries in lists_of(node) if isinstance(node, nodes.Understanding) else ():
                for name, content in entries if kind != "Entity" else ():
                    old = found.get(name.value)
                    new = _plan(name.value, content)
                    found[name.value] = (
                        new
                        if old is None
                        else IntentPlan(name.value, (*old.patterns, *new.patterns), (*old.examples, *new.examples))
                    )
    return tuple(found.values())


def _words_do_not_count(section: nodes.Section) -> bool:
    return section.keyword == "INTENTS" and Entry.at("intents", section.block).value("LEXICAL_FALLBACK") == "never"


def _plan(name: str, content: nodes.Content) -> IntentPlan:
    patterns, examples = content.get("patterns"), content.get("examples")
    described = [content.word_of()] if content.word_of() and content.word_of() != name else []
    texts = [*described, *_listed(examples)]
    return IntentPlan(
        name,
        tuple(_listed(patterns)),
        tuple(content_words(text) for text in texts or [name.replace("_", " ")]),
    )


def _listed(content: nodes.Content | None) -> list[str]:
    """The texts of a list: those of a line as every list has them, else one for each dash."""
    if content is None:
        return []
    if content.text is not None:
        return listed(content.text)
    return [found for text in content.texts() if (found := text.value.strip())]


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, by their stems."""
    return frozenset(words_of(text[:MAX_MESSAGE])) - _FILLERS


def hits(plans: tuple[IntentPlan, ...], message: str) -> list[Hit]:
    """Every intent with its score, the best first; of equal ones the one that is declared first.

    What it takes counts toward the budget of the turn: an agent may name as many patterns as fit into a file.
    """
    message = message[:MAX_MESSAGE]
    words = content_words(message)
    stems: dict[str, int] = {}
    for word in re.finditer(r"\w+", message):
        for stem in words_of(word.group()):
            stems.setdefault(stem, word.start())
    return sorted((_hit(plan, message, words, stems) for plan in plans), key=lambda hit: -hit.score)


def _hit(plan: IntentPlan, message: str, words: frozenset[str], stems: dict[str, int]) -> Hit:
    for whole, score in ((True, WHOLE_WORD), (False, WITHIN)):
        places = [at for pattern in plan.patterns if (at := _place(pattern, message, whole=whole)) is not None]
        if places:
            return Hit(plan.name, score, min(places))
    best, shared = 0.0, frozenset[str]()
    for example in plan.examples:
        spends(1 + len(example) // EXAMPLE_WORDS)
        common = words & example
        share = len(common) / (len(words) + len(example) - len(common)) if common else 0.0
        if share > best:
            best, shared = share, common
    return Hit(plan.name, round(best, 3), min((stems[stem] for stem in shared if stem in stems), default=0))


def _place(pattern: str, message: str, *, whole: bool) -> int | None:
    spends(SEARCH_STEPS)
    words = re.escape(pattern)
    found = re.search(rf"(?<!\w){words}(?!\w)" if whole else words, message, re.IGNORECASE)
    return found.start() if found is not None else None
