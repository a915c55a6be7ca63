"""9xx about the intents that routing conditions compare with (docs/spec 09 §10, 10 §5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.flow.cross_agent_queries import words_in
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.project import Index
from abl.analysis.index.vocabularies import is_intent_option
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en
from abl.syntax import nodes
from abl.syntax.nodes import Name

_CATEGORY = ("intent", "category")
_WORD: Final = re.compile(r"\w+")


def _declared(agent: AgentIndex) -> Iterator[Name]:
    """The names of INTENTS, with or without a description."""
    for section in generic.sections(agent, "INTENTS"):
        for child in section.block.children if section.block is not None else ():
            if is_intent_option(child.key):
                continue
            if child.colon and not child.item:
                yield Name(child.key, child.key_span)
            elif child.colon and child.item:
                name = generic.by_key(agent.source, child).get("name")
                text = name.value if name is not None else None
                yield Name(text.value.strip(), text.inner) if text is not None else Name(child.key, child.key_span)
            elif child.value is not None:
                yield Name(child.value.value.strip(), child.value.inner)


def _categories(agent: AgentIndex) -> set[str]:
    """The vocabulary of `intent.category`: INTENTS, and categories and intents of NLU."""
    found = {name.value for name in _declared(agent)}
    nlu = generic.section_keys(agent, "NLU")
    for key in ("categories", "intents"):
        for entry in generic.entries(agent.source, nlu.get(key)):
            found.add(generic.word(generic.by_key(agent.source, entry).get("name")))
            found.update(member.key for member in generic.members(agent.source, entry) if member.children)
    return found - {""}


@rule(
    "ABL941",
    "undeclared-category",
    "warning",
    "intent.category `{c}` is not declared in INTENTS. Did you mean `{y}`?",
    over=AgentIndex,
)
def undeclared_category(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A condition compares `intent.category` with a word that INTENTS does not list.
    Why: Messages are sorted into declared categories only, so it never holds.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        INTENTS:
          renew: "Keep a book longer"
          pay: "Pay a fine"
        HANDOFF:
          - TO: Cashier
            WHEN: intent.category == "pays"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        INTENTS:
          renew: "Keep a book longer"
          pay: "Pay a fine"
        HANDOFF:
          - TO: Cashier
            WHEN: intent.category == "pay"
    """
    if agent.agent.section("INTENTS") is None:
        return
    declared = _categories(agent)
    known = generic.some(sorted(declared))
    for placed, uses in agent.each(_intent_conditions) if declared else ():
        for use in map(placed.use, uses):
            for literal in _compared(use):
                if literal.value not in declared:
                    quoted = use.span_of(literal)
                    span = use.span(literal.start + 1, literal.end - 1)
                    best, renames = fixes.rename_to(span, literal.value, known)
                    yield found(quoted, *renames, c=literal.value, y=best)


def _intent_conditions(part: Part) -> list[ExpressionUse]:
    """The conditions that look at `intent.category`."""
    conditions = [use for use in part.uses if use.mode == "condition"]
    return [use for use in conditions if any(name.path == "intent.category" for name in use.reading.names)]


def _compared(use: ExpressionUse) -> Iterator[en.Literal]:
    """The texts that `intent.category` is compared with."""
    for test in use.reading.tests:
        sides = (test.left, test.right)
        if not any(isinstance(side, en.Path) and side.parts == _CATEGORY for side in sides):
            continue
        if test.op in ("==", "!=", "IN", "NOT IN"):
            for side in sides:
                for node in en.walk(side) if side is not None else ():
                    if isinstance(node, en.Literal) and node.form == "string":
                        yield node


@rule(
    "ABL942",
    "unused-intent",
    "hint",
    "Intent `{c}` is never used",
    over=nodes.Section,
    project=True,
    tags=("unnecessary",),
)
def unused_intent(section: nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: INTENTS lists a category that no other line of the project names.
    Why: Messages are sorted into it, and nothing comes of it.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        INTENTS:
          renew: "Keep a book longer"
          pay: "Pay a fine"
        HANDOFF:
          - TO: Cashier
            WHEN: intent.category == "pay"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        INTENTS:
          pay: "Pay a fine"
        HANDOFF:
          - TO: Cashier
            WHEN: intent.category == "pay"
    """
    if section.keyword != "INTENTS" or agent.fragment:
        return
    text = agent.source.text
    if not re.search(r"\bintent\.(?:category|name)\b", text):
        return  # nothing here looks at the category: another agent, or a model, may
    here, within = words_in(text), Counter(_WORD.findall(text, *section.span))
    for name in _declared(agent):
        parts = _WORD.findall(name.value)
        if name.value and any(here[part] == within[part] and project.words.get(part, 0) <= 1 for part in parts):
            yield found(name.span, c=name.value)
